"""Other systems on the same faces and the same splits as `eigenfaces evaluate`: a table of scores for each.

python3 peers.py MODEL.npz SPLIT.csv OUT     (numpy, opencv-contrib-python-headless, scikit-learn; face_recognition where it is there)

MODEL.npz is what `eigenfaces enroll` made of the folder, whose 8-bit faces OpenCV and scikit-learn get, and SPLIT.csv what
`evaluate --split` wrote. face_recognition gets the photos themselves and finds the faces; a photo in which it finds none is a failure
to acquire. `OUT/SYSTEM-closed.csv` and `OUT/SYSTEM-open.csv` are for `evaluate --from-scores`.
"""

import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

import cv2
import numpy as np
from sklearn.decomposition import PCA

model, split_file, out = np.load(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
meta = json.loads(bytes(model["meta.json"]))
faces, labels, sources = model["faces"], model["labels"], model["sources"]


def find(value, name):
    """The first field of this name, at whatever depth."""
    if isinstance(value, dict):
        if name in value:
            return value[name]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            if (found := find(item, name)) is not None:
                return found
    return None


width, height = (find(meta, name) for name in ("width", "height"))
column = {source: at for at, source in enumerate(sources)}
names = sorted(set(labels))
number = {name: at for at, name in enumerate(names)}


class OpenCv:
    """One of OpenCV's recognisers; the nearest photo of each person."""

    def __init__(self, create):
        self.create = create

    def fit(self, photos, people):
        self.model = self.create()
        images = [faces[column[photo]].reshape(height, width) for photo in photos]
        self.model.train(images, np.array([number[person] for person in people], dtype=np.int32))

    def scores(self, photo):
        collector = cv2.face.StandardCollector_create()
        self.model.predict_collect(faces[column[photo]].reshape(height, width), collector)
        best = defaultdict(lambda: np.inf)
        for label, distance in collector.getResults():
            best[names[label]] = min(best[names[label]], distance)
        return {person: -distance for person, distance in best.items()}


class Nearest:
    """The nearest of vectors, person by person."""

    def prepare(self, vectors):
        return vectors

    def fit(self, photos, people):
        vectors = [self.vector(photo) for photo in photos]
        kept = [at for at, vector in enumerate(vectors) if vector is not None]
        self.people = np.array([people[at] for at in kept])
        self.known = self.prepare(np.stack([vectors[at] for at in kept]))

    def place(self, vector):
        return vector

    def scores(self, photo):
        vector = self.vector(photo)
        if vector is None:
            return None
        distances = np.linalg.norm(self.known - self.place(vector), axis=1)
        return {person: -distances[self.people == person].min() for person in set(self.people)}


class ScikitLearn(Nearest):
    """Eigenfaces by scikit-learn: PCA of 95 % of the variance, the nearest photo."""

    def vector(self, photo):
        return faces[column[photo]].astype(np.float64)

    def prepare(self, vectors):
        self.pca = PCA(0.95, svd_solver="full").fit(vectors)
        return self.pca.transform(vectors)

    def place(self, vector):
        return self.pca.transform(vector[None])[0]


class FaceRecognition(Nearest):
    """dlib's network by face_recognition: the nearest encoding."""

    known_vectors = {}

    def vector(self, photo):
        import face_recognition

        if photo not in self.known_vectors:
            found = face_recognition.face_encodings(face_recognition.load_image_file(photo))
            self.known_vectors[photo] = found[0] if found else None
        return self.known_vectors[photo]


SYSTEMS = {
    "opencv-eigen": lambda: OpenCv(cv2.face.EigenFaceRecognizer_create),
    "opencv-fisher": lambda: OpenCv(cv2.face.FisherFaceRecognizer_create),
    "opencv-lbph": lambda: OpenCv(cv2.face.LBPHFaceRecognizer_create),
    "scikit-learn": ScikitLearn,
}
try:
    import face_recognition  # noqa: F401

    SYSTEMS["face_recognition"] = FaceRecognition
except (ImportError, SystemExit) as problem:
    print("without face_recognition:", problem, file=sys.stderr)

folds = defaultdict(lambda: {"learned": [], "tried": []})
with open(split_file, newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        side = "learned" if row["role"] == "learned" else "tried"
        folds[row["set"], row["fold"], row["repeat"]][side].append((row["photo"], row["person"]))

for system, create in SYSTEMS.items():
    for kind in ("closed", "open"):
        chosen = {key: fold for key, fold in folds.items() if key[0] == kind}
        if not chosen:
            continue
        with open(out / f"{system}-{kind}.csv", "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(["probe", "person", "score", "truth", "split"])
            for (_, _, repeat), fold in chosen.items():
                peer = create()
                photos, people = zip(*fold["learned"])
                if system == "opencv-fisher" and len(set(people)) == len(people):
                    continue
                peer.fit(photos, people)
                for photo, person in fold["tried"]:
                    scores = peer.scores(photo)
                    if scores is None:
                        table.writerow([photo, "", "", person, repeat])
                        continue
                    for candidate, score in scores.items():
                        table.writerow([photo, candidate, repr(float(score)), person, repeat])
