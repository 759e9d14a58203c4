#pragma once

namespace poisson {

/// How fast this host computes at the moment, with the threads that this process has.
struct HostSpeed {
  double flops = 2.2e10;         ///< in the elimination of a large front, all threads, per second
  double small_flops = 1.25e10;  ///< in that of a small front, one thread
  double bytes = 2.5e10;         ///< read from memory by one thread, per second
};

/// Measures them, in about 30 ms.
HostSpeed measure_host_speed();

}  // namespace poisson
