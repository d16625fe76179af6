"""The examples run, and draw."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize(
    ("script", "pictures"),
    [("eigenfaces_and_classifier.py", ["eigenfaces.png"]), ("scree_and_confusion.py", ["scree.png", "confusion.png"])],
)
def test_examples(tmp_path, script, pictures):
    subprocess.run([sys.executable, EXAMPLES / script, *pictures], cwd=tmp_path, check=True)
    for picture in pictures:
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")


def test_notebook(tmp_path):
    """Every cell in its order, as Jupyter would run them; its own assertions hold."""
    notebook = json.loads((EXAMPLES / "eigenfaces.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 6
    assert all(not cell.get("outputs") for cell in notebook["cells"]), "kept without outputs"
    script = tmp_path / "notebook.py"
    script.write_text("\n\n".join(cells), encoding="utf-8")
    subprocess.run([sys.executable, script], cwd=tmp_path, check=True, env={**os.environ, "MPLBACKEND": "Agg"})
