"""Processes that answer line by line and can be ended when they take too long."""

import json
import os
import selectors
import subprocess
import time


class TooLong(Exception):
    """No answer in time; the process was ended."""


def environment(threads):
    """The same number of threads for everybody, and no wrong BLAS kernels."""
    env = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    names = ("OMP", "OPENBLAS", "MKL", "RAYON", "VECLIB", "NUMEXPR")
    env.update({f"{name}_NUM_THREADS": str(threads) for name in names})
    return env


class Answering:
    """A program that answers each line with one line."""

    def __init__(self, command, threads):
        self.command, self.threads, self.process = command, threads, None

    def start(self):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, env=environment(self.threads))

    def ask(self, line, limit=600.0):
        if self.process is None:
            self.start()
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        # One line is all there is to read, so the buffer behind stdout is empty between questions.
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            if not selector.select(limit):
                self.end()
                raise TooLong
        answer = self.process.stdout.readline().decode().strip()
        if not answer:
            self.end()
            raise RuntimeError(f"{self.command[0]} ended at the question: {line}")
        return answer

    def end(self):
        """Ends the process; its peak of memory in bytes."""
        if self.process is None:
            return 0
        process, self.process = self.process, None
        process.kill()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        process.stdin.close()
        process.stdout.close()
        return usage.ru_maxrss * 1024


class PythonSide(Answering):
    """`worker.py`, which opens the same faces again after it had to be ended."""

    def __init__(self, python, threads):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
        super().__init__([python, script], threads)
        self.opened = None

    def put(self, ask, limit=600.0, **question):
        if self.process is None and self.opened:
            self.start()
            self.ask(json.dumps(self.opened))
        if ask == "open":
            self.opened = {"ask": ask, **question}
        return json.loads(self.ask(json.dumps({"ask": ask, **question}), limit))


def run_whole(command, threads):
    """Seconds, peak memory in bytes and output of a program from start to end."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(threads))
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode:
        raise RuntimeError(f"{command[0]} failed with {process.returncode}")
    return seconds, usage.ru_maxrss * 1024, output
