#pragma once

#include <vector>

#include "io/config.hpp"
#include "io/output.hpp"
#include "io/summary.hpp"
#include "solver/solver.hpp"

namespace poisson {

/// How the iteration went; norms in the units of the equation.
void record(const Result& result, const Solver& solver, Summary& summary);

/// The fields in every format that the configuration asks for, their files noted in the summary.
void write_fields(const Config& config, const OutputGrid& grid, const std::vector<OutputField>& fields,
                  Summary& summary);

}  // namespace poisson
