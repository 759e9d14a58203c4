// Uses the device as a coprocessor: chunk i + 1 moves up while the device computes chunk i and the host processes chunk
// i − 1.

#include <algorithm>
#include <array>
#include <cstring>

#include "lab/studies/transfer/bus.cuh"
#include "lab/studies/transfer/study.hpp"

namespace poisson::lab {
namespace {

constexpr int device_rounds = 512, host_rounds = 24;

// Applies device_rounds rounds to each word and adds every `folded` words into one result, so results are a 64th of the
// input.
__global__ void fold_kernel(const std::uint32_t* words, std::uint32_t* results, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  const std::size_t result = i / folded;
  if (result >= count) return;
  std::uint32_t word = words[i];
  for (int round = 0; round < device_rounds; ++round) word = one_round(word);
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) word += __shfl_down_sync(0xffffffffu, word, offset);
  if (i % 32 == 0) atomicAdd(&results[result], word);
}

// Applies the host's rounds to the results and adds them.
std::uint32_t post_processed(const std::uint32_t* results, std::size_t count) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t word = results[i];
    for (int round = 0; round < host_rounds; ++round) word = one_round(word);
    sum += word;
  }
  return sum;
}

class Coprocessor {
 public:
  Coprocessor(Bus& bus, Session& session, std::size_t chunks)
      : bus_(bus), words_(bus.bytes() / sizeof(std::uint32_t)), chunk_(words_ / chunks), results_(words_ / folded * 4) {
    for (Lane& lane : lanes_)
      lane = {session.backend().allocate(chunk_ * 4), session.backend().allocate(chunk_ / folded * 4),
              cuda::make_stream()};
  }

  // Processes all chunks. If overlapped, the host processes a chunk while the next one is in flight.
  std::uint32_t run(bool overlapped) {
    std::uint32_t sum = 0;
    const std::size_t chunks = words_ / chunk_;
    for (std::size_t i = 0; i < chunks; ++i) {
      send(i);
      if (!overlapped) sum += receive(i);
      if (overlapped && i > 0) sum += receive(i - 1);
    }
    if (overlapped) sum += receive(chunks - 1);
    return sum;
  }

  double host_seconds(Session& host) {
    volatile std::uint32_t kept = 0;
    return host.time([&] { kept = post_processed(results_.as<std::uint32_t>(), words_ / folded); });
  }

 private:
  struct Lane {
    Buffer words, results;
    cuda::Stream stream;
  };

  std::uint32_t* results_of(std::size_t i) { return results_.as<std::uint32_t>() + i * (chunk_ / folded); }
  void send(std::size_t i) {
    Lane& lane = lanes_[i % lanes_.size()];
    const std::size_t count = chunk_ / folded;
    const cudaStream_t stream = lane.stream.get();
    cuda::check(
        cudaMemcpyAsync(lane.words.data(), bus_.from() + i * chunk_, chunk_ * 4, cudaMemcpyHostToDevice, stream));
    cuda::check(cudaMemsetAsync(lane.results.data(), 0, count * 4, stream));
    fold_kernel<<<static_cast<unsigned>((chunk_ + threads - 1) / threads), threads, 0, stream>>>(
        static_cast<const std::uint32_t*>(lane.words.data()), static_cast<std::uint32_t*>(lane.results.data()), count);
    cuda::launched(stream);
    cuda::check(cudaMemcpyAsync(results_of(i), lane.results.data(), count * 4, cudaMemcpyDeviceToHost, stream));
  }
  std::uint32_t receive(std::size_t i) {
    cuda::check(cudaStreamSynchronize(lanes_[i % lanes_.size()].stream.get()));
    return post_processed(results_of(i), chunk_ / folded);
  }

  Bus& bus_;
  std::size_t words_, chunk_;
  PinnedBuffer results_;
  std::array<Lane, 3> lanes_;
};

}  // namespace

Panel coprocessor_panel(Session& session, Bus& bus) {
  Panel panel{.name = "coprocessor",
              .title = "Upload, compute, download a 64th, work on it on the host",
              .x_label = "chunks",
              .y_label = "GB/s up",
              .log_x = true};
  Session host("cpu", session.quick());  // the host's clock covers everything
  const std::size_t words = bus.bytes() / sizeof(std::uint32_t);
  const std::uint32_t expected = worked_on({bus.from(), words}, device_rounds, host_rounds);
  cuda::check(cudaStreamSynchronize(stream_of(session.backend())));
  for (const bool overlapped : {false, true})
    for (const std::size_t chunks :
         session.quick() ? std::vector<std::size_t>{1, 16} : std::vector<std::size_t>{1, 2, 4, 8, 16, 32, 64}) {
      Coprocessor coprocessor(bus, session, chunks);
      const std::string name(overlapped ? transfer_names::overlapped : transfer_names::in_turn);
      std::uint32_t sum = 0;
      const Timing seconds = host.time([&] { sum = coprocessor.run(overlapped); });
      session.check(sum == expected, "transfer", name, "the sum is wrong in " + std::to_string(chunks) + " chunks");
      panel.points.push_back(
          {name, static_cast<double>(chunks), seconds, 1e-9 * static_cast<double>(bus.bytes()) / seconds});
    }
  const Way up{"up", true, true, false};
  const double bus_alone = session.time([&] { bus.move(up, bus.bytes()); }),
               host_alone = Coprocessor(bus, session, 1).host_seconds(host);
  panel.guides = {{"the bus alone", {{1, 1e-9 * static_cast<double>(bus.bytes()) / bus_alone}}},
                  {"the host's work alone", {{1, 1e-9 * static_cast<double>(bus.bytes()) / host_alone}}}};
  return panel;
}

}  // namespace poisson::lab
