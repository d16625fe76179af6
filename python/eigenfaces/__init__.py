"""Exact, fast eigenfaces: PCA of 8-bit images without rounding, and a face recogniser that says when it does not know.

``PCA`` and ``FaceRecognizer`` follow scikit-learn's conventions; ``load_bundled_faces`` gives rendered faces to try them
with. All of it is computed by the Rust library ``eigenfaces``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._datasets import load_bundled_faces
    from ._pca import PCA
    from ._recognizer import Candidate, FaceRecognizer, Identification, Verification

__all__ = ["PCA", "Candidate", "FaceRecognizer", "Identification", "Verification", "load_bundled_faces"]

# scikit-learn takes most of a second to import: it is, when one of these is asked for.
_PLACES = {
    "PCA": "_pca",
    "Candidate": "_recognizer",
    "FaceRecognizer": "_recognizer",
    "Identification": "_recognizer",
    "Verification": "_recognizer",
    "load_bundled_faces": "_datasets",
}


def __getattr__(name):
    if name == "__version__":
        from importlib.metadata import version

        return version("eigenfaces")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_PLACES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *__all__])
