#pragma once

#include <string>
#include <vector>

#include "backends/backend.hpp"

namespace poisson::lab {

/// What conclusions may know of the machine beside their points.
struct Machine {
  bool gpu = true;
  double copy = 0;          ///< GB/s of the backend's own copy beyond all caches, read and written
  double theory = 0;        ///< GB/s that clock and bus allow; 0 where the device does not say
  int multiprocessors = 0;  ///< of a GPU
  double gigahertz = 0;     ///< of a multiprocessor while it works, measured
  std::string host = {};    ///< the CPU beside a GPU, in words
};

/// One line of a page's head.
struct Fact {
  std::string what, value;
};
/// Where and when a run is made: device, driver, clocks, the host's CPU, date, commit.
std::vector<Fact> facts_of(const Backend& backend, const Machine& machine);

namespace gpu {  // defined in builds with CUDA
/// Of the current device: its multiprocessors, and the clock at which one of them works.
int multiprocessor_count();
double measured_gigahertz(Backend& backend);
/// "CUDA 13.0 (driver 580.65)", and "up to 1980 MHz, memory 3201 MHz".
std::string driver();
std::string clocks();
}  // namespace gpu

}  // namespace poisson::lab
