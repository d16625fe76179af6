#!/bin/sh
# What people wait for, whole commands from start to end, beside OpenCV and face_recognition: writes that section of docs/BENCHMARKS.md.
# benches/waiting/run.sh [DATA]        (default ../shared/data; everything it makes is under target/)
set -eu
cd "$(dirname "$0")/../.."
data=${1:-../shared/data}
target=${CARGO_TARGET_DIR:-target}
venv=$target/waiting-venv
if [ ! -x "$venv/bin/python" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
fi
# dlib-bin is dlib compiled, under another name than face_recognition asks for.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps numpy pillow click 'setuptools<80' opencv-contrib-python-headless dlib-bin face_recognition face_recognition_models
cargo build --quiet --release
"$venv/bin/python" benches/waiting/measure.py "$target" "$data" docs/BENCHMARKS.md
