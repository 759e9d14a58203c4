#pragma once

namespace poisson {

/// Selects how processes on GPUs communicate.
/// peer: kernels store into each other's memory and wait for each other, so a solve stays on the devices. It needs GPUs
/// of one host.
/// staged: the same through pinned host memory that the processes share, or that MPI sends from host to host.
/// mpi: an MPI that reads device memory sends the messages.
/// automatic: a run takes the fastest one that it has measured (transport_choice.hpp); a backend alone takes the first
/// available one.
enum class Transport { automatic, peer, staged, mpi };

}  // namespace poisson
