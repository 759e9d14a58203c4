#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "backends/processes.hpp"

namespace poisson {

/// Whether something has started this process as one of several that speak MPI: mpirun, srun with PMI or PMIx. What a
/// batch system sets for every job does not count.
bool under_launcher();

struct LostProcess {
  int rank;
  std::string host;
  std::int64_t number;  ///< of its machine's processes
  bool ended;           ///< the machine says so; else it is stopped, or has given no sign of life
};
/// When processes are lost: while MPI starts, while the run is at work, or when the work of the process that says so is
/// over, results are complete and MPI ends.
enum class Moment { start, work, end };
/// Called where processes are lost; with none where it is not known which.
using Lost = std::function<void(Moment, std::span<const LostProcess>)>;

/// Why this MPI is not handed the memory of GPUs; empty where it is: it says that it takes it, or
/// POISSON_MPI_DEVICE_MEMORY=1 vouches for it. It is handed that memory in messages between two processes alone.
std::string device_memory_obstacle();

/// The processes that were started together, with a communicator of their own. Where MPI is not initialized the first
/// call does it, and MPI is finalized when the program ends. A program that has initialized MPI finalizes it, too; the
/// processes may not be used after that, nor by Solvers and Fields that still live.
/// A thread of each process watches those of its machine and listens for signs of life of another one: where one has
/// ended, or there are none for some seconds, because it was stopped or its machine is lost, it calls `lost`, on one
/// process of a machine, and ends all of them. While MPI starts and ends, processes of this machine
/// are waited for as long as they live, others for a minute; then `lost` is called.
/// Collective. Throws RunError where this MPI cannot do that, or was initialized without MPI_THREAD_MULTIPLE.
std::shared_ptr<const Processes> mpi_processes(const Lost& lost);

}  // namespace poisson
