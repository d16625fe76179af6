#!/usr/bin/env python3
"""How fast `eigenfaces serve` answers, whether it grows, and whether a kill loses what it had acknowledged.

    benches/serve/measure.py PROGRAM FOLDER_OF_FACES [--seconds 60] [--minutes 5]

Prints a table; docs/SERVE.md has its figures in short. Needs Python's standard library only; run it on a machine that does nothing else.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import tempfile
import threading
import time

KEY = "00000000-0000-4000-8000-000000000000"
CLIENTS = 8
# Of `identify` over all photos.
RUNS = 3


class Server:
    def __init__(self, program, folder):
        command = [program, "serve", "--listen", "127.0.0.1:0"]
        self.begun = time.perf_counter()
        environment = {**os.environ, "EIGENFACES_KEY": KEY}
        self.process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env=environment)
        # Before its address it may say that a model is learned or that leftovers were removed.
        said = []
        while not said or "http://127.0.0.1:" not in said[-1]:
            said.append(self.process.stderr.readline())
            if not said[-1]:
                raise RuntimeError(f"the server ended, saying: {''.join(said)}")
        self.port = int(said[-1].split("http://127.0.0.1:")[1].split("/")[0])
        # What it says later must not fill the pipe.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def megabytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()


def ask(connection, method, path, body=None, kind="application/octet-stream"):
    connection.request(method, path, body, {"x-api-key": KEY, "content-type": kind})
    answer = connection.getresponse()
    return answer.status, answer.read()


def one_connection(server, photos):
    connection, times = server.connect(), []
    for photo in photos:
        begun = time.perf_counter()
        status, _ = ask(connection, "POST", "/api/v0/identify", photo)
        times.append((time.perf_counter() - begun) * 1000)
        assert status == 200, status
    return times


def many_clients(server, photos, seconds):
    """Times of all answers in milliseconds, errors, and answers a second."""
    times, errors, end = [], [], time.perf_counter() + seconds

    def client(number):
        connection, chosen = server.connect(), random.Random(number)
        while time.perf_counter() < end:
            begun = time.perf_counter()
            status, body = ask(connection, "POST", "/api/v0/identify", chosen.choice(photos))
            times.append((time.perf_counter() - begun) * 1000)
            if status != 200:
                errors.append(body)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times, errors, len(times) / (time.perf_counter() - begun)


def kills(program, photos, changes=100):
    """Adds faces one by one, killing the server again and again. Gives (acknowledged, lost, damaged)."""
    chosen, acknowledged, damaged = random.Random(1), [], 0
    with tempfile.TemporaryDirectory() as folder:
        while len(acknowledged) < changes:
            server = Server(program, folder)
            connection = server.connect()
            killer = threading.Timer(chosen.uniform(0.05, 1.5), server.process.kill)
            killer.start()
            try:
                while len(acknowledged) < changes:
                    person, photo = photos[len(acknowledged) % len(photos)]
                    form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="p"\r\n\r\n' + photo + b"\r\n--x--\r\n"
                    path = f"/api/v1/recognition/faces?subject={person}"
                    status, body = ask(connection, "POST", path, form, "multipart/form-data; boundary=x")
                    assert status == 201, (status, body)
                    acknowledged.append(json.loads(body)["image_id"])
            except (OSError, http.client.HTTPException):
                pass
            killer.cancel()
            server.process.kill()
            server.process.wait()
            model = os.path.join(folder, "eigenfaces.npz")
            if os.path.exists(model) and subprocess.run([program, "info", "-m", model], capture_output=True).returncode:
                damaged += 1
        server = Server(program, folder)
        _, body = ask(server.connect(), "GET", "/api/v1/recognition/faces?size=1000")
        kept = {face["image_id"] for face in json.loads(body)["faces"]}
        server.end()
    return len(set(acknowledged)), len(set(acknowledged) - kept), damaged


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("faces", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--minutes", type=int, default=5)
    args = parser.parse_args()
    files = sorted(path for path in args.faces.glob("*/*") if path.is_file())
    photos = [path.read_bytes() for path in files]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([args.program, "enroll", os.path.abspath(args.faces), "--quiet"], cwd=folder, check=True)
        listed = [os.path.abspath(path) for path in files]
        begun = time.perf_counter()
        for _ in range(RUNS):
            subprocess.run([args.program, "identify", *listed], cwd=folder, stdout=subprocess.DEVNULL, check=True)
        in_bulk = RUNS * len(files) / (time.perf_counter() - begun)

        server = Server(args.program, folder)
        status, _ = ask(server.connect(), "POST", "/api/v0/identify", photos[0])
        first = time.perf_counter() - server.begun
        assert status == 200
        alone = one_connection(server, photos)
        times, errors, rate = many_clients(server, photos, args.seconds)
        early = server.megabytes()
        for _ in range(args.minutes - 1):
            many_clients(server, photos, 60)
        late = server.megabytes()
        server.end()
    labelled = [(path.parent.name, path.read_bytes()) for path in files]
    added, lost, damaged = kills(args.program, labelled)
    ordered = sorted(times)
    print(f"| from start to the first answer | {first:.2f} s |")
    print(f"| `/identify`, one connection | median {statistics.median(alone):.1f} ms |")
    print(f"| {CLIENTS} clients for {args.seconds:.0f} s | {len(times)} answers, {len(errors)} errors, {rate:.0f} a second; "
          f"median {statistics.median(times):.1f} ms, 99 % within {ordered[int(len(ordered) * 0.99)]:.1f} ms |")
    print(f"| `identify` of the same photos, one process | {in_bulk:.0f} a second; the server {rate / in_bulk:.2f} of that |")
    print(f"| memory after the first minute, after {args.minutes} | {early:.0f} MB, {late:.0f} MB |")
    print(f"| killed again and again during {added} additions | {lost} acknowledged ones lost, {damaged} models damaged |")


if __name__ == "__main__":
    main()
