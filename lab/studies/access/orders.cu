// Reading orders of threads: within a segment, of segments, of single elements, and a contiguous piece for each thread.

#include <array>

#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/verify.cuh"
#include "lab/studies/access/kernels.hpp"
#include "lab/studies/access/study.hpp"

namespace poisson::lab {
namespace {

constexpr int in_flight = 4;

// Orders are function objects: they return the element of thread i, and whether that thread reads.
struct Reading {
  std::int64_t elements;
  constexpr std::int64_t operator()(std::int64_t i) const { return i; }
  constexpr std::int64_t taken() const { return elements; }
  static constexpr bool takes(std::int64_t) { return true; }
};
struct InOrder : Reading {};
struct WithinSegments : Reading {
  constexpr std::int64_t operator()(std::int64_t i) const { return within_segment(i); }
};
struct ScatteredSegments : Reading {
  constexpr std::int64_t operator()(std::int64_t i) const { return scattered_segments(i, elements); }
};
struct ScatteredElements : Reading {
  constexpr std::int64_t operator()(std::int64_t i) const { return scattered_elements(i, elements); }
};
template <bool alternate>
struct HalfOfThreads : Reading {
  constexpr std::int64_t taken() const { return elements / 2; }
  static constexpr bool takes(std::int64_t i) { return alternate ? in_even_lane(i) : in_lower_half(i); }
};

// Sets out[i] = in[order(i)], or 0 if thread i does not read. Only the reads differ between orders.
template <class Order>
__global__ void __launch_bounds__(threads)
    gather_kernel(const std::uint32_t* __restrict__ in, std::uint32_t* __restrict__ out, Order order) {
  const std::int64_t first = std::int64_t{blockIdx.x} * (threads * in_flight) + threadIdx.x;
  std::uint32_t value[in_flight] = {};
#pragma unroll
  for (int k = 0; k < in_flight; ++k)
    if (first + k * threads < order.elements && order.takes(first + k * threads))
      value[k] = in[order(first + k * threads)];
#pragma unroll
  for (int k = 0; k < in_flight; ++k)
    if (first + k * threads < order.elements) out[first + k * threads] = value[k];
}

template <class Order>
struct GatheredWord {
  Order order;
  constexpr std::uint32_t operator()(std::int64_t i) const {
    return order.takes(i) ? noise(static_cast<std::uint64_t>(order(i))) : 0;
  }
};

template <class Order>
void gather(Backend& backend, const Array<std::uint32_t>& in, const Array<std::uint32_t>& out, const Order& order) {
  const cudaStream_t stream = stream_of(backend);
  const std::int64_t per_block = threads * in_flight;
  gather_kernel<<<static_cast<unsigned>((order.elements + per_block - 1) / per_block), threads, 0, stream>>>(
      in.data(), out.data(), order);
  cuda::launched(stream);
}

struct Arrays {
  Array<std::uint32_t> in, out;
  Arrays(Backend& backend, std::int64_t elements) : in(backend, elements), out(backend, elements) {
    fill(backend, in, Noise{});
  }
};

template <class Order>
void verify_order(Session& session, const Arrays& arrays, const char* name) {
  const Order order{{arrays.in.size()}};
  spoil(session.backend(), arrays.out);
  gather(session.backend(), arrays.in, arrays.out, order);
  session.check(mismatches_on_host(arrays.out, GatheredWord<Order>{order}) == 0, "access", name, "elements differ");
}

template <class Order>
Point measure_order(Session& session, const Arrays& arrays, const char* name) {
  Backend& backend = session.backend();
  const Order order{{arrays.in.size()}};
  spoil(backend, arrays.out);
  gather(backend, arrays.in, arrays.out, order);
  session.check(mismatches(backend, arrays.out, order.elements, GatheredWord<Order>{order}) == 0, "access", name,
                "elements differ");
  const Timing seconds = session.time([&] { gather(backend, arrays.in, arrays.out, order); });
  const double words = static_cast<double>(order.elements + order.taken());
  return {name, 0, seconds, 1e-9 * sizeof(std::uint32_t) * words / seconds};
}

struct CachedLoad {
  static __device__ std::uint32_t load(const std::uint32_t* at) { return *at; }
};
struct UncachedLoad {
  static __device__ std::uint32_t load(const std::uint32_t* at) { return __ldcg(at); }
};

// Each thread adds `piece` contiguous words into sums[thread]. The load instruction alone decides about caches, because
// no pointer is volatile. The loop is not unrolled, which would merge loads into 16-byte reads.
template <class Load>
__global__ void __launch_bounds__(threads)
    piece_kernel(const std::uint32_t* in, std::uint32_t* sums, int piece, std::int64_t pieces) {
  for (std::int64_t p = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; p < pieces;
       p += std::int64_t{gridDim.x} * blockDim.x) {
    const std::uint32_t* const mine = in + p * piece;
    std::uint32_t sum = 0;
#pragma unroll 1
    for (int step = 0; step < piece; ++step) sum = 3 * sum + Load::load(mine + step);
    sums[p] = sum;
  }
}

// The oracle 3 (3 (3·0 + w0) + w1) + … depends on the order of the words.
struct PieceSum {
  int piece;
  constexpr std::uint32_t operator()(std::int64_t p) const {
    std::uint32_t sum = 0;
    for (int step = 0; step < piece; ++step) sum = 3 * sum + noise(static_cast<std::uint64_t>(p * piece + step));
    return sum;
  }
};

template <class Load>
void add_pieces(Backend& backend, const Arrays& arrays, int piece, int blocks, int block_threads) {
  const cudaStream_t stream = stream_of(backend);
  piece_kernel<Load><<<static_cast<unsigned>(blocks), static_cast<unsigned>(block_threads), 0, stream>>>(
      arrays.in.data(), arrays.out.data(), piece, arrays.in.size() / piece);
  cuda::launched(stream);
}

struct PieceVariant {
  const char* name;
  void (*add)(Backend&, const Arrays&, int piece, int blocks, int block_threads);
};
constexpr std::array piece_variants{
    PieceVariant{piece_names[0], add_pieces<CachedLoad>},
    PieceVariant{piece_names[1], add_pieces<UncachedLoad>},
};

Panel measure_pieces(Session& session, const Arrays& arrays) {
  Panel panel{"pieces", "A piece of memory for each thread", "words in a thread's piece", "GB/s read", true, true};
  const int processors = multiprocessors();
  for (const PieceVariant& variant : piece_variants)
    for (const int piece : session.quick() ? std::vector{1, 16, 256} : std::vector{1, 2, 4, 8, 16, 32, 64, 128, 256}) {
      constexpr int resident_threads = 2048;
      const int blocks = processors * resident_threads / threads;
      const auto add = [&] { variant.add(session.backend(), arrays, piece, blocks, threads); };
      spoil(session.backend(), arrays.out);
      add();
      session.check(mismatches(session.backend(), arrays.out, arrays.in.size() / piece, PieceSum{piece}) == 0, "access",
                    variant.name, "sums differ");
      const Timing seconds = session.time(add);
      panel.points.push_back(
          {variant.name, static_cast<double>(piece), seconds, 1e-9 * static_cast<double>(arrays.in.bytes()) / seconds});
    }
  panel.guides = {{"device copy", {{1, session.machine().copy}}}};
  return panel;
}

}  // namespace

Panels measure_orders(Session& session) {
  Panel orders{"orders", "Reading the same words in other orders", "", "GB/s read and written"};
  {
    const Arrays arrays(session.backend(), std::int64_t{1} << 28);
    orders.points = {measure_order<InOrder>(session, arrays, order_names[0]),
                     measure_order<WithinSegments>(session, arrays, order_names[1]),
                     measure_order<ScatteredSegments>(session, arrays, order_names[2]),
                     measure_order<ScatteredElements>(session, arrays, order_names[3]),
                     measure_order<HalfOfThreads<false>>(session, arrays, order_names[4]),
                     measure_order<HalfOfThreads<true>>(session, arrays, order_names[5])};
    orders.guides = {{"device copy", {{0, session.machine().copy}}}};
  }
  const Arrays arrays(session.backend(), std::int64_t{1} << 26);
  return {orders, measure_pieces(session, arrays)};
}

void verify_orders(Session& session) {
  for (const std::int64_t elements : {32, 1024, 1 << 16}) {
    const Arrays arrays(session.backend(), elements);
    verify_order<InOrder>(session, arrays, order_names[0]);
    verify_order<WithinSegments>(session, arrays, order_names[1]);
    verify_order<ScatteredSegments>(session, arrays, order_names[2]);
    verify_order<ScatteredElements>(session, arrays, order_names[3]);
    verify_order<HalfOfThreads<false>>(session, arrays, order_names[4]);
    verify_order<HalfOfThreads<true>>(session, arrays, order_names[5]);
    for (const PieceVariant& variant : piece_variants)
      for (const int piece : {1, 5, 32}) {
        spoil(session.backend(), arrays.out);
        variant.add(session.backend(), arrays, piece, 3, 32);
        const Array<std::uint32_t>& out = arrays.out;
        session.check(mismatches(session.backend(), out, elements / piece, PieceSum{piece}) == 0, "access",
                      variant.name, "sums differ");
      }
  }
}

}  // namespace poisson::lab
