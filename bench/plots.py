"""Draws the plots of docs/benchmarks.md as small SVG files, which are identical for identical data."""

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({
    "svg.hashsalt": "poisson", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#dddddd",
    "axes.axisbelow": True, "lines.linewidth": 1.6, "lines.markersize": 5, "figure.facecolor": "white",
    "axes.prop_cycle": matplotlib.cycler(color=["#3b528b", "#21918c", "#c2571a", "#7a7a7a", "#8c2d63", "#5ec962"]),
})

from matplotlib import pyplot  # noqa: E402


def _save(figure, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def _legend(axes, count):
    """Places the legend above the plot, where it covers no data."""
    axes.legend(frameon=False, fontsize=9, loc="lower left", bbox_to_anchor=(0, 1.02), borderaxespad=0,
                ncols=count if count < 3 else 2)


def curves(path, series, x_label, y_label, log=(True, True), ticks=None):
    """Plots series {label: [(x, y)]}; an x that is a text is a category."""
    figure, axes = pyplot.subplots(figsize=(6.4, 3.2))
    for label, points in series.items():
        axes.plot(*zip(*points), marker="o", label=label)
    if log[0]:
        axes.set_xscale("log", base=2)
    if log[1]:
        axes.set_yscale("log")
    if ticks:
        axes.set_xticks(list(ticks), list(ticks.values()))
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    if not log[1]:
        axes.set_ylim(bottom=0)
    _legend(axes, len(series))
    _save(figure, path)


def bars(path, series, labels, x_label, log=False, line=None):
    """Plots horizontal bars, one for each label and series {name: [value or None]}, and a line (value, name)."""
    figure, axes = pyplot.subplots(figsize=(6.4, 0.5 + 0.2 * len(labels) * (0.6 + len(series))))
    height = 0.8 / len(series)
    for number, (name, values) in enumerate(series.items()):
        places = [place + (number - (len(series) - 1) / 2) * height for place in range(len(labels))]
        axes.barh(places, [value or 0 for value in values], height=0.9 * height, label=name)
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    if log:
        axes.set_xscale("log")
    if line:
        axes.axvline(line[0], color="#444444", linewidth=1, linestyle="--")
        axes.annotate(line[1], (line[0], -0.5), fontsize=8, ha="left", va="bottom", xytext=(3, 0),
                      textcoords="offset points")
    axes.set_xlabel(x_label)
    if len(series) > 1:
        _legend(axes, len(series))
    _save(figure, path)
