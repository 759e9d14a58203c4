// This part of the backend runs loops on the device: launches of graphs, the device's monitor, and the data that the
// host polls.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <thread>
#include <utility>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_monitor.cuh"
#include "backends/cuda/functions.hpp"
#include "backends/cuda/graph.cuh"
#include "backends/cuda/injection.hpp"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/patch_tables.cuh"
#include "backends/cuda/watch.cuh"
#include "backends/device/expired_run.hpp"
#include "backends/device/plain_run.hpp"
#include "backends/memory/error.hpp"

namespace poisson::cuda {

std::size_t bytes_of_backend() {
  return (most_plane_sums + CudaBackend::always_partials + 1) * sizeof(double) + sizeof(DeviceMonitor);
}

namespace {

// Memory of the device itself, or of the program's allocator.
Arena::Take take_of(const DeviceSetup& setup, Arena::Take own) {
  if (!setup.allocate) return own;
  return [borrow = setup.allocate](std::size_t bytes) {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;  // as in take
    check(cudaThreadExchangeStreamCaptureMode(&mode));
    void* const piece = borrow(bytes);
    check(cudaThreadExchangeStreamCaptureMode(&mode));
    if (!piece)
      throw RunError(
          "the program's allocator has no " + readable_bytes(static_cast<double>(bytes)) + " of device memory",
          Remedy::fewer_values_or_host);
    return piece;
  };
}

// Work in flight may still use a piece, which cudaFree waits for, but an allocator of the program does not.
Arena::Give give_of(const DeviceSetup& setup, std::function<void()> wait) {
  if (!setup.allocate) return [](void* piece) { cudaFree(piece); };
  return [release = setup.release, wait = std::move(wait)](void* piece) {
    wait();
    release(piece);
  };
}

// The null pointer, which is a default stream too, asks for a stream of the backend's own.
bool is_default(const void* stream) {
  return stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

}  // namespace

CudaBackend::CudaBackend(const DeviceSetup& setup)
    : device_(setup.device),
      memory_limit_(setup.memory_limit),
      arena_(take_of(setup, [this](std::size_t bytes) { return take(bytes); }),
             give_of(setup, [this] { cudaStreamSynchronize(stream_); })),
      wanted_(setup.transport) {
  injection::arm();
  if (is_default(setup.stream))
    throw InputError(
        "a backend cannot use a default stream, which cannot be recorded: give a stream that you created, "
        "or none and order the work by wait_for_stream and make_stream_wait");
  check(cudaSetDevice(device_));
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device_));
  description_ = properties.name;
  int driver = 0;
  check(cudaDriverGetVersion(&driver));
  const char* const graphs = std::getenv("POISSON_GRAPHS");  // 0 launches single kernels, for tools that inspect them
  const bool supported = driver >= 12040, wanted = !graphs || graphs != std::string_view("0");
  conditional_nodes_ = supported && wanted;
  if (!supported)
    description_ += " (its driver is older than CUDA 12.4: the host runs the iteration)";
  else if (!wanted)
    description_ += " (POISSON_GRAPHS=0: the host runs the iteration)";
  if (!setup.stream) own_stream_ = make_stream();
  stream_ = setup.stream ? static_cast<cudaStream_t>(setup.stream) : own_stream_.get();
  uploads_ = std::make_unique<UploadRing>(stream_);
  // This piece also has memory for scalars.
  constexpr std::size_t values = most_plane_sums + always_partials;
  arena_.reserve((values + most_plane_sums) * sizeof(double));
  sums_ = allocate(values * sizeof(double) + sizeof(double));
  plane_room_ = {static_cast<double*>(sums_.data()),
                 reinterpret_cast<unsigned*>(static_cast<double*>(sums_.data()) + values)};
  partials_ = plane_room_.of_plane + most_plane_sums;
  watch_ = std::make_unique<Watch>(*this);
}

CudaBackend::~CudaBackend() {
  if (mail_ && std::uncaught_exceptions() > 0) mail_->give_up();
  cudaStreamSynchronize(stream_);
  release_patch_tables(*this);
}

double* CudaBackend::partials(std::int64_t count) {
  if (count <= room_of_partials_) return partials_;
  room_of_partials_ = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)));
  more_partials_.push_back(block(static_cast<std::size_t>(room_of_partials_) * sizeof(double)));
  return partials_ = static_cast<double*>(more_partials_.back().data());
}

double CudaBackend::value_at(const double* scalar) {
  double value = 0;
  read(scalar, &value, sizeof value);
  return value;
}

void CudaBackend::run(std::unique_ptr<Recording>& recording, const std::function<void()>& verbs, Monitor& monitor) {
  if (records_steps() && is_outdated(recording)) recording = record_steps(verbs);
  if (records_steps()) {
    monitor_ = &monitor;
    for (const auto& step : static_cast<const Program&>(*recording).steps) step();
    check(cudaStreamSynchronize(stream_));
    return;
  }
  Watch& w = *watch_;
  const DeviceMonitor start{monitor.rule(), monitor.state()};
  write(&start, w.monitor, sizeof start);
  // A run continues where the last run of the same monitor ended.
  w.mailbox->norms = start.state.iterations == 0 ? 0 : start.state.iterations + 1;
  if (start.state.iterations == 0) {  // a run that continues before any iteration reports these first
    w.mailbox->start = start.state;
    w.mailbox->norm[0] = start.state.last;
  }
  w.mailbox->stop = 0;
  if (dynamic_cast<const PlainRun*>(recording.get())) {
    recording.reset();
    const bool records = std::exchange(conditional_nodes_, false);
    try {
      verbs();
    } catch (...) {
      conditional_nodes_ = records;
      throw;
    }
    conditional_nodes_ = records;
    return;
  }
  if (conditional_nodes_ && is_outdated(recording)) recording = record(verbs, former_graph(recording));
  if (!conditional_nodes_) {  // the host decides after every iteration
    verbs();
    return;
  }
  static_cast<const Graph&>(*recording).launch(stream_);
  follow(monitor);
}

// While the device works, passes norms to the monitor as they appear, and the listener's request to stop to the device.
void CudaBackend::follow(Monitor& monitor) {
  Watch& w = *watch_;
  int heard = monitor.state().iterations == 0 ? 0 : monitor.state().iterations + 1;
  const auto hear = [&] {
    const int count = w.mailbox->norms;
    std::atomic_thread_fence(std::memory_order_acquire);
    for (; heard < count; ++heard) {
      MonitorState state = heard == 0 ? w.mailbox->start : monitor.state();
      state.iterations = heard;
      state.last = w.mailbox->norm[heard % ring];
      if (!monitor.hear(state)) w.mailbox->stop = 1;
    }
  };
  // A short solve ends before a sleeping thread would wake, so the host would see its end 0.1 ms late.
  constexpr std::chrono::milliseconds impatience{20};
  const auto start = std::chrono::steady_clock::now();
  while (cudaStreamQuery(stream_) == cudaErrorNotReady) {
    hear();
    if (std::chrono::steady_clock::now() - start < impatience)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  check(cudaStreamSynchronize(stream_));
  hear();
  MonitorState state;
  read(&w.monitor->state, &state, sizeof state);
  monitor.state() = state;
}

void CudaBackend::begin(Monitor& monitor, const Scalar& raw, const Scalar& data, const Scalar& initial,
                        const Scalar& start, const Scalar& rounding) {
  if (!conditional_nodes_)
    return by_host([this, given = steps_ ? nullptr : &monitor, raw = raw.address(), data = data.address(),
                    initial = initial.address(), start = start.address(), rounding = rounding.address()] {
      Monitor& of_run = given ? *given : *monitor_;
      of_run.begin(value_at(raw), value_at(data), value_at(initial), value_at(start), value_at(rounding));
    });
  on_scalars(stream(), Begin{watch_->monitor, watch_->mailbox_device, raw.address(), data.address(), initial.address(),
                             start.address(), rounding.address()});
}

// Returns the address of the number of processes that have been asked to stop, or null for one process. With this
// number, all processes stop at the same iteration.
const double* CudaBackend::ask_all() {
  if (!mail_) return nullptr;
  on_scalars(stream(), AskedToStop{watch_->mailbox_device, stops_.address()});
  add_planes(stream(), stops_.address(), 1, 1, plane_room_, &mail_->box(), stops_.address());
  return stops_.address();
}

void CudaBackend::observe(Monitor& monitor, const Scalar& norm) {
  if (!conditional_nodes_)
    return by_host([this, given = steps_ ? nullptr : &monitor, norm = norm.address()] {
      Monitor& of_run = given ? *given : *monitor_;
      if (of_run.state().verdict == Verdict::running) of_run.observe(value_at(norm));
    });
  const Observe observe{watch_->monitor, watch_->mailbox_device, norm.address()};
  if (!watch_->loop) return on_scalars(stream(), observe);
  watch_->loop->asked = ask_all();
  on_scalars(stream(), ObserveInLoop{observe, *watch_->loop});
}

void CudaBackend::when_risen(Monitor& monitor, const std::function<void()>& body) {
  if (steps_) {
    end_segment();
    steps_->push_back([this, steps = steps_of(body)] {
      if (monitor_->state().rose == 0) return;
      for (const auto& step : steps) step();
    });
    return begin_segment();
  }
  if (!conditional_nodes_) {
    if (monitor.state().rose != 0) body();
    return;
  }
  cudaGraphConditionalHandle handle{};
  check(cudaGraphConditionalHandleCreate(&handle, recorded_graph(), 0, 0));
  on_scalars(stream(), WhenRisen{watch_->monitor, handle});
  record_into(add_conditional(handle, cudaGraphCondTypeIf), body);
}

void CudaBackend::repeat(int limit, const std::function<void()>& body, Monitor& monitor) {
  if (steps_) {
    end_segment();
    steps_->push_back([this, limit, steps = steps_of(body)] {
      while (monitor_->state().iterations < limit && monitor_->state().verdict == Verdict::running)
        for (const auto& step : steps) step();
    });
    return begin_segment();
  }
  if (!conditional_nodes_) {
    while (monitor.state().iterations < limit && monitor.state().verdict == Verdict::running) body();
    return;
  }
  cudaGraphConditionalHandle handle{};
  check(cudaGraphConditionalHandleCreate(&handle, recorded_graph(), 0, 0));
  const Enter enter{watch_->monitor, watch_->mailbox_device, ask_all(), handle, limit};
  on_scalars(stream(), enter);
  const cudaGraph_t loop = add_conditional(handle, cudaGraphCondTypeWhile);
  watch_->loop = enter;
  record_into(loop, body);
  watch_->loop.reset();
  kernels_.in_loop = count_kernels(loop);
}

}  // namespace poisson::cuda

namespace poisson {

std::unique_ptr<Backend> make_cuda_backend(int device, std::size_t memory_limit, Transport transport) {
  return make_cuda_backend({.device = device, .memory_limit = memory_limit, .transport = transport});
}

std::unique_ptr<Backend> make_cuda_backend(const DeviceSetup& setup) {
  return std::make_unique<cuda::CudaBackend>(setup);
}

}  // namespace poisson
