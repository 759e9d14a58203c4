from collections.abc import Mapping
from typing import Any

from . import Coefficient, Datum, MeshProblem, Problem, Solver

def solve(problem: Problem | Solver, coefficient: Coefficient | None = ..., source: Datum = ..., *, reaction: Datum = ...,
          boundary: Mapping[str, Any] | None = ...) -> Any: ...
def solve_mesh(problem: MeshProblem, *, coefficient: Any = ..., reaction: Any = ..., source: Any = ...,
               boundary: Mapping[str, Any] = ...) -> Any: ...
