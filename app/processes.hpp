#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backends/processes.hpp"

namespace poisson {

/// More threads than any machine has cores, and fewer than OpenMP's runtime has room for on its stack.
inline constexpr int most_threads = 1024;

/// The processes that mpirun, mpiexec or srun started together; this one alone where nothing did. Throws InputError
/// where several were started that cannot speak to each other: each would solve the whole problem.
std::shared_ptr<const Processes> start_processes();

/// A number for the machine of each process. POISSON_MACHINES=2 has them be on two, as many on each, so that what
/// several machines do can be seen on one.
std::vector<std::size_t> machines_of(const Processes& processes);
/// How many machines these are.
int count_machines(const Processes& processes);
/// How many processes of lower number run on the same machine.
int place_on_machine(const Processes& processes);

/// "bound to 1 of 64 cores each", where this process may run on fewer than its machine has; else empty.
std::string describe_binding();

/// Has OpenMP use so many threads; 0: as many as it chooses. Throws InputError where these are more than
/// `most_threads`, RunError where the system does not start as many.
void set_threads(int threads);

}  // namespace poisson
