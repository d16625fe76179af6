#!/usr/bin/env python3
"""Uses `eigenfaces serve` in every way at once: identifying, adding, renaming, erasing, jobs, and connections that say nothing.

    benches/serve/soak.py PROGRAM FOLDER_OF_FACES [--minutes 30] [--idle 2000]

Fails if anything but an answer, or 503 with Retry-After, comes back, if an honest request waits for more than a second to be
let in, or if memory grows. Needs Python's standard library only.
"""

import argparse
import collections
import http.client
import json
import os
import pathlib
import random
import resource
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

from measure import KEY, Server


# Faces that are added before they are all erased again.
MOST_ADDED = 60


class Soak:
    def __init__(self, server, photos, folder, seconds):
        self.server, self.photos, self.folder = server, photos, folder
        self.end = time.monotonic() + seconds
        self.times = collections.defaultdict(list)
        self.answers = collections.Counter()
        self.errors = []
        self.lock = threading.Lock()
        self.number = 0
        self.added = []

    def running(self):
        return time.monotonic() < self.end

    def another(self, photo):
        """A photo of a hash that no other has."""
        with self.lock:
            self.number += 1
            return photo + struct.pack("<Q", self.number)

    def ask(self, kind, method, path, body=None, content="application/octet-stream", allowed=()):
        begun = time.perf_counter()
        try:
            connection = self.server.connect()
            connection.request(method, path, body, {"x-api-key": KEY, "content-type": content})
            answer = connection.getresponse()
            status, text, retry = answer.status, answer.read(), answer.getheader("retry-after")
            connection.close()
        except OSError as error:
            status, text, retry = 0, str(error).encode(), None
        with self.lock:
            self.times[kind].append((time.perf_counter() - begun) * 1000)
            self.answers[kind, status] += 1
            is_right = status in (200, 201, 202) or status in allowed or (status == 503 and retry)
            if not is_right:
                self.errors.append((kind, method, path, status, text[:200]))
        return status, text

    def identify(self, chosen):
        self.ask("identify", "POST", "/api/v0/identify", chosen.choice(self.photos)[1])
        time.sleep(chosen.random() * 0.1)

    def people(self, chosen):
        self.ask("people", "GET", "/api/v0/people")
        time.sleep(chosen.random() * 0.5)

    def add(self, chosen):
        photo = self.another(chosen.choice(self.photos)[1])
        form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="p"\r\n\r\n' + photo + b"\r\n--x--\r\n"
        path = f"/api/v1/recognition/faces?subject=soak%20{chosen.randrange(20)}"
        # 400: a photo in which no face, or more than one, is found.
        status, text = self.ask("add", "POST", path, form, "multipart/form-data; boundary=x", allowed=(400,))
        if status == 201:
            self.added.append(json.loads(text)["image_id"])
        if len(self.added) >= MOST_ADDED:
            # So that the gallery stays as large as it is, and memory can be compared.
            path = "/api/v1/recognition/faces/delete"
            status, _ = self.ask("erase", "POST", path, json.dumps(self.added), "application/json")
            if status == 200:
                self.added = []
        time.sleep(chosen.random())

    def change(self, chosen):
        one, other = (f"soak%20{chosen.randrange(20)}" for _ in range(2))
        name = json.dumps({"person": other.replace("%20", " ")})
        kind, method, path, body, allowed = chosen.choice([
            ("rename", "PUT", f"/api/v0/people/{one}", name, (404, 409)),
            ("merge", "POST", f"/api/v0/people/{one}/merge", name.replace("person", "into"), (404, 409)),
            ("undo", "POST", "/api/v0/undo", None, (409,)),
            ("erase", "DELETE", f"/api/v1/recognition/faces?subject={one}", None, ()),
            ("erase", "DELETE", f"/api/v1/recognition/faces?subject={other}", None, ()),
        ])
        self.ask(kind, method, path, body, "application/json", allowed)
        time.sleep(chosen.random() * 2)

    def job(self, chosen):
        """Enrols a folder of new photos, groups it or checks the gallery; cancels some; erases what was enrolled."""
        shutil.rmtree(self.folder, ignore_errors=True)
        person = self.folder / "of a job"
        person.mkdir(parents=True)
        for number, (_, photo) in enumerate(chosen.sample(self.photos, 60)):
            (person / f"{number}.jpg").write_bytes(self.another(photo))
        kind = chosen.choice(["enroll", "enroll", "group", "check", "relearn"])
        work = json.dumps({"kind": kind, "folder": str(self.folder)})
        status, text = self.ask("job", "POST", "/api/v0/jobs", work, "application/json", allowed=(409,))
        if status != 202:
            return
        path = f"/api/v0/jobs/{json.loads(text)['id']}"
        is_cancelled = chosen.random() < 0.2
        if is_cancelled:
            self.ask("job", "DELETE", path)
        while self.running():
            status, text = self.ask("job", "GET", path)
            report = json.loads(text or "{}")
            if report.get("state") != "working":
                told = report.get("error") or ""
                if report.get("state") == "failed" and "erased since" not in told:
                    self.errors.append(("job", kind, report))
                break
            time.sleep(0.2)
        self.ask("erase", "DELETE", "/api/v1/recognition/faces?subject=of%20a%20job")

    def idle(self, chosen, count):
        """Holds connections that say nothing, or too little, and opens new ones for those that are closed."""
        held = collections.deque()
        while self.running():
            try:
                one = socket.create_connection(("127.0.0.1", self.server.port), timeout=5)
                if chosen.random() < 0.5:
                    one.send(b"GET / HTTP/1.1\r\n")
                held.append(one)
            except OSError:
                pass
            if len(held) > count:
                held.popleft().close()
            time.sleep(8 / count)

    def repeat(self, work, seed):
        chosen = random.Random(seed)
        while self.running():
            work(chosen)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("faces", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--idle", type=int, default=2000)
    args = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, args.idle + 1000), most))
    files = sorted(path for path in args.faces.glob("*/*") if path.is_file())
    photos = [(path.parent.name, path.read_bytes()) for path in files]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as album:
        subprocess.run([args.program, "enroll", os.path.abspath(args.faces), "--quiet"], cwd=folder, check=True)
        server = Server(args.program, folder)
        threading.Thread(target=lambda: [None for _ in server.process.stderr], daemon=True).start()
        soak = Soak(server, photos, pathlib.Path(album) / "photos", args.minutes * 60)
        works = [soak.identify, soak.identify, soak.people, soak.add, soak.change, soak.job]
        threads = [threading.Thread(target=soak.repeat, args=(work, seed)) for seed, work in enumerate(works)]
        if args.idle:
            threads.append(threading.Thread(target=soak.idle, args=(random.Random(99), args.idle)))
        for thread in threads:
            thread.start()
        memory = []
        while soak.running() and server.process.poll() is None:
            memory.append(server.megabytes())
            time.sleep(5)
        for thread in threads:
            thread.join()
        lived = server.process.poll() is None
        server.end()
        left = [name for name in os.listdir(folder) if name != "eigenfaces.npz"]
    print(f"| soak of {args.minutes:g} minutes, {args.idle} idle connections | median ms | 99 % within ms | answers |")
    print("|---|---|---|---|")
    for kind, times in sorted(soak.times.items()):
        ordered = sorted(times)
        counts = ", ".join(f"{status}: {count}" for (of, status), count in sorted(soak.answers.items()) if of == kind)
        print(f"| {kind} | {statistics.median(times):.1f} | {ordered[int(len(ordered) * 0.99)]:.1f} | {counts} |")
    tenth = max(1, len(memory) // 10)
    early, late = statistics.median(memory[tenth : 3 * tenth]), statistics.median(memory[-2 * tenth :])
    print(f"memory: {early:.0f} MB early, {late:.0f} MB late, at most {max(memory):.0f} MB; files left: {left or 'none'}")
    for error in soak.errors[:20]:
        print("error:", *error)
    grew = late > early * 1.25 + 10
    sys.exit(0 if lived and not soak.errors and not grew and not left else 1)


if __name__ == "__main__":
    main()
