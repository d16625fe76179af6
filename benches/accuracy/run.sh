#!/bin/sh
# Rank-1 of eigenfaces and of OpenCV's recognisers under the protocols of docs/RECIPES.md, on this machine.
# benches/accuracy/run.sh [DATA]        (default ../shared/data; some ten minutes; everything it makes is under target/)
set -eu
cd "$(dirname "$0")/../.."
data=${1:-../shared/data}
target=${CARGO_TARGET_DIR:-target}
venv=$target/peers-venv
if [ ! -x "$venv/bin/python" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check numpy opencv-contrib-python-headless
cargo build --quiet --release --features maintainer --example accuracy
rm -rf "$target/accuracy"
for features in auto pixels; do
    "$target/release/examples/accuracy" "$data" att yale scenes lfw features=$features export="$target/accuracy"
done
"$target/release/examples/accuracy" "$data" groups not-faces
# Hundreds of times OpenCV's training would take hours: its leave-one-out is left out.
for folder in "$target"/accuracy/*; do
    case $folder in *leave-one-out) ;; *) "$venv/bin/python" benches/accuracy/peers.py "$folder" ;; esac
done
