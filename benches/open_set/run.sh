#!/bin/sh
# Open-set identification of people no background model knows, by eigenfaces and by face_recognition: benches/open_set/measure.py with what it needs.
#
#   benches/open_set/run.sh PROGRAM LFW-WORLD [CFP]    (folders with a sub-folder per person; CFP is learned from besides)
set -eu
program=$(realpath "$1") world=$(realpath "$2") more=${3:+$(realpath "$3")}
cd "$(dirname "$0")/../.."
venv=${CARGO_TARGET_DIR:-target}/small-venv
[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
# dlib-bin is dlib compiled, under another name than face_recognition asks for.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps numpy pillow click 'setuptools<80' dlib-bin face_recognition face_recognition_models
exec "$venv/bin/python" benches/open_set/measure.py "$program" "$world" ${more:+"$more"}
