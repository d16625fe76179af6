"""Faces that come with the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from . import _engine

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.utils import Bunch


@overload
def load_bundled_faces(*, return_X_y: Literal[False] = False) -> Bunch: ...
@overload
def load_bundled_faces(*, return_X_y: Literal[True]) -> tuple[NDArray[np.uint8], NDArray[np.intp]]: ...
def load_bundled_faces(*, return_X_y: bool = False) -> Bunch | tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """Load the rendered faces of people who do not exist, so that examples run without a download.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` only.

    Returns
    -------
    Bunch or tuple
        ``data`` (n, d) and ``images`` (n, height, width) are gray values, ``uint8``; ``target`` (n,) are numbers of
        people, ``target_names`` their names.
    """
    images, names = _engine.bundled_faces()
    target_names, target = np.unique(names, return_inverse=True)
    data = images.reshape(len(images), -1)
    if return_X_y:
        return data, target
    from sklearn.utils import Bunch

    return Bunch(data=data, images=images, target=target, target_names=target_names)
