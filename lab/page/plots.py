"""Draws one picture per panel of lab.json: curves over a sweep, bars if it has one place, and dashed guides."""

import io
import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the backend)
from matplotlib import ticker  # noqa: E402
from PIL import Image  # noqa: E402  (matplotlib brings it)

import labels  # noqa: E402

# The colours are those of Okabe and Ito, which colour-blind readers can distinguish; their yellow is darkened for
# projectors. The eleven markers have no common divisor with the eight colours, so that 88 curves differ.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8C7A00"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "*"]
LINES = ["-", (0, (6, 1.5)), (0, (3, 1.2, 1, 1.2)), (0, (1, 1))]
GUIDE = "#444444"
GUIDE_LINE = {"color": GUIDE, "linestyle": (0, (5, 3)), "linewidth": 1.8, "zorder": 1.5}
OVER_LINES = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1}  # lines may pass behind a text
FAR = 4  # a level line above this multiple of all values would flatten them, so it is only named

STYLE = {
    "figure.figsize": (7.2, 4.6),
    "figure.dpi": 160,
    "font.family": "DejaVu Sans",
    "font.size": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.8,
    "lines.linewidth": 2.2,
    "lines.markersize": 7,
    "legend.frameon": False,
    "legend.fontsize": 11,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",  # keeps text as text
}


def is_bars(panel):
    """Returns whether a panel's places are no numbers of a sweep."""
    places = {point["x"] for point in panel["points"] if labels.finite(point["x"])}
    return panel.get("bars", False) or len(places) <= 1


def evenly(panel, places):
    """Returns whether places are drawn at equal distances, because some would be hidden by others."""
    gaps = [b - a for a, b in zip(places, places[1:])]
    if panel["log_x"] or len(places) < 5 or min(gaps) * 60 >= places[-1] - places[0]:
        return False
    return all(level(guide) is not None or {x for x, _ in guide["points"]} <= set(places) for guide in panel["guides"])


def spaced(panel):
    """Returns the panel with numbered places, and the places."""
    places = sorted({point["x"] for point in panel["points"] if labels.finite(point["x"])})
    at = {x: i for i, x in enumerate(places)}
    points = [{**point, "x": at[point["x"]]} for point in panel["points"] if point["x"] in at]
    guides = [guide if level(guide) is not None else {**guide, "points": [[at[x], y] for x, y in guide["points"]]}
              for guide in panel["guides"]]
    return {**panel, "points": points, "guides": guides}, places


def curves(panel):
    """Returns finite points by variant, in the order of first points: {variant: [(x, value)…]}, x ascending."""
    found = {}
    for point in panel["points"]:
        found.setdefault(point["variant"], [])
        if labels.finite(point["x"]) and labels.finite(point["value"]):
            found[point["variant"]].append((point["x"], point["value"]))
    return {variant: sorted(points) for variant, points in found.items() if points}


def base_of(places):
    return 10 if places and all(labels.is_power(x, 10) for x in places) else 2


def level(guide):
    """Returns the height of a level line, or None for a curve."""
    return guide["points"][0][1] if len(guide["points"]) == 1 else None


def set_places(axis, panel, places):
    """Sets the ticks of the sweep: at its places if they are few, otherwise at round numbers."""
    ticks = places
    axis.set_minor_formatter(ticker.NullFormatter())
    if panel["log_x"]:
        base = base_of(places)
        low, high = (round(math.log(x, base)) for x in (min(places), max(places)))
        step = max(1, math.ceil((high - low) / (6 if labels.counts_bytes(panel["x_label"]) else 9)))
        ticks = [float(base) ** e for e in range(low, high + 1, step)]
        axis.set_major_locator(ticker.FixedLocator(ticks))
        axis.set_minor_locator(ticker.NullLocator())
    elif labels.counts_bytes(panel["x_label"]):
        axis.set_major_locator(ticker.MultipleLocator(2.0 ** math.ceil(math.log2(max(places) / 7))))
    elif len(places) <= 10 and min((b - a for a, b in zip(places, places[1:])), default=1) * 24 >= places[-1] - places[0]:
        axis.set_major_locator(ticker.FixedLocator(places))
    else:
        axis.set_major_locator(ticker.MaxNLocator(10, integer=all(x == round(x) for x in places)))
    name = labels.namer(panel["x_label"], ticks)
    axis.set_major_formatter(ticker.FuncFormatter(lambda x, _: name(x)))


def guide_colour(name, colours):
    """Returns the colour of a guide: a prediction that names a variant has the colour of that variant."""
    named = [variant for variant in colours if variant in name]
    return colours[max(named, key=len)] if named else GUIDE


def clearer_side(found, y):
    """Returns the end of the axes with more space around the height y: 0 for the left, 1 for the right."""
    places = sorted({x for points in found.values() for x, _ in points})
    middle = places[len(places) // 2]
    room = [math.inf, math.inf]
    for points in found.values():
        for x, value in points:
            room[x >= middle] = min(room[x >= middle], abs(value - y))
    return int(room[1] >= 0.8 * room[0])


def draw_levels(axes, panel, found, largest, upright):
    """Draws level guides as dashed lines with their names along them. Distant ones are only named."""
    levels = sorted((y, guide["name"]) for guide in panel["guides"] if labels.finite(y := level(guide)))
    near = [(y, name) for y, name in levels if panel["log_y"] or y <= FAR * largest]
    far = [f"{name}: {labels.number(y)}" for y, name in levels if (y, name) not in near]
    text = {"textcoords": "offset points", "color": GUIDE, "fontsize": 11.5, "zorder": 5, "bbox": OVER_LINES}
    for i, (y, name) in enumerate(near):
        caption = f"{name}: {labels.number(y)}"
        if upright:
            axes.axvline(y, **GUIDE_LINE)
            axes.annotate(caption, (y, 1), xycoords=("data", "axes fraction"), xytext=(0, 5 + 16 * i), ha="center",
                          va="bottom", **text)
        else:
            axes.axhline(y, **GUIDE_LINE)
            below = i + 1 < len(near) and near[i + 1][0] - y < 0.06 * near[-1][0]  # no room above
            side = clearer_side(found, y)
            axes.annotate(caption, (side, y), xycoords=("axes fraction", "data"),
                          xytext=(4 - 4 * side, -4 if below else 4), ha="right" if side else "left",
                          va="top" if below else "bottom", **text)
    if far:
        axes.annotate("far above: " + "; ".join(far), (1, 1), xycoords="axes fraction",
                      xytext=(0, 5 + 16 * len(near) * upright), ha="right", va="bottom", **text)


def draw_predictions(axes, panel, colours):
    for guide in panel["guides"]:
        points = [(x, y) for x, y in guide["points"] if labels.finite(x) and labels.finite(y)]
        if len(points) > 1:
            axes.plot(*zip(*points), label=guide["name"],
                      **{**GUIDE_LINE, "color": guide_colour(guide["name"], colours)})


def draw_legend(axes, found):
    """Draws the legend next to the axes: variants in the order of the ends of their curves, or of their
    numbers, then predictions."""
    handles = dict(zip(*reversed(axes.get_legend_handles_labels())))
    order = list(found)
    if not all(name[0].isdigit() for name in order):
        order.sort(key=lambda variant: -found[variant][-1][1])
    order += [name for name in handles if name not in found]
    longest = max(len(name) for name in order)
    axes.legend([handles[name] for name in order], order, loc="upper center", bbox_to_anchor=(0.45, -0.17),
                ncols=1 if longest > 44 else 2 if longest > 16 else 4, columnspacing=1.2, handlelength=1.6)


def draw_spreads(axes, panel, colours):
    """Draws the scatter of each point's batches, if it is visible."""
    for variant, colour in colours.items():
        points = [p for p in panel["points"] if p["variant"] == variant and labels.finite(p["value"])
                  and (p.get("spread") or 0) > 0.01]
        if points:
            axes.errorbar([p["x"] for p in points], [p["value"] for p in points],
                          [p["value"] * min(p["spread"], 0.9) for p in points], fmt="none", ecolor=colour,
                          elinewidth=1.2, capsize=2.5, alpha=0.7, zorder=1.8)


def draw_other(axes, panel, other, colours):
    """Draws the curves of another device, paler and without markers."""
    for variant, points in curves(other).items():
        if variant in colours:
            axes.plot(*zip(*points), color=colours[variant], linewidth=4, alpha=0.28, zorder=1.2, solid_capstyle="round")


def draw_notes(axes, panel, notes):
    """Writes lessons at places of the sweep: (x, words)."""
    places = [point["x"] for point in panel["points"] if labels.finite(point["x"])]
    for x, words in notes:
        if min(places) <= x <= max(places):
            axes.axvline(x, color=GUIDE, linewidth=1, linestyle=(0, (1, 2)), zorder=1.1)
            axes.annotate(words, (x, 1), xycoords=("data", "axes fraction"), xytext=(0, 3), textcoords="offset points",
                          ha="center", va="bottom", fontsize=11, color=GUIDE)


def draw_curves(axes, panel, found, other=None, notes=()):
    colours, named = {}, None
    every = sorted({x for points in found.values() for x, _ in points})
    if not other and not notes and evenly(panel, every):
        panel, named = spaced(panel)
        found = curves(panel)
    joined = not (panel["log_y"] and panel["x_label"] == "refinement factor")  # nothing is between two factors
    single = [points[0][1] for points in found.values() if len(points) == 1]
    for i, (variant, points) in enumerate(found.items()):
        colours[variant] = COLOURS[i % len(COLOURS)]
        alone = len(points) == 1
        axes.plot(*zip(*points), label=variant, color=colours[variant], marker=MARKERS[i % len(MARKERS)],
                  linestyle=LINES[i // len(COLOURS) % len(LINES)] if joined else "none", markevery=max(1, len(points) // 20),
                  markersize=10 if alone else 7 if len(found) <= 6 else 5.5,
                  markeredgecolor="white", markeredgewidth=0.8)
        if alone and panel["log_x"] and panel["log_y"]:
            above = any(points[0][1] / 2 < y < points[0][1] for y in single)
            axes.annotate(variant, points[0], xytext=(9, 2 if above else -2), textcoords="offset points",
                          va="bottom" if above else "top", fontsize=11, color=colours[variant])
    places = sorted({x for points in found.values() for x, _ in points})
    shown = [points for variant, points in (curves(other) if other else {}).items() if variant in found]
    largest = max(y for points in [*found.values(), *shown] for _, y in points)
    if panel["log_x"]:
        axes.set_xscale("log", base=base_of(places))
    if panel["log_y"]:
        axes.set_yscale("log")
        low, high = min(y for points in found.values() for _, y in points), largest
        few = high < 100 * low  # powers of ten would give only one tick
        axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if few else (1,)))
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda y, _: labels.number(y)))
        axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    if named:
        step = math.ceil(len(named) / 18)
        axes.set_xticks(range(0, len(named), step), [labels.number(x) for x in named[::step]], rotation=45, ha="right",
                        fontsize=11)
    else:
        set_places(axes.xaxis, panel, places)
    if other and joined:
        draw_other(axes, panel, other, colours)
    draw_notes(axes, panel, notes)
    draw_spreads(axes, panel, colours)
    draw_levels(axes, panel, found, largest, upright=False)
    draw_predictions(axes, panel, colours)
    if not panel["log_y"] and min(y for points in found.values() for _, y in points) >= 0:
        levels = [y for y in map(level, panel["guides"]) if labels.finite(y) and y <= FAR * largest]
        axes.set_ylim(0, 1.09 * max([largest, *levels]) or 1)
    axes.set_xlabel(panel["x_label"])
    axes.set_ylabel(panel["y_label"])
    draw_legend(axes, found)


def draw_bars(axes, panel, found, other=None):
    """Draws bars from zero. A logarithmic axis has no zero, so points stand there instead. A ring marks the value of
    another device."""
    names = list(found)
    values = [points[0][1] for points in found.values()]
    beside = {name: points[0][1] for name, points in (curves(other) if other else {}).items() if name in found}
    spread = {point["variant"]: point.get("spread") or 0 for point in panel["points"]}
    axes.errorbar(values, range(len(names)), xerr=[v * min(spread[n], 0.9) for n, v in zip(names, values)], fmt="none",
                  ecolor="#333333", elinewidth=1.4, capsize=3, zorder=3)
    if panel["log_y"]:
        axes.set_xscale("log")
        axes.hlines(range(len(names)), min(values) / 2, values, color="#b9d8ec", linewidth=1.2)
        axes.plot(values, range(len(names)), "o", color=COLOURS[0], markersize=9)
        for y, v in enumerate(values):
            axes.annotate(labels.number(v), (v, y), xytext=(9, 0), textcoords="offset points", va="center")
        axes.set_yticks(range(len(names)), names)
        axes.margins(x=0.15)
    else:
        axes.barh(names, values, color=[COLOURS[0]] * len(names), height=0.66)
        for y, (name, v) in enumerate(zip(names, values)):  # the number is written beside a ring that would cover it
            ring, width = beside.get(name, -1), max([*values, *beside.values()])
            at = ring if v < ring < v + 0.16 * width else v
            axes.annotate(labels.number(v), (at, y), xytext=(11 if abs(at - ring) < 0.03 * width else 5, 0),
                          textcoords="offset points", va="center", bbox=OVER_LINES)
    if other:
        shown = [(beside[name], y) for y, name in enumerate(names) if name in beside]
        if shown:
            axes.plot(*zip(*shown), "o", markersize=10, markerfacecolor="none", markeredgecolor=COLOURS[1],
                      markeredgewidth=1.6, zorder=4)
    axes.invert_yaxis()  # the first variant on top
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    draw_levels(axes, panel, found, max(values), upright=True)
    if not panel["log_y"] and min(values) >= 0:
        axes.set_xlim(0, 1.12 * axes.get_xlim()[1] / 1.05)
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: labels.number(x)))
    axes.set_xlabel(panel["y_label"])


def draw(panel, path, other=None, notes=()):
    """Writes the PNG of a panel, for slides, if there is a path, and returns its SVG. `other` is the same panel of another
    device."""
    vector = io.StringIO()
    found = curves(panel)
    with matplotlib.rc_context(STYLE):
        bars = is_bars(panel)
        figure, axes = plt.subplots(figsize=(7.2, max(2.4, 1.3 + 0.36 * len(found))) if bars else None)
        if not found:
            axes.set_axis_off()
            axes.text(0.5, 0.5, "no finite points", ha="center", va="center")
        else:
            if bars:
                draw_bars(axes, panel, found, other)
            else:
                draw_curves(axes, panel, found, other, notes)
        if path:
            figure.savefig(path, bbox_inches="tight", pad_inches=0.12)
        figure.savefig(vector, format="svg", bbox_inches="tight", pad_inches=0.12)
        plt.close(figure)
    if path:
        with Image.open(path) as picture:  # few colours need a third of the bytes
            small = picture.convert("RGB").quantize(64)
        small.save(path, optimize=True)
    return vector.getvalue()
