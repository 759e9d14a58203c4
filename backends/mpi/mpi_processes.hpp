#pragma once

#include <memory>

#include "backends/processes.hpp"

namespace poisson {

/// Whether something has started this process as one of several that speak MPI: mpirun, srun with PMI or PMIx. What a
/// batch system sets for every job does not count.
bool under_launcher();

/// The processes that were started together. Initializes MPI, at the first call, and finalizes it when the program
/// ends. Throws RunError where MPI cannot be had.
std::shared_ptr<const Processes> mpi_processes();

}  // namespace poisson
