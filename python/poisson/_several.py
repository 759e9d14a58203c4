"""Solves for several right-hand sides."""

import threading

from . import _arrays, _core, _solver
from ._core import ConfigurationError
from ._result import Result

# Several right-hand sides are solved at once on a GPU that one of them does not fill, with this number of solvers.
_AT_ONCE = 8
_UNKNOWNS_AT_ONCE = 1 << 22


def solve_all(solver, sources, guess, check):
    """Returns the Result of several right-hand sides, [k, nz, ny, nx]; arguments as Solver.solve."""
    pieces = [sources[i] for i in range(sources.shape[0])]
    if not pieces:
        raise ConfigurationError("source: the first axis has no values; give at least one right-hand side")
    solvers = [*solvers_at_once(solver, pieces), solver]
    results, failures = [None] * len(pieces), [None] * len(pieces)

    def work(first, one):
        for i in range(first, len(pieces), len(solvers)):
            if any(failures):
                return
            try:
                one.update(source=pieces[i])
                results[i] = _solver.checked(one._solve_once(guess), check)
            except BaseException as failure:
                failures[i] = failure

    # This solver solves for the last right-hand side, so that it has the last solution.
    firsts = [(len(pieces) + lane) % len(solvers) for lane in range(len(solvers))]
    threads = [threading.Thread(target=work, args=pair) for pair in zip(firsts, solvers[:-1])]
    for thread in threads:
        thread.start()
    work(firsts[-1], solver)
    for thread in threads:
        thread.join()
    for failure in failures:
        if failure is not None:
            raise failure
    return _joined(solver, results, sources)


def solvers_at_once(solver, pieces):
    """Returns further solvers of the same data, if several right-hand sides are faster together."""
    if solver._device < 0 or solver._processes > 1 or solver._session.info["unknowns"] > _UNKNOWNS_AT_ONCE:
        return []
    on_device = [_arrays.on_device(piece, "source") for piece in pieces]
    if any(found and found[2] for found in on_device):
        return []  # a copy would be made on the stream of another thread
    solver._model = pieces[-1]
    others = further_solvers(solver, min(len(pieces), _AT_ONCE) - 1)
    stream = solver._stream
    if stream is None:
        stream = _arrays.current_stream(solver._model)
    for other in others:
        other._model, other._stream = solver._model, stream
    return others


def further_solvers(solver, count):
    """Returns solvers of the present data: `count`, or fewer if memory is short."""
    while len(solver._others) < count:
        try:
            other = _solver.Solver(solver.problem, solver._config, solver._narrow, solver._model, solver._allocator,
                                   like=solver)
            other.update(**solver._changes)
        except _core.SolverError as failure:
            _solver._log.info("solves %d right-hand sides at once: %s", len(solver._others) + 1, failure)
            break
        solver._others.append(other)
    return solver._others[:count]


def _joined(solver, results, sources):
    """Returns the results of several right-hand sides as one Result."""
    all_u = _arrays.stack([r.u for r in results])
    course = {key: [getattr(r, key) for r in results]
              for key in ("iterations", "residual", "estimated_error", "history", "reason", "steps")}
    course["seconds"] = sum(r.seconds for r in results)
    course["data_seconds"] = sum(r.data_seconds for r in results)
    course["converged"] = all(r.converged for r in results)
    return Result(solver, all_u, course, sum(r.copies for r in results))
