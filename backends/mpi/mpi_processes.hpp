#pragma once

#include <functional>
#include <memory>

#include "backends/processes.hpp"

namespace poisson {

/// Whether something has started this process as one of several that speak MPI: mpirun, srun with PMI or PMIx. What a
/// batch system sets for every job does not count.
bool under_launcher();

/// The processes that were started together. The first call initializes MPI, which is finalized when the program ends.
/// A thread of each process listens for signs of life of another one: where there are none for some seconds, because it
/// was killed or stopped or its machine is lost, it calls `lost` with its number and ends all of them. Throws RunError
/// where this MPI cannot do that.
std::shared_ptr<const Processes> mpi_processes(const std::function<void(int)>& lost);

}  // namespace poisson
