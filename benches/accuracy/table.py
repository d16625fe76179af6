"""The main figures of evaluations as one table: python3 table.py NAME.json..."""

import json
import sys
from pathlib import Path


def rate(told, key):
    if not told or told.get(key) is None:
        return "-"
    low, high = told[key + "_interval"]
    return f"{100 * told[key]:.1f} ({100 * low:.1f} to {100 * high:.1f})"


print(f"{'':34} {'rank-1 %':>22} {'EER %':>20} {'FNIR % at FPIR 1 %':>22} {'FTA %':>20}")
for name in sys.argv[1:]:
    told = json.loads(Path(name).read_text(encoding="utf-8"))
    columns = [rate(told, "rank1"), rate(told, "equal_error_rate"), rate(told["open_set"], "fnir_at_fpir_1pct")]
    columns.append(rate(told, "failure_to_acquire_rate"))
    print(f"{Path(name).stem:34} {columns[0]:>22} {columns[1]:>20} {columns[2]:>22} {columns[3]:>20}")
