"""Face recognition as a classifier of scikit-learn."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _engine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Union

    from numpy.typing import NDArray

    Photo = Union[str, os.PathLike[str], bytes, NDArray[np.uint8]]
    Photos = Union[Sequence[Photo], NDArray[Any]]


@dataclass(frozen=True)
class Candidate:
    """A person whom a face may show."""

    person: Any
    """The class, one of ``classes_``."""
    distance: float
    confidence: float
    """The probability that it is this person, given that it may be a stranger."""


@dataclass(frozen=True)
class Identification:
    """What is said of one face of a photo."""

    decision: str
    """``"known"``, ``"unknown"`` or ``"not-a-face"``."""
    person: Any
    """The class where the decision is known, else None."""
    confidence: float
    """That of the nearest person, named or not."""
    box: tuple[float, float, float, float] | None
    """Left, top, width and height in the photo; None where the photo was taken as it is."""
    eyes: tuple[tuple[float, float], tuple[float, float]] | None
    candidates: tuple[Candidate, ...]
    """The nearest people, nearest first."""
    somebody_else: float | None
    """The probability that it is nobody of these; None where no background model compares."""


@dataclass(frozen=True)
class Verification:
    """Whether two faces are of one person."""

    same: bool
    confidence: float
    needed: float
    """The confidence from which on they pass as one person."""

    def __bool__(self) -> bool:
        return self.same


class FaceRecognizer(ClassifierMixin, BaseEstimator):
    """Who is in a photo: eigenfaces on top of a bundled model of how faces differ.

    Photos are paths of image files, the bytes of such files, or arrays of gray values (height x width, ``uint8``);
    together a sequence of these, an array (n, height, width), or, with ``image_shape``, an array (n, height * width) as
    scikit-learn's data sets have it. Values that are not ``uint8`` are taken if they are whole numbers from 0 to 255.

    Parameters
    ----------
    framing : {"auto", "as-is", "detect"}, default="auto"
        Whether faces are looked for in the photos. "auto" decides from a look at some of them.
    size : tuple (width, height), default=None
        The size of the faces in pixels; None chooses one that suits the photos.
    background : bool, default=True
        Compare faces by the bundled background model, which tells people apart from one photo each. Without it all is
        learned from the photos given, as eigenfaces theory has it.
    unknown : object, default=None
        What ``predict`` gives for a face of nobody enrolled, or for what is no face. None: it gives the nearest person
        all the same, always one of ``classes_``, as classifiers do.
    false_accept_rate : float, default=None
        The share of strangers that may be given a name by ``identify`` and, with ``unknown``, by ``predict``. None is
        the library's default.
    image_shape : tuple (height, width), default=None
        The shape of the image in each row of a two-dimensional array.

    Attributes
    ----------
    classes_ : ndarray
        The people: the values of ``y``, sorted. After ``load`` their names.
    """

    def __init__(
        self,
        *,
        framing: str = "auto",
        size: tuple[int, int] | None = None,
        background: bool = True,
        unknown: Any = None,
        false_accept_rate: float | None = None,
        image_shape: tuple[int, int] | None = None,
    ):
        self.framing = framing
        self.size = size
        self.background = background
        self.unknown = unknown
        self.false_accept_rate = false_accept_rate
        self.image_shape = image_shape

    def fit(self, X: Photos, y: Any) -> FaceRecognizer:
        """Enrol photos, each under the person of ``y`` whom it shows."""
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        photos = self._photos(X)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        if len(photos) != len(y):
            raise ValueError(f"there are {len(photos)} photos, but y has {len(y)} entries")
        classes, numbers = np.unique(y, return_inverse=True)
        names = [str(value) for value in classes]
        model = _engine.Recognizer.enroll(
            photos, [names[number] for number in numbers], self.framing, self.size, bool(self.background)
        )
        if len(model.people()) != len(classes):
            raise ValueError(
                "two classes have one name; give them names that differ in more than their encoding and blanks at the ends"
            )
        self._model = model
        self.classes_ = classes
        self._name(dict(zip(names, classes)))
        return self

    @staticmethod
    def describe(photo: Photo, person: Any, source: str = "") -> bytes:
        """Prepare and describe the face of one photo, for ``fit_described``: all of enrolling that needs no other photo.

        It is nearly all the work, and any process on any machine may do it (integrations/spark has a job that does).
        ``source`` is the path of the photo that the model keeps.
        """
        return _engine.describe(_gray(photo) if isinstance(photo, np.ndarray) else _single(photo), str(person), source)

    def fit_described(self, faces: Sequence[bytes]) -> FaceRecognizer:
        """Enrol described faces, in any order: bit for bit the model of enrolling their photos in one process.

        ``classes_`` are the names. The parameters of the recognizer that concern learning have no effect: photos are
        described with the defaults.
        """
        return self._named(_engine.Recognizer.enroll_described(list(faces)))

    def predict(self, X: Photos) -> NDArray[Any]:
        """Give the person whom the main face of each photo shows; see ``unknown`` for strangers."""
        found = self._main(X, 1)
        if self.unknown is None:
            for number, face in enumerate(found):
                if not face[5]:
                    raise ValueError(f"photo {number}: its face is too small to be compared; leave it out, or set unknown")
            return np.asarray([self._people[face[5][0][0]] for face in found], dtype=self.classes_.dtype)
        named = [self._people[face[5][0][0]] if face[0] == "known" else self.unknown for face in found]
        predicted = np.empty(len(named), dtype=object)
        predicted[:] = named
        return predicted

    def predict_proba(self, X: Photos) -> NDArray[np.float64]:
        """Give the probability of each of ``classes_``, if the main face of a photo is of one of them.

        Of a face that is too small to be compared all have the same.
        """
        check_is_fitted(self)
        found = self._main(X, len(self.classes_))
        columns = {person: column for column, person in enumerate(self.classes_)}
        probabilities = np.zeros((len(found), len(self.classes_)))
        for row, face in zip(probabilities, found):
            for name, _, confidence in face[5]:
                row[columns[self._people[name]]] = confidence
            if not face[5]:
                row[:] = 1
            elif row.sum() == 0:
                row[columns[self._people[face[5][0][0]]]] = 1
        return probabilities / probabilities.sum(axis=1, keepdims=True)

    def identify(self, X: Photos, *, top: int = 1) -> list[list[Identification]]:
        """Say of every face in each photo, row by row, who it is, if it is anybody who is enrolled."""
        check_is_fitted(self)
        found = self._model.identify(self._photos(X), top, self.false_accept_rate)
        return [[self._identification(face) for face in faces] for faces in found]

    def verify(self, first: Photo, second: Photo) -> Verification:
        """Say whether the main faces of two photos are of one person, enrolled or not."""
        check_is_fitted(self)
        first, second = self._photos([first, second])
        return Verification(*self._model.verify(first, second, self.false_accept_rate))

    def verify_person(self, photo: Photo, person: Any) -> Verification:
        """Say whether the main face of a photo is of this one of ``classes_``."""
        check_is_fitted(self)
        if person not in self.classes_:
            raise ValueError(f"{person!r} is not enrolled")
        (photo,) = self._photos([photo])
        return Verification(*self._model.verify_person(photo, str(person), self.false_accept_rate))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file that the program ``eigenfaces`` reads too, for its owner's eyes only: it holds faces."""
        check_is_fitted(self)
        self._model.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], **parameters: Any) -> FaceRecognizer:
        """Read a model file; ``classes_`` are the names of the people in it."""
        return cls(**parameters)._named(_engine.Recognizer.load(path))

    def _named(self, model: _engine.Recognizer) -> FaceRecognizer:
        self._model = model
        self.classes_ = np.unique(model.people())
        # Plain strings: NumPy's print as np.str_('Ada').
        self._name({str(name): str(name) for name in self.classes_})
        return self

    def _name(self, classes: dict[str, Any]) -> None:
        """Takes down which class each enrolled name is; names are normalised when they are enrolled."""
        from unicodedata import normalize

        self._people = {normalize("NFC", name.strip()): person for name, person in classes.items()}

    def _main(self, X: Photos, top: int) -> list[tuple[Any, ...]]:
        check_is_fitted(self)
        return self._model.identify_main(self._photos(X), top, self.false_accept_rate)

    def _identification(self, face: tuple[Any, ...]) -> Identification:
        decision, person, confidence, box, eyes, candidates, somebody_else = face
        return Identification(
            decision=decision,
            person=None if person is None else self._people[person],
            confidence=confidence,
            box=None if box is None else tuple(box),
            eyes=None if eyes is None else tuple(map(tuple, eyes)),
            candidates=tuple(
                Candidate(self._people[name], distance, confidence) for name, distance, confidence in candidates
            ),
            somebody_else=somebody_else,
        )

    def _photos(self, X: Photos) -> list[Any]:
        """The photos one by one, arrays as bytes."""
        if isinstance(X, (str, bytes, os.PathLike)):
            raise ValueError("expected several photos; put a single one into a list")
        if hasattr(X, "toarray"):
            raise TypeError("photos cannot be a sparse matrix; pass X.toarray()")
        if isinstance(X, np.ndarray) and X.dtype.kind != "O" and X.dtype.kind not in "USb":
            if X.ndim == 2 and self.image_shape is not None:
                X = X.reshape(len(X), *self.image_shape)
            if X.ndim != 3:
                raise ValueError(
                    f"expected an array (n, height, width), or image_shape for (n, height * width); got {X.shape}"
                )
        return [_gray(photo) if isinstance(photo, np.ndarray) else _single(photo) for photo in X]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_model" in state:
            state = {**state, "_model": _engine.Recognizer.from_bytes(state["_model"])}
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Photos, not features.
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.input_tags.string = True
        return tags


def _single(photo: Any) -> Any:
    return os.fspath(photo) if isinstance(photo, os.PathLike) else photo


def _gray(photo: NDArray[Any]) -> NDArray[np.uint8]:
    if photo.ndim != 2:
        raise ValueError(
            f"a photo as an array has the shape (height, width); got {photo.shape}. "
            "Pass the file itself, by path or as bytes, for colours to become gray as they did in learning"
        )
    if photo.dtype == np.uint8:
        return photo
    if photo.dtype.kind not in "iuf":
        raise ValueError(f"gray values must be numbers; got {photo.dtype}")
    gray = photo.astype(np.float64)
    if not np.isfinite(gray).all() or ((gray < 0) | (gray > 255) | (gray != np.floor(gray))).any():
        raise ValueError("gray values must be whole numbers from 0 to 255; scale and round them, (255 * photo).round()")
    return gray.astype(np.uint8)
