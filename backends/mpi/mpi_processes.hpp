#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "backends/processes.hpp"

namespace poisson {

/// Whether something has started this process as one of several that speak MPI: mpirun, srun with PMI or PMIx. What a
/// batch system sets for every job does not count.
bool under_launcher();

/// Called where a process is lost, with its number; with none where not all of them have started in time.
using Lost = std::function<void(std::optional<int> rank)>;

/// The processes that were started together. The first call initializes MPI, which is finalized when the program ends.
/// A thread of each process listens for signs of life of another one: where there are none for some seconds, because it
/// was killed or stopped or its machine is lost, it calls `lost` and ends all of them. Throws RunError where this MPI
/// cannot do that.
std::shared_ptr<const Processes> mpi_processes(const Lost& lost);

}  // namespace poisson
