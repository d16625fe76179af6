#!/bin/sh
# Measures the Python package against scikit-learn on this machine, and prints the table that python/README.md has.
# One command, some minutes: benches/python/run.sh
set -eu
cd "$(dirname "$0")/../.."

# Some images set these; they make NumPy's BLAS pick the wrong kernels, which would be unfair.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE

target=${CARGO_TARGET_DIR:-$PWD/target}
venv=$target/python-venv
if [ ! -x "$venv/bin/python" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
fi
CARGO_TARGET_DIR=$target "$venv/bin/python" -m pip install --quiet --disable-pip-version-check numpy scikit-learn ./python
exec "$venv/bin/python" benches/python/measure.py
