// Waiting threads must leave the cores to other programs.
#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

#include <gtest/gtest.h>
#include <omp.h>

#include "backends/processes/wait_policy.hpp"

namespace poisson::wait_policy_tests {
namespace {

// Returns the share of a core that a program with mostly idle threads uses.
double idle_share() {
  constexpr std::chrono::milliseconds pause(2);  // less than the 3 ms for which threads spin by default
  constexpr int pauses = 100;
  std::atomic<int> members = 0;             // the compiler would omit an empty region
  const std::clock_t start = std::clock();  // processor time of all threads
  for (int i = 0; i < pauses; ++i) {
#pragma omp parallel num_threads(2)
    ++members;
    std::this_thread::sleep_for(pause);
  }
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC /
         std::chrono::duration<double>(pauses * pause).count();
}

TEST(WaitPolicy, ThreadsSleepWhileTheyWait) {
  if (omp_get_max_threads() == 1 || omp_get_num_procs() > omp_get_max_threads())
    GTEST_SKIP() << "needs a thread for each of several cores";
  wait_passively();
  EXPECT_LT(idle_share(), 0.25);
}

}  // namespace
}  // namespace poisson::wait_policy_tests
