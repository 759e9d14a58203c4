#include "app/cases/case.hpp"

#include <string>

#include "backends/error.hpp"

namespace poisson {

std::unique_ptr<Case> make_case(const Config& config, const std::shared_ptr<const Processes>& processes) {
  if (!config.matrix) return make_grid_case(config, processes);
  if (!processes->alone())
    throw InputError("a matrix from a file is solved by one process, and " + std::to_string(processes->count()) +
                     " were started: start it without mpirun");
  return make_matrix_case(config);
}

}  // namespace poisson
