"""Ends solvers before the interpreter ends, and refuses them in forked processes, where they would wait forever."""

import atexit
import os
import threading
import weakref

from . import _core

_solvers: weakref.WeakSet = weakref.WeakSet()
_kept: list = []  # sessions of ended solvers
_reason = None  # why no solver can be used
_LONGEST = 60  # seconds to wait for a solve that ends


class Gone:
    """Stands for the session of a solver that cannot be used any more."""

    def __init__(self, reason):
        self._reason = reason

    def __getattr__(self, name):
        raise _core.SolverError(self._reason)


def require():
    """Raises SolverError if no solver can be made."""
    if _reason:
        raise _core.SolverError(_reason)


def register(solver):
    """Remembers a solver, whose `_session` is replaced when the interpreter ends."""
    _solvers.add(solver)


def _replace(solver):
    _kept.append(solver._session)
    solver._session = Gone(_reason)


@atexit.register
def _end():
    """Stops the solves of daemon threads: a thread that computes while the interpreter ends would end the process."""
    global _reason
    _reason = "the interpreter ends, so solvers cannot be used any more"
    _core.end_solves()
    for solver in list(_solvers):
        if solver._lock.acquire(timeout=_LONGEST):
            _replace(solver)
            solver._lock.release()


def _after_fork():
    """Replaces the sessions of a forked process, which has no copies of the threads that they use."""
    global _reason
    used = list(_solvers)
    one_thread = os.environ.get("OMP_NUM_THREADS") == "1" or len(os.sched_getaffinity(0)) == 1
    if not used or one_thread and all(solver._device < 0 for solver in used):
        return
    _reason = ("this process was forked after a solver had been made, and the solver's threads do not exist here: start "
               "processes with multiprocessing.get_context('spawn'), or fork before the first solver")
    for solver in used:
        solver._lock = threading.RLock()
        _replace(solver)


os.register_at_fork(after_in_child=_after_fork)
