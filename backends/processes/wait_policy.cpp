#include "backends/processes/wait_policy.hpp"

#include <atomic>
#include <cstdlib>
#include <future>
#include <thread>
#include <utility>

#include <omp.h>
#include <unistd.h>

namespace poisson {

void wait_passively() {
  if (omp_get_max_threads() == 1 || omp_get_proc_bind() != omp_proc_bind_false) return;
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  // GCC's runtime reads these variables before main, so a program cannot set them for itself. If there are more threads
  // than cores, however, a thread spins 100 instead of 300 000 times before it sleeps (libgomp's manual,
  // GOMP_SPINCOUNT). A second team that sleeps forever makes the number of threads exceed the number of cores.
  std::promise<void> started;
  std::future<void> ready = started.get_future();
  std::thread([started = std::move(started)]() mutable {
    std::atomic<int> members = 0;  // The compiler would remove an empty region.
#pragma omp parallel num_threads(2)
    ++members;
    started.set_value();
    while (true) pause();
  }).detach();
  ready.wait();
}

}  // namespace poisson
