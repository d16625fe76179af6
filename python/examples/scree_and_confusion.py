"""How many eigenfaces a set of faces needs, and who is taken for whom when few are kept.

    python scree_and_confusion.py [scree.png [confusion.png]]
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from eigenfaces import PCA, load_bundled_faces

scree, confusion = (sys.argv[1:] + ["scree.png", "confusion.png"][len(sys.argv) - 1 :])[:2]
faces = load_bundled_faces()

pca = PCA(n_components=None).fit(faces.data)
figure, axis = plt.subplots(figsize=(5, 3.5))
counts = np.arange(1, pca.n_components_ + 1)
axis.plot(counts, np.cumsum(pca.explained_variance_ratio_), label="of all variance")
for rule, color in (("parallel", "tab:orange"), (0.95, "tab:green")):
    kept = PCA(rule).fit(faces.data).n_components_
    axis.axvline(kept, color=color, linestyle=":", label=f"n_components={rule!r}: {kept}")
axis.set(xlabel="eigenfaces", ylabel="share", ylim=(0, 1.02))
axis.legend()
figure.tight_layout()
figure.savefig(scree, dpi=80)

guesses = cross_val_predict(make_pipeline(PCA(5), KNeighborsClassifier(1)), faces.data, faces.target, cv=4)
names = faces.target_names
figure, axis = plt.subplots(figsize=(6, 6))
ConfusionMatrixDisplay.from_predictions(
    names[faces.target], names[guesses], ax=axis, xticks_rotation="vertical", colorbar=False, cmap="Greys"
)
axis.set_title(f"five eigenfaces, nearest photo: {np.mean(guesses == faces.target):.0%} right")
figure.tight_layout()
figure.savefig(confusion, dpi=80)
