#pragma once

namespace poisson {

/// Describes the current speed of this host with the threads of this process.
struct HostSpeed {
  double flops = 2.2e10;         ///< per second, large front, all threads
  double small_flops = 1.25e10;  ///< per second, small front, one thread
  double bytes = 2.5e10;         ///< bytes per second read by one thread
};

/// Measures the speed in about 30 ms.
HostSpeed measure_host_speed();

}  // namespace poisson
