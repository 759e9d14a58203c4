#pragma once

#include <string>
#include <vector>

#include "backends/device/backend.hpp"

namespace poisson::lab {

/// Contains the properties of the machine that conclusions use besides the points.
struct Machine {
  bool gpu = true;
  double copy = 0;          ///< GB/s of the backend's own copy beyond all caches, read and written
  double theory = 0;        ///< theoretical GB/s, 0 if the device does not report it
  int multiprocessors = 0;  ///< GPU only
  double gigahertz = 0;     ///< is measured on a busy multiprocessor
  std::string host = {};    ///< names a GPU's CPU
};

/// A fact is one line in the head of a page.
struct Fact {
  std::string what, value;
};
/// Returns where and when a run is made: device, driver, clocks, the host's CPU, date, commit.
std::vector<Fact> facts_of(const Backend& backend, const Machine& machine);

namespace gpu {  // exists in builds with CUDA
/// Returns the number of multiprocessors of the current device, and the clock of a busy one.
int multiprocessor_count();
double measured_gigahertz(Backend& backend);
/// Returns for example "CUDA 13.0 (driver 580.65)", and "up to 1980 MHz, memory 3201 MHz".
std::string driver();
std::string clocks();
}  // namespace gpu

}  // namespace poisson::lab
