"""Runs a command and tells what it and all its processes cost; on request kills a Spark executor in the middle.

    watch.py [--kill] COMMAND...

Prints the CPU seconds of the whole session as JSON. With --kill, the first executor that is seen running
`eigenfaces partial` is killed (SIGKILL), once; it is an error if none was. Linux only: reads /proc.
"""

import json
import os
import signal
import subprocess
import sys
import time

TICKS = os.sysconf("SC_CLK_TCK")


def processes(session):
    """Of each process of a session: parent, CPU seconds (user and system), and words of its command."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            if int(fields[3]) != session:
                continue
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
        except (OSError, IndexError):
            continue  # It has just ended.
        user, system = map(int, fields[11:13])
        found[int(name)] = {
            "parent": int(fields[1]),
            "own": (user + system) / TICKS,
            "words": words,
        }
    return found


def executor_at_work(found):
    """An executor below which `eigenfaces partial` runs."""
    for about in found.values():
        if "partial" not in about["words"] or not about["words"][0].endswith("eigenfaces"):
            continue
        while about := found.get(about["parent"]):
            if "org.apache.spark.executor.CoarseGrainedExecutorBackend" in about["words"]:
                return next(pid for pid, other in found.items() if other is about)
    return None


def kind(words):
    if words[0].endswith("eigenfaces"):
        return "eigenfaces"
    if "org.apache.spark.executor.CoarseGrainedExecutorBackend" in words:
        return "executors"
    return "python workers" if "pyspark.daemon" in words else "driver"


def main():
    words = sys.argv[1:]
    kill = words[:1] == ["--kill"]
    command = subprocess.Popen(words[kill:], start_new_session=True)
    seen, killed = {}, None
    while command.poll() is None:
        found = processes(command.pid)
        if kill and killed is None and (killed := executor_at_work(found)) is not None:
            os.kill(killed, signal.SIGKILL)
            print(f"killed executor, process {killed}", file=sys.stderr)
        for pid, about in found.items():
            # One that has ended and is not yet waited for has a time, but no words any more.
            if about["words"] == [""] and pid in seen:
                about["words"] = seen[pid]["words"]
            seen[pid] = about
        time.sleep(0.02)
    costs = {}
    for about in seen.values():
        name = kind(about["words"])
        costs[name] = round(costs.get(name, 0.0) + about["own"], 2)
    costs["all"] = round(sum(costs.values()), 2)
    print(json.dumps(costs))
    if kill and killed is None:
        sys.exit("no executor was seen at work, so none was killed")
    sys.exit(command.returncode)


if __name__ == "__main__":
    main()
