#!/bin/sh
# Measures eigenfaces against scikit-learn, OpenCV and NumPy on this machine and writes docs/BENCHMARKS.md.
# One command, up to twenty minutes: benches/peers/run.sh        (a rehearsal of a minute: --quick)
# Everything it makes is under target/.
set -eu
cd "$(dirname "$0")/../.."

# Some images set these; they make NumPy's BLAS pick the wrong kernels, which would be unfair.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE

target=${CARGO_TARGET_DIR:-target}
venv=$target/peers-venv
if [ ! -x "$venv/bin/python" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    numpy scipy scikit-learn threadpoolctl opencv-contrib-python-headless
cargo build --quiet --release --bin eigenfaces --features maintainer --example fit_npy
exec "$venv/bin/python" benches/peers/peers.py --target "$target" "$@"
