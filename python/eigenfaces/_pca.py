"""Principal component analysis, exact for bytes, as a transformer of scikit-learn."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _engine

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_SOLVERS = ("auto", "gram", "covariance")
_RULES = ("auto", "profile", "parallel")

# What is learned, in whichever way.
_LEARNED = (
    "mean_",
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "n_samples_",
    "singular_values_",
    "n_components_",
    "noise_variance_",
    "solver_",
)


def _numbers(samples: NDArray[Any]) -> NDArray[Any]:
    """The array as the engine takes it: bytes as they are, everything else as doubles, both in C order."""
    dtype = np.uint8 if samples.dtype == np.uint8 else np.float64
    return np.ascontiguousarray(samples, dtype=dtype)


class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Principal component analysis without rounding for 8-bit images.

    Products of bytes are whole numbers, so for ``uint8`` arrays the covariance is computed exactly, in integers, and
    the components are the same bit for bit for any number of threads and any order of the samples. A ``uint8`` array
    in C order is read where it lies, without a copy.

    Other arrays are taken as doubles. Where these are all whole numbers from 0 to 255, they are learned from as
    bytes, exactly; otherwise in double precision throughout.

    Parameters
    ----------
    n_components : int, float, str or None, default=0.99
        A number of components; a share of the variance, above 0 and below 1; None for all that have variance; or a
        rule: "auto" (0.99 of the variance, 300 at most), "profile" (profile likelihood) or "parallel" (parallel
        analysis, for bytes, not with ``partial_fit``). Fewer are kept where the data has fewer directions that have
        variance: see ``n_components_``.
    solver : {"auto", "gram", "covariance"}, default="auto"
        The route. Both give the same components to rounding; "auto" takes the cheaper one.
    whiten : bool, default=False
        Divide the transformed samples by the standard deviation along each component.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
    components_ : ndarray of shape (n_components_, n_features)
        Orthonormal rows, by decreasing variance. The entry of largest magnitude of each is positive.
    explained_variance_ : ndarray of shape (n_components_,)
        Variances with ``n_samples - 1`` degrees of freedom.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        Shares of the variance over all directions, kept or not.
    singular_values_ : ndarray of shape (n_components_,)
        Those of the centred data.
    noise_variance_ : float
        The mean variance of the directions that are not kept.
    n_components_, n_features_in_, n_samples_ : int
    solver_ : str
        The route that was taken.

    Examples
    --------
    >>> from eigenfaces import PCA, load_bundled_faces
    >>> faces = load_bundled_faces()
    >>> weights = PCA(n_components=10).fit_transform(faces.data)
    >>> weights.shape
    (112, 10)
    """

    def __init__(self, n_components: int | float | str | None = 0.99, *, solver: str = "auto", whiten: bool = False):
        self.n_components = n_components
        self.solver = solver
        self.whiten = whiten

    def fit(self, X: ArrayLike, y: Any = None) -> PCA:
        """Learn the components of samples (n_samples, n_features)."""
        self._forget()
        X = validate_data(self, X, dtype="numeric", ensure_min_samples=2)
        wanted = self._wanted(min(X.shape))
        if self.solver not in _SOLVERS:
            raise ValueError(f"solver must be one of {', '.join(_SOLVERS)}; got {self.solver!r}")
        samples = _numbers(X)
        fit = _engine.fit_bytes if samples.dtype == np.uint8 else _engine.fit_numbers
        self._keep(X.shape[0], *fit(samples, wanted, self.solver))
        return self

    def partial_fit(self, X: ArrayLike, y: Any = None) -> PCA:
        """Add samples of bytes (n_samples, n_features); the components are found when first asked for.

        What is kept is n, Σx and Σxxᵀ in exact integers: 8 d² bytes, however many samples there are. So batches may come
        in any order and any sizes, also by way of ``merge``, and the components are the same bit for bit, those of
        ``fit(all, solver="covariance")``. A pickled PCA takes these sums along.
        """
        first = not hasattr(self, "_sums")
        X = validate_data(self, X, dtype="numeric", reset=first)
        samples = _numbers(X)
        if samples.dtype != np.uint8:
            whole = samples.astype(np.uint8)
            if not np.array_equal(whole, samples):
                raise ValueError("partial_fit is exact, and takes whole numbers from 0 to 255 only; round and scale X")
            samples = whole
        sums = _engine.Sums(X.shape[1]) if first else self._sums
        sums.add(samples)
        self._forget()
        self._sums = sums
        return self

    def merge(self, other: PCA) -> PCA:
        """Add the samples that another PCA was given by ``partial_fit``: in any order, by any tree, the same bits."""
        if not hasattr(self, "_sums") or not hasattr(other, "_sums"):
            raise ValueError("both must have been given samples by partial_fit, for fit keeps no sums")
        if other is self:
            raise ValueError("a PCA cannot be merged with itself: its samples would count twice")
        sums = self._sums
        sums.merge(other._sums)
        self._forget()
        self._sums = sums
        return self

    def _forget(self) -> None:
        for name in [*_LEARNED, "_sums"]:
            self.__dict__.pop(name, None)

    def _keep(self, samples, mean, components, variances, total, solver) -> None:
        self.mean_ = mean
        self.components_ = components
        self.explained_variance_ = variances
        self.explained_variance_ratio_ = variances / total
        self.n_samples_ = samples
        self.singular_values_ = np.sqrt(variances * (samples - 1))
        self.n_components_ = len(variances)
        left = min(samples, len(mean)) - self.n_components_
        self.noise_variance_ = max(total - variances.sum(), 0.0) / left if left else 0.0
        self.solver_ = solver

    def __getattr__(self, name: str) -> Any:
        # What follows from sums is learned when it is first asked for: an eigenproblem for each batch would be waste.
        if name not in _LEARNED or "_sums" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        samples = self._sums.samples()
        try:
            wanted = self._wanted(min(samples, self.n_features_in_))
            self._keep(samples, *self._sums.fit(wanted))
        except ValueError as error:
            # There is no such attribute yet: hasattr and displays ask for it.
            raise NotFittedError(f"{name} cannot be learned from {samples} samples: {error}") from error
        return self.__dict__[name]

    def __sklearn_is_fitted__(self) -> bool:
        return "_sums" in self.__dict__ or "components_" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_sums" in state:
            state["_sums"] = state["_sums"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_sums" in state:
            state = {**state, "_sums": _engine.Sums.from_bytes(state["_sums"])}
        super().__setstate__(state)

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Give the weights of samples along the components (n_samples, n_components_)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype="numeric", reset=False)
        samples = _numbers(X)
        weigh = _engine.weights_of_bytes if samples.dtype == np.uint8 else _engine.weights_of_numbers
        weights = weigh(samples, *self._basis())
        if self.whiten:
            weights /= np.sqrt(self.explained_variance_)
        return weights

    def inverse_transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Rebuild samples (n_samples, n_features) from their weights."""
        check_is_fitted(self)
        weights = np.asarray(X, dtype=np.float64)
        if weights.ndim != 2 or weights.shape[1] != self.n_components_:
            raise ValueError(
                f"the weights must have the shape (n_samples, {self.n_components_}); got {weights.shape}"
            )
        if self.whiten:
            weights = weights * np.sqrt(self.explained_variance_)
        return _engine.rebuild(np.ascontiguousarray(weights), *self._basis())

    def _basis(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        # Whoever unpickles or changes these may have them in another order.
        return (
            np.ascontiguousarray(self.mean_, dtype=np.float64),
            np.ascontiguousarray(self.components_, dtype=np.float64),
        )

    def _wanted(self, most: int) -> int | float | str:
        wanted = self.n_components
        if wanted is None:
            return most
        if isinstance(wanted, str):
            if wanted in _RULES:
                return wanted
        elif isinstance(wanted, Integral) and not isinstance(wanted, bool):
            if 0 < wanted <= most:
                return int(wanted)
        elif isinstance(wanted, Real) and not isinstance(wanted, bool) and 0 < wanted < 1:
            return float(wanted)
        raise ValueError(
            f"n_components must be a number from 1 to min(n_samples, n_features)={most}, a share of the variance "
            f"between 0 and 1, one of {', '.join(_RULES)}, or None; got {wanted!r}"
        )

    @property
    def _n_features_out(self) -> int:
        return self.n_components_
