"""FMR, FNMR, FPIR, FNIR, DET points and bootstrap intervals by NumPy, from a table with the columns of `evaluate --scores`.

python3 figures.py scores.csv evaluation.json     (numpy is needed; run by tests/program/evaluate_numpy.rs)
    Every number is compared to the last digit that JSON has; the definitions are those of docs/EVALUATION.md.
python3 figures.py scores.csv                     (benches/accuracy/run.sh)
    The main figures of another system's scores, as JSON. A probe that could not be used has one row, without candidate.
"""

import csv
import json
import sys
from statistics import NormalDist

import numpy as np

with open(sys.argv[1], newline="", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
told = None
if len(sys.argv) > 2:
    with open(sys.argv[2], encoding="utf-8") as file:
        told = json.load(file)

MASK = (1 << 64) - 1
STREAM = 0x626F6F7473747270
DRAWS = told["interval_draws"] if told else 1000


def draws(people, seed):
    """How often each person is drawn, DRAWS x people: SplitMix64, as crates/symmetric-eigen/src/random.rs has it."""
    state = ((seed ^ STREAM) * 0xD1342543DE82EF95 + 0x2545F4914F6CDD1D) & MASK
    counts = np.zeros((DRAWS, people), dtype=np.int64)
    for draw in range(DRAWS):
        for _ in range(people):
            state = (state + 0x9E3779B97F4A7C15) & MASK
            z = state
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
            z ^= z >> 31
            even = ((z >> 11) + 0.5) / (1 << 52) - 1
            counts[draw, min(int((even + 1) / 2 * people), people - 1)] += 1
    return counts


def wilson(share, tries):
    z = 1.959963985
    middle, half = share + z * z / (2 * tries), z * np.sqrt(share * (1 - share) / tries + z * z / (4 * tries * tries))
    scale = 1 + z * z / tries
    return [max(0.0, min((middle - half) / scale, share)), min(1.0, max((middle + half) / scale, share))]


assert abs(NormalDist().inv_cdf(0.975) - 1.959963985) < 1e-9


def interval(value, statistic, tried):
    values = np.array([statistic(weights) for weights in counts])
    values = np.sort(values[np.isfinite(values)])
    if len(values) < DRAWS // 2 or values[0] == values[-1]:
        return wilson(value, tried), "wilson-over-people"
    below = int(0.025 * len(values))
    return [min(values[below], value), max(values[-1 - below], value)], "bootstrap"


compared = 0


def same(name, found, expected):
    global compared
    found, expected = np.atleast_1d(np.array(found, float)), np.atleast_1d(np.array(expected, float))
    assert found.shape == expected.shape, (name, found, expected)
    assert np.allclose(found, expected, rtol=0, atol=1e-12), (name, found, expected)
    compared += found.size


def compare(place, key, statistic, tried):
    value = statistic(everybody)
    same(key, value, place[key])
    bounds, method = interval(value, statistic, tried)
    same(key + "_interval", bounds, place[key + "_interval"])
    assert method == place[key + "_interval_method"], (key, method)


# People by the program's order, which is that of per_person where everybody was tried.
order = [one["person"] for one in told["per_person"]] if told else sorted({row["person"] for row in rows})
number = {name: at for at, name in enumerate(order)}
assert not told or len(order) == told["people"], "this check wants everybody tried"
counts = draws(len(order), told["seed"] if told else 0)
everybody = np.ones(len(order), dtype=np.int64)

failed = [row for row in rows if not row["candidate"]]
rows = [row for row in rows if row["candidate"]]
closed = [row for row in rows if row["set"] == "closed"]
shown = np.array([number[row["person"]] for row in closed])
claimed = np.array([number[row["candidate"]] for row in closed])
rank = np.array([int(row["rank"]) for row in closed])
repeat = np.array([int(row["repeat"]) for row in closed]) - 1
score = -np.array([np.float32(row["distance"]) for row in closed])
genuine = shown == claimed


def identified(most):
    def statistic(weights):
        own = genuine
        shares = []
        for at in range(repeat.max() + 1):
            here = own & (repeat == at)
            hits = (weights[shown[here]] * (rank[here] <= most)).sum()
            tries = weights[shown[here]].sum()
            if tries:
                shares.append(hits / tries)
        return np.mean(shares) if shares else np.nan

    return statistic


tried = len(set(shown[genuine]))

# Claims, the most alike first; equal scores are accepted together.
down = np.argsort(-score, kind="stable")
ends = np.append(np.flatnonzero(np.diff(score[down]) != 0), len(down) - 1)


def accepted(weights):
    """Genuine and false claims accepted down to each score, and how many there are."""
    weight = np.where(genuine, weights[shown], weights[shown] * weights[claimed])[down]
    sums = [np.cumsum(np.where(kind, weight, 0))[ends] for kind in (genuine[down], ~genuine[down])]
    return sums, [total[-1] for total in sums]


def fnmr(bound):
    def statistic(weights):
        (true, false), (trues, falses) = accepted(weights)
        if not trues or not falses:
            return np.nan
        within = np.flatnonzero(false <= bound * falses + 1e-9)
        return 1 - (true[within[-1]] / trues if len(within) else 0.0)

    return statistic


def equal_error_rate(weights):
    (true, false), (trues, falses) = accepted(weights)
    if not trues or not falses:
        return np.nan
    true, false = np.append(0, true / trues), np.append(0, false / falses)
    excess = false - (1 - true)
    at = np.flatnonzero(excess[1:] >= 0)[0]
    low, high = excess[at], excess[at + 1]
    way = -low / (high - low) if high > low else 0.0
    return false[at] + way * (false[at + 1] - false[at])


open_rows = [row for row in rows if row["set"] != "closed"]
person = np.array([number[row["person"]] for row in open_rows], dtype=int)
split = np.array([int(row["repeat"]) for row in open_rows])
stranger = np.array([row["set"] == "stranger" for row in open_rows], dtype=bool)
right = np.array([row["person"] == row["candidate"] for row in open_rows], dtype=bool)
decision = np.array([row["decision"] for row in open_rows])
sure = np.array([float(row["confidence"]) for row in open_rows])
sure[decision == "not-a-face"] = -1
named = decision == "known"


def tpir(fpir):
    def statistic(weights):
        shares = []
        for at in np.unique(split):
            mated, others = (split == at) & ~stranger, (split == at) & stranger
            weight = weights[person[others]]
            tries = weights[person[mated]].sum()
            if not weight.sum() or not tries:
                continue
            first = np.argsort(-sure[others], kind="stable")
            passing = np.flatnonzero(np.cumsum(weight[first]) > fpir * weight.sum() + 1e-9)
            threshold = sure[others][first][passing[0]] if len(passing) else -np.inf
            shares.append((weights[person[mated]] * (right[mated] & (sure[mated] > threshold))).sum() / tries)
        return np.mean(shares) if shares else np.nan

    return statistic


def share(of, is_hit):
    def statistic(weights):
        tries = weights[person[of]].sum()
        return (weights[person[of]] * is_hit[of]).sum() / tries if tries else np.nan

    return statistic


mated_people = len(set(person[~stranger]))


def figure(key, statistic, tried):
    """A rate and its interval, as fields of JSON."""
    value = statistic(everybody)
    return {key: value, key + "_interval": interval(value, statistic, tried)[0]}


if told is None:
    found = figure("rank1", identified(1), tried) | figure("equal_error_rate", equal_error_rate, tried)
    fnir = lambda weights: 1 - tpir(0.01)(weights)
    found["open_set"] = figure("fnir_at_fpir_1pct", fnir, mated_people) if stranger.any() and mated_people else None
    lost = [row for row in failed if row["set"] == "closed"]
    if lost:
        photos = {(row["repeat"], row["photo"]): (number[row["person"]], False) for row in closed}
        photos |= {(row["repeat"], row["photo"]): (number[row["person"]], True) for row in lost}
        whose, is_lost = np.array([of for of, _ in photos.values()]), np.array([lost for _, lost in photos.values()])
        fta = lambda weights: (weights[whose] * is_lost).sum() / weights[whose].sum() if weights[whose].sum() else np.nan
        found |= figure("failure_to_acquire_rate", fta, len(set(whose)))
    print(json.dumps(found))
    sys.exit()

for most in (1, 5):
    compare(told, f"rank{most}", identified(most), tried)
compare(told, "equal_error_rate", equal_error_rate, tried)
for key, bound in (("fnmr_at_fmr_1pct", 0.01), ("fnmr_at_fmr_01pct", 0.001)):
    if key in told:
        compare(told, key, fnmr(bound), tried)
same("det", [fnmr(point["fmr"])(everybody) for point in told["det"]], [point["fnmr"] for point in told["det"]])
assert len(told["det"]) > 5

if told["open_set"]:
    place = told["open_set"]
    for key, bound in (("1pct", 0.01), ("10pct", 0.1)):
        if bound < place["fpir_fnir"][0]["fpir"]:
            assert f"fnir_at_fpir_{key}" not in place
            continue
        compare(place, f"detection_identification_rate_at_far_{key}", tpir(bound), mated_people)
        same("fnir", 1 - tpir(bound)(everybody), place[f"fnir_at_fpir_{key}"])
    compare(place, "false_accept_rate", share(stranger, named), len(set(person[stranger])))
    compare(place, "named_rightly", share(~stranger, named & right), mated_people)
    compare(place, "named_wrongly", share(~stranger, named & ~right), mated_people)
    curve = place["fpir_fnir"]
    same("fpir_fnir", [1 - tpir(point["fpir"])(everybody) for point in curve], [point["fnir"] for point in curve])

print("agreed on", compared, "numbers")
