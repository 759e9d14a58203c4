#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "backends/processes/processes.hpp"

namespace poisson {

/// Returns whether a launcher such as mpirun, or srun with PMI or PMIx, started this process as one of several MPI
/// processes. Variables that a batch system sets for every job do not count.
bool under_launcher();

struct LostProcess {
  int rank;
  std::string host;
  std::int64_t number;  ///< process id on its machine
  bool ended;           ///< its machine reported the end; otherwise it is stopped or silent
};
/// States when processes are lost: while MPI starts, during the work, or at the end. At the end the reporting process
/// has finished its work, results are complete, and MPI ends.
enum class Moment { start, work, end };
/// Is called when processes are lost, with an empty list if they are not known.
using Lost = std::function<void(Moment, std::span<const LostProcess>)>;

/// Returns why this MPI does not receive GPU memory in messages; empty if it does. It does if it reports CUDA support
/// or POISSON_MPI_DEVICE_MEMORY=1 asserts the support. GPU memory is passed only to messages between two processes.
std::string device_memory_obstacle();

/// Returns the processes that were started together, with a separate communicator. Collective.
///
/// The first call initializes MPI unless the program has; MPI is then finalized when the program ends. A program that
/// has initialized MPI must finalize it. After that, neither the program nor remaining Solvers and Fields may use the
/// processes.
///
/// A thread of each process watches the processes of its machine and receives signs of life of one other process. A
/// process is lost if it has ended, if it is stopped and silent for 6 s, or if it cannot be seen from this machine and
/// is silent for 60 s. The thread then calls `lost` on one process of a machine and ends all processes. While MPI
/// starts and ends, processes of this machine are awaited as long as they live, others for a minute; then `lost` is
/// called.
///
/// Throws RunError if this MPI does not support threads that send, or was initialized without MPI_THREAD_MULTIPLE.
std::shared_ptr<const Processes> mpi_processes(const Lost& lost);

}  // namespace poisson
