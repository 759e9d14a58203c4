#include <algorithm>
#include <cmath>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/injection.hpp"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/marched.hpp"
#include "backends/cuda/value_columns.cuh"
#include "backends/error.hpp"

namespace poisson::cuda {
namespace {

// Lanes side by side add up the groups of a slice, as many as there are; then the first warp the slices.
__global__ void __launch_bounds__(1024)
    add_partials_kernel(const double* partial, int slices, int groups, double* result) {
  await_others();
  __shared__ double of_slice[most_slices];
  const auto sum_over = [](double sum, int lanes) {
    for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
    return sum;
  };
  int lanes = 1;
  while (lanes < 32 && lanes < groups) lanes *= 2;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % lanes, together = 1024 / lanes;
  for (int first = 0; first < slices; first += together) {
    const int slice = first + thread / lanes;
    double sum = 0;
    if (slice < slices)
#pragma unroll 4
      for (int g = lane; g < groups; g += lanes) sum += partial[slice * groups + g];
    sum = sum_over(sum, lanes);
    if (slice < slices && lane == 0) of_slice[slice] = sum;
  }
  __syncthreads();
  if (thread >= 32) return;
  double sum = 0;
  for (int slice = thread; slice < slices; slice += 32) sum += of_slice[slice];
  sum = sum_over(sum, 32);
  if (thread == 0) *result = sum;
}

// The values of a box in a row, packed or unpacked.
template <class T, bool packs>
struct InRow {
  View<T> v;
  T* row;
  Box box;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    const std::int64_t nx = box.last[0] - box.first[0], ny = box.last[1] - box.first[1];
    for (int k = k0; k < k1; ++k) {
      T& packed = row[((k - box.first[2]) * ny + (j - box.first[1])) * nx + (i - box.first[0])];
      if (packs)
        packed = v(i, j, k);
      else
        v(i, j, k) = packed;
    }
  }
};

template <class T>
struct TakePart {
  View<const T> whole;
  View<T> part;
  int origin[3], turned[3];  // values of axes that close on themselves, 0 of the others
  __device__ int place(int d, int i) const {
    const int at = i + origin[d], n = turned[d];
    return n == 0 ? at : at < 0 ? at + n : at >= n ? at - n : at;
  }
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) part(i, j, k) = whole(place(0, i), place(1, j), place(2, k));
  }
};

// The axis along which a layer of a halo lies.
int axis_across(const Exchange::Piece& piece) {
  int axis = 2;
  while (axis > 0 && piece.from.first[static_cast<std::size_t>(axis)] == piece.to.first[static_cast<std::size_t>(axis)])
    --axis;
  return axis;
}

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

// How the functors of this backend's verbs share launches that a grid's verbs have begun.
struct Steps {
  static constexpr bool joins_any = false;
  template <class T>
  using Columns = ValueColumns<T>;
  template <class T>
  static constexpr SequenceLauncher launcher = nullptr;
};

template <class X, class Y>
__global__ void dense_kernel(DenseRows<X, Y> rows) {
  await_others();
  rows.all(blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

template <class F>
void on_values(CudaBackend& device, Field& x, const F& f) {
  dispatch(x.precision(), [&]<class X>(X) {
    device.for_columns<Steps>(marched(x.layout()).box(), EachValue<X, F>{marched(x.view<X>()), f});
  });
}

// f(value of x, value of y) for all values, each in its field's type.
template <class F>
void on_values(CudaBackend& device, const Field& x, Field& y, const F& f) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      device.for_columns<Steps>(marched(x.layout()).box(),
                                EachPair<const X, Y, F>{marched(x.view<X>()), marched(y.view<Y>()), f});
    });
  });
}

}  // namespace

void add_partials(cudaStream_t stream, const Slices& slices, double* partial, double* result) {
  const int count = slices.groups > 0 ? static_cast<int>(slices.tiling.blocks.z) : 0;
  launch(add_partials_kernel, 1, 1024, stream, partial, count, slices.groups, result);
}

std::size_t CudaBackend::available() const {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return std::min(free, memory_limit_ - memory_.now());
}

void CudaBackend::out_of_memory(std::size_t bytes) const {
  cudaGetLastError();  // this is an answer, no error to stick
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  free = std::min(free, memory_limit_ - memory_.now());
  const auto readable = [](std::size_t n) { return readable_bytes(static_cast<double>(n)); };
  const std::string fitting = readable(memory_.now() + free);
  throw RunError("cannot allocate " + readable(bytes) + " on the device (" + readable(free) + " of " + readable(total) +
                     " are free, and with the " + readable(memory_.now()) + " that the run holds " + fitting +
                     " would fit)",
                 Remedy::fewer_values_or_host);
}

// A piece for the arena.
void* CudaBackend::take(std::size_t bytes) const {
  void* piece = nullptr;
  // Tables of shared launches may need one while the stream is captured; it is no part of what is captured.
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
  arena_.reserve(std::min(bytes, memory_limit_ - memory_.now()));
}

Buffer CudaBackend::allocate(std::size_t bytes) {
  Buffer buffer = block(bytes);
  check(cudaMemsetAsync(buffer.data(), 0, bytes, stream_));
  return buffer;
}

// Memory as it is.
Buffer CudaBackend::block(std::size_t bytes) {
  if (bytes > memory_limit_ - memory_.now() || injection::allocation_fails()) out_of_memory(bytes);
  void* const data = arena_.allocate(bytes);
  memory_.add(bytes);
  return {data, bytes, [this, bytes](void* p) {
            memory_.remove(bytes);
            arena_.release(p);
          }};
}

void CudaBackend::write(const void* host, void* device, std::size_t bytes) {
  check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_));
  check(cudaStreamSynchronize(stream_));
}
void CudaBackend::read(const void* device, void* host, std::size_t bytes) {
  check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_));
  check(cudaStreamSynchronize(stream_));
}

void CudaBackend::fill(Field& x, double value) {
  on_values(*this, x, Fill{value});
}
void CudaBackend::copy(const Field& x, Field& y) {
  on_values(*this, x, y, Copy{});
}
void CudaBackend::convert(const Field& x, Field& y) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      const auto v = marched(x.view<X>());
      Box box = marched(x.layout()).box();
      for (std::size_t d = 0; d < 3; ++d) {
        box.first[d] -= v.halo[d];
        box.last[d] += v.halo[d];
      }
      for_columns<Steps>(box, EachPair<const X, Y, Copy>{v, marched(y.view<Y>()), {}});
    });
  });
}
void CudaBackend::scale(const Scalar& a, const Field& x, Field& y) {
  on_values(*this, x, y, Scale{a.address()});
}
void CudaBackend::axpy(const Scalar& a, const Field& x, Field& y) {
  on_values(*this, x, y, Add{a.address(), 1});
}
void CudaBackend::axmy(const Scalar& a, const Field& x, Field& y) {
  on_values(*this, x, y, Add{a.address(), -1});
}
void CudaBackend::xpay(const Field& x, const Scalar& a, Field& y) {
  on_values(*this, x, y, ScaleAndAdd{a.address()});
}
void CudaBackend::subtract(const Field& x, const Scalar& a, const Field& y, Field& result) {
  copy(x, result);
  axmy(a, y, result);
}

void CudaBackend::dot(const Field& x, const Field& y, Scalar& result) {
  dispatch(x.precision(), [&]<class X>(X) {
    dispatch(y.precision(), [&]<class Y>(Y) {
      sum_columns(stream(), marched(x.layout()).box(), Dot<X, Y>{marched(x.view<X>()), marched(y.view<Y>())},
                  partials(), result.address());
    });
  });
  add_up(x.space(), result);
}

void CudaBackend::join(const Space& space) {
  if (space.whole()) return;
  if (!processes_) {
    processes_ = &space.processes();
    std::string why = wanted_ == Transport::staged ? "as asked for" : Mail::obstacle(*processes_, device_);
    if (wanted_ == Transport::peer && !why.empty())
      throw InputError("backend.transport: peer cannot be had between " + why + ": take auto or staged");
    if (why.empty()) {
      mail_ = std::make_unique<Mail>(*processes_);
      stops_ = scalar();
      reached_ = "peer, memory of each other's GPUs";
    } else {
      reached_ = "staged through the hosts" + (wanted_ == Transport::staged ? "" : ": " + why);
      conditional_nodes_ = false;  // the host takes part in every exchange
    }
  }
  if (mail_) mail_->make_room(space, stream_);
}

template <class Send>
void CudaBackend::send(bool exchange, const Send& by_mail) {
  if (!mail_timer_) return by_mail();
  mail_timer_->start(exchange ? "exchange" : "gather");
  by_mail();
  mail_timer_->stop();
  exchanged_.push_back(exchange);
  constexpr std::size_t most = 1 << 14;  // events
  if (exchanged_.size() == most) waits();
}

Processes::Waits CudaBackend::waits() {
  if (!mail_timer_) return {};
  const std::vector<double> laps = mail_timer_->laps();
  for (std::size_t i = 0; i < laps.size(); ++i) (exchanged_[i] ? waits_.exchanges : waits_.gathers) += laps[i];
  exchanged_.clear();
  return waits_;
}

void CudaBackend::fill_halo(const Field& field, int width) {
  const Exchange& halo = field.space().halo();
  dispatch(field.precision(), [&]<class T>(T) {
    const auto v = const_cast<Field&>(field).view<T>();
    const auto offset = [&](const Box& box) { return &v(box.first[0], box.first[1], box.first[2]) - v.data; };
    for (std::size_t t = 0; t < halo.turns(width).size(); ++t) {
      const Exchange::Turn &turn = halo.turns(width)[t], &sent = halo.sent(width)[t];
      if (!sent.empty()) {
        join(field.space());
        if (mail_)
          send(true, [&] { mail_->swap(stream(), v, axis_across(turn.front()), sent, turn); });
        else
          swap_by_host(field.space().processes(), v, sent, turn);
        continue;
      }
      CopyHalo<T> copy{v, static_cast<int>(turn.size()), {}, {}};
      for (std::size_t p = 0; p < turn.size(); ++p) {
        copy.from[p] = offset(turn[p].from) - offset(turn[0].from);
        copy.to[p] = offset(turn[p].to) - offset(turn[0].from);
      }
      for_columns<Steps>(turn[0].from, copy);
    }
  });
}

// Through the memory of the hosts.
template <class T>
void CudaBackend::swap_by_host(const Processes& processes, const View<T>& v, const Exchange::Turn& sent,
                               const Exchange::Turn& received) {
  std::vector<Processes::Message> out, in;
  const auto bytes = [](const Box& box) { return static_cast<std::size_t>(box.size()) * sizeof(T); };
  const auto pieces = [&](const Exchange::Turn& turn, bool from, auto& buffers, auto& messages) {
    for (std::size_t p = 0; p < turn.size(); ++p) {
      buffers[p].resize(bytes(from ? turn[p].from : turn[p].to));
      messages.push_back({turn[p].patch, turn[p].side, buffers[p].data(), buffers[p].size()});
    }
  };
  pieces(sent, true, out_, out);
  pieces(received, false, in_, in);
  std::size_t most = 0;
  for (const auto& message : out) most = std::max(most, message.bytes);
  for (const auto& message : in) most = std::max(most, message.bytes);
  const Buffer packed = block(most);
  T* const there = static_cast<T*>(packed.data());
  for (std::size_t p = 0; p < sent.size(); ++p) {
    for_columns<Steps>(sent[p].from, InRow<T, true>{v, there, sent[p].from});
    read(there, out[p].data, out[p].bytes);
  }
  processes.start(out, in)->finish();
  for (std::size_t p = 0; p < received.size(); ++p) {
    write(in[p].data, there, in[p].bytes);
    for_columns<Steps>(received[p].to, InRow<T, false>{v, there, received[p].to});
  }
  check(cudaStreamSynchronize(stream_));  // before the memory goes
}

void CudaBackend::gather(const Field& part, Field& whole) {
  const Space& space = part.space();
  join(space);
  dispatch(part.precision(), [&]<class T>(T) {
    if (mail_ && mail_->takes_parts(space)) {
      return send(false, [&] { mail_->gather(stream(), space, part.view<T>(), whole.view<T>()); });
    }
    // By the hosts, each part in a row.
    const Processes& processes = space.processes();
    std::size_t most = 0;
    for (int p = 0; p < processes.count(); ++p)
      most = std::max(most, static_cast<std::size_t>(space.with_ends(p).size()) * sizeof(T));
    std::vector<char> own(most), all(most * static_cast<std::size_t>(processes.count()));
    const Buffer packed = block(most);
    T* const there = static_cast<T*>(packed.data());
    Box box = space.with_ends(processes.rank());
    for (std::size_t d = 0; d < 3; ++d) {
      box.first[d] -= space.origin()[d];
      box.last[d] -= space.origin()[d];
    }
    for_columns<Steps>(box, InRow<T, true>{const_cast<Field&>(part).view<T>(), there, box});
    read(there, own.data(), most);
    processes.gather(own.data(), most, all.data());
    for (int p = 0; p < processes.count(); ++p) {
      write(all.data() + most * static_cast<std::size_t>(p), there, most);
      for_columns<Steps>(space.with_ends(p), InRow<T, false>{whole.view<T>(), there, space.with_ends(p)});
    }
    check(cudaStreamSynchronize(stream_));
  });
}

void CudaBackend::take_part(const Field& whole, Field& part) {
  const Space& space = part.space();
  dispatch(part.precision(), [&]<class T>(T) {
    TakePart<T> take{whole.view<T>(), part.view<T>(), {}, {}};
    Box box;
    for (std::size_t d = 0; d < 3; ++d) {
      take.origin[d] = space.origin()[d];
      take.turned[d] = space.closed()[d] && space.all()[d] > 1 ? space.all()[d] : 0;
      box.first[d] = -take.part.halo[d];
      box.last[d] = take.part.n[d] + take.part.halo[d];
      if (space.closed()[d]) continue;
      box.first[d] = std::max(box.first[d], -take.whole.halo[d] - space.origin()[d]);
      box.last[d] = std::min(box.last[d], space.all()[d] + take.whole.halo[d] - space.origin()[d]);
    }
    for_columns<Steps>(box, take);
  });
}

void CudaBackend::add_up(const Space& space, const Scalar& result) {
  if (space.whole()) return;
  join(space);
  if (mail_) return send(false, [&] { mail_->add_up(stream(), result.address(), 1); });
  const double sum = space.processes().sum(value(result));
  write(&sum, result.address(), sizeof sum);
}

void CudaBackend::dense_product(const Buffer& matrix, const Buffer& index, int rows, int blocks, const Field& x,
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
      if (recording_ && all <= small_box && pending_.add<Steps>(stream_, {}, product)) return;
      launch(dense_kernel<X, Y>, static_cast<unsigned>(all + 7) / 8, 256, stream(), product);
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
