#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "backends/device/monitor.hpp"

/// The functors of loops on the device: the device's monitor, and the data that the host polls.
namespace poisson::cuda {

/// The ring stores norms that the host has not read yet. The host reads far more often than once in this many
/// iterations.
inline constexpr int ring = 1 << 16;

/// The host polls this pinned memory, which the device writes to.
struct HostMailbox {
  volatile int norms = 0;  // number of norms written
  volatile int stop = 0;   // set by the host
  MonitorState start;      // is valid when norms ≥ 1
  volatile double norm[ring];
};

/// This is the monitor's counterpart on the device.
struct DeviceMonitor {
  StoppingRule rule;
  MonitorState state;
};

inline __device__ void tell(HostMailbox* mailbox, const MonitorState& state) {
  mailbox->norm[state.iterations % ring] = state.last;
  __threadfence_system();
  mailbox->norms = state.iterations + 1;
}

inline __device__ bool goes_on(DeviceMonitor* m, const HostMailbox* mailbox, const double* asked, int limit) {
  if ((asked ? *asked > 0 : mailbox->stop != 0) && m->state.verdict == Verdict::running)
    m->state.verdict = Verdict::stopped;
  return m->state.verdict == Verdict::running && m->state.iterations < limit;
}

struct Begin {
  DeviceMonitor* monitor;
  HostMailbox* mailbox;
  const double *raw, *data, *initial, *start, *rounding;
  __device__ void operator()() const {
    begin(monitor->state, monitor->rule, *raw, *data, *initial, *start, *rounding);
    mailbox->start = monitor->state;
    tell(mailbox, monitor->state);
  }
};
struct Enter {
  DeviceMonitor* monitor;
  HostMailbox* mailbox;
  const double* asked;  // number of processes asked to stop; null for one process
  cudaGraphConditionalHandle loop;
  int limit;
  __device__ void operator()() const { cudaGraphSetConditional(loop, goes_on(monitor, mailbox, asked, limit) ? 1 : 0); }
};
/// Runs in a loop, or before the loop, when the run may have ended already.
struct Observe {
  DeviceMonitor* monitor;
  HostMailbox* mailbox;
  const double* norm;
  __device__ bool operator()() const {
    if (monitor->state.verdict != Verdict::running) return false;
    observe(monitor->state, monitor->rule, *norm);
    tell(mailbox, monitor->state);
    return true;
  }
};
struct ObserveInLoop {
  Observe observe;
  Enter enter;
  __device__ void operator()() const {
    observe();
    enter();
  }
};
struct AskedToStop {
  const HostMailbox* mailbox;
  double* asked;
  __device__ void operator()() const { *asked = mailbox->stop ? 1 : 0; }
};
struct WhenRisen {
  const DeviceMonitor* monitor;
  cudaGraphConditionalHandle branch;
  __device__ void operator()() const { cudaGraphSetConditional(branch, monitor->state.rose != 0 ? 1 : 0); }
};

}  // namespace poisson::cuda
