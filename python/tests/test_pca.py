"""PCA: exact for bytes, right to rounding for other numbers."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
import sklearn.decomposition
from sklearn.base import clone

from eigenfaces import PCA, load_bundled_faces

DATA = Path(os.environ.get("EIGENFACES_DATA", Path(__file__).parents[2] / "../shared/data"))


def subspace_distance(a, b):
    """The largest sine of an angle between two subspaces, given by orthonormal rows."""
    return np.linalg.norm(a - a @ b.T @ b, 2)


def close_to_sklearn(samples, found, values=1e-6, subspace=1e-5):
    k = found.n_components_
    expected = sklearn.decomposition.PCA(k, svd_solver="full").fit(samples.astype(float))
    np.testing.assert_allclose(found.mean_, expected.mean_, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(found.explained_variance_, expected.explained_variance_, rtol=values)
    np.testing.assert_allclose(found.explained_variance_ratio_, expected.explained_variance_ratio_, rtol=values)
    np.testing.assert_allclose(found.singular_values_, expected.singular_values_, rtol=values)
    np.testing.assert_allclose(found.noise_variance_, expected.noise_variance_, rtol=1e-6, atol=1e-9)
    assert subspace_distance(found.components_, expected.components_) < subspace
    return expected


def test_att_faces_as_scikit_learn_has_them():
    files = sorted((DATA / "att").glob("s*/*.pgm"))
    if not files:
        pytest.skip(f"no AT&T faces in {DATA / 'att'}")
    # Binary PGM: the pixels stand at the end.
    samples = np.stack([np.frombuffer(path.read_bytes()[-92 * 112 :], np.uint8) for path in files])
    assert samples.shape == (400, 10304)
    close_to_sklearn(samples, PCA(100).fit(samples))


@pytest.mark.parametrize("solver", ["auto", "gram", "covariance"])
@pytest.mark.parametrize("shape", [(60, 25), (25, 60)])
def test_every_solver_agrees_with_scikit_learn(solver, shape):
    random = np.random.default_rng(1)
    samples = random.integers(0, 256, shape, dtype=np.uint8)
    for samples in (samples, random.normal(size=shape)):
        found = PCA(10, solver=solver).fit(samples)
        expected = close_to_sklearn(samples, found)
        weights = found.transform(samples)
        signs = np.sign((found.components_ * expected.components_).sum(axis=1))
        np.testing.assert_allclose(weights, signs * expected.transform(samples.astype(float)), rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(
            found.inverse_transform(weights), expected.inverse_transform(signs * weights), rtol=1e-6, atol=1e-6
        )


def test_whole_numbers_are_bytes():
    samples = load_bundled_faces().data
    exact = PCA(20).fit(samples)
    for other in (samples.astype(float), samples.astype(np.int64), samples.astype(np.float32), samples[:, ::1]):
        found = PCA(20).fit(other)
        for name in ("mean_", "components_", "explained_variance_"):
            assert (getattr(found, name) == getattr(exact, name)).all(), name
    halves = PCA(20).fit(samples / 2)
    np.testing.assert_allclose(4 * halves.explained_variance_, exact.explained_variance_, rtol=1e-9)


def test_order_and_layout_do_not_matter():
    samples = load_bundled_faces().data
    exact = PCA(20).fit(samples)
    shuffled = PCA(20).fit(samples[np.random.default_rng(2).permutation(len(samples))])
    fortran = PCA(20).fit(np.asfortranarray(samples))
    for found in (shuffled, fortran):
        assert (found.components_ == exact.components_).all()
        assert (found.explained_variance_ == exact.explained_variance_).all()


def test_what_is_given_is_not_written_to():
    samples = load_bundled_faces().data.copy()
    samples.setflags(write=False)
    before = samples.copy()
    PCA(whiten=True).fit_transform(samples)
    assert (samples == before).all()


def test_number_of_components():
    samples = load_bundled_faces().data
    n = len(samples)
    assert PCA(None).fit(samples).n_components_ == n - 1
    assert PCA(7).fit(samples).n_components_ == 7
    half = PCA(0.5).fit(samples)
    assert half.explained_variance_ratio_.sum() >= 0.5 > half.explained_variance_ratio_[:-1].sum()
    for rule in ("auto", "profile", "parallel"):
        assert 0 < PCA(rule).fit(samples).n_components_ < n
    for wrong in (0, -1, n + 1, 1.5, 0.0, "many", True):
        with pytest.raises(ValueError, match="n_components"):
            PCA(wrong).fit(samples)
    with pytest.raises(ValueError, match="solver"):
        PCA(solver="arpack").fit(samples)


def test_whitened_weights_have_variance_one():
    weights = PCA(10, whiten=True).fit_transform(load_bundled_faces().data)
    np.testing.assert_allclose(np.cov(weights.T), np.eye(10), atol=1e-8)
    found = PCA(None, whiten=True).fit(load_bundled_faces().data)
    samples = load_bundled_faces().data[:5]
    np.testing.assert_allclose(found.inverse_transform(found.transform(samples)), samples, atol=1e-6)


def test_alike_samples_are_an_error():
    with pytest.raises(ValueError, match="nothing to tell them apart"):
        PCA().fit(np.full((5, 9), 7, dtype=np.uint8))
    with pytest.raises(ValueError, match="nothing to tell them apart"):
        PCA().fit(np.full((5, 9), 0.1))


def test_pickled_and_cloned():
    samples = load_bundled_faces().data
    found = PCA(10).fit(samples)
    copy = pickle.loads(pickle.dumps(found))
    assert (copy.transform(samples) == found.transform(samples)).all()
    assert clone(found).get_params() == {"n_components": 10, "solver": "auto", "whiten": False}


def test_damaged_attributes_are_errors():
    samples = load_bundled_faces().data
    found = PCA(10).fit(samples)
    found.mean_ = found.mean_[:-1]
    with pytest.raises(ValueError):
        found.transform(samples)


def test_batches_in_any_order_and_any_tree_are_all_at_once():
    samples = np.random.default_rng(3).integers(0, 256, (90, 40), dtype=np.uint8)
    whole = PCA(12, solver="covariance").fit(samples)

    def given(*batches):
        pca = PCA(12)
        for batch in batches:
            pca.partial_fit(batch)
        return pca

    a, b, c = samples[:20], samples[20:50].astype(float), samples[50:]
    for found in [
        given(a, b, c),
        given(c, a, b),
        given(b).merge(given(c)).merge(given(a)),
        pickle.loads(pickle.dumps(given(c))).merge(given(a).merge(given(b))),
    ]:
        assert found.n_samples_ == 90
        for name in ["mean_", "components_", "explained_variance_", "singular_values_"]:
            np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
        assert found.noise_variance_ == whole.noise_variance_
        np.testing.assert_array_equal(found.transform(samples), whole.transform(samples))
    # Another batch is learned from too, although components were asked for before.
    found = given(a)
    first = found.components_
    found.partial_fit(samples[20:])
    assert found.n_components_ == 12 and not np.array_equal(first, found.components_)
    np.testing.assert_array_equal(found.components_, whole.components_)


def test_what_cannot_be_summed_is_refused():
    with pytest.raises(ValueError, match="whole numbers"):
        PCA().partial_fit([[0.5, 1.0], [2.0, 3.0]])
    with pytest.raises(ValueError, match="partial_fit"):
        PCA().fit([[0, 1], [2, 3]]).merge(PCA().partial_fit([[0, 1], [2, 3]]))
    with pytest.raises(ValueError, match="features"):
        PCA().partial_fit([[0, 1], [2, 3]]).merge(PCA().partial_fit([[0, 1, 2]]))
    with pytest.raises(ValueError):
        PCA().partial_fit([[0, 1]]).components_


def test_directions_of_doubles_are_kept_down_to_their_noise():
    random = np.random.default_rng(1)
    samples = np.c_[random.normal(50000, 20000, 500), random.normal(0.05, 0.01, 500), random.normal(1, 0.3, 500)]
    found = PCA(n_components=None).fit(samples)
    assert found.n_components_ == 3
    np.testing.assert_allclose(found.explained_variance_[2], 1.1e-4, rtol=0.2)
    # What another is made of has no variance of its own.
    assert PCA(n_components=None).fit(np.c_[samples, samples[:, 0] - samples[:, 2]]).n_components_ == 3


def test_what_cannot_be_learned_yet_is_no_attribute():
    pca = PCA(5).partial_fit([[1, 2, 3]])
    assert not hasattr(pca, "components_")
    with pytest.raises(ValueError, match="itself"):
        pca.merge(pca)
