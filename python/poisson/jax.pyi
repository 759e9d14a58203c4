from collections.abc import Mapping
from typing import Any

from . import Coefficient, Datum, Problem, Solver

def solve(problem: Problem | Solver, coefficient: Coefficient | None = ..., source: Datum = ..., *, reaction: Datum = ...,
          boundary: Mapping[str, Any] | None = ...) -> Any: ...
