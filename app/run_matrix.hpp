#pragma once

#include <functional>

#include "io/config/config.hpp"
#include "io/files/result_folder.hpp"
#include "io/files/summary.hpp"
#include "io/terminal/console.hpp"

namespace poisson {

/// Evaluates source and guess on the index grid. Throws ValueErrors.
void check_matrix_values(const Config& config);

/// Solves A u = b for the configuration's matrix, writes its fields and summary, and returns the exit status.
/// `stopped`: asked after every iteration.
int solve_matrix(const Config& config, bool profiled, const std::function<bool()>& stopped, Console& console,
                 ResultFolder& results, Summary& summary);

}  // namespace poisson
