"""Principal component analysis, exact for bytes, as a transformer of scikit-learn."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _engine

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_SOLVERS = ("auto", "gram", "covariance", "randomized")
_RULES = ("auto", "profile", "minka", "parallel")


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
        rule: "auto" (0.99 of the variance, 300 at most), "profile" (profile likelihood), "minka" (Bayesian, for more
        samples than features) or "parallel" (parallel analysis, for bytes). Fewer are kept where the data has fewer
        directions that have variance: see ``n_components_``.
    solver : {"auto", "gram", "covariance", "randomized"}, default="auto"
        The route. All give the same components to rounding: "randomized" too, for its accuracy is measured and an
        exact route is taken where it is not reached. "auto" takes the cheapest.
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
        X = validate_data(self, X, dtype="numeric", ensure_min_samples=2)
        wanted = self._wanted(min(X.shape))
        if self.solver not in _SOLVERS:
            raise ValueError(f"solver must be one of {', '.join(_SOLVERS)}; got {self.solver!r}")
        samples = _numbers(X)
        fit = _engine.fit_bytes if samples.dtype == np.uint8 else _engine.fit_numbers
        mean, components, variances, total, solver = fit(samples, wanted, self.solver)
        self.mean_ = mean
        self.components_ = components
        self.explained_variance_ = variances
        self.explained_variance_ratio_ = variances / total
        self.n_samples_ = X.shape[0]
        self.singular_values_ = np.sqrt(variances * (self.n_samples_ - 1))
        self.n_components_ = len(variances)
        left = min(X.shape) - self.n_components_
        self.noise_variance_ = max(total - variances.sum(), 0.0) / left if left else 0.0
        self.solver_ = solver
        return self

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
            return 1.0
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
