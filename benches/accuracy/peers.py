"""Other systems on the same faces and the same splits as `eigenfaces evaluate`: a table of scores for each.

python3 peers.py MODEL.npz SCORES.csv PROTOCOL OUT
    (numpy, opencv-contrib-python-headless, scikit-learn; face_recognition where it is there)

MODEL.npz is what `eigenfaces enroll` made of the folder, whose 8-bit faces OpenCV and scikit-learn get, and SCORES.csv what
`evaluate --protocol PROTOCOL --scores` wrote: the splits are made again (splits.py), and must try the photos that it tried.
face_recognition gets the photos themselves and finds the faces; a photo in which it finds none is a failure to acquire. `OUT/SYSTEM.csv` has the columns of `--scores`, for
tests/reference/figures.py: the confidence of a probe is its score, and a probe that could not be used has no candidate.
"""

import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

import cv2
import numpy as np
from sklearn.decomposition import PCA
from splits import Splits

model, scores_file, protocol, out = np.load(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
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

splits = Splits(labels, faces)
folds = [("closed", 1, learned, {"closed": tried}) for learned, tried in splits.closed(protocol)]
for at, (learned, tried, strangers) in enumerate(splits.open()):
    folds.append(("open", at + 1, learned, {"enrolled": tried, "stranger": strangers}))

with open(scores_file, newline="", encoding="utf-8") as file:
    told = {(row["set"], int(row["repeat"]), row["photo"]) for row in csv.DictReader(file)}
made = {(role, at, sources[face]) for _, at, _, tried in folds for role, some in tried.items() for face in some}
if told != made:
    sys.exit(f"the splits made here are not those of {scores_file}: {len(told ^ made)} probes differ")

COLUMNS = "set,repeat,photo,person,candidate,rank,distance,confidence,decision".split(",")
for system, create in SYSTEMS.items():
    with open(out / f"{system}.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for kind, repeat, learned, tried in folds:
            people = [labels[face] for face in learned]
            if system == "opencv-fisher" and len(set(people)) == len(people):
                continue
            peer = create()
            peer.fit([sources[face] for face in learned], people)
            for role, some in tried.items():
                for face in some:
                    probe = [role, repeat, sources[face], labels[face]]
                    scores = peer.scores(sources[face])
                    if scores is None:
                        table.writerow([*probe, "", "", "", "", ""])
                        continue
                    ranked = sorted(scores.items(), key=lambda found: -found[1])
                    for rank, (candidate, score) in enumerate(ranked if kind == "closed" else ranked[:1]):
                        score = repr(float(score))
                        table.writerow([*probe, candidate, rank + 1, repr(-float(score)), score, ""])
