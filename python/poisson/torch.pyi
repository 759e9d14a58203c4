from collections.abc import Mapping
from typing import Any

from . import Coefficient, Datum, Problem, Solver

def solve(problem: Problem | Solver, *, source: Datum = ..., coefficient: Coefficient | None = ..., reaction: Datum = ...,
          boundary: Mapping[str, Any] | None = ...) -> Any: ...
