"""Computes the subjects of docs/benchmarks.md from bench/results: a conclusion, one table and one plot each."""

import json

import plots
from raw_tables import milliseconds, size_text, table

HEAD = """# Benchmarks

This page shows how fast `poisson` is, what limits it, and how it compares with other solvers. Use it to predict times or
to judge a change. `bench/render` writes it from `bench/results`; `bench/render --print FILE` prints every row of a file.

Times are medians over solves whose result was checked, without set-up unless stated. A solve ends at a relative residual
of 1e-8 in mixed precision. "Of a copy" is the rate of memory traffic relative to a copy of the same size in the same
run; the traffic counts every value once (`backends/device/traffic.hpp`). Each section names its files with commit and card.
"""


class Results:
    """Provides the files of bench/results by name, and the folder of the plots."""

    def __init__(self, root):
        self.files = {path.stem: json.loads(path.read_text(encoding="utf-8"))
                      for path in sorted((root / "bench/results").glob("*.json"))}
        self.pictures = root / "docs/pictures/benchmarks"

    def __getitem__(self, name):
        return self.files[name]

    def rows(self, name, case):
        return [row for row in self.files[name]["results"] if row["case"] == case and "failed" not in row]


def percent(share, digits=0):
    return f"{100 * share:.{digits}f} %"


def cells_of(row):
    return size_text(row["size"]) if "size" in row else f"{row['cells']}³"


def section(title, files, conclusion, columns, rows, picture, caption):
    names = ", ".join(f"`{name}.json`" for name in files)
    return "\n".join([f"## {title}\n", conclusion + "\n", f"![{caption}](pictures/benchmarks/{picture}.svg)\n",
                      table(columns, rows), f"Files: {names}.\n"])


def constant(results):
    solves = [row for row in results.rows("h200-solve", "solve")]
    directs = results.rows("h200-direct", "sizes-direct") + results.rows("h200-direct", "sizes-direct-neumann")
    cubes = {row["size"]: row["seconds"] for row in results.rows("h200-direct", "sizes-direct") if "x" not in row["size"]}
    largest = solves[-1]
    rows = [[cells_of(row), f"{milliseconds(row['seconds'])} ms", f"{row['unknowns_per_second'] / 1e9:.2f}",
             f"{milliseconds(cubes[str(row['cells'])])} ms" if str(row["cells"]) in cubes else "",
             f"{row['bytes_per_unknown']:.0f}"] for row in solves]
    plots.curves(results.pictures / "constant.svg",
                 {"multigrid": [(row["unknowns"], row["unknowns"] / row["seconds"] / 1e9) for row in solves],
                  "direct": sorted((row["unknowns"], row["unknowns"] / row["seconds"] / 1e9) for row in directs
                                   if "x" not in row["size"])},
                 "unknowns", "10⁹ unknowns per second")
    return section(
        "Constant κ on one GPU", ["h200-solve", "h200-direct"],
        f"Multigrid solves {cells_of(largest)} cells in {milliseconds(largest['seconds'])} ms on an NVIDIA H200, at "
        f"{largest['unknowns_per_second'] / 1e9:.1f}·10⁹ unknowns per second; the direct solver is four to six times as "
        "fast. Small grids are limited by the latency of kernels: below 128³ the time hardly depends on the size.",
        ["cells", "multigrid", "10⁹ unknowns per second", "direct", "bytes per unknown"], rows, "constant",
        "Unknowns per second over the number of unknowns, multigrid and direct")


def direct(results):
    names = {"sizes-direct": "Dirichlet faces", "sizes-direct-neumann": "Neumann faces",
             "sizes-direct-periodic": "periodic", "sizes-direct-cells": "in cells",
             "sizes-direct-stretched": "one stretched axis", "sizes-direct-stretched-symmetric": "three, symmetric",
             "sizes-direct-stretched-all": "three stretched axes"}
    times = {case: {card: next((row["seconds"] for row in results.rows(f"{card}-direct", case) if row["size"] == "512"),
                               None) for card in ("h200", "h100")} for case in names}
    odd = {card: {row["size"]: row["seconds"] for row in results.rows(f"{card}-direct", "sizes-direct")}
           for card in ("h200", "h100")}
    pair = next(row["seconds"] for row in results.rows("h200-direct", "cufft") if row["size"] == "512")
    rows = [[words] + [f"{milliseconds(times[case][card])} ms" for card in ("h200", "h100")]
            for case, words in names.items()]
    rows += [[f"Dirichlet faces, {size}³"] + [f"{milliseconds(odd[card][size])} ms" for card in ("h200", "h100")]
             for size in ("500", "509", "1024")]
    plots.bars(results.pictures / "direct.svg",
               {"H200": [1e3 * times[case]["h200"] for case in names], "H100": [1e3 * times[case]["h100"] for case in names]},
               list(names.values()), "ms at 512³", line=(1e3 * pair, "cuFFT, forward and back, H200"))
    return section(
        "Direct solutions", ["h200-direct", "h100-direct"],
        f"A separable problem at 512³ takes {milliseconds(times['sizes-direct']['h200'])} ms on an H200, "
        f"{times['sizes-direct']['h200'] / pair:.1f} times a forward and backward transform by cuFFT. Kinds of faces "
        "hardly matter. Stretched axes need dense products: three of them cost about twice as much. The prime 509 costs "
        f"{percent(odd['h200']['509'] / odd['h200']['512'] - 1)} more than 512.",
        ["512³ unless stated", "H200", "H100"], rows, "direct", "Time of a direct solution at 512³ by kind of problem")


def materials(results):
    data = results["h200-media"]["media"]
    others = ("growth", "seed", "constant", "kappa")
    data = [row for row in data if not any(word in row["case"] for word in others)]
    media = [row for row in data if "256^3, cell" in row["case"] or "256^3, node" in row["case"]]
    plane = [row for row in data if "4096^2" in row["case"]]

    def words(row):
        return row["case"].replace("^3", "³").replace("^2", "²").replace(", cell", ", cells").replace(", node", ", nodes")

    rows = [[words(row), f"{milliseconds(row['seconds'])} ms", f"{max(row['iterations'])}",
             f"{row['bytes_per_unknown']:.0f}"] for row in media + plane]
    plots.bars(results.pictures / "materials.svg", {"": [1e3 * row["seconds"] for row in media]},
               [words(row) for row in media], "ms of the solve, 256³")
    return section(
        "Materials on one GPU", ["h200-media"],
        "Media whose κ jumps by 10² to 10⁹ from cell to cell, flow from z- to z+, H200. A solve at 256³ takes "
        f"{milliseconds(min(row['seconds'] for row in media))} to {milliseconds(max(row['seconds'] for row in media))} ms "
        f"and at most {max(max(row['iterations']) for row in media)} iterations in space. In the plane at 4096² media "
        f"take {milliseconds(min(row['seconds'] for row in plane))} to {milliseconds(max(row['seconds'] for row in plane))} ms; "
        "the slowest are half filled, at the threshold of percolation.",
        ["medium", "solve", "iterations", "bytes per unknown"], rows, "materials", "Time of a solve by medium")


def problems(results):
    names = {"smooth": "smooth κ", "jump": "κ = 10⁶ in a sphere", "solve-1e-10": "constant κ, to 1e-10",
             "solve-double": "constant κ, all in fp64", "stretched-1e3": "cells that grow by 10³ along one axis",
             "stretched-1e5": "cells that grow by 10⁵ along one axis",
             "stretched-yz-1e3": "cells that grow by 10³ along two axes"}
    found = {}
    for file in ("h200-problems", "h200-stretched"):
        for row in results[file]["results"]:
            found[row["case"], row["cells"]] = row
    rows = [[words] + [f"{milliseconds(found[case, n]['seconds'])} ms" if (case, n) in found else "" for n in (256, 512)]
            + [str(found[case, 256]["cycles"])] for case, words in names.items()]
    plots.bars(results.pictures / "problems.svg",
               {"": [1e9 * found[case, 256]["seconds"] / found[case, 256]["unknowns"] for case in names]},
               list(names.values()), "ns per unknown, 256³")
    return section(
        "Other problems on one GPU", ["h200-problems", "h200-stretched"],
        "Smooth κ and one stretched axis cost about twice as much as constant κ, and a jump five times as much, because "
        "coarse operators then have 27 points. Two stretched axes need plane relaxation, the most expensive smoother on a "
        "GPU.",
        ["problem, H200", "256³", "512³", "iterations"], rows, "problems", "Time per unknown by kind of problem")


def sizes(results):
    rows, series = [], {}
    for case, words in (("sizes-nodes", "nodes"), ("sizes-cells", "cells"), ("sizes-smooth", "smooth κ"),
                        ("sizes-sphere", "10⁶ in a sphere")):
        for file, card in (("h200-sizes", "H200"), ("cpu-sizes", "two CPU cores")):
            some = [row for row in results.rows(file, case) if "ratio" in row]
            if not some:
                continue
            ratios = sorted((row["ratio"], row["size"]) for row in some)
            rows.append([words, card, str(len(some)), f"{ratios[len(ratios) // 2][0]:.2f}",
                         f"{ratios[-1][0]:.2f} at {size_text(ratios[-1][1])}"])
            if card == "H200":
                series[words] = sorted((row["unknowns"], row["ratio"]) for row in some if row["unknowns"] > 1e5)
    plots.curves(results.pictures / "sizes.svg", series, "unknowns", "time relative to powers of two", log=(True, False))
    return section(
        "Any number of cells", ["h200-sizes", "cpu-sizes"],
        "Odd, prime and unequal numbers of cells cost little. The ratio compares the time per cycle and unknown with the "
        "log-log line through the powers of two on both sides. Large ratios belong to small grids.",
        ["problem", "machine", "sizes", "median ratio", "largest ratio"], rows, "sizes",
        "Time per unknown relative to powers of two, over the size")


def gpus(results):
    rows, labels, series = [], [], {"peer": [], "staged": []}
    data = results["h100-two-gpus-multigrid"]["scaling"]
    kinds = {}
    for row in data:
        if row.get("ranks") == 2 and row["overlap"]:
            kinds.setdefault((row["method"], row["mode"], row["cells"], row["kappa"]), {}).setdefault(row["transport"], row)
    for (method, mode, cells, kappa), by in kinds.items():
        label = f"{method}, {mode}, {size_text(cells if len(set(cells.split('x'))) > 1 else cells.split('x')[0])}, κ {kappa}"
        rows.append([label, f"{milliseconds(by['peer']['solve'])} ms", f"{percent(by['peer']['efficiency'], 1)}",
                     f"{percent(by['staged']['efficiency'], 1)}" if "staged" in by else ""])
        labels.append(label)
        for way in series:
            series[way].append(100 * by[way]["efficiency"] if way in by else None)
    plots.bars(results.pictures / "two-gpus.svg", series, labels, "% of twice the speed of one GPU")
    best = max(by["peer"]["efficiency"] for by in kinds.values())
    return section(
        "Two GPUs", ["h100-two-gpus-multigrid"],
        f"Two H100s reach 87 to {100 * best:.0f} % of twice the speed of one if they access each other's memory (`peer`). "
        "Large grids scale best. If messages go through the host (`staged`), expect 70 to 91 %. Weak scaling keeps the "
        "cells of each GPU.",
        ["solve", "two GPUs", "efficiency, peer", "staged"], rows, "two-gpus", "Efficiency of two GPUs by problem")


def jacobi(results):
    names = {"jacobi-one": "single sweeps", "jacobi-pass": "several sweeps a pass", "jacobi-pass-norm": "the same, with norms",
             "jacobi-partial-one": "κ per cell, single sweeps"}

    def rate(file, case, size):
        row = next((row for row in results.rows(file, case) if str(row.get("size") or row["cells"]) == size), None)
        return row["unknowns"] * row["sweeps"] / row["seconds"] / 1e9 if row else None

    places = [("H200, 512³, fp64", "h200-jacobi", "512", ""), ("H200, 512³, fp32", "h200-jacobi", "512", "-fp32"),
              ("H200, 16384², fp64", "h200-jacobi", "16384x16384", ""), ("two CPU cores, 256³, fp64", "cpu-jacobi", "256", "")]
    values = {label: [rate(file, case + kind, size) for case in names] for label, file, size, kind in places}
    rows = [[label] + [f"{value:.3g}" if value else "" for value in some] for label, some in values.items()]
    plots.bars(results.pictures / "jacobi.svg",
               {words: [values[label][number] for label in values] for number, words in enumerate(names.values())},
               list(values), "10⁹ points per second", log=True)
    return section(
        "Jacobi's method", ["h200-jacobi", "cpu-jacobi"],
        "Several sweeps in one pass over memory double the rate in space and multiply it by about four in the plane, with "
        "the same bits as single sweeps.",
        ["10⁹ points per second"] + list(names.values()), rows, "jacobi", "Points per second of Jacobi's method")


def kernels(results):
    names = {"product": "product A u", "residual": "residual in fp64, result in fp32", "sweep": "Jacobi sweep",
             "gauss-seidel": "red-black Gauss-Seidel, two passes", "line-z": "line relaxation along z",
             "restrict": "restriction", "prolong": "prolongation", "dot": "dot product",
             "partial-product": "product, κ per cell", "partial-sweep": "sweep, κ per cell",
             "q1-partial-product": "product, trilinear elements", "q1-full-product": "product, stored 27-point rows"}
    found = {row["case"]: row for row in results["h200-kernels"]["results"] if row["cells"] == 512}
    rows = [[words, f"{milliseconds(found[case]['seconds'])} ms", f"{found[case]['bandwidth'] / 1e9:.0f}",
             f"{percent(found[case]['of_copy'])}"] for case, words in names.items()]
    plots.bars(results.pictures / "kernels.svg", {"": [100 * found[case]["of_copy"] for case in names]},
               list(names.values()), "% of a copy", line=(100, "copy"))
    return section(
        "Kernels", ["h200-kernels"],
        "Most kernels run at 70 to 110 % of a copy at 512³ on an H200, so memory limits them. Transfers between levels and "
        "two-pass Gauss-Seidel are below; where κ varies, one pass relaxes both colours (see "
        "[Kernels](design/kernels.md)).",
        ["kernel, 512³", "time", "GB/s", "of a copy"], rows, "kernels", "Rate of kernels relative to a copy")


def assembly(results):
    found = {(row["case"], row["cells"]): row for row in results["h200-assembly"]["results"] if "predicted" in row}
    kinds = {}
    for (case, cells), row in found.items():
        if case.endswith("-product") and cells == max(n for _, n in found):
            kinds[case.removesuffix("-product").replace("-", " ")] = row
    rows = [[words, f"{milliseconds(row['seconds'])} ms", f"{milliseconds(row['predicted'])} ms",
             f"{percent(row['of_copy'])}"] for words, row in kinds.items()]
    plots.bars(results.pictures / "assembly.svg", {"measured": [1e3 * row["seconds"] for row in kinds.values()],
                                                   "predicted": [1e3 * row["predicted"] for row in kinds.values()]},
               list(kinds), "ms of a product")
    return section(
        "Modes of assembly", ["h200-assembly"],
        "`auto` recomputes finite-volume rows of constant κ and otherwise stores κ (partial assembly). To recompute κ from an expression "
        "costs more than to read it, although it moves the least memory: predictions count bytes and not the arithmetic.",
        ["unknowns, κ, mode", "product", "predicted", "of a copy"], rows, "assembly",
        "Measured and predicted time of a product by mode of assembly")


def iterations(results):
    wanted = ["equal cells", "cells that grow by 1e1 along 1 axis", "cells that grow by 1e3 along 1 axis",
              "cells that grow by 1e5 along 1 axis"]
    cases = {}
    for row in results["cpu-iterations"]["iterations"]:
        if row["dimension"] == 3:
            cases.setdefault(row["description"], {})[row["unknowns"]] = row["counts"]
    chosen = [name for name in cases if name in wanted] + [name for name in cases if name not in wanted]
    chosen = chosen[:4] + [name for name in chosen[4:] if "κ" in name or "sphere" in name or "jump" in name][:12]
    sizes_found = sorted({int(n) for some in cases.values() for counts in some.values() for n in counts})

    def text(counts):
        return ", ".join(str(counts.get(str(n), "")) for n in sizes_found) if counts else ""

    rows = [[name] + [text(cases[name].get(unknowns)) for unknowns in ("nodes", "elements", "cells")] for name in chosen]
    growth = {name: [(n, cases[name]["nodes"][str(n)]) for n in sizes_found
                     if cases[name].get("nodes", {}).get(str(n)) is not None] for name in chosen[:1] + chosen[4:8]}
    plots.curves(results.pictures / "iterations.svg", growth, "cells along each axis", "iterations", log=(True, False),
                 ticks={n: str(n) for n in sizes_found})
    return section(
        "Iterations", ["cpu-iterations", "h200-iterations"],
        "Iterations to 1e-8 under conjugate gradients, from a random right-hand side, at "
        + ", ".join(f"{n}³" for n in sizes_found) + " cells. They hardly grow with the size of the grid.",
        ["κ and grid", "nodes", "elements", "cells"], rows, "iterations", "Iterations over the size of the grid")


def cpu(results):
    data = results["cpu-128"]
    names = {"poisson": "poisson", "hypre": "hypre PFMG-CG, constant coefficients", "hypre_rows": "hypre PFMG-CG, stored rows"}
    rows = [[words, str(data[key]["iterations"]), f"{milliseconds(data[key]['setup'])} ms",
             f"{milliseconds(data[key]['solve'])} ms"] for key, words in names.items()]
    plots.bars(results.pictures / "cpu.svg", {"set-up": [1e3 * data[key]["setup"] for key in names],
                                              "solve": [1e3 * data[key]["solve"] for key in names]},
               list(names.values()), "ms, 128³ on two cores")
    return section(
        "Two CPU cores, compared with hypre", ["cpu-128"],
        f"`poisson` solves 128³ cells in {milliseconds(data['poisson']['solve'])} ms on two cores, "
        f"{data['ratio']:.1f} times as fast as hypre with constant coefficients and {data['ratio_rows']:.1f} times as fast "
        "as hypre with stored rows.",
        ["solver", "iterations", "set-up", "solve"], rows, "cpu", "Set-up and solve, poisson and hypre")


def runs(results):
    some = [row for row in results["h200-runs"]["results"] if row["case"] == "run-nodes" and "failed" not in row
            and "x" not in row["size"] and int(row["size"]) in (64, 128, 256, 500, 512, 768, 1024)]
    rows = [[size_text(row["size"]), f"{milliseconds(row['seconds'])} ms"]
            + [f"{milliseconds(row[key])} ms" for key in ("input", "setup", "output", "wall")] for row in some]
    labels = [size_text(row["size"]) for row in some]
    plots.bars(results.pictures / "runs.svg", {"solve": [row["seconds"] for row in some],
                                               "whole process": [row["wall"] for row in some]}, labels, "seconds", log=True)
    return section(
        "Whole runs", ["h200-runs"],
        "A run reads its file, sets up, solves and writes its fields. The start of the device costs 0.2 s, and from 128³ cells "
        "the files cost more than the solve (`output.formats: []` omits them). Keep a solver in [a program](library.md) "
        "for many small solves.",
        ["cells, H200", "solve", "input", "set-up", "output", "process"], rows, "runs", "Solve and whole process")


def robustness(results):
    rows, labels, shares = [], [], []
    data = results["cpu-robustness"]["robustness"]
    rows.append(["random extreme problems", str(data["problems"]), str(data["outcomes"].get("WRONG", 0)),
                 f"{data['iterations']['50']:.0f}, {data['iterations']['99']:.0f}",
                 f"{percent(data['error_at_most_10_estimates'], 1)}"])
    for method, some in results["cpu-stress"]["by_method"].items():
        rows.append([f"thin and stretched boxes, {method}", str(some["runs"]), str(some["outcomes"].get("WRONG", 0)),
                     f"{some['iterations']['50']:.0f}, {some['iterations']['99']:.0f}",
                     "–" if some["error_at_most_10_estimates"] is None else f"{percent(some['error_at_most_10_estimates'], 1)}"])
        labels.append(method)
        shares.append([some["outcomes"].get(kind, 0) / some["runs"] * 100
                       for kind in ("converged", "rounding", "inaccurate", "not converged")])
    plots.bars(results.pictures / "robustness.svg",
               {kind: [some[number] for some in shares] for number, kind in
                enumerate(("converged", "rounding limit", "inaccurate", "not converged"))}, labels,
               "% of runs on thin and stretched boxes")
    wrong = sum(int(row[2]) for row in rows)
    return section(
        "Right answers", ["cpu-robustness", "cpu-stress"],
        f"Random problems are compared with an independent solution in extended precision. A run is wrong if it claims "
        f"convergence and u is off by more than 1000 tolerances: {wrong} of {sum(int(row[1]) for row in rows)} runs are. "
        "The other runs converge, or state why they do not.",
        ["problems", "runs", "wrong", "iterations: median, 99 %", "error ≤ 10 estimates"], rows, "robustness",
        "Outcomes of runs on thin and stretched boxes by method")


def lost(results):
    rows, labels, longest = [], [], []
    for name, device in (("cpu-lost-processes", "cores"), ("h100-lost-processes", "H100")):
        kinds = {}
        for run in results[name]["runs"]:
            kinds.setdefault(run["what"] + ("" if run["started"] else ", at the start"), []).append(run)
        for kind, some in kinds.items():
            seconds = sorted(run["seconds"] for run in some)
            rows.append([kind, device, str(len(some)), f"{seconds[0]:.1f} to {seconds[-1]:.1f} s",
                         str(sum(run["left"] for run in some))])
            labels.append(f"{kind}, {device}")
            longest.append(seconds[-1])
    plots.bars(results.pictures / "lost-processes.svg", {"": longest}, labels, "seconds until all processes have ended")
    return section(
        "Lost processes", ["cpu-lost-processes", "h100-lost-processes"],
        f"If one of several processes is killed, stopped or out of memory, all processes end within {max(longest):.0f} s and "
        "none remains.",
        ["event", "device", "runs", "ended after", "processes left"], rows, "lost-processes",
        "Seconds until all processes have ended")


def planes(results):
    found = {}
    for row in results["h200-planes"]["results"]:
        if "size" in row and "bandwidth" in row:
            found.setdefault(row["size"], {})[row["case"]] = row
    size = max(found, key=lambda name: len(found[name]))
    some = {case: row for case, row in found[size].items() if case != "copy"}
    rows = [[case.replace("-", " "), f"{milliseconds(row['seconds'])} ms", f"{row['bandwidth'] / 1e9:.0f}",
             f"{percent(row['of_copy'])}"] for case, row in some.items()][:16]
    plots.bars(results.pictures / "planes.svg", {"": [100 * row["of_copy"] for row in list(some.values())[:16]]},
               [case.replace("-", " ") for case in list(some)[:16]], "% of a copy", line=(100, "copy"))
    return section(
        "Kernels in the plane", ["h200-planes"],
        f"In two dimensions kernels march along y and reach the same share of a copy as in space ({size_text(size)}, H200).",
        ["kernel", "time", "GB/s", "of a copy"], rows, "planes", "Rate of kernels in the plane relative to a copy")


def utilities(results):
    panels = {(study["name"], panel["name"]): panel for study in results["h200-lab"]["studies"]
              for panel in study["panels"]}

    def both(study, name, x, rival):
        at = {point["variant"]: point["value"] for point in panels[study, name]["points"] if point["x"] == x}
        return next(value for variant, value in at.items() if variant.startswith("library")), at.get(rival)

    values = {f"transposition, {n}², fp{bits}": both("transpose", f"size-fp{bits}", n, "cuBLAS geam")
              for bits in (32, 64) for n in (8192, 32768)}
    values |= {f"{name}, 2^{e} values": both("reduce", name, 2**e, "CUB")
               for name in ("sum", "dot", "max-norm") for e in (24, 30)}
    rows = [[label, f"{own:.0f}", f"{rival:.0f}" if rival else "–"] for label, (own, rival) in values.items()]
    plots.bars(results.pictures / "utilities.svg",
               {"poisson": [own for own, _ in values.values()], "cuBLAS or CUB": [rival for _, rival in values.values()]},
               list(values), "GB/s")
    return section(
        "Transpositions and reductions", ["h200-lab", "h100-lab"],
        "The utility kernels are as fast as cuBLAS (`geam`) and CUB on an H200, within 4 %, or faster.",
        ["routine", "poisson, GB/s", "cuBLAS or CUB, GB/s"], rows, "utilities", "Rates of utility kernels")


SUBJECTS = (cpu, constant, direct, materials, problems, sizes, gpus, iterations, jacobi, kernels, planes, assembly, runs,
            robustness, lost, utilities)


def page(root):
    """Returns the page and writes its plots."""
    results = Results(root)
    return "\n".join([HEAD, *(subject(results) for subject in SUBJECTS)])
