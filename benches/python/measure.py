"""How long PCA takes in Python: this package's and scikit-learn's, in turns in one process.

Faces are drawn: smooth patterns with noise, rounded to bytes. Of scikit-learn's solvers those count that are as accurate
as its full decomposition: eigenvalues to one in a million. Prints a table in Markdown, medians of the runs.
"""

import statistics
import subprocess
import sys
import time

import numpy as np
from sklearn.decomposition import PCA as SklearnPCA

from eigenfaces import PCA, _engine

COMPONENTS = 100
RUNS = 5
# d x n
SHAPES = [(10304, 400), (4096, 13233)]
# The covariance of more pixels than faces is far slower than the others.
WIDE, TALL = ["full", "arpack"], ["full", "covariance_eigh", "arpack"]
# Slower than this many times ours, a solver is not run again.
HOPELESS = 40


def drawn(pixels, faces):
    random = np.random.default_rng(1)
    patterns = np.cumsum(random.normal(size=(200, pixels)), axis=1)
    patterns /= patterns.std(axis=1, keepdims=True)
    weights = random.normal(size=(faces, 200)) * 40 / np.arange(1, 201) ** 0.7
    noise = random.normal(scale=4, size=(faces, pixels))
    return (weights @ patterns + noise + 128).clip(0, 255).astype(np.uint8)


def seconds(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def times(samples):
    floats = samples.astype(np.float64)
    ours = []
    theirs = {solver: [] for solver in (WIDE if samples.shape[1] > len(samples) else TALL)}
    reference = None
    for _ in range(RUNS):
        spent, found = seconds(lambda: PCA(COMPONENTS).fit(samples))
        ours.append(spent)
        for solver, runs in theirs.items():
            if runs and runs[0] > HOPELESS * ours[0]:
                continue
            spent, fitted = seconds(lambda: SklearnPCA(COMPONENTS, svd_solver=solver, random_state=0).fit(floats))
            runs.append(spent)
            reference = fitted.explained_variance_ if solver == "full" else reference
            error = np.abs(fitted.explained_variance_ / reference - 1).max()
            if error > 1e-6:
                sys.exit(f"{solver} is off by {error}: not to be compared")
    error = np.abs(found.explained_variance_ / reference - 1).max()
    return ours, theirs, error


def overhead(samples):
    """The share of a fit that is Python's: what the call of the Rust library takes is not."""
    whole, engine = [], []
    for _ in range(4 * RUNS):
        whole.append(seconds(lambda: PCA(COMPONENTS).fit(samples))[0])
        engine.append(seconds(lambda: _engine.fit_bytes(samples, COMPONENTS, "auto"))[0])
    return statistics.median(whole) / statistics.median(engine) - 1


def start_up():
    """Milliseconds that `import eigenfaces` adds to starting Python."""
    run = lambda code: seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True))[0]
    return 1000 * (min(run("import eigenfaces") for _ in range(9)) - min(run("pass") for _ in range(9)))


def main():
    names = TALL
    print("| d x n | `eigenfaces.PCA` | " + " | ".join(f"`{name}`" for name in names) + " | fastest / ours | Python's share | eigenvalues |")
    print("|---|---|" + "---|" * len(names) + "---|---|---|")
    for pixels, faces in SHAPES:
        samples = drawn(pixels, faces)
        # Before scikit-learn starts threads of its own.
        share = overhead(samples)
        ours, theirs, error = times(samples)
        median = statistics.median(ours)
        others = {name: statistics.median(runs) for name, runs in theirs.items()}
        cells = [f"{pixels} x {faces}", f"{median:.3f} s"]
        cells += [f"{others[name]:.2f} s" if name in others else "" for name in names]
        cells += [f"{min(others.values()) / median:.1f}", f"{100 * share:.1f} %", f"{error:.0e}"]
        print("| " + " | ".join(cells) + " |", flush=True)
    print(f"\nimport: {start_up():.0f} ms")


if __name__ == "__main__":
    main()
