"""Prints full tables of the files in bench/results, for `bench/render --print FILE`."""

import math
import pathlib


def milliseconds(seconds):
    value = 1e3 * seconds
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def solve_row(r):
    return [r["case"], f"{r['cells']}³", f"{milliseconds(r['seconds'])} ms", f"{r['unknowns_per_second'] / 1e9:.3f}",
            str(r["cycles"]), f"{r['bytes_per_unknown']:.1f}", f"{milliseconds(r['setup'])} ms",
            f"{r['residual']:.1e}", f"{r['error']:.1e}" if "error" in r else "–"]


def kernel_row(r):
    size = size_text(r["size"]) if "size" in r else f"{r['cells']}³"
    return [r["case"], size, f"{milliseconds(r['seconds'])} ms", f"{r['bandwidth'] / 1e9:.0f}",
            f"{100 * r['of_copy']:.0f} %"]


def mode_row(r):
    return [r["case"], f"{r['cells']}³", f"{milliseconds(r['seconds'])} ms", f"{milliseconds(r['predicted'])} ms",
            f"{r['seconds'] / r['predicted']:.2f}", f"{100 * r['of_copy']:.0f} %"]


def of_size(n, sizes):
    """Returns whether a row has at least sizes[dimension − 2] cells per axis."""
    return math.prod(n["cells"]) >= sizes[len(n["cells"]) - 2] ** len(n["cells"])


def worst_ratio(rows, sizes, bound):
    """Returns the largest ratio to the line, in bold if it exceeds the bound."""
    ratios = [(r["ratio"], r["size"]) for r in rows if "ratio" in r and of_size(r, sizes)]
    if not ratios:
        return "–"
    ratio, size = max(ratios)
    text = f"{ratio:.2f} at {size_text(size)}"
    return f"**{text}**" if ratio > bound else text


def size_text(size):
    n = size.split("x")
    return f"{size}³" if len(n) == 1 else f"{n[0]}²" if len(n) == 2 and n[0] == n[1] else " × ".join(n)


def size_row(r):
    row = [r["case"].split("-", 1)[1], size_text(r["size"])]
    if "failed" in r:
        return row + [f"**{r['failed']}**"]
    row += [f"{milliseconds(r['seconds'])} ms", str(r["cycles"]), str(r["levels"]),
            f"{1e9 * r['per_cycle_and_unknown']:.3g} ns", f"{r['ratio']:.2f}" if "ratio" in r else "–",
            f"{milliseconds(r['setup'])} ms"]
    return row + [f"{milliseconds(r[key])} ms" for key in ("input", "output", "wall") if key in r]


def sizes_of(rows):
    """Lists solves on boxes of any size by poisson-bench or bench/whole_runs, and the line through the powers of
    two."""
    problems = {}
    for r in rows:
        problems.setdefault((r["case"].split("-", 1)[1], len(r["cells"])), []).append(r)
    summary = [[problem, str(dimension), worst_ratio(some, (2000, 200), 1.3), worst_ratio(some, (300, 48), 1.6)]
               for (problem, dimension), some in sorted(problems.items(), key=lambda item: item[0][1])]
    columns = ["problem", "cells", "solve", "cycles", "levels", "per cycle and unknown", "ratio", "set-up"]
    if any("wall" in r for r in rows):
        columns += ["input", "output", "process"]
    every = [row + [""] * (len(columns) - len(row)) for row in map(size_row, rows)]
    return ["Solves to 1e-8. \"Per cycle and unknown\" divides the whole solve, full multigrid included; the ratio is that "
            "to the log-log line through the powers of two around, worst ones bold above 1.3 and 1.6:\n",
            table(["problem", "axes", "worst from 2000², 200³", "worst from 300², 48³"], summary), table(columns, every)]


def measurements(name, data):
    """Renders a file of poisson-bench or of bench/whole_runs."""
    subject = pathlib.Path(name).stem.split("-", 1)[-1]
    parts = [f"## {subject.capitalize()}, {data['device']}\n\n`{name}`, {data['repeat']} repetitions"
             + (f", commit {data['commit']}.\n" if data["commit"] else ".\n")]
    solves = [solve_row(r) for r in data["results"] if "cycles" in r and "size" not in r]
    sizes = [r for r in data["results"] if "size" in r and "bandwidth" not in r and r["case"] != "cufft"]
    direct = [[r["case"].split("-", 1)[1], size_text(r["size"]), f"{1e-9 * r['unknowns'] / r['seconds']:.3g}",
               f"{r['bytes_per_unknown']:.1f}"] for r in sizes if r["case"].startswith("sizes-direct") and "failed" not in r]
    pairs = [[size_text(r["size"]), f"{milliseconds(r['seconds'])} ms"] for r in data["results"]
             if r["case"] == "cufft" and "failed" not in r]
    outputs = [[r["case"], f"{r['cells']}³", f"{milliseconds(r['seconds'])} ms", f"{milliseconds(r['setup'])} ms"]
               for r in data["results"] if r["case"].startswith("output")]
    kernels = [kernel_row(r) for r in data["results"] if "bandwidth" in r and "predicted" not in r]
    modes = [mode_row(r) for r in data["results"] if "predicted" in r]
    if solves:
        parts.append(table(["solve", "cells", "time", "GDOF/s", "cycles", "bytes per unknown", "set-up", "residual",
                            "error"], solves))
    if kernels:
        parts.append(table(["kernel", "cells", "time", "GB/s", "of copy"], kernels))
    if outputs:
        parts.append("Norms, balance and probes after a solve, without files; set-up is that of the problem:\n")
        parts.append(table(["problem", "cells", "time", "set-up"], outputs))
    if sizes:
        parts += sizes_of(sizes)
    if direct:
        parts.append("Direct solutions, in unknowns a second and bytes of memory that an unknown takes:\n")
        parts.append(table(["problem", "cells", "10⁹ a second", "bytes per unknown"], direct))
    if pairs:
        parts.append("cuFFT's real transforms in fp64, there and back:\n")
        parts.append(table(["values", "time"], pairs))
    if modes:
        parts.append("Modes of assembly, with the time that their bytes and operations predict:\n")
        parts.append(table(["problem, mode, kernel", "cells", "time", "predicted", "of the prediction", "of copy"], modes))
    return "\n".join(parts)


def comparison(name, data):
    """Renders a file of bench/compare_cpu."""
    rows = [[solver, str(r["iterations"]), f"{milliseconds(r['setup'])} ms", f"{milliseconds(r['solve'])} ms"]
            for solver, r in data.items() if isinstance(r, dict) and "solve" in r]
    return f"## Against hypre on a CPU\n\n`{name}`\n\n" + table(["solver", "iterations", "set-up", "solve"], rows)


def laboratory(name, data):
    """Renders a run of poisson-lab: the utility routines next to the libraries'."""
    panels = {(study["name"], panel["name"]): panel for study in data["studies"] for panel in study["panels"]}

    def row(study, panel_name, x, label, rival):
        panel = panels[study, panel_name]
        at = {p["variant"]: p["value"] for p in panel["points"] if p["x"] == x}
        level = next((value for guide in panel["guides"] for place, value in guide["points"]
                      if len(guide["points"]) == 1 or place == x), None)
        own = next(value for variant, value in at.items() if variant.startswith("library"))
        return [label, f"{own:.0f}", f"{rival}: {at[rival]:.0f}" if rival in at else "–",
                f"{100 * own / level:.0f} %" if level else "–"]

    rows = []
    for bits in (32, 64):
        rows += [row("transpose", f"bars-{n}-fp{bits}", n, f"transposition, {n}², fp{bits}", "cuBLAS geam")
                 for n in (4000, 4096)]
        rows += [row("transpose", f"sweep-fp{bits}", n, f"transposition, {n}², fp{bits}", "cuBLAS geam")
                 for n in (4095, 4097)]
        rows += [row("transpose", f"size-fp{bits}", n, f"transposition, {n}², fp{bits}", "cuBLAS geam")
                 for n in (8192, 16384, 32768)]
    for panel in ("sum", "dot", "max-norm"):
        rows += [row("reduce", panel, 2**e, f"{panel} of 2^{e} values, fp64", "CUB") for e in (20, 24, 27, 30)]
    commit = data.get("commit") or next(f["value"] for f in data["facts"] if f["what"] == "commit")
    head = f"## {data['device']}, poisson-lab\n\n`{name}`, commit {commit}. \"Of copy\": of a device copy, for " \
           "transpositions of the same size.\n\n"
    return head + table(["routine", "GB/s", "beside it, GB/s", "of copy"], rows)


def processes(name, data):
    """Renders a file of bench/two_gpus: one and two processes with a GPU each."""
    rows = [["direct" if r.get("method") == "direct" else r["mode"], " × ".join(r["cells"].split("x")), r["kappa"], str(r["ranks"]), r["transport"] or "",
             "" if r["ranks"] == 1 else "no" if not r["overlap"] else "in sweeps" if r.get("tickets") and r["kappa"] == "constant"
             and r.get("method") != "direct" else "yes",
             f"{milliseconds(r['solve'])} ms",
             str(r["iterations"]), f"{100 * r['efficiency']:.0f} %" if "efficiency" in r else "",
             f"{r['difference']:.0e}" if "difference" in r else ""] for r in data["scaling"] if "solve" in r]
    one = {r["cells"]: r["solve"] for r in data.get("direct", []) if r["ranks"] == 1}
    rows += [["direct", " × ".join(r["cells"].split("x")), "constant", str(r["ranks"]), "peer" if r["ranks"] > 1 else "",
              "", f"{milliseconds(r['solve'])} ms", "1",
              f"{100 * one[r['cells']] / r['solve'] / r['ranks']:.0f} %" if r["ranks"] > 1 else "", ""]
             for r in data.get("direct", [])]
    ways = [way for r in data.get("configurations", []) for way in (r["peer"], r["staged"])]
    most = max((way["difference"] for way in ways), default=0)
    apart = max((abs(way["iterations"][0] - way["iterations"][1]) for way in ways), default=0)
    study = name.partition("-")[2].partition(".")[0].removeprefix("two-gpus").strip("-").replace("-", " ")
    return (f"## Two GPUs{', ' * bool(study)}{study}, {data['device']}\n\n`{name}`, commit {data['commit']}. {data.get('to', 'Solves to 1e-8')}; `weak` has the cells for "
            "each GPU; efficiency by the time of an iteration; whether work goes on beside messages; the largest "
            "difference of minimum, maximum and norm, over the largest |u|."
            + (f" Of the {len(data['configurations'])} files of `configs/` that two processes solved by peer and staged, "
               f"iterations differ by {apart} at most from those of one, and solutions by {most:.0e}."
               if data.get("configurations") else "")
            + "\n\n"
            + table(["mode", "cells", "κ", "GPUs", "transport", "beside", "solve", "iterations", "efficiency",
                     "difference"], rows))


def lost(name, data):
    """Renders a file of bench/lost_processes."""
    kinds = {}
    for run in data["runs"]:
        kind = run["what"] + (", results complete" if run.get("complete") else "" if run["started"] else ", while MPI starts")
        kinds.setdefault(kind, []).append(run)
    rows = []
    for kind, runs in kinds.items():
        seconds = sorted(run["seconds"] for run in runs)
        rows.append([kind, str(len(runs)), f"{seconds[0]:.1f} to {seconds[-1]:.1f} s",
                     str(sum(len(run["messages"]) for run in runs)), str(sum(run["left"] for run in runs))])
    return (f"## Lost processes, {data['device']}\n\n`{name}`, commit {data['commit']}. {data['ranks']} processes, "
            f"{data['cells']}³ cells; one of them is killed at a random moment, stopped, or has too little memory. Time "
            f"until all have ended, messages of all runs, processes left; {data['wrong']} not as they should.\n\n"
            + table(["what", "runs", "ended after", "messages", "left"], rows))


def iterations(name, data):
    """Renders a file of poisson-iterations."""
    parts = [f"## Iterations, {data['device']}\n\n`{name}`, commit {data['commit']}. To 1e-8 under conjugate gradients, {data['cycle'].upper()}-cycles, from "
             "a random right-hand side; bold where the bound is passed or no answer was reached. Bounds for nodes, elements "
             "and cells.\n"]
    for dimension in (2, 3):
        cases = {}
        for row in data["iterations"]:
            if row["dimension"] == dimension:
                cases.setdefault(row["description"], {})[row["unknowns"]] = row
        if not cases:
            continue
        sizes = sorted({int(n) for rows in cases.values() for row in rows.values() for n in row["counts"]})
        power = "²" if dimension == 2 else "³"

        def count(row, n):
            value = row["counts"].get(str(n), "")  # empty: not measured
            wrong = value is None or (value != "" and row["bound"] is not None and value > row["bound"])
            return f"**{'–' if value is None else value}**" if wrong else str(value)

        lines = []
        for description, rows in cases.items():
            bounds = [str(rows[u]["bound"] or "–") for u in ("nodes", "elements", "cells") if u in rows]
            line = [description, bounds[0] if len(set(bounds)) == 1 else ", ".join(bounds)]
            for unknowns in ("nodes", "elements", "cells"):
                line.append(", ".join(count(rows[unknowns], n) for n in sizes) if unknowns in rows else "")
            lines.append(line)
        parts.append(f"{', '.join(f'{n}{power}' for n in sizes)}:\n")
        parts.append(table(["κ and grid", "bound", "nodes", "elements", "cells"], lines))
    return "\n".join(parts)


def robustness(name, data):
    """Renders a file of bench/robustness."""
    def row(label, f):
        it, known = f["iterations"], f["outcomes"]
        share = lambda key: "–" if f[key] is None else f"{100 * f[key]:.1f} %"
        return [label, str(f["problems"]), str(f["reachable"]), str(f["reachable_not_converged"]),
                str(known.get("rounding", 0)), str(f["not_finite"]), str(known.get("failed", 0)),
                f"{it['50']:.0f}, {it['90']:.0f}, {it['99']:.0f}, {it['100']:.0f}",
                share("error_at_most_10_estimates"), share("estimate_at_most_100_errors")]

    rows = [row(str(seed), f) for seed, f in zip(data["seeds"], data["by_seed"])] + [row("all", data["robustness"])]
    return f"## Random extreme problems, {data['device']}\n\n`{name}`, commit {data['commit']}. To {data['tolerance']:.0e} by " \
           "default, beside an independent sparse solution; reachable: that brings the residual below the tolerance. " \
           "Iterations of those that converged: median, 90 %, 99 %, most. The last two columns count converged " \
           "problems whose error is above 1e-12.\n\n" + \
        table(["seed", "problems", "reachable", "of these not converged", "end at rounding", "NaN", "failed",
               "iterations", "error ≤ 10 estimates", "estimate ≤ 100 errors"], rows)


def stress(name, data):
    """Renders a file of bench/stress."""
    def row(label, f):
        it, known = f["iterations"], f["outcomes"]
        share = lambda key: "–" if f[key] is None else f"{100 * f[key]:.1f} %"
        return [label, str(f["runs"]), str(known.get("WRONG", 0)), str(f["not_finite"]), str(known.get("failed", 0)),
                str(known.get("rounding", 0)), str(known.get("inaccurate", 0)), str(known.get("not converged", 0)),
                f"{it['50']:.0f}, {it['90']:.0f}, {it['99']:.0f}, {it['100']:.0f}", str(f["above_1e-12"]),
                share("error_at_most_10_estimates"), share("estimate_at_most_100_errors")]

    rows = [row(method, f) for method, f in data["by_method"].items()] + [row("all", data["stress"])]
    seeds = ", ".join(map(str, data["seeds"]))
    return f"## Random thin and stretched problems, {data['device']}\n\n`{name}`, commit {data['commit']}. " \
           f"{data['problems_of_a_seed']} problems of each seed ({seeds}), each by two methods, beside a solution in " \
           "extended precision. Wrong: called converged, and off by more than 1000 tolerances. Inaccurate: refused for " \
           "its estimated error. Iterations of those that converged: median, 90 %, 99 %, most. The last three columns " \
           "count converged runs whose error is above 1e-12.\n\n" + \
        table(["method", "runs", "wrong", "NaN", "failed", "end at rounding", "inaccurate", "not converged",
               "iterations", "errors", "error ≤ 10 estimates", "estimate ≤ 100 errors"], rows)


def media(name, data):
    """Renders complete runs of problems whose κ varies, of this commit and, if available, of the base."""
    base = {r["case"]: r for r in data["media"] if r["commit"] == data["base"]}

    def row(r):
        iterations = ", ".join(map(str, r["iterations"]))
        before, setup = (f"{milliseconds(base[r['case']][key])} ms" if r["case"] in base else ""
                         for key in ("seconds", "setup"))
        ends = "" if r["reason"] == "converged" else f" ({r['reason'].split(':')[0].split(' (')[0]})"
        return [r["case"], before, f"{milliseconds(r['seconds'])} ms", iterations + ends,
                setup, f"{milliseconds(r['setup'])} ms", f"{r['bytes_per_unknown']:.0f}"]

    rows = [row(r) for r in data["media"] if r["commit"] != data["base"]]
    return f"## Media, {data['device']}\n\n`{name}`, commit {data['commit']}, before: {data['base']}. {data['how']} " \
           f"{data.get('setup', 'Set-up includes the start of the device, 0.23 s.')}\n\n" + \
        table(["problem", "solve before", "solve", "iterations", "set-up before", "set-up", "bytes per unknown"], rows)


def render(name, data):
    """Returns all rows of a file as Markdown."""
    kinds = {"media": media, "robustness": robustness, "stress": stress, "wrong": lost, "scaling": processes,
             "results": measurements, "iterations": iterations, "studies": laboratory}
    return next((kind for key, kind in kinds.items() if key in data), comparison)(name, data)
