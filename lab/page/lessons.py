"""Contains the lecturer's part of the page: an excerpt of a kernel and an exercise for each study, the rules of the
overview, and topics of the lectures that live elsewhere. All figures come from the results."""

import pathlib

import labels

HERE = pathlib.Path(__file__).resolve().parent
LONGEST = 16  # lines of an excerpt

# For each study: the file under lab/, the text of the first line, and the number of lines.
KERNELS = {
    "copy": ("studies/copy/kernels.cu", "copy_kernel(const T*", 11),
    "cache": ("harness/reading_again.cu", "  for (unsigned k = 0; k < count", 10),
    "access": ("studies/access/patterns.cu", "move_kernel(const std::uint32_t* in", 10),
    "texture": ("studies/texture/walks.cu", "  for (int line = static_cast<int>(blockIdx.x)", 10),
    "banks": ("studies/banks/study.cu", "  const volatile T* const mine", 10),
    "transpose": ("studies/transpose/kernels.cu", "  for (int i = y; i < side; i += lines)", 9),
    "divergence": ("studies/divergence/study.cu", "path_kernel(int paths", 10),
    "reduce": ("studies/reduce/kernels.cu", "cooperative_kernel(const double*", 11),
    "latency": ("studies/latency/memory.cu", "__global__ void chase_kernel", 11),
    "occupancy": ("studies/occupancy/residency.cu", "__global__ void census_kernel", 12),
    "arithmetic": ("studies/arithmetic/operations.cu", "  for (int round = 0; round < rounds; ++round) {", 7),
    "transfer": ("studies/transfer/pipeline.cu", "__global__ void rounds_kernel", 8),
    "crossover": ("studies/crossover/banded_product.cu", "banded_kernel(BandedProduct p)", 8),
    "compute": ("studies/compute/kernels.cu", "stencil_kernel(View<const T> x", 11),
    "recompute": ("studies/recompute/kernels.cuh", "  for (int r = 0; r < rows; ++r) {", 10),
    "sparse": ("studies/sparse/kernels.cu", "  const std::int64_t row = (std::int64_t{blockIdx.x}", 8),
    "interpolate": ("studies/interpolate/kernels.cu", "__device__ void march_along", 13),
    "vectorize": ("studies/vectorize/study.cu", "  const int i = static_cast<int>(blockIdx.x * block_x + threadIdx.x) * lanes", 8),
    "staging": ("studies/staging/study.cu", "  const auto begin = [&](int turn) {", 9),
    "cluster": ("studies/cluster/study.cu", "  for (int step = 0; step < steps; ++step) {", 12),
    "launch": ("studies/launch/study.cu", "persistent_kernel(TinyStep tiny", 7),
}


def excerpt(study):
    """Returns (file, lines) of a study's kernel, from the source tree or from an installation. Raises ValueError if the
    source has no such line, so that an excerpt cannot go stale unnoticed."""
    file, start, count = KERNELS[study]
    roots = [HERE.parent, HERE / "lab"]
    source = next((root / file for root in roots if (root / file).exists()), None)
    if not source:
        return None
    lines = source.read_text(encoding="utf-8").splitlines()
    first = next((i for i, line in enumerate(lines) if start in line), None)
    if first is None:
        raise ValueError(f"lab/{file} has no line with '{start}': correct lessons.py")
    return file, lines[first:first + count]


# For each study: a question, and the panel whose sentences answer it.
EXERCISES = {
    "copy": ("A kernel copies 1 GiB of bytes, one byte per thread and access. Which share of the best rate do you expect, and "
             "what happens with eight accesses in flight?", "per-thread"),
    "cache": ("Each multiprocessor reads the same 200 KiB again and again. Which level answers? And with 40 MiB?", "working-set"),
    "access": ("A copy reads every 16th float. Predict its rate from sectors of 32 bytes, then compare.", "stride"),
    "texture": ("You walk down the columns of a large float array. Is a texture worth its set-up, and would it be by rows?",
                "best"),
    "banks": ("How many passes does a stride of 12 take? And a column of a 32 × 32 tile of floats, with and without padding?",
              "patterns"),
    "transpose": ("Both sides of a tiled transposition are coalesced. Why is it no faster than the better plain loop?",
                  "bars-4000-fp32"),
    "divergence": ("Odd threads take one branch, even threads the other. How much slower is the warp? And odd and even warps?",
                   "paths"),
    "reduce": ("Which single change of a tree reduction gains most, and why are the first threads with neighbouring pairs "
               "slower?", "sum"),
    "latency": ("A multiply-add needs 4 clocks and a multiprocessor starts 128 per clock. How many warps with one dependent "
                "chain fill it? With four chains?", "fma"),
    "occupancy": ("Your kernel grows from 128 to 136 registers per thread. How many warps remain, and what does it cost?",
                  "throughput"),
    "arithmetic": ("Order by cost: x / 8, x / 10, x / y for unsigned integers. How many additions is each worth?", "integers"),
    "transfer": ("Upload, computing and download take equally long. How much do chunks gain at best, and why not with one "
                 "thousand of them?", "pipeline-heavy"),
    "crossover": ("Is it worth sending two vectors to the GPU for one axpy? For one multigrid cycle?", "cycle"),
    "compute": ("How many operations per float hide behind its traffic on this device?", "time"),
    "recompute": ("An entry costs 20 multiply-adds. Do you store all nine bands, one coefficient per point, or nothing?",
                  "product-fp32"),
    "sparse": ("By how much do column indices alone slow a product of nine entries per row in double precision?", "product"),
    "interpolate": ("A texture filters with 8-bit weights. For which refinement factors is it exact?", "error-2d"),
    "vectorize": ("Is float4 faster than float if each thread computes four points in either case?", "sweep"),
    "staging": ("What do asynchronous copies into shared memory gain for a stencil that uses each value nine times?", "stages"),
    "cluster": ("What takes longer in a cluster: the barrier or the order of memory that it guarantees?", "barriers"),
    "launch": ("A grid has 1 MiB. Is its step limited by memory or by its launch?", "steps"),
}


# Questions of the overview: words, and the study and the panel whose sentences answer them.
QUESTIONS = [
    ("Why is a stride expensive?", "access", "stride"),
    ("What does padding cure?", "banks", "patterns"),
    ("When does recomputing win?", "recompute", "product-fp32"),
    ("How many bytes must be in flight?", "latency", "in-flight"),
    ("What helps if few warps are resident?", "occupancy", "throughput"),
    ("Where is a branch free, and where is it not?", "divergence", "paths"),
    ("Why is a step on a small grid slow?", "launch", "steps"),
    ("Does a sum in a fixed order cost speed?", "reduce", "sum"),
    ("Is one operation worth the way to the GPU?", "crossover", "axpy"),
    ("Are textures still worth their set-up?", "texture", "best"),
]

# Panels whose bars say only which of several equal grids was found: they have a table and no plot.
UNDRAWN = {("texture", "best-threads"), ("texture", "best-blocks")}


# Variants whose curves lie on those of others: they have table columns and no curve.
ALIKE = {("latency", "fma"): ("5 chains", "6 chains", "7 chains")}


def drawn_part(study, panel):
    hidden = ALIKE.get((study, panel["name"]), ())
    return {**panel, "points": [point for point in panel["points"] if point["variant"] not in hidden]} if hidden else panel


def jumps(panel, sizes):
    """Returns the first places behind these sizes whose value is half again as large as before: where caches end."""
    values = sorted((point["x"], point["value"]) for point in panel["points"] if labels.finite(point["value"]))
    at = {size: next((value for x, value in values if x >= size), None) for size in sizes}
    return [next((x for x, value in values if x > size and value > 1.5 * at[size]), None) if at[size] else None
            for size in sizes]


def notes(lab, study, panel):
    """Returns lessons to write into a plot: (x, words)."""
    multiprocessors = lab["machine"].get("multiprocessors", 0)
    if (study, panel["name"]) == ("latency", "chase"):
        first = min((point["x"] for point in panel["points"]), default=0)
        found = zip((2**14, 2**22), jumps(panel, (2**14, 2**22)), ("beyond L1", "beyond L2"))
        return [(x, words) for size, x, words in found if x and first <= size]
    return {("access", "stride"): [(8, "32 bytes"), (16, "64-byte fetch")],
            ("latency", "fma"): [(4, "4 schedulers")],
            ("texture", "blocks"): [(8 * multiprocessors, f"8 × {multiprocessors} blocks")],
            }.get((study, panel["name"]), [])


# Panels without a sentence of their own, and the panel of the same study whose sentence covers them.
COVERED = {
    "texture": {"best-threads": "best", "best-blocks": "best"},
    "transpose": {"sweep-fp32": "sweep-fp64", "size-fp32": "size-fp64", "bars-4096-fp64": "bars-4000-fp64"},
    "reduce": {"dot": "max-norm"},
    "occupancy": {"shared-memory": "shared-memory-copy"},
    "transfer": {"pipeline-light": "pipeline-heavy", "pipeline-balanced": "pipeline-heavy"},
    "recompute": {"product-fp64": "product-fp32", "jacobi-fp32": "jacobi-fp64"},
    "interpolate": {"error-3d": "error-2d"},
}


def value(lab, study, panel, variant, x=None):
    """Returns a value of the results; the first one of the variant without x, NaN if there is none."""
    for one in lab["studies"]:
        for points in (p["points"] for p in one["panels"] if one["name"] == study and p["name"] == panel):
            for point in points:
                if point["variant"] == variant and (x is None or point["x"] == x) and point["value"] is not None:
                    return point["value"]
    return float("nan")


def best(lab, study, panel, variant):
    values = [point["value"] for one in lab["studies"] if one["name"] == study for p in one["panels"] if p["name"] == panel
              for point in p["points"] if point["variant"] == variant and point["value"] is not None]
    return max(values, default=float("nan"))


# The rules of the overview: priority, study, words, and a factor of this device.
RULES = [
    ("high", "access", "Read neighbouring words; a stride of 32 costs",
     lambda lab: value(lab, "access", "stride", "read", 1) / value(lab, "access", "stride", "read", 32)),
    ("high", "banks", "Pad shared tiles; an unpadded column costs",
     lambda lab: value(lab, "banks", "patterns", "column") / value(lab, "banks", "patterns", "row")),
    ("high", "divergence", "Keep a warp on one path; 32 paths cost",
     lambda lab: value(lab, "divergence", "paths", "threads of a warp part ways", 1) /
     value(lab, "divergence", "paths", "threads of a warp part ways", 32)),
    ("high", "copy", "Keep many bytes in flight; one byte per thread costs",
     lambda lab: best(lab, "copy", "per-thread", "16 B") / value(lab, "copy", "per-thread", "1 B", 1)),
    ("high", "crossover", "Leave data on the GPU; the transfers of an axpy cost",
     lambda lab: value(lab, "crossover", "axpy", "GPU", 2**24) /
     value(lab, "crossover", "axpy", "GPU, with transfers", 2**24)),
    ("medium", "cache", "Reuse cached data; L1 against memory gains",
     lambda lab: best(lab, "cache", "working-set", "through the first-level cache") /
     lab["machine"]["copy"]),
    ("medium", "transpose", "Scatter reads, not writes; the other choice costs",
     lambda lab: value(lab, "transpose", "bars-4000-fp32", "naive (coalesced write)") /
     value(lab, "transpose", "bars-4000-fp32", "naive (coalesced read)")),
    ("medium", "launch", "Record small steps as a graph; against waiting it gains",
     lambda lab: value(lab, "launch", "steps", "launches that the host waits for", 1000) /
     value(lab, "launch", "steps", "graph nodes", 1000)),
    ("medium", "recompute", "Compute entries from one coefficient; against nine it gains",
     lambda lab: value(lab, "recompute", "product-fp32", "partial") / value(lab, "recompute", "product-fp32", "full")),
    ("low", "arithmetic", "Divide integers by constants; y / x against x / 8 costs",
     lambda lab: value(lab, "arithmetic", "integers", "x / 8 + y") / value(lab, "arithmetic", "integers", "y / x")),
]

# The steps of the ladder: study, the beginning of a historical row, and words.
LADDER = [("transpose", "copy", "bandwidth of a plain copy"), ("arithmetic", "additions", "additions per multiprocessor"),
          ("latency", "clocks until", "latency of a multiply-add"), ("latency", "latency of memory", "latency of memory"),
          ("cache", "L1", "L1 of a multiprocessor"), ("cache", "L2", "L2 of the chip"),
          ("transpose", "naive", "transposition by a plain loop"), ("transpose", "padded", "transposition by padded tiles")]


def level(lab, way, least, most):
    """Returns the median rate of working sets between two sizes."""
    values = sorted(point["value"] for study in lab["studies"] if study["name"] == "cache" for panel in study["panels"]
                    for point in panel["points"] if point["variant"] == way and least <= point["x"] <= most)
    return values[len(values) // 2] if values else float("nan")


def clocks(lab, size):
    return value(lab, "latency", "chase", "dependent loads", size) * lab["machine"]["gigahertz"]


MIB = 2**20
# gpu-benches of RRZE-HPC (commit 1038c5d): programs gpu-latency, gpu-cache and gpu-l2-cache. On the H100 they ran right after
# this program on the same device. The H200 has gpu-l2-cache/h200.txt, and gpu-latency/gh200.txt of the same chip.
# (words, figure, unit, ours).
REFERENCE = {
    "NVIDIA H100 80GB HBM3": ("run on the same device in the same session", {
        "latency": [("L1, 16 KiB", 33.5, "clocks", lambda lab: clocks(lab, 2**14)),
                    ("L2, 4 MiB", 285.2, "clocks", lambda lab: clocks(lab, 4 * MIB)),
                    ("memory, 512 MiB", 687.6, "clocks", lambda lab: clocks(lab, 512 * MIB))],
        "cache": [("L1, 128 KiB", 33250, "GB/s", lambda lab: level(lab, "through the first-level cache", 2**17, 2**17)),
                  ("L2, 7 to 30 MiB (median)", 8285, "GB/s", lambda lab: level(lab, "past it, from the shared one", 7 * MIB,
                                                                              30 * MIB)),
                  ("memory, 185 MiB and more", 3237, "GB/s", lambda lab: level(lab, "past it, from the shared one",
                                                                              185 * MIB, 1100 * MIB))]}),
    "NVIDIA H200": ("from its published files: L2's rate for the H200, latencies for the GH200, which has the same chip and "
                    "other memory; L1's rate from a run on an H100, which has the same chip, too", {
        "latency": [("L1, 16 KiB", 32.1, "clocks", lambda lab: clocks(lab, 2**14)),
                    ("L2, 4 MiB", 280.5, "clocks", lambda lab: clocks(lab, 4 * MIB)),
                    ("memory, 512 MiB", 685.4, "clocks", lambda lab: clocks(lab, 512 * MIB))],
        "cache": [("L1, 128 KiB", 33250, "GB/s", lambda lab: level(lab, "through the first-level cache", 2**17, 2**17)),
                  ("L2, 7 to 25 MiB (median)", 9836, "GB/s", lambda lab: level(lab, "past it, from the shared one", 7 * MIB,
                                                                              25 * MIB))]}),
}

# Topics of the lectures outside these studies, with the document that covers each.
ELSEWHERE = [
    ("PTX and SASS, and how to read them", "disassembly.md", "Reading PTX and SASS"),
    ("Multigrid on the GPU, mixed precision and full solvers", "solvers.md", "Solvers"),
    ("Macro blocks, meshes of blocks and curved coordinates", "coordinates.md", "the solver's own grids"),
    ("Adaptive grids: there is no adaptive grid yet, neither here nor in the solver", "limits.md", "Limits"),
    ("Results that are drawn directly from device memory are not covered: the solver writes files", "gallery.md", "Gallery"),
]
