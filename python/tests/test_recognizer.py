"""The recogniser: the program's, at home in Python."""

import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

import eigenfaces
from eigenfaces import FaceRecognizer, load_bundled_faces

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def faces():
    return load_bundled_faces()


@pytest.fixture(scope="module")
def recognizer(faces):
    names = faces.target_names[faces.target]
    return FaceRecognizer().fit(faces.images[::2], names[::2])


def test_who_is_who(faces, recognizer):
    names = faces.target_names[faces.target]
    assert recognizer.score(faces.images[1::2], names[1::2]) > 0.9
    probabilities = recognizer.predict_proba(faces.images[1::2])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    likeliest = recognizer.classes_[probabilities.argmax(axis=1)]
    assert (likeliest == recognizer.predict(faces.images[1::2])).all()


def test_a_photo_in_any_form(faces, recognizer):
    path = REPOSITORY / "assets/probes/ada.png"
    if not path.exists():
        pytest.skip("the repository is not here")
    forms = [path, str(path), path.read_bytes()]
    found = recognizer.identify(forms, top=3)
    assert [len(of_photo) for of_photo in found] == [1, 1, 1]
    assert found[0] == found[1] == found[2]
    (ada,) = found[0]
    assert (ada.decision, ada.person) == ("known", "Ada")
    assert ada.candidates[0].person == "Ada" and len(ada.candidates) == 3
    assert ada.confidence == ada.candidates[0].confidence > 0.5


def test_strangers(faces):
    known = faces.target < 10
    recognizer = FaceRecognizer(unknown="nobody").fit(faces.images[known], faces.target[known])
    strangers = recognizer.predict(faces.images[~known])
    assert (strangers == "nobody").mean() > 0.7
    noise = np.random.default_rng(0).integers(0, 256, (1, *faces.images.shape[1:]), dtype=np.uint8)
    assert list(recognizer.predict(noise)) == ["nobody"]
    assert recognizer.set_params(unknown=None).predict(noise).dtype == faces.target.dtype


def test_verification(faces, recognizer):
    first, second = faces.images[0], faces.images[1]
    other = faces.images[faces.target == 5][0]
    assert recognizer.verify(first, second)
    assert not recognizer.verify(first, other)
    assert recognizer.verify_person(second, faces.target_names[0])
    with pytest.raises(ValueError, match="not enrolled"):
        recognizer.verify_person(second, "Nobody")


def test_saved_loaded_and_pickled(tmp_path, faces, recognizer):
    probes = faces.images[1:20:2]
    recognizer.save(tmp_path / "model.npz")
    assert {"mean_", "components_"} <= set(np.load(tmp_path / "model.npz").files)
    loaded = FaceRecognizer.load(tmp_path / "model.npz")
    pickled = pickle.loads(pickle.dumps(recognizer))
    for copy in (loaded, pickled):
        assert (copy.classes_ == recognizer.classes_).all()
        assert (copy.predict_proba(probes) == recognizer.predict_proba(probes)).all()


def test_what_cannot_be_used_is_said(tmp_path, faces, recognizer):
    (tmp_path / "text.png").write_text("no picture")
    for wrong, words in [
        ("one.png", "put a single one into a list"),
        ([tmp_path / "text.png"], "text.png"),
        ([b"no picture"], "photo 0"),
        ([np.zeros((20, 20, 3), np.uint8)], "height, width"),
        ([np.full((20, 20), 0.5)], "whole numbers"),
        ([None], "a photo is a path"),
        (faces.data, "image_shape"),
    ]:
        with pytest.raises(ValueError, match=words):
            recognizer.identify(wrong)
    with pytest.raises(FileNotFoundError):
        recognizer.identify([tmp_path / "missing.png"])
    with pytest.raises(FileNotFoundError):
        FaceRecognizer.load(tmp_path / "missing.npz")
    with pytest.raises(ValueError):
        FaceRecognizer().fit(faces.images[:0], [])
    with pytest.raises(ValueError, match="framing|auto, as-is"):
        FaceRecognizer(framing="guess").fit(faces.images, faces.target)


def test_names_come_back_as_they_were_given(faces):
    # In the decomposed form that macOS uses for file names.
    names = np.where(faces.target == 0, "Zoe\u0308", "Bob")
    recognizer = FaceRecognizer().fit(faces.images, names)
    assert recognizer.predict(faces.images[:1])[0] == "Zoe\u0308"
    both = np.where(faces.target == 0, "Zoe\u0308", "Zo\u00eb")
    with pytest.raises(ValueError, match="one name"):
        FaceRecognizer().fit(faces.images, both)


def test_the_package():
    assert set(eigenfaces.__all__) <= set(dir(eigenfaces))
    assert eigenfaces.__version__
    assert (Path(eigenfaces.__file__).parent / "py.typed").exists()
    with pytest.raises(AttributeError):
        eigenfaces.nothing


def test_described_anywhere_in_any_order_is_enrolled_at_once(tmp_path, monkeypatch):
    photos = sorted((REPOSITORY / "faces").rglob("*.png"))
    program = REPOSITORY / "target/debug/eigenfaces"
    if not photos or not program.exists():
        pytest.skip("the repository, or the program built there, is not here")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795236101")
    described = [FaceRecognizer.describe(p, p.parent.name, str(p.relative_to(REPOSITORY))) for p in reversed(photos)]
    FaceRecognizer().fit_described(described).save(tmp_path / "described.npz")
    command = [program, "enroll", "faces", "-m", tmp_path / "enrolled.npz", "--quiet"]
    subprocess.run(command, cwd=REPOSITORY, check=True)
    assert (tmp_path / "described.npz").read_bytes() == (tmp_path / "enrolled.npz").read_bytes()
    with pytest.raises(ValueError):
        FaceRecognizer().fit_described([described[0][:-1]])
    with pytest.raises(ValueError, match="photo"):
        FaceRecognizer.describe(b"no photo", "Ada")


def test_a_face_too_small_to_be_compared(faces, recognizer):
    photo = np.full((200, 200), 128, np.uint8)
    photo[70:98, 70:94] = faces.images[0].reshape(28, 4, 24, 4).mean((1, 3))
    ((face,),) = recognizer.identify([photo])
    assert (face.decision, face.candidates) == ("unknown", ())
    with pytest.raises(ValueError, match="photo 0: .* too small"):
        recognizer.predict([photo])
    np.testing.assert_allclose(recognizer.predict_proba([photo]), 1 / len(recognizer.classes_))
    shy = FaceRecognizer(unknown="nobody").fit(faces.images[:16], faces.target[:16])
    assert list(shy.predict([photo, faces.images[0]])) == ["nobody", 0]


def test_labels_with_blanks_and_a_refused_fit(faces):
    recognizer = FaceRecognizer().fit(faces.images[:16], [" Ada"] * 8 + ["Boris "] * 8)
    assert list(recognizer.predict(faces.images[[0, 8]])) == [" Ada", "Boris "]
    with pytest.raises(ValueError, match="two classes have one name"):
        recognizer.fit(faces.images[[0, 8]], ["Zoe", "Zoe "])
    assert list(recognizer.predict(faces.images[[0, 8]])) == [" Ada", "Boris "]
    with pytest.raises(ValueError, match="top"):
        recognizer.identify(faces.images[:1], top=0)


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork here")
def test_after_a_fork():
    program = """
import os, signal
from eigenfaces import PCA, load_bundled_faces
faces = load_bundled_faces().data
before = PCA(5).fit_transform(faces)
child = os.fork()
if child == 0:
    signal.alarm(60)
    os._exit(0 if (PCA(5).fit_transform(faces) == before).all() else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    subprocess.run([__import__("sys").executable, "-c", program], check=True, timeout=120)
