"""What scikit-learn asks of estimators."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from eigenfaces import PCA, FaceRecognizer, load_bundled_faces


def bytes_only(estimator):
    """Checks that give ``partial_fit`` any numbers: it sums exactly, and takes whole numbers from 0 to 255."""
    checks = ["check_fit_score_takes_y", "check_n_features_in_after_fitting"]
    return dict.fromkeys(checks, "partial_fit takes bytes") if isinstance(estimator, PCA) else {}


@parametrize_with_checks(
    [PCA(), PCA(n_components=1, whiten=True), FaceRecognizer()], expected_failed_checks=bytes_only
)
def test_estimator_checks(estimator, check):
    check(estimator)


def test_in_a_pipeline():
    faces = load_bundled_faces()
    steps = make_pipeline(PCA(whiten=True), KNeighborsClassifier(1))
    search = GridSearchCV(steps, {"pca__n_components": [5, 20]}, cv=3).fit(faces.data, faces.target)
    assert search.best_score_ > 0.5


def test_output_as_a_table():
    pytest.importorskip("pandas")
    faces = load_bundled_faces()
    table = PCA(3).set_output(transform="pandas").fit_transform(faces.data)
    assert list(table.columns) == ["pca0", "pca1", "pca2"]


def test_recognizer_is_cross_validated():
    faces = load_bundled_faces()
    recognizer = clone(FaceRecognizer(image_shape=faces.images.shape[1:]))
    assert cross_val_score(recognizer, faces.data, faces.target, cv=2).mean() > 0.8


def test_feature_names():
    assert list(PCA(2).fit(np.eye(4)).get_feature_names_out()) == ["pca0", "pca1"]
