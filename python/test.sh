#!/usr/bin/env bash
# Builds the wheel and installs it in a fresh virtual environment (.ci/wheel), and tests it there.
# Needs Rust, Python and PyPI. PYTHON names another interpreter, WORK a folder to work in, kept, and PROFILE another of
# cargo's profiles than release.
#
#   python/test.sh              the wheel
#   python/test.sh --sdist      also builds and installs from the source distribution, alone
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${WORK:-$(mktemp -d)}
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT
WORK=$work "$here/../.ci/wheel" "$@"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check pytest matplotlib pandas
# Elsewhere, so that the installed package is tested and not the sources.
mkdir -p "$work/elsewhere"
cd "$work/elsewhere"
MPLBACKEND=Agg "$work/venv/bin/python" -m pytest --quiet -p no:cacheprovider "$here/tests"
echo "python: the installed wheel is tested"
