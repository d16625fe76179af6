"""The Python side of the race: one JSON question a line, one JSON answer a line.

Runs in a process of its own, so that `peers.py` can end a fit that takes too long. Only the fit is timed:
pixels are in memory before, as the floating-point numbers that scikit-learn and NumPy want (OpenCV takes bytes).
"""

import json
import os
import sys
import time

import cv2
import numpy as np
import scipy
import scipy.linalg
import sklearn
import threadpoolctl
from sklearn.decomposition import PCA

K = 100
DTYPES = {"f32": np.float32, "f64": np.float64}


class Worker:
    def __init__(self, threads):
        cv2.setNumThreads(threads)
        self.threads = threads
        self.faces = None
        self.floats = {}
        self.last = None

    def open(self, faces, size, reference):
        """n x d bytes, and where the reference solution is kept."""
        self.faces, self.size, self.reference_path = np.load(faces), size, reference
        self.floats, self.last = {}, None

    def as_floats(self, dtype):
        if dtype not in self.floats:
            self.floats = {dtype: self.faces.astype(DTYPES[dtype])}
        return self.floats[dtype]

    def fit(self, library, dtype, **options):
        """Seconds from pixels to 100 basis faces and all weights."""
        self.last = None
        return getattr(self, "fit_" + library)(dtype, **options)

    def fit_sklearn(self, dtype, **options):
        pixels = self.as_floats(dtype)
        model = PCA(K, random_state=0, **options)
        start = time.perf_counter()
        model.fit_transform(pixels)
        seconds = time.perf_counter() - start
        self.last = model.components_.T, model.explained_variance_
        return {"seconds": seconds, "solver": model._fit_svd_solver}

    def fit_numpy(self, dtype):
        pixels = self.as_floats(dtype)
        start = time.perf_counter()
        u, s, vt = np.linalg.svd(pixels - pixels.mean(axis=0), full_matrices=False)
        weights = u[:, :K] * s[:K]
        seconds = time.perf_counter() - start
        self.last = vt[:K].T, s[:K].astype(np.float64) ** 2 / (len(weights) - 1)
        return {"seconds": seconds}

    def fit_opencv(self, dtype):
        width, height = self.size
        images = [face.reshape(height, width) for face in self.faces]
        labels = np.arange(len(images), dtype=np.int32)
        model = cv2.face.EigenFaceRecognizer_create(K)
        start = time.perf_counter()
        model.train(images, labels)
        seconds = time.perf_counter() - start
        # OpenCV divides by n.
        values = model.getEigenValues().ravel() * (len(images) / (len(images) - 1))
        self.last = model.getEigenVectors(), values
        return {"seconds": seconds}

    def products(self, library):
        """The uncentred products of the smaller side alone, in f32."""
        n, d = self.faces.shape
        x = self.as_floats("f32")
        start = time.perf_counter()
        if library == "numpy":
            x @ x.T if n < d else x.T @ x
        else:
            # x.T is in Fortran order: nothing is copied.
            scipy.linalg.blas.ssyrk(1.0, x.T, trans=int(n < d))
        return {"seconds": time.perf_counter() - start}

    def reference(self):
        """The leading 100 directions by f64 eigh of the centred Gram or covariance matrix."""
        if os.path.exists(self.reference_path):
            return {}
        n, d = self.faces.shape
        centred = self.faces.astype(np.float64)
        centred -= centred.mean(axis=0)
        side = min(n, d)
        scatter = centred @ centred.T if n < d else centred.T @ centred
        leading = [side - min(K + 1, side), side - 1]
        values, vectors = scipy.linalg.eigh(scatter, subset_by_index=leading, overwrite_a=True, check_finite=False)
        values, vectors = values[::-1], vectors[:, ::-1]
        if n < d:
            vectors = np.linalg.qr(centred.T @ vectors[:, :K])[0]
        values = values / (n - 1)
        np.savez(self.reference_path, basis=vectors[:, :K], values=values)
        return {}

    def errors(self, prefix=None):
        """Of the last fit here, or of files: sine of the largest angle to the reference; eigenvalues."""
        if prefix:
            basis = np.load(prefix + "-basis.npy").T
            values = np.load(prefix + "-eigenvalues.npy")
        else:
            basis, values = self.last
        exact = np.load(self.reference_path)
        basis = np.linalg.qr(basis.astype(np.float64))[0]
        outside = basis - exact["basis"] @ (exact["basis"].T @ basis)
        off = np.abs(values - exact["values"][:K]).max() / exact["values"][0]
        angle = 1.0 if basis.shape[1] < K else float(np.linalg.norm(outside, 2))
        gap = float((exact["values"][K - 1] - exact["values"][K]) / exact["values"][0])
        return {"angle": angle, "values": float(off), "gap": gap}

    def versions(self):
        blas = {f"{b['version']} ({b['architecture']})" for b in threadpoolctl.threadpool_info() if "architecture" in b}
        return {
            "Python": sys.version.split()[0],
            "NumPy": np.__version__,
            "SciPy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
            "OpenCV": cv2.__version__,
            "BLAS in use": "OpenBLAS " + ", ".join(sorted(blas)),
        }

    def make(self, path, count, size, att):
        """Writes the pixels: the AT&T faces where `att` is given, drawn ones otherwise."""
        np.save(path, photos(att) if att else drawn(count, size))
        return {}

    def write_photos(self, folder):
        """The faces as 8-bit PGM files, ten a person."""
        width, height = self.size
        for j, face in enumerate(self.faces):
            person = os.path.join(folder, f"p{j // 10 + 1}")
            os.makedirs(person, exist_ok=True)
            cv2.imwrite(os.path.join(person, f"{j % 10 + 1}.pgm"), face.reshape(height, width))
        return {}


def photos(folder):
    paths = [
        os.path.join(folder, person, name)
        for person in sorted(os.listdir(folder))
        if os.path.isdir(os.path.join(folder, person))
        for name in sorted(os.listdir(os.path.join(folder, person)))
        if name.endswith(".pgm")
    ]
    return np.stack([cv2.imread(path, cv2.IMREAD_GRAYSCALE).ravel() for path in paths])


def drawn(count, size):
    """Smooth mixtures of waves with variances i^-1.5 and a little noise, as bytes (n x d)."""
    width, height = size
    random = np.random.default_rng(width * 10007 + count)
    side = int(np.ceil(np.sqrt(600 * 1.6)))
    pairs = sorted(((u, v) for u in range(side) for v in range(side)), key=lambda p: (p[0] ** 2 + p[1] ** 2, p))
    pairs = [(u, v) for u, v in pairs if u < width and v < height][1:601]
    across = np.cos(np.pi * np.outer(range(side), np.arange(width) + 0.5) / width)
    down = np.cos(np.pi * np.outer(range(side), np.arange(height) + 0.5) / height)
    waves = np.stack([np.outer(down[v], across[u]).ravel() for u, v in pairs])
    waves /= np.linalg.norm(waves, axis=1, keepdims=True)
    variances = np.arange(1, len(pairs) + 1) ** -1.5
    # 40 gray levels of deviation a pixel.
    deviations = np.sqrt(variances * (40.0**2 * width * height / variances.sum()))
    waves = (waves * deviations[:, None]).astype(np.float32)
    faces = np.empty((count, width * height), np.uint8)
    for first in range(0, count, 500):
        rows = faces[first : first + 500]
        values = random.standard_normal((len(rows), len(waves)), np.float32) @ waves
        values += 128 + 2 * random.standard_normal(values.shape, np.float32)
        rows[:] = np.clip(np.rint(values), 0, 255)
    return faces


def main():
    worker = Worker(int(os.environ["OMP_NUM_THREADS"]))
    for line in sys.stdin:
        question = json.loads(line)
        answer = getattr(worker, question.pop("ask"))(**question)
        print(json.dumps(answer or {}), flush=True)


main()
