#pragma once

#include <memory>
#include <span>

#include "backends/mpi/mpi_processes.hpp"
#include "backends/processes/processes.hpp"

namespace poisson {

/// Returns the processes that mpirun started.
inline const std::shared_ptr<const Processes>& launched() {
  static const std::shared_ptr<const Processes> processes = mpi_processes([](Moment, std::span<const LostProcess>) {});
  return processes;
}

}  // namespace poisson
