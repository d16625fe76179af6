"""Reference values for tests/laws/kernel_pca.rs: scikit-learn's KernelPCA and KernelRidge.

Run once: python3 kernel_pca.py > kernel_pca.txt   (numpy and scikit-learn are needed)
Each line: a name, then numbers. Weights are up to the sign of their component. The faces are drawn by integer
arithmetic alone, which the test repeats.
"""

import numpy as np
import sklearn
from sklearn.decomposition import KernelPCA
from sklearn.kernel_ridge import KernelRidge


def drawn_faces(count, pixels, seed):
    """count x pixels: five patterns mixed, and a little noise."""
    state = seed

    def draw(below):
        nonlocal state
        state = (state * 1103515245 + 12345) % 2**31
        return (state >> 16) % below

    patterns = [[draw(65) - 32 for _ in range(pixels)] for _ in range(5)]
    faces = []
    for _ in range(count):
        mix = [draw(41) - 20 for _ in range(5)]
        faces.append([
            128 + sum(m * p[at] for m, p in zip(mix, patterns)) // 32 + draw(13) - 6
            for at in range(pixels)
        ])
    return np.array(faces).clip(0, 255)


def line(name, numbers):
    print(name, *(f"{number:.15e}" for number in np.ravel(numbers)))


print("# scikit-learn", sklearn.__version__, "numpy", np.__version__)
faces = drawn_faces(40, 72, 1) / 255
known, new = faces[:30], faces[30:]
squares = (known**2).sum(axis=1)
distances = squares[:, None] + squares[None, :] - 2 * known @ known.T
auto = 1 / (distances.sum() / (30 * 29))
k = 6
for name, options in {
    "linear": dict(kernel="linear"),
    "rbf:0.05": dict(kernel="rbf", gamma=0.05),
    "rbf:3": dict(kernel="rbf", gamma=3.0),
    "rbf:auto": dict(kernel="rbf", gamma=auto),
    "poly:2,1": dict(kernel="poly", degree=2, coef0=1),
    "poly:3,0": dict(kernel="poly", degree=3, coef0=0),
    "cosine": dict(kernel="cosine"),
}.items():
    model = KernelPCA(n_components=k, eigen_solver="dense", **options).fit(known)
    line(f"{name}/eigenvalues", model.eigenvalues_ / 29)
    line(f"{name}/known", model.transform(known))
    line(f"{name}/new", model.transform(new))
    if name == "linear":
        continue
    weights = model.transform(known)
    typical = 2 * (weights**2).sum() / 29
    mean = known.mean(axis=0)
    # The diagonal of this kernel matrix is 1, so the ridge is alpha.
    ridge = KernelRidge(kernel="rbf", gamma=1 / typical, alpha=1e-3).fit(weights, known - mean)
    line(f"{name}/ridge", (mean + ridge.predict(model.transform(new)))[:3] * 255)

# With the gamma of the kernel itself this is KernelPCA's own inverse_transform (about 0 instead of the mean).
model = KernelPCA(n_components=k, kernel="rbf", gamma=auto, fit_inverse_transform=True, alpha=1e-3)
mean = known.mean(axis=0)
weights = model.fit_transform(known - mean)
ours = KernelRidge(kernel="rbf", gamma=auto, alpha=1e-3).fit(weights, known - mean).predict(weights)
assert np.allclose(ours, model.inverse_transform(weights), atol=1e-10)
