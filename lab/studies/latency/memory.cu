#include <algorithm>
#include <array>
#include <vector>

#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/read.cuh"
#include "lab/studies/latency/kernels.hpp"
#include "lab/studies/latency/study.hpp"

namespace poisson::lab {
namespace {

using Address = unsigned long long;
constexpr int line_addresses = line_words / 2;

// Writes the address of each node's successor: a step is a load and nothing else.
struct Successor {
  Address* line;
  std::uint32_t nodes;
  __device__ void operator()(std::int64_t node) const {
    const std::int64_t next = next_node(static_cast<std::uint32_t>(node), nodes);
    line[node * line_addresses] = reinterpret_cast<Address>(line + next * line_addresses);
  }
};

struct Walk {
  Address place, nanoseconds;
};

// Reads the timer when the address is known.
__device__ Address time_at(Address place) {
  Address now = 0;
  if (place != 0) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

// Continues from the end of the last walk. A walk that restarted would find its lines in a cache, whatever the size of
// the memory. The first `warm` steps are not timed: they fetch a small set into L1, which each launch finds empty.
__global__ void chase_kernel(int warm, int steps, Walk* walk) {
  Address at = walk->place;
#pragma unroll 1
  for (int i = 0; i < warm; ++i) at = *reinterpret_cast<const Address*>(at);
  const Address start = time_at(at);
#pragma unroll 16
  for (int i = 0; i < steps; ++i) at = *reinterpret_cast<const Address*>(at);
  const Address stop = time_at(at);
  *walk = {at, stop - start};
}

// Lets one thread visit all lines of a piece of memory.
class Chase {
 public:
  Chase(Session& session, std::uint32_t nodes, int steps)
      : session_(session),
        nodes_(nodes),
        warm_(nodes <= most_warm ? static_cast<int>(nodes) : 0),
        steps_(steps),
        line_(session.backend(), std::int64_t{nodes} * line_addresses),
        walk_(session.backend(), 1) {
    on_each(session.backend(), nodes, Successor{line_.data(), nodes});
    start();
  }

  void verify() const {
    start();
    launch();
    const Address* const end = line_.data() + std::int64_t{walk_end(nodes_, warm_ + steps_)} * line_addresses;
    session_.check(walk_.host()[0].place == reinterpret_cast<Address>(end), "latency", name, "the walk ends elsewhere");
  }
  Point measure() const {
    verify();
    std::vector<double> seconds(session_.quick() ? 5 : 11);
    for (double& walk : seconds) {
      launch();
      walk = 1e-9 * static_cast<double>(walk_.host()[0].nanoseconds);
    }
    std::ranges::sort(seconds);
    const std::size_t count = seconds.size(), quarter = count / 4;
    const double median = seconds[count / 2], spread = (seconds[count - 1 - quarter] - seconds[quarter]) / 2 / median;
    return {name, static_cast<double>(line_.bytes()), {median, spread}, 1e9 * median / steps_};
  }

 private:
  static constexpr const char* name = "dependent loads";
  static constexpr std::uint32_t most_warm = 4096;  // lines, more than any L1 holds

  void start() const {
    const Walk first{reinterpret_cast<Address>(line_.data()), 0};
    session_.backend().write(&first, walk_.data(), sizeof first);
  }
  void launch() const {
    const cudaStream_t stream = stream_of(session_.backend());
    chase_kernel<<<1, 1, 0, stream>>>(warm_, steps_, walk_.data());
    cuda::launched(stream);
  }

  Session& session_;
  std::uint32_t nodes_;
  int warm_, steps_;
  Array<Address> line_;
  Array<Walk> walk_;
};

using ReadRow = void (*)(Backend&, const Array<float>&, Grid, const Array<float>& sums);

template <class T>
constexpr int lanes_of = static_cast<int>(sizeof(T) / sizeof(float));

template <class T, int in_flight>
void read_row(Backend& backend, const Array<float>& floats, Grid grid, const Array<float>& sums) {
  const Matrix row{1, floats.size() / lanes_of<T>};
  const cudaStream_t stream = stream_of(backend);
  read_kernel<T, Direction::rows, in_flight>
      <<<static_cast<unsigned>(grid.blocks), static_cast<unsigned>(grid.threads), 0, stream>>>(
          PlainRead<T>{reinterpret_cast<const T*>(floats.data())}, row, sums.data());
  cuda::launched(stream);
}

// Describes the loads that each thread keeps in flight.
struct Loads {
  const char* name;
  int lanes, count;
  ReadRow read;
  const void* kernel;

  /// Returns whether a multiprocessor runs `blocks` blocks of `threads` threads concurrently. Registers may allow
  /// fewer.
  bool resident(int blocks, int threads) const {
    int fitting = 0;
    cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fitting, kernel, threads, 0));
    return fitting >= blocks;
  }
};
template <class T, int count>
Loads loads(const char* name) {
  return {name, lanes_of<T>, count, read_row<T, count>,
          reinterpret_cast<const void*>(&read_kernel<T, Direction::rows, count, PlainRead<T>>)};
}
const std::array all_loads{
    loads<float, 1>("one load of 4 bytes"),
    loads<float, 4>("4 loads of 4 bytes"),
    loads<float4, 1>("one load of 16 bytes"),
    loads<float4, 4>("4 loads of 16 bytes"),
};

ThreadSum oracle_of(const Loads& loads, const Array<float>& floats, Grid grid) {
  return {{1, floats.size() / loads.lanes}, Direction::rows, loads.lanes, grid.size()};
}

}  // namespace

Panel measure_chase(Session& session) {
  constexpr int steps = 16384;  // at least 300 µs, for a timer that counts microseconds
  Panel panel{"chase", "One thread follows addresses scattered over a piece of memory", "bytes", "ns per load", true,
              true};
  constexpr std::size_t smallest = 16 << 10;
  for (std::size_t bytes = smallest; bytes <= session.beyond_caches(); bytes *= session.quick() ? 4 : 2)
    panel.points.push_back(
        Chase(session, static_cast<std::uint32_t>(bytes / (line_words * sizeof(std::uint32_t))), steps).measure());
  return panel;
}

Panel measure_in_flight(Session& session, double latency) {
  Backend& backend = session.backend();
  const int blocks = multiprocessors();
  const double copy = 1e-9 * session.copy_bandwidth();
  const Array<float> floats(backend, static_cast<std::int64_t>(session.beyond_caches() / 2 / sizeof(float)));
  const Array<float> sums(backend, std::int64_t{2} * blocks * most_block_threads);
  fill(backend, floats, NoiseFloat{});
  Panel panel{
      "in-flight", "Reading memory with ever more bytes in flight", "bytes in flight per multiprocessor", "GB/s", true,
      true};
  const std::vector<int> warps =
      session.quick() ? std::vector{1, 4, 16, 64} : std::vector{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  double least = 1e30, most = 0;
  for (const Loads& loads : all_loads)
    for (const int w : warps) {
      const int per_multiprocessor = w > 32 ? 2 : 1;
      const Grid grid{blocks * per_multiprocessor, w * warp_threads / per_multiprocessor};
      if (!loads.resident(per_multiprocessor, grid.threads)) continue;
      const ThreadSum oracle = oracle_of(loads, floats, grid);
      spoil(backend, sums);
      loads.read(backend, floats, grid, sums);
      session.check(mismatches(backend, sums, grid.size(), oracle) == 0, "latency", loads.name, "sums differ");
      const Timing seconds = session.time([&] { loads.read(backend, floats, grid, sums); });
      const double under_way = 4.0 * loads.lanes * loads.count * warp_threads * w;
      panel.points.push_back(
          {loads.name, under_way, seconds, 1e-9 * bytes_read(oracle.matrix, loads.lanes, grid.size()) / seconds});
      least = std::min(least, under_way);
      most = std::max(most, under_way);
    }
  Guide little{"Little's law", {}};
  for (double bytes = least; bytes <= most; bytes *= 1.25)
    little.points.push_back({bytes, predicted_throughput(bytes * blocks, latency, copy)});
  panel.guides = {{"device copy", {{least, copy}}}, little};
  return panel;
}

void verify_memory_latency(Session& session) {
  Backend& backend = session.backend();
  for (const std::uint32_t nodes : {1u, 2u, 128u, 4096u})
    for (const int steps : {1, 17, 5000}) Chase(session, nodes, steps).verify();
  for (const std::int64_t elements : {1, 31, 1000, 65537})
    for (const Grid grid : {Grid{1, 32}, {3, 96}, {5, 1024}})
      for (const Loads& loads : all_loads) {
        const Array<float> floats(backend, elements * loads.lanes);
        const ThreadSum oracle = oracle_of(loads, floats, grid);
        const Array<float> sums(backend, readers(oracle.matrix, grid.size()));
        fill(backend, floats, NoiseFloat{});
        spoil(backend, sums);
        loads.read(backend, floats, grid, sums);
        session.check(mismatches_on_host(sums, oracle) == 0, "latency", loads.name, "sums differ");
      }
}

}  // namespace poisson::lab
