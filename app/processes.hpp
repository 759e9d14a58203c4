#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backends/processes/processes.hpp"

namespace poisson {

/// This limit exceeds the cores of any machine, but the OpenMP runtime can still allocate its stack arrays.
inline constexpr int most_threads = 1024;

/// Returns the processes that mpirun, mpiexec or srun started together; otherwise this process alone. Throws InputError
/// if several processes were started that cannot communicate, since each would solve the global problem.
std::shared_ptr<const Processes> start_processes();

/// Returns a number for the machine of each process. POISSON_MACHINES=2 pretends two machines with equal numbers of
/// processes, so that one machine can test runs on several.
std::vector<std::size_t> machines_of(const Processes& processes);
/// Returns the number of machines.
int count_machines(const Processes& processes);
/// Returns the number of processes of lower rank on the same machine.
int place_on_machine(const Processes& processes);

/// Returns text such as "bound to 1 of 64 cores each" if this process may not use all cores; empty otherwise.
std::string describe_binding();

/// Sets the number of OpenMP threads; 0 keeps the default. Throws InputError if there are more than `most_threads`, and
/// RunError if the system cannot start them.
void set_threads(int threads);

}  // namespace poisson
