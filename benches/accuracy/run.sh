#!/bin/sh
# eigenfaces, OpenCV, scikit-learn and face_recognition on the same splits; figures of the others by tests/reference/figures.py, which are those of `evaluate`.
# benches/accuracy/run.sh [DATA]     (default ../shared/data, or the bundled faces where that is not there; everything is under target/)
# EIGENFACES names a program to use instead of building one; SHORT=1 measures one set only, in a minute.
# The table `peers` of docs/RECIPES.md comes from here (benches/figures/remake.py).
set -eu
cd "$(dirname "$0")/../.."
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
data=${1:-../shared/data}
target=${CARGO_TARGET_DIR:-target}
venv=$target/accuracy-venv
if [ ! -x "$venv/bin/python" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check numpy opencv-contrib-python-headless scikit-learn
# dlib-bin is dlib compiled, under another name than face_recognition asks for. Where it cannot be had, it is left out.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps pillow click 'setuptools<80' dlib-bin face_recognition face_recognition_models || echo "without face_recognition" >&2
if [ -z "${EIGENFACES:-}" ]; then
    cargo build --quiet --release --bin eigenfaces
    EIGENFACES=$target/release/eigenfaces
fi
out=$target/accuracy
rm -rf "$out"
mkdir -p "$out"

# measure NAME FOLDER PROTOCOL [OPTION...]: this program and the others on one set.
measure() {
    name=$1 folder=$2 protocol=$3
    shift 3
    here=$out/$name
    mkdir -p "$here/peers"
    "$EIGENFACES" enroll "$folder" -q --model "$here/model.npz" "$@"
    "$EIGENFACES" evaluate "$folder" -q --protocol "$protocol" --scores "$here/scores.csv" \
        --report "$here/eigenfaces.html" --format json "$@" >"$here/eigenfaces.json"
    "$venv/bin/python" benches/accuracy/peers.py "$here/model.npz" "$here/scores.csv" "$protocol" "$here/peers"
    for scores in "$here"/peers/*.csv; do
        "$venv/bin/python" tests/reference/figures.py "$scores" >"$here/$(basename "$scores" .csv).json"
    done
    echo "$name, $protocol"
    "$venv/bin/python" benches/accuracy/table.py "$here"/*.json
}

if [ -d "$data/att" ]; then
    measure att "$data/att" first:5
    [ -n "${SHORT:-}" ] || measure lfw "$data/lfw" first:10
    [ -n "${SHORT:-}" ] || measure yale "$data/yale" k-fold:5
else
    echo "$data is not there: the bundled faces are measured, which are easy" >&2
    measure bundled faces first:4
fi
