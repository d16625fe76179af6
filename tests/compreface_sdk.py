#!/usr/bin/env python3
"""Asks a running `eigenfaces serve` through CompreFace's own published client.

    tests/compreface_sdk.py PROGRAM

Needs the Python packages compreface-sdk and urllib3 older than 2, which that was written for; says so and does nothing where it is absent.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

try:
    from compreface import CompreFace
except ImportError as error:
    print(f"skipped: {error} (pip install compreface-sdk 'urllib3<2')")
    sys.exit(0)

PROJECT = pathlib.Path(__file__).resolve().parents[1]
KEY = "00000000-0000-4000-8000-000000000000"


def photo(person, number):
    return str(sorted((PROJECT / "faces" / person).iterdir())[number])


def use(domain, port):
    service = CompreFace(domain, port)
    recognition = service.init_face_recognition(KEY)
    collection, subjects = recognition.get_face_collection(), recognition.get_subjects()
    assert subjects.add("Ada") == {"subject": "Ada"}
    added = [collection.add(image_path=photo(name, at), subject=name) for name in ("Ada", "Boris") for at in range(3)]
    assert all("image_id" in one for one in added), added
    listed = collection.list()
    assert len(listed["faces"]) == 6, listed
    assert subjects.list() == {"subjects": ["Ada", "Boris"]}
    found = recognition.recognize(image_path=photo("Ada", 0), options={"limit": 0, "prediction_count": 2, "status": True})
    best = found["result"][0]["subjects"][0]
    assert best["subject"] == "Ada" and best["similarity"] >= 0.6, found
    verified = collection.verify(image_path=photo("Ada", 0), image_id=added[0]["image_id"])
    assert verified["result"][0]["similarity"] >= 0.6, verified
    assert subjects.update("Boris", "Bo") == {"updated": True}
    assert collection.delete(added[0]["image_id"])["subject"] == "Ada"
    assert collection.delete_all("Ada") == {"deleted": 2}
    detected = service.init_face_detection(KEY).detect(image_path=photo("Boris", 0))
    assert "result" in detected or detected["code"] == 28, detected
    same = service.init_face_verification(KEY).verify(photo("Boris", 1), photo("Boris", 1))
    assert same["result"][0]["face_matches"][0]["similarity"] >= 0.6, same
    assert subjects.delete("Bo") == {"subject": "Bo"}
    assert subjects.delete_all() == {"deleted": 0}


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "EIGENFACES_KEY": KEY}
        command = [program, "serve", "--listen", "127.0.0.1:0"]
        server = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env=environment)
        try:
            address = server.stderr.readline().split("http://")[1].split("/")[0]
            host, port = address.rsplit(":", 1)
            use(f"http://{host}", port)
        finally:
            server.terminate()
            server.wait()
    print("the client was answered in all calls")


if __name__ == "__main__":
    main()
