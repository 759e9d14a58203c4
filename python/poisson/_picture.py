"""Pictures of results for notebooks: a PNG without any other package."""

import base64
import html as text
import struct
import zlib

import numpy as np

from . import _arrays

# Samples of the colour map viridis (Smith and van der Walt, 2015; in the public domain).
_COLOURS = np.array([[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129],
                     [92, 200, 99], [170, 220, 50], [253, 231, 37]], dtype=float)
_GREY = 200
_WIDTH = 220  # pixels of a picture, about


def png(values):
    """Returns a picture of a two-dimensional array, its first row at the bottom, as PNG. NaN is grey."""
    values = np.asarray(values, dtype=float)
    known = values[np.isfinite(values)]
    low, high = (known.min(), known.max()) if known.size else (0, 0)
    scaled = (values - low) / (high - low) if high > low else 0 * values
    factor = max(1, _WIDTH // max(values.shape))
    step = max(1, max(values.shape) // (2 * _WIDTH))
    scaled = np.kron(scaled[::-step, ::step], np.ones((factor, factor)))
    unknown = ~np.isfinite(scaled)
    place = np.where(unknown, 0, scaled) * (len(_COLOURS) - 1)
    below = np.minimum(place.astype(int), len(_COLOURS) - 2)
    share = (place - below)[..., None]
    pixels = ((1 - share) * _COLOURS[below] + share * _COLOURS[below + 1]).round().astype(np.uint8)
    pixels[unknown] = _GREY
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in (
        (b"IHDR", head), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b"")))


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _planes(u):
    """Returns the array itself, or the three mid-planes, with their titles."""
    if u.ndim == 2:
        return [("", u)]
    middle = [n // 2 for n in u.shape]
    return [("x–y", u[middle[0]]), ("x–z", u[:, middle[1]]), ("y–z", u[:, :, middle[2]])]


def _range(u):
    known = u[np.isfinite(u)]
    return f"from {known.min():.6g} to {known.max():.6g}" if known.size else "has no value"


def html(result):
    """Returns a result as HTML: pictures of u and the flows through the faces."""
    u = _arrays.to_host(result.u, "u")[0]
    pictures = ""
    if u.ndim == result._solver.geometry["dimension"]:
        for title, plane in _planes(u):
            data = base64.b64encode(png(plane)).decode()
            pictures += (f"<figure style='display:inline-block;margin:4px'><img src='data:image/png;base64,{data}'>"
                         f"<figcaption>{title}</figcaption></figure>")
    lines = f"<p>{text.escape(repr(result)[1:-1])}; u {_range(u)}</p>"
    if result._solver._state == result._state:
        cells = "".join(f"<tr><td>{face}</td><td>{flow:.6g}</td></tr>" for face, flow in result.flows.items())
        balance = result.balance
        cells += (f"<tr><td>source</td><td>{balance['source']:.6g}</td></tr>"
                  f"<tr><td>residual</td><td>{balance['residual']:.2g}</td></tr>")
        lines += f"<table><tr><th>face</th><th>∫ κ ∂u/∂n</th></tr>{cells}</table>"
        if result.bodies and u.ndim == result._solver.geometry["dimension"]:
            lines += result.bodies._repr_html_()
    return f"<div>{pictures}{lines}</div>"
