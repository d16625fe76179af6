#!/bin/sh
# Who is named in galleries of a few people, by eigenfaces and by face_recognition, on the same draws (docs/RECIPES.md).
# benches/small/run.sh [DATA]        (default ../shared/data, or the bundled faces where that is not there; everything it makes is under target/)
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

# measure NAME FOLDER SIZE
measure() {
    "$target/release/examples/small_galleries" "$2" export="$target/small/$1.jsonl" "$3"
    "$venv/bin/python" benches/small/face_recognition_peer.py "$target/small/$1.jsonl"
}

if [ -d "$data/att" ]; then
    for set in lfw cfp-frontal att; do measure "$set" "$data/$set" 5x5; done
else
    echo "$data is not there: the bundled faces are measured, which are easy" >&2
    measure bundled faces 5x3
fi
