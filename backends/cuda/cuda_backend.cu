#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/injection.hpp"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/marched.hpp"
#include "backends/cuda/patch_columns.cuh"
#include "backends/cuda/value_columns.cuh"
#include "backends/device/transport_choice.hpp"
#include "backends/memory/ordered_sum.hpp"
#include "backends/memory/round_up.hpp"

namespace poisson::cuda {
namespace {

struct Ratio {
  const double *a, *b;
  double* to;
  __device__ void operator()() const { *to = *b == 0 ? 0 : *a / *b; }
};
struct Negate {
  double* a;
  __device__ void operator()() const { *a = -*a; }
};
struct Assign {
  const double* a;
  double* to;
  __device__ void operator()() const { *to = *a; }
};
struct ScaleToUnit {
  const double* norm;
  double count;
  double *scale, *inverse;
  __device__ void operator()() const {
    const double square = *norm / count;
    const int k = square > 0 && is_finite(square) ? ilogb(sqrt(square)) : 0;
    *scale = ldexp(1.0, -k);
    *inverse = ldexp(1.0, k);
  }
};

// Matrices with at most this number of entries share a launch with other small operations.
constexpr std::int64_t most_shared_entries = 1 << 14;

template <class X, class Y>
__global__ void dense_kernel(DenseRows<X, Y> rows) {
  await_others();
  rows.all(blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

// Return the functors of the patches of a group.
template <class X, class F>
struct ValuesOf {
  PatchView<X> x;
  F f;
  constexpr EachValue<X, F> operator()(int p) const { return {x[p], f}; }
};
template <class X, class Y, class F>
struct PairsOf {
  PatchView<X> x;
  PatchView<Y> y;
  F f;
  constexpr EachPair<X, Y, F> operator()(int p) const { return {x[p], y[p], f}; }
};
template <class X, class Y>
struct DotsOf {
  PatchView<const X> x;
  PatchView<const Y> y;
  constexpr Dot<X, Y> operator()(int p) const { return {x[p], y[p]}; }
};

constexpr auto written_values = [](const PatchGroup& group) { return group.values; };

template <class F>
void on_values(CudaBackend& device, Field& x, const F& f) {
  dispatch(x.precision(), [&]<class X>(X) {
    for_groups<SharedSteps>(device, x.space(), written_values, [&](std::size_t g) {
      return ValuesOf<X, F>{marched(x.patches<X>(g)), f};
    });
  });
}

// Calls f(value of x, value of y) for all values, each in the type of its field.
template <class BoxOf, class F>
void on_pairs(CudaBackend& device, const Field& x, Field& y, const BoxOf& box_of, const F& f) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      for_groups<SharedSteps>(device, x.space(), box_of, [&](std::size_t g) {
        return PairsOf<const X, Y, F>{marched(x.patches<X>(g)), marched(y.patches<Y>(g)), f};
      });
    });
  });
}
template <class F>
void on_values(CudaBackend& device, const Field& x, Field& y, const F& f) {
  on_pairs(device, x, y, written_values, f);
}

bool is_zero(const char* variable) {
  const char* const text = std::getenv(variable);
  return text && text == std::string_view("0");
}

}  // namespace

std::size_t CudaBackend::available() const {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return std::min(free, room_left());
}

void CudaBackend::out_of_memory(std::size_t bytes) const {
  cudaGetLastError();  // clears the error, which is handled here
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  free = std::min(free, room_left());
  const auto readable = [](std::size_t n) { return readable_bytes(static_cast<double>(n)); };
  const std::string fitting = readable(memory_.now() + free);
  throw RunError("cannot allocate " + readable(bytes) + " on the device (" + readable(free) + " of " + readable(total) +
                     " are free; the run has allocated " + readable(memory_.now()) + " and can have " + fitting +
                     " in total)",
                 Remedy::fewer_values_or_host);
}

// Allocates a piece for the arena.
void* CudaBackend::take(std::size_t bytes) const {
  void* piece = nullptr;
  // Shared launches may allocate tables while the stream is captured. The allocation must not become part of the
  // capture.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  check(cudaThreadExchangeStreamCaptureMode(&mode));
  const cudaError_t status = cudaMalloc(&piece, bytes);
  check(cudaThreadExchangeStreamCaptureMode(&mode));
  if (status == cudaErrorMemoryAllocation) out_of_memory(bytes);
  check(status);
  return piece;
}

void CudaBackend::reserve(std::size_t bytes) {
  if (injection::allocation_fails()) out_of_memory(bytes);
  arena_.reserve(std::min(bytes, room_left()));
}

Buffer CudaBackend::allocate(std::size_t bytes) {
  Buffer buffer = block(bytes);
  check(cudaMemsetAsync(buffer.data(), 0, bytes, stream_));
  return buffer;
}

// Allocates uninitialized memory.
Buffer CudaBackend::block(std::size_t bytes) {
  if (bytes > room_left() || injection::allocation_fails()) out_of_memory(bytes);
  void* const data = arena_.allocate(bytes);
  memory_.add(bytes);
  return {data, bytes, [this, bytes](void* p) {
            memory_.remove(bytes);
            arena_.release(p);
          }};
}

void CudaBackend::write(const void* host, void* device, std::size_t bytes) {
  if (stream_ == uploads_->stream() && uploads_->write(host, device, bytes)) return;
  check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_));
  check(cudaStreamSynchronize(stream_));
}
void CudaBackend::read(const void* device, void* host, std::size_t bytes) {
  check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_));
  check(cudaStreamSynchronize(stream_));
}

void CudaBackend::do_fill(Field& x, double value) {
  on_values(*this, x, Fill{value});
}
void CudaBackend::do_copy(const Field& x, Field& y) {
  on_values(*this, x, y, Copy{});
}
void CudaBackend::do_convert(const Field& x, Field& y) {
  on_pairs(
      *this, x, y, [](const PatchGroup& group) { return group.layout.with_halo(); }, Copy{});
}
void CudaBackend::do_scale(const Scalar& a, const Field& x, Field& y) {
  on_values(*this, x, y, Scale{a.address()});
}
void CudaBackend::do_axpy(const Scalar& a, const Field& x, Field& y) {
  on_values(*this, x, y, Add{a.address(), 1});
}
void CudaBackend::do_axmy(const Scalar& a, const Field& x, Field& y) {
  on_values(*this, x, y, Add{a.address(), -1});
}
void CudaBackend::do_xpay(const Field& x, const Scalar& a, Field& y) {
  on_values(*this, x, y, ScaleAndAdd{a.address()});
}
void CudaBackend::do_subtract(const Field& x, const Scalar& a, const Field& y, Field& result) {
  copy(x, result);
  axmy(a, y, result);
}

void CudaBackend::do_dot(const Field& x, const Field& y, Scalar& result) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      const auto of_group = [&](std::size_t g) {
        return DotsOf<X, Y>{marched(x.patches<X>(g)), marched(y.patches<Y>(g))};
      };
      if (!is_box(x.space()))
        return sum_groups(*this, x.space(), patch_tables(*this).of(x.space()).counted, of_group, result);
      sum(x.space(), marched(x.layout()).box(), planes_marched(x.space()), of_group(0)(0), result);
    });
  });
}

void CudaBackend::reserve_halo_buffers(const Space& space) {
  if (!space.is_global()) reserve_halo_buffers(space.processes(), MailSizes::of(space));
  if (is_box(space)) return;
  std::int64_t most = 0;
  for (const ExchangeTable& step : patch_tables(*this).of(space).steps[0]) most = std::max(most, step.most);
  if (!space.is_global())
    reserve_halo_buffers(space.processes(), MailSizes::of_parts(static_cast<std::size_t>(most) * sizeof(double)));
}

void CudaBackend::reserve_halo_buffers(const Processes& processes, const MailSizes& sizes) {
  if (!processes_) connect(processes);
  if (!mail_) return;
  if (processes_ != &processes)
    throw InputError(
        "POISSON_MACHINES: processes whose GPUs reach each other's mailboxes are on one machine, and have no groups "
        "(unset the variable)");
  mail_->make_room(sizes, stream_);
}

// Chooses the transport to the other processes.
void CudaBackend::connect(const Processes& processes) {
  processes_ = &processes;
  reached_ = choose_transport();
  stops_ = scalar();
  // Without mailboxes the host is involved in every exchange, so no loop can run on the device.
  if (!mail_) conditional_nodes_ = false;
}

// Prefers kernels that store into memory of other GPUs, then kernels that store into shared memory of the host, then
// messages that the hosts send.
std::string CudaBackend::choose_transport() {
  const std::string no_peer = Mail::obstacle(*processes_, device_, MailPlace::devices);
  std::string no_mpi = processes_->without_device_memory();
  // Environment variables may not be set on all machines.
  if (processes_->any(!no_mpi.empty()) && no_mpi.empty())
    no_mpi = "MPI is not known to accept GPU memory on every process";
  const auto refuse = [this](const std::string& why, const char* more = "") {
    throw TransportError(std::string("backend.transport: ") + name_of(wanted_) + " is not available (" + why +
                             "): use auto or staged" + more,
                         why);
  };
  if (wanted_ == Transport::peer && !no_peer.empty()) refuse("between " + no_peer);
  if (wanted_ == Transport::mpi && !no_mpi.empty())
    refuse(no_mpi, ", or set POISSON_MPI_DEVICE_MEMORY=1 if MPI accepts GPU memory");
  const bool automatic = wanted_ == Transport::automatic;
  if (wanted_ == Transport::peer || (automatic && no_peer.empty())) {
    mail_ = std::make_unique<Mail>(*processes_, MailPlace::devices, memory_);
    // With POISSON_TICKETS=0 each exchange is a separate kernel, to measure the gain of exchanges inside other kernels.
    kernels_exchange_ = !is_zero("POISSON_TICKETS") && !is_zero("POISSON_OVERLAP");
    return "peer, memory of each other's GPUs";
  }
  std::string not_shared;
  if (wanted_ != Transport::mpi) {
    not_shared = Mail::obstacle(*processes_, device_, MailPlace::host);
    if (not_shared.empty()) {
      mail_ = std::make_unique<Mail>(*processes_, MailPlace::host, memory_);
      return "staged through memory of the host";
    }
  }
  const bool through_host = wanted_ == Transport::staged || !no_mpi.empty();
  staging_ = std::make_unique<Staging>(through_host);
  return through_host ? "staged through the hosts; not in shared memory: " + not_shared : "mpi, from GPU to GPU";
}

void CudaBackend::add_up(const Space& space, const PlaneSums& sums, int planes, const Scalar& result) {
  const int count = sums.count(planes);
  const auto add = [&](const Mailbox* mail, double* to) {
    add_planes(stream(), partials(), count, sums.groups, plane_room_, mail, to);
  };
  if (space.is_global()) return add(nullptr, result.address());
  reserve_halo_buffers(space);
  if (mail_) return send(false, [&] { add(&mail_->box(), result.address()); });
  add(nullptr, nullptr);
  const int most_planes =
      is_box(space) ? std::max(space.part().most_values()[1], space.part().most_values()[2]) : space.most_planes();
  const auto most = static_cast<std::size_t>(most_planes) + 2;
  by_host([this, count, most, space, to = result.address()] {
    const std::vector<double> all =
        staging_->gather(stream_, plane_room_.of_plane, static_cast<std::size_t>(count), most, space.processes());
    const double sum =
        ordered_sum(static_cast<int>(all.size()), [&](int i) { return all[static_cast<std::size_t>(i)]; });
    write(&sum, to, sizeof sum);
  });
}

void CudaBackend::do_dense_product(const Buffer& matrix, const Buffer& index, int rows, int blocks, const Field& x,
                                   Field& y) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      const DenseRows<X, Y> product{static_cast<const double*>(matrix.data()),
                                    static_cast<const std::int64_t*>(index.data()),
                                    rows,
                                    blocks,
                                    x.view<X>().data,
                                    y.view<Y>().data};
      const int all = rows * blocks;
      // One block would take long to read a larger matrix.
      const bool small = all <= most_shared_values && std::int64_t{rows} * all <= most_shared_entries;
      if (recording_ && small && pending_.add<SharedSteps>(stream_, {}, product)) return;
      launch(dense_kernel<X, Y>, static_cast<unsigned>(divide_up(all, 8)), 256, stream(), product);
    });
  });
}

void CudaBackend::ratio(const Scalar& a, const Scalar& b, Scalar& result) {
  on_scalars(stream(), Ratio{a.address(), b.address(), result.address()});
}
void CudaBackend::negate(Scalar& a) {
  on_scalars(stream(), Negate{a.address()});
}
void CudaBackend::assign(const Scalar& a, Scalar& result) {
  on_scalars(stream(), Assign{a.address(), result.address()});
}
void CudaBackend::scale_to_unit(const Scalar& norm, double count, Scalar& scale, Scalar& inverse) {
  on_scalars(stream(), ScaleToUnit{norm.address(), count, scale.address(), inverse.address()});
}

}  // namespace poisson::cuda
