"""Makes hostile images: cases of (title, content, how a run must end)."""

import random
import struct

ERROR, SANE, EITHER = "error", "sane", "either"
HUGE = "1" + "0" * 400


def npy(shape="(4, 4, 4)", descr="'|u1'", order="False", data=None, magic=b"\x93NUMPY\x01\x00", length=None, extra=""):
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, {extra}}}".encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    count = len(header) if length is None else length
    return magic + struct.pack("<H", count & 0xFFFF) + header + (bytes(64) if data is None else data)


def tiff(width=4, height=4, bits=8, data=None, order="<", magic=42, tags=(), drop=(), pages=1, offset=8, next_page=None):
    """A TIFF with one strip a page; `tags` replaces entries (tag, type, count, value)."""
    data = bytes(width * height * bits // 8 if width * height < 1e6 else 64) if data is None else data
    out = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", magic, offset)
    for page in range(pages):
        entries = {256: (4, 1, width), 257: (4, 1, height), 258: (3, 1, bits), 259: (3, 1, 1), 262: (3, 1, 1),
                   273: (4, 1, 0), 277: (3, 1, 1), 278: (4, 1, height), 279: (4, 1, len(data))}
        entries.update({tag: rest for tag, *rest in tags})
        for tag in drop:
            entries.pop(tag, None)
        where = len(out) + 2 + 12 * len(entries) + 4
        out += struct.pack(order + "H", len(entries))
        for tag in sorted(entries):
            kind, count, value = entries[tag]
            value = where if tag == 273 and value == 0 else value
            short = kind == 3
            out += struct.pack(order + ("HHIHxx" if short else "HHII"), tag, kind, count, value & (0xFFFF if short else
                                                                                                   0xFFFFFFFF))
        last = page + 1 == pages
        follower = (next_page if next_page is not None else 0) if last else where + len(data)
        out += struct.pack(order + "I", follower & 0xFFFFFFFF) + data
    return out


def big_tiff(tags=(), data=bytes(16), pages=3, magic=43, word=8):
    """A BigTIFF of 4 x 4 pixels with one strip a page; `tags` replaces entries (tag, type, count, value)."""
    out = b"II" + struct.pack("<HHHQ", magic, word, 0, 16)
    for page in range(pages):
        entries = {256: (4, 1, 4), 257: (4, 1, 4), 258: (3, 1, 8), 259: (3, 1, 1), 262: (3, 1, 1), 273: (16, 1, 0),
                   277: (3, 1, 1), 278: (4, 1, 4), 279: (16, 1, len(data))}
        entries.update({tag: rest for tag, *rest in tags})
        where = len(out) + 8 + 20 * len(entries) + 8
        out += struct.pack("<Q", len(entries))
        for tag in sorted(entries):
            kind, count, value = entries[tag]
            out += struct.pack("<HHQQ", tag, kind, count, where if tag == 273 and value == 0 else value)
        out += struct.pack("<Q", 0 if page + 1 == pages else where + len(data)) + data
    return out


def with_changed_bytes(name, good, seed):
    """Yields 20 cases of a file in which three bytes are random."""
    generator = random.Random(seed)
    for n in range(20):
        bad = bytearray(good)
        for _ in range(3):
            bad[generator.randrange(len(bad))] = generator.randrange(256)
        yield f"{name} with changed bytes {n}", bytes(bad), EITHER


def big_tiff_cases():
    good = big_tiff()
    yield "big tif", good, SANE
    yield from ((f"big tif cut to {n} bytes", good[:n], ERROR) for n in (3, 8, 15, 16, 23, 24, 60, 200, 210, 230, 400))
    yield from ((f"big tif magic {m} {w}", big_tiff(magic=m, word=w), ERROR) for m, w in ((44, 8), (43, 4), (43, 0)))
    for tag, kind, count, value in ((256, 16, 1, 1 << 40), (257, 16, 1, 1 << 63), (273, 16, 1, 1 << 62),
                                    (273, 16, 1 << 60, 16), (279, 16, 1, 1 << 62), (258, 3, 1 << 61, 8),
                                    (256, 99, 1, 4), (256, 4, 0, 4)):
        yield f"big tif tag {tag} {kind} {count} {value}", big_tiff(tags=[(tag, kind, count, value)]), EITHER
    # Tiles whose sizes are no multiples of 16, of no or of huge size; palettes; channels in planes of their own.
    tiled = [(322, 4, 1, 16), (323, 4, 1, 16), (324, 16, 1, 16), (325, 16, 1, 256)]
    yield "big tif of tiles beyond the file", big_tiff(tags=tiled), EITHER
    for width in (0, 1, 15, 1 << 31):
        yield f"big tif with tiles of {width}", big_tiff(tags=[(322, 4, 1, width), *tiled[1:]]), EITHER
    yield "big tif of a palette", big_tiff(tags=[(262, 3, 1, 3)]), EITHER
    yield "big tif of a palette with colours", big_tiff(tags=[(262, 3, 1, 3), (320, 3, 768, 16)]), EITHER
    yield "big tif of planes", big_tiff(tags=[(277, 3, 1, 3), (284, 3, 1, 2), (262, 3, 1, 2)], data=bytes(48)), ERROR
    yield "big tif of alpha", big_tiff(tags=[(277, 3, 1, 2), (338, 3, 1, 1)], data=bytes(32)), ERROR
    yield "big tif of white zeros", big_tiff(tags=[(262, 3, 1, 0)]), EITHER
    for way in (5, 8, 32773, 32946, 50000):
        yield f"big tif compression {way} of noise", big_tiff(tags=[(259, 3, 1, way)], data=b"\xa5\x5a" * 8), EITHER
    yield from with_changed_bytes("big tif", good, 13)


def npy_cases():
    good = npy()
    yield from ((f"npy cut to {size} bytes", good[:size], ERROR) for size in (0, 1, 6, 8, 9, 10, 40, 127, 128, 150, 191))
    for shape in ("(4, -4, 4)", "(0, 4, 4)", "(4, 4)", "(4,)", "()", "(4, 4, 4, 1)", "(4294967296, 4294967296, 4)",
                  f"({HUGE}, 4, 4)", "(9223372036854775807, 2, 2)", "(4.0, 4, 4)", "4", "'4'", "(4, 4", "[4, 4, 4]",
                  "(4L, 4, 4)", "(1e1, 4, 4)", "(None, 4, 4)", "(1000000, 1000000, 1)", "(  4,4,4  )"):
        yield f"npy shape {shape[:40]}", npy(shape=shape), EITHER if shape in ("(4, 4)", "(4L, 4, 4)", "(  4,4,4  )") else ERROR
    for descr in ("'<c8'", "'|O'", "'|S4'", "'<U1'", "'<f2'", "'|b1'", "'>u8'", "'<i3'", "''", "'<u1000000000000000000'",
                  "[('a', '|u1')]", "'<M8[s]'", "None", "'|V1'", "'u'"):
        yield f"npy type {descr}", npy(descr=descr), EITHER
    yield "npy wrong magic", npy(magic=b"\x93NUMPX\x01\x00"), ERROR
    yield "npy version 9", npy(magic=b"\x93NUMPY\x09\x00"), ERROR
    yield "npy header longer than the file", npy(length=65535), ERROR
    yield "npy header of no bytes", npy(length=0), ERROR
    yield "npy order is a word", npy(order="'yes'"), ERROR
    yield "npy order twice", npy(extra="'fortran_order': True, "), EITHER
    yield "npy shape twice", npy(extra="'shape': (2, 2, 2), "), EITHER
    yield "npy unknown key", npy(extra="'unit': 'm', "), EITHER
    yield "npy nested", npy(extra="'a': " + "(" * 20000), EITHER
    yield "npy floats that are NaN", npy(descr="'<f4'", data=struct.pack("<f", float("nan")) * 64), ERROR
    yield "npy floats that are infinite", npy(descr="'<f8'", data=struct.pack("<d", float("inf")) * 64), ERROR
    yield "npy floats between integers", npy(descr="'<f8'", data=struct.pack("<d", 0.5) * 64), ERROR
    yield "npy floats beyond 64 bits", npy(descr="'<f8'", data=struct.pack("<d", 1e300) * 64), ERROR
    yield "npy unsigned beyond 63 bits", npy(descr="'<u8'", data=b"\xff" * 512), EITHER
    yield "npy with a tail", npy() + b"tail", EITHER


def tiff_cases():
    good = tiff(pages=3)
    yield from ((f"tif cut to {size} bytes", good[:size], ERROR) for size in (0, 2, 4, 7, 8, 9, 60, 121, 130, 200))
    yield "tif of one page", tiff(), EITHER
    yield "tif big endian", tiff(order=">", pages=3), SANE
    yield "tif wrong magic", tiff(magic=41), ERROR
    yield "tif directory beyond the file", tiff(offset=0x7FFFFFFF), ERROR
    yield "tif directory at 0", tiff(offset=0), ERROR
    yield "tif directory in its header", tiff(offset=2), ERROR
    yield "tif pages in a circle", tiff(pages=3, next_page=8), EITHER
    yield "tif next page beyond the file", tiff(pages=3, next_page=0x7FFFFFF0), EITHER
    for width in (0, 0xFFFFFFFF, 0x7FFFFFFF, 100000):
        yield f"tif width {width}", tiff(tags=[(256, 4, 1, width)]), ERROR
    for height in (0, 0xFFFFFFFF, 0x40000000):
        yield f"tif height {height}", tiff(tags=[(257, 4, 1, height)]), ERROR
    for bits in (0, 1, 3, 7, 12, 64, 65535):
        yield f"tif of {bits} bits", tiff(tags=[(258, 3, 1, bits)]), EITHER
    for form in (0, 2, 3, 4, 5, 255):
        yield f"tif sample format {form}", tiff(tags=[(339, 3, 1, form)]), EITHER
    for samples in (0, 3, 65535):
        yield f"tif of {samples} samples", tiff(tags=[(277, 3, 1, samples)]), EITHER
    for way in (0, 5, 7, 8, 32773, 34712, 65535):
        yield f"tif compression {way}", tiff(tags=[(259, 3, 1, way)]), EITHER
    for rows in (0, 1, 0xFFFFFFFF):
        yield f"tif {rows} rows a strip", tiff(tags=[(278, 4, 1, rows)]), EITHER
    yield "tif strip beyond the file", tiff(tags=[(273, 4, 1, 0x7FFFFFFF)]), ERROR
    yield "tif strip of terabytes", tiff(tags=[(279, 4, 1, 0xFFFFFFFF)]), EITHER
    yield "tif strip of no bytes", tiff(tags=[(279, 4, 1, 0)]), EITHER
    yield "tif many strips", tiff(tags=[(273, 4, 0x40000000, 8)]), EITHER
    for tag in (256, 257, 258, 273, 278, 279):
        yield f"tif without tag {tag}", tiff(drop=[tag]), EITHER
    yield from with_changed_bytes("tif", good, 7)


def raw_cases():
    for keys, expected in {
            "type: uint8, shape: [4, 4, 4]": SANE,
            "type: uint8, shape: [4, 4, 5]": ERROR,
            "type: uint8, shape: [4, 4, 3]": EITHER,
            "type: uint16, shape: [4, 4, 4]": ERROR,
            "type: float64, shape: [2, 2, 2]": EITHER,
            "type: uint8, shape: [4, 16]": SANE,
            "type: uint8, shape: [64]": ERROR,
            "type: uint8, shape: [4, 4, 2, 2]": ERROR,
            "type: uint8, shape: [0, 4, 4]": ERROR,
            "type: uint8, shape: [-4, 4, 4]": ERROR,
            "type: uint8, shape: [4.5, 4, 4]": ERROR,
            "type: uint8, shape: [.nan, 4, 4]": ERROR,
            "type: uint8, shape: [10000000, 10000000, 10000000]": ERROR,
            f"type: uint8, shape: [{HUGE}, 4, 4]": ERROR,
            "type: uint8, shape: []": ERROR,
            "type: uint8": ERROR,
            "shape: [4, 4, 4]": ERROR,
            "type: complex64, shape: [4, 4, 4]": ERROR,
            "type: [uint8], shape: [4, 4, 4]": ERROR,
            "type: uint8, shape: [4, 4, 4], offset: 1": ERROR,
            "type: uint8, shape: [4, 4, 3], offset: 16": SANE,
            "type: uint8, shape: [4, 4, 4], offset: -1": ERROR,
            "type: uint8, shape: [4, 4, 4], offset: 1e15": ERROR,
            "type: uint8, shape: [4, 4, 4], offset: 0.5": ERROR,
            "type: uint8, shape: [4, 4, 4], voxel: 0": ERROR,
            "type: uint8, shape: [4, 4, 4], voxel: -1": ERROR,
            "type: uint8, shape: [4, 4, 4], voxel: .nan": ERROR,
            "type: uint8, shape: [4, 4, 4], voxel: .inf": ERROR,
            "type: uint8, shape: [4, 4, 4], voxel: 1e-300": EITHER,
            "type: uint8, shape: [4, 4, 4], voxel: 1e300": EITHER,
            "type: uint8, shape: [4, 4, 4], voxel: [1, 1]": ERROR,
            "type: uint8, shape: [4, 4, 4], crop: [[0, 0], [0, 4], [0, 4]]": ERROR,
            "type: uint8, shape: [4, 4, 4], crop: [[3, 1], [0, 4], [0, 4]]": ERROR,
            "type: uint8, shape: [4, 4, 4], crop: [[0, 5], [0, 4], [0, 4]]": ERROR,
            "type: uint8, shape: [4, 4, 4], crop: [[-1, 4], [0, 4], [0, 4]]": ERROR,
            "type: uint8, shape: [4, 4, 4], crop: [[0, 4], [0, 4]]": ERROR,
            "type: uint8, shape: [4, 4, 4], crop: [0, 4]": ERROR,
            "type: uint8, shape: [4, 4, 4], crop: []": ERROR,
            "type: uint8, shape: [4, 4, 4], crop: [[0, 2], [0, 2], [0, 2]]": EITHER,
            "type: uint8, shape: [4, 4, 4], dataset: /labels": EITHER,
            "type: uint8, shape: [4, 4, 4], files: raw*": ERROR}.items():
        yield f"raw {keys[:60]}", keys, expected
