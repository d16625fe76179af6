"""The examples run, and draw."""

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
