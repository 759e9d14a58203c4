"""Draws the mechanism of each study as SVG: lanes and memory words, work over time, or parts and their links."""

import html

LANE, WORD, IDLE, HOT, LINE = "#56B4E9", "#0072B2", "#e3e8ed", "#D55E00", "#59636e"


def text(x, y, words, size=13, anchor="middle", colour="#1b1f24"):
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{html.escape(words)}'
            f"</text>")


def box(x, y, width, height, fill, words="", size=12):
    colour = "#fff" if fill in (WORD, HOT) else "#1b1f24"
    inside = text(x + width / 2, y + height / 2 + size * 0.36, words, size, colour=colour) if words else ""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="2" fill="{fill}" stroke="#fff"/>{inside}'


def arrow(x1, y1, x2, y2, colour=LINE):
    return (f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" stroke-width="1.3" '
            f'marker-end="url(#tip)"/>')


def svg(parts, height, label, width=560):
    return (f'<svg class="drawing" viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(label, quote=True)}" '
            f'font-family="sans-serif"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" '
            f'markerHeight="6" orient="auto"><path d="M0,0L8,4L0,8z" fill="{LINE}"/></marker></defs>{"".join(parts)}</svg>')


def lanes(words_of, count, label, names=("lanes of a warp", "words of memory; frames are sectors of 32 bytes"), sector=8,
          hot=()):
    """Draws lanes above, memory words below, and a line from each lane to each of its words. Words that are fetched but
    not used are pale."""
    number = len(words_of)
    lane_width, word_width = 520 / number, 520 / count
    parts = [text(20, 14, names[0], anchor="start"), text(20, 164, names[1], anchor="start")]
    used = {word for words in words_of for word in words}
    fetched = {word // sector for word in used}
    for word in range(count):
        fill = HOT if word in hot else WORD if word in used else "#b9d8ec" if word // sector in fetched else IDLE
        parts.append(box(20 + word * word_width, 118, word_width, 26, fill))
    for start in range(0, count, sector):
        parts.append(f'<rect x="{20 + start * word_width:g}" y="116" width="{sector * word_width:g}" height="30" fill="none" '
                     f'stroke="{LINE}"/>')
    for lane, words in enumerate(words_of):
        x = 20 + (lane + 0.5) * lane_width
        parts.append(box(x - lane_width / 2, 22, lane_width, 24, LANE if words else IDLE))
        parts += [arrow(x, 48, 20 + (word + 0.5) * word_width, 115) for word in words]
    return svg(parts, 172, label)


def schedule(rows, label, note, axis="time"):
    """Draws rows of work over time: (name, [(start, end, words, colour)…])."""
    last = max(end for _, pieces in rows for _, end, _, _ in pieces)
    parts = []
    for i, (name, pieces) in enumerate(rows):
        y = 14 + 34 * i
        parts.append(text(112, y + 18, name, 12.5, "end"))
        parts += [box(120 + 425 * start / last, y, 425 * (end - start) / last, 27, fill, words)
                  for start, end, words, fill in pieces]
    bottom = 14 + 34 * len(rows)
    parts += [arrow(120, bottom + 6, 545, bottom + 6), text(120, bottom + 24, axis, 12, "start"),
              text(545, bottom + 24, note, 12, "end")]
    return svg(parts, bottom + 34, label)


def chain(parts_of, links, label, note):
    """Draws boxes from left to right with words on the links between them."""
    width = 520 / (len(parts_of) + 0.7 * (len(parts_of) - 1))
    parts = []
    for i, (name, below) in enumerate(parts_of):
        x = 20 + i * 1.7 * width
        parts += [box(x, 30, width, 56, "#d6eaf6", name, 13), text(x + width / 2, 104, below, 11.5)]
        if i:
            parts += [arrow(x - 0.68 * width, 58, x - 3, 58), text(x - 0.35 * width, 24, links[i - 1], 11.5)]
    return svg(parts + [text(280, 132, note, 12.5)], 142, label)


def tile(label):
    """Draws a tile that is read by rows, turned in shared memory, and written by rows."""
    parts = []
    for at, name in ((20, "source"), (215, "tile, 32 × 33 words"), (410, "destination")):
        parts.append(text(at + 65, 14, name))
        for row in range(5):
            for column in range(5):
                hot = (column == 1) if at == 215 else (row == 1)
                parts.append(box(at + 26 * column, 22 + 24 * row, 26, 24, WORD if hot else IDLE))
    parts += [box(345, 22 + 24 * row, 14, 24, "#f3d9c6") for row in range(5)]
    parts += [arrow(155, 80, 208, 80), arrow(364, 80, 404, 80), text(181, 72, "rows"), text(384, 100, "columns", 11),
              text(280, 166, "The pale column is padding: without it, all words of a tile's column share a bank.", 12.5)]
    return svg(parts, 176, label)


def tree(label):
    """Draws interleaved pairs: in each step the first half adds the second half."""
    parts, number = [], 8
    for level in range(4):
        for i in range(8):
            live = i < number
            parts.append(box(20 + 65 * i, 12 + 44 * level, 61, 22, WORD if live else IDLE))
            if level < 3 and i < number // 2:
                parts += [arrow(50 + 65 * i, 36 + 44 * level, 50 + 65 * i, 54 + 44 * level),
                          arrow(50 + 65 * (i + number // 2), 36 + 44 * level, 56 + 65 * i, 54 + 44 * level)]
        number //= 2
    return svg(parts + [text(280, 186, "Active threads stay together, so whole warps become idle, and strides never "
                                       "conflict.", 12.5)], 196, label)


def ring(label):
    parts = []
    for i, name in enumerate(("block 0", "block 1", "block 2", "block 3")):
        parts.append(box(20 + 136 * i, 30, 100, 50, "#d6eaf6", name, 13))
        parts += [box(20 + 136 * i, 30, 10, 50, WORD), box(110 + 136 * i, 30, 10, 50, WORD)]
        if i:
            parts += [arrow(20 + 136 * i - 3, 46, 123 + 136 * (i - 1), 46), arrow(123 + 136 * (i - 1), 64, 20 + 136 * i - 3, 64)]
    parts += [f'<path d="M70,86 C70,128 478,128 478,86" fill="none" stroke="{LINE}" marker-end="url(#tip)"/>',
              text(280, 142, "Blocks read the dark ends of their neighbours, then wait at a barrier of the cluster.", 12.5)]
    return svg(parts, 152, label)


def roof(label):
    parts = [arrow(60, 140, 530, 140), arrow(60, 140, 60, 14),
             f'<path d="M60,130 L260,40 L520,40" fill="none" stroke="{WORD}" stroke-width="3"/>',
             f'<line x1="260" y1="40" x2="260" y2="140" stroke="{HOT}" stroke-dasharray="5 4"/>', text(150, 66, "bandwidth"),
             text(400, 32, "peak of multiply-adds"), text(264, 132, "ridge", anchor="start"),
             text(530, 158, "operations per byte (logarithmic)", 12, "end"), text(66, 24, "operations per second", 12, "start")]
    return svg(parts, 164, label)


def registers(label):
    parts = [text(20, 14, "one register file, 65 536 registers", anchor="start")]
    for y, count, words in ((22, 8, "32 registers per thread: 64 warps"), (66, 2, "128 registers per thread: 16 warps"),
                            (110, 1, "136 registers per thread: 8 warps and a gap")):
        width = 520 / count if count > 1 else 280
        parts += [box(20 + width * i, y, width, 24, LANE) for i in range(count)]
        if count == 1:
            parts.append(box(300, y, 240, 24, IDLE, "too small for 8 more"))
        parts.append(text(20, y + 38, words, 12, "start"))
    return svg(parts, 156, label)


def warps(issue):
    """Returns rows for warps that issue in turn and wait for their results."""
    return [(f"warp {w}", [(w + 4 * k, w + 4 * k + 1, "", WORD) for k in range(3)]) for w in range(issue)]


def times(*pieces):
    return [(start, end, words, colour) for start, end, words, colour in pieces]


DRAWINGS = {
    "copy": lambda: lanes([[i] for i in range(16)], 16, "Sixteen lanes read sixteen neighbouring words: every fetched byte "
                          "is used"),
    "cache": lambda: chain([("registers", "256 KiB"), ("L1", "per multiprocessor"), ("L2", "whole chip"), ("memory", "80 GB or more")],
                           ["every clock", "128 B/clock", "all share it"],
                           "Registers, L1, L2 and memory", "Each level is larger, farther and slower than the one before."),
    "access": lambda: lanes([[4 * i] for i in range(8)], 32, "Eight lanes read every fourth word: four sectors are fetched, "
                            "three quarters of their words are wasted"),
    "texture": lambda: lanes([[8 * i] for i in range(4)], 32, "Four lanes walk down a column and meet one word per sector",
                             ("lanes down a column", "rows of a plain array: one useful word per sector. A texture stores "
                              "2-D blocks")),
    "banks": lambda: lanes([[0]] + [[4 * (i % 2)] for i in range(1, 4)] + [[i + 1] for i in range(4, 7)], 8,
                           "Lanes that meet in one bank wait for each other", ("lanes", "banks: orange ones serve several "
                           "words, one after another"), 1, hot=(0, 4)),
    "transpose": lambda: tile("A tile is read by rows into shared memory and written by rows from its columns"),
    "divergence": lambda: schedule([("one path", times((0, 3, "all 32 threads", WORD))),
                                    ("two paths", times((0, 3, "16 threads, 16 wait", WORD), (3, 6, "the other 16", HOT)))],
                                   "A warp runs its paths one after the other", "each path takes its full time"),
    "reduce": lambda: tree("Interleaved pairs halve the number of values in each step"),
    "latency": lambda: schedule(warps(4), "Four warps fill the four clocks between a multiply-add and its result",
                                "a result after 4 clocks: 4 warps keep the unit busy"),
    "occupancy": lambda: registers("Registers per thread limit the resident warps in steps"),
    "arithmetic": lambda: schedule([("add", times(*[(k, k + 1, "", WORD) for k in range(8)])),
                                    ("compare", times(*[(2 * k, 2 * k + 2, "", LANE) for k in range(4)])),
                                    ("rsqrt", times((0, 8, "one warp in 8 slots", HOT)))],
                                   "Issue slots of a scheduler: a warp of additions needs one clock, of comparisons two, of "
                                   "special functions eight", "8 clocks of one scheduler"),
    "transfer": lambda: schedule([("up", times(*[(k, k + 1, f"{k}", LANE) for k in range(4)])),
                                  ("compute", times(*[(k + 1, k + 2, f"{k}", WORD) for k in range(4)])),
                                  ("down", times(*[(k + 2, k + 3, f"{k}", HOT) for k in range(4)]))],
                                 "Chunks pass upload, computing and download, which overlap", "4 chunks: 6 steps in place of 12"),
    "crossover": lambda: chain([("CPU", "tens of GB/s"), ("bus", "55 GB/s"), ("GPU", "thousands of GB/s")], ["", ""],
                               "CPU and GPU, joined by a slow bus", "Data that cross the bus for one operation lose more than the GPU gains."),
    "compute": lambda: roof("A roofline: bandwidth limits the left side, arithmetic the right side"),
    "recompute": lambda: schedule([("stored", times((0, 9, "9 entries", WORD), (9, 11, "u, y", LANE))),
                                   ("symmetric half", times((0, 5, "5 entries", WORD), (5, 7, "u, y", LANE))),
                                   ("coefficient", times((0, 1, "1", WORD), (1, 3, "u, y", LANE))),
                                   ("recomputed", times((0, 2, "u, y", LANE)))],
                                  "Words of traffic per point: eleven, seven, three or two", "words per point", "traffic"),
    "sparse": lambda: lanes([[3], [11], [4], [27], [12], [20], [5], [28]], 32, "Rows of an unstructured matrix gather words "
                            "from many sectors", ("a thread for each row", "x, read at the columns of the entries")),
    "interpolate": lambda: lanes([[i // 4, i // 4 + 1] for i in range(12)], 4, "Four fine values lie between each two coarse "
                                 "values", ("fine values", "coarse values"), 1),
    "vectorize": lambda: lanes([[4 * i + k for k in range(4)] for i in range(4)], 16, "A float4 load moves four words for each "
                               "lane", ("lanes with float4", "words of memory")),
    "staging": lambda: schedule([("copy", times(*[(k, k + 1, f"tile {k}", LANE) for k in range(5)])),
                                 ("compute", times(*[(k + 1, k + 2, f"tile {k}", WORD) for k in range(4)]))],
                                "The next tile is copied while a tile is computed", "copies in flight hide memory"),
    "cluster": lambda: ring("Blocks of a cluster exchange the ends of their pieces in a ring"),
    "launch": lambda: schedule([("launches", times(*[(3 * k, 3 * k + 0.7, "", WORD) for k in range(4)])),
                                ("graph", times(*[(1.3 * k, 1.3 * k + 0.7, "", WORD) for k in range(7)])),
                                ("persistent", times(*[(1.2 * k, 1.2 * k + 0.7, "", WORD) for k in range(8)]))],
                               "Tiny steps with gaps between them: wide with launches, narrow in a graph",
                               "the gaps are what a step costs"),
}
