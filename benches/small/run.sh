#!/bin/sh
# Who is named in galleries of a few people, by eigenfaces and by face_recognition, on the same draws (docs/RECIPES.md).
# benches/small/run.sh [DATA]        (default ../shared/data; everything it makes is under target/)
set -eu
cd "$(dirname "$0")/../.."
data=${1:-../shared/data}
target=${CARGO_TARGET_DIR:-target}
venv=$target/small-venv
if [ ! -x "$venv/bin/python" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
fi
# dlib-bin is dlib compiled, under another name than face_recognition asks for.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps numpy pillow click 'setuptools<80' dlib-bin face_recognition face_recognition_models
cargo build --quiet --release --features maintainer --example small_galleries
mkdir -p "$target/small"
for set in lfw cfp-frontal att; do
    "$target/release/examples/small_galleries" "$data/$set" export="$target/small/$set.jsonl" 5x5
    "$venv/bin/python" benches/small/face_recognition_peer.py "$target/small/$set.jsonl"
done
