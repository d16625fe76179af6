#!/usr/bin/env bash
# How many faces are found, beside OpenCV: benches/found/measure.py with what it needs.
#
#   benches/found/run.sh PROGRAM DATA
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=${CARGO_TARGET_DIR:-target}/found-venv
[ -x "$venv/bin/python" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet pillow numpy 'opencv-contrib-python-headless<5'; }
exec "$venv/bin/python" benches/found/measure.py "$@"
