"""scikit-learn's eigenfaces example, without a download: PCA of faces, then a classifier of their weights.

    python eigenfaces_and_classifier.py [eigenfaces.png]
"""

import sys

import matplotlib.pyplot as plt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from eigenfaces import PCA, load_bundled_faces

faces = load_bundled_faces()
train, test, known, truth = train_test_split(faces.data, faces.target, stratify=faces.target, random_state=0)
model = make_pipeline(PCA(n_components=30, whiten=True), LogisticRegression(max_iter=1000)).fit(train, known)
print(classification_report(truth, model.predict(test), target_names=faces.target_names, zero_division=0))

pca = model[0]
figure, axes = plt.subplots(2, 5, figsize=(8, 4))
for number, (axis, face) in enumerate(zip(axes.flat, pca.components_), 1):
    axis.imshow(face.reshape(faces.images.shape[1:]), cmap="gray")
    axis.set_title(f"eigenface {number}", fontsize=9)
    axis.axis("off")
figure.tight_layout()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "eigenfaces.png", dpi=80)
