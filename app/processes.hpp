#pragma once

namespace poisson {

/// More threads than any machine has cores, and fewer than OpenMP's runtime has room for on its stack.
inline constexpr int most_threads = 1024;

/// Throws InputError where mpirun, mpiexec or srun has started the program as one of several processes: each would
/// solve the whole problem.
void refuse_several_processes();

/// Has OpenMP use so many threads; 0: as many as it chooses. Throws InputError where these are more than
/// `most_threads`, RunError where the system does not start as many.
void set_threads(int threads);

}  // namespace poisson
