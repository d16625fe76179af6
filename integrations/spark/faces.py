"""Makes many faces of some rendered ones, for measuring: shifted, mirrored, brighter or darker, with noise; as PGM.

    faces.py RENDERED OUTPUT COUNT

RENDERED holds 8-bit gray PNG as examples/render_people writes them. The same faces for the same arguments, always.
"""

import pathlib
import struct
import sys
import zlib

import numpy


def gray_png(data):
    """The pixels of an 8-bit gray PNG that is not interlaced."""
    at, idat = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, *form = struct.unpack(">IIBBBBB", body)
            if form != [8, 0, 0, 0, 0]:
                raise ValueError("not an 8-bit gray PNG")
        elif kind == b"IDAT":
            idat += body
        at += length + 12
    raw = numpy.frombuffer(zlib.decompress(idat), numpy.uint8).reshape(height, width + 1)
    rows = numpy.zeros((height + 1, width), int)
    for y, (how, *line) in enumerate(raw.tolist(), 1):
        for x, value in enumerate(line):
            left = rows[y, x - 1] if x else 0
            up, corner = rows[y - 1, x], rows[y - 1, x - 1] if x else 0
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda near: abs(guess - near))
            rows[y, x] = (value + (0, left, up, (left + up) // 2, paeth)[how]) % 256
    return rows[1:]


def main():
    rendered, output, count = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    faces = [gray_png(path.read_bytes()) for path in sorted(rendered.rglob("*.png"))]
    chance = numpy.random.Generator(numpy.random.PCG64(1))
    for at in range(count):
        face = faces[at % len(faces)]
        if chance.random() < 0.5:
            face = face[:, ::-1]
        face = numpy.roll(face, chance.integers(-2, 3, 2), (0, 1))
        face = face * chance.uniform(0.7, 1.1) + chance.integers(-10, 20) + chance.normal(0, 3, face.shape)
        folder = output / f"{at // 1000:06}"
        folder.mkdir(parents=True, exist_ok=True)
        height, width = face.shape
        pixels = face.clip(0, 255).astype(numpy.uint8).tobytes()
        (folder / f"{at % 1000}.pgm").write_bytes(b"P5\n%d %d\n255\n" % (width, height) + pixels)


if __name__ == "__main__":
    main()
