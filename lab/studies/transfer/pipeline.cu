// Compares the pinned pipeline with its two bounds: no overlap, and the slowest part alone.

#include <algorithm>
#include <array>
#include <cstring>

#include "lab/studies/transfer/bus.cuh"
#include "lab/studies/transfer/study.hpp"

namespace poisson::lab {
namespace {

__global__ void rounds_kernel(std::uint32_t* values, std::size_t count, int rounds) {
  for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * threads) {
    std::uint32_t value = values[i];
    for (int round = 0; round < rounds; ++round) value = one_round(value);
    values[i] = value;
  }
}

void compute(void* values, std::size_t bytes, int rounds, cudaStream_t stream) {
  const std::size_t count = bytes / sizeof(std::uint32_t);
  const auto blocks = static_cast<unsigned>(std::min<std::size_t>((count + threads - 1) / threads, 1U << 16));
  rounds_kernel<<<blocks, threads, 0, stream>>>(static_cast<std::uint32_t*>(values), count, rounds);
  cuda::launched(stream);
}

// Contains the seconds of each part alone, over all the bus's bytes.
struct Parts {
  double up, down, both;
};

Parts parts_of(Session& session, Bus& bus) {
  const auto seconds = [&](const Way& way) { return session.time([&] { bus.move(way, bus.bytes()); }); };
  return {seconds({"up", true, true, false}), seconds({"down", true, false, true}),
          seconds({"both", true, true, true})};
}

// Computes in place on all bytes.
class Computation {
 public:
  Computation(Session& session, std::size_t bytes) : session_(session), memory_(session.backend().allocate(bytes)) {}

  double seconds(int rounds) {
    const cudaStream_t stream = stream_of(session_.backend());
    return session_.time([&] { compute(memory_.data(), memory_.bytes(), rounds, stream); });
  }
  // Returns the rounds that need about `seconds_wanted`: a line through two measurements that are not limited by
  // memory.
  int rounds_for(double seconds_wanted) {
    constexpr int few = 256, many = 1024;
    const double fixed = seconds(few), per_round = (seconds(many) - fixed) / (many - few);
    return std::max(1, few + static_cast<int>((seconds_wanted - fixed) / per_round));
  }

 private:
  Session& session_;
  Buffer memory_;
};

Point measure(Session& session, Bus& bus, std::size_t chunks, int rounds) {
  const std::size_t values = bus.bytes() / sizeof(std::uint32_t), chunk = (values + chunks - 1) / chunks;
  Pipeline pipeline(session.backend(), chunk * sizeof(std::uint32_t));
  std::memset(bus.to(), 0xFF, bus.bytes());
  Point point{.variant = std::string(transfer_names::pipeline), .x = static_cast<double>(chunks), .seconds = {}};
  point.seconds = session.time([&] {
    pipeline.run(bus.from(), bus.to(), bus.bytes(), [&](void* at, std::size_t bytes, std::size_t, void* stream) {
      compute(at, bytes, rounds, static_cast<cudaStream_t>(stream));
    });
  });
  const std::int64_t wrong = wrong_values({bus.from(), values}, {bus.to(), values}, rounds);
  session.check(wrong == 0, "transfer", point.variant,
                std::to_string(wrong) + " values are wrong in " + std::to_string(chunks) + " chunks");
  point.value = 2e-9 * static_cast<double>(bus.bytes()) / point.seconds;
  return point;
}

}  // namespace

std::vector<Panel> pipeline_panels(Session& session, Bus& bus) {
  struct Weight {
    std::string_view name, title;
    double of_bus;  // seconds of computing per second of the bus
  };
  constexpr std::array weights{
      Weight{"pipeline-light", "Pipeline with little to compute", 0.25},
      Weight{"pipeline-balanced", "Pipeline that computes as long as it transfers", 1},
      Weight{"pipeline-heavy", "Pipeline that computes twice as long as it transfers", 2},
  };
  const std::vector<std::size_t> counts = session.quick()
                                              ? std::vector<std::size_t>{1, 4, 16, 64}
                                              : std::vector<std::size_t>{1, 2, 3, 4, 8, 16, 32, 64, 128, 256};
  const Parts parts = parts_of(session, bus);
  Computation computation(session, bus.bytes());
  const double moved = 2e-9 * static_cast<double>(bus.bytes());
  std::vector<Panel> panels;
  for (const Weight& weight : weights) {
    const int rounds = computation.rounds_for(weight.of_bus * parts.both);
    const double computing = computation.seconds(rounds);
    Panel panel{.name = std::string(weight.name),
                .title = std::string(weight.title),
                .x_label = "chunks",
                .y_label = "GB/s up and down",
                .log_x = true};
    for (const std::size_t chunks : counts) panel.points.push_back(measure(session, bus, chunks, rounds));
    panel.guides = {
        {"no overlap: up, compute, down", {{1, moved / (parts.up + computing + parts.down)}}},
        {"ideal: the slower of computing and both directions at once", {{1, moved / std::max(computing, parts.both)}}}};
    panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace poisson::lab
