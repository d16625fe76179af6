//! A model is a file that NumPy opens, with scikit-learn's names, and its numbers are what NumPy computes.

use std::process::Command;

const CHECK: &str = r#"
import sys
import numpy as np

model = np.load(sys.argv[1])
faces = model["faces"].astype(np.float64)
n, d = faces.shape
mean, components = model["mean_"], model["components_"]
variance, ratio = model["explained_variance_"], model["explained_variance_ratio_"]
weights, labels = model["weights"], model["labels"]
k = len(variance)
assert components.shape == (k, d) and weights.shape == (n, k) and labels.shape == (n,)
assert components.dtype == np.float32 and variance.dtype == np.float64 and labels.dtype.kind == "U"
assert sorted(set(labels))[0] == "Ada" and len(set(labels)) == 14, labels

centred = faces - faces.mean(axis=0)
sigma = np.linalg.svd(centred, compute_uv=False)
eigenvalues = sigma**2 / (n - 1)
total = eigenvalues.sum()
assert np.abs(mean - faces.mean(axis=0)).max() < 1e-12
assert np.abs(variance - eigenvalues[:k]).max() < 1e-10 * eigenvalues[0]
assert np.abs(ratio - eigenvalues[:k] / total).max() < 1e-10
assert np.abs(components @ components.T - np.eye(k)).max() < 1e-5
assert np.abs(weights - centred @ components.T).max() < 0.05
assert np.abs(weights.var(axis=0, ddof=1) / variance - 1).max() < 1e-3
assert b'"format_version": 1' in model["meta.json"]
print("agreed", n, d, k)
"#;

#[test]
fn numpy_opens_a_model_and_agrees_with_it() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_numpy = Command::new(&python).args(["-c", "import numpy"]).output();
    if !has_numpy.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no {python} with numpy");
        return;
    }
    let folder = crate::support::scratch();
    let model = folder.path().join("model.npz");
    let enrolled = Command::new(env!("CARGO_BIN_EXE_eigenfaces"))
        .args(["enroll", "-q", "-m"])
        .arg(&model)
        .arg(crate::support::bundled_faces())
        .status()
        .unwrap();
    assert!(enrolled.success());
    let check = Command::new(&python).args(["-c", CHECK]).arg(&model).output().unwrap();
    let said = String::from_utf8_lossy(&check.stdout);
    assert!(said.starts_with("agreed 112 "), "{said}{}", String::from_utf8_lossy(&check.stderr));
}
