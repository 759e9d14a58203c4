// The pinned pipeline must compute every chunk exactly once, for one, two, three and many chunks and a partial last
// one, in place or not, and after failures.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "backends/cuda/check.cuh"
#include "backends/cuda/cuda_backend.cuh"
#include "backends/memory/error.hpp"
#include "backends/utilities/pipeline.hpp"
#include "tests/device.hpp"

namespace poisson {
namespace {

[[maybe_unused]] const int chosen = setenv("POISSON_TEST_DEVICE", "cuda", 0);  // default device

// The kernel is slow enough to reveal streams that fail to wait for it.
__global__ void compute_kernel(std::uint32_t* chunk, std::size_t count, std::size_t first, int rounds) {
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += std::size_t{gridDim.x} * blockDim.x) {
    std::uint32_t value = chunk[i] + static_cast<std::uint32_t>(first + i);
    for (int round = 0; round < rounds; ++round) value = value * 1664525U + 1013904223U;
    chunk[i] = value;
  }
}

std::uint32_t computed(std::uint32_t value, std::size_t index, int rounds) {
  value += static_cast<std::uint32_t>(index);
  for (int round = 0; round < rounds; ++round) value = value * 1664525U + 1013904223U;
  return value;
}

Pipeline::Compute compute(int rounds) {
  return [rounds](void* chunk, std::size_t bytes, std::size_t offset, void* stream) {
    const auto s = static_cast<cudaStream_t>(stream);
    compute_kernel<<<4, 128, 0, s>>>(static_cast<std::uint32_t*>(chunk), bytes / 4, offset / 4, rounds);
    cuda::launched(s);
  };
}

constexpr std::size_t chunk = 4096;  // values
constexpr std::uint32_t poison = 0xDEADBEEF;

// Runs `count` values through the pipeline and compares the destination and the bytes behind it.
void expect_computed(Pipeline& pipeline, std::size_t count, int rounds, bool in_place) {
  SCOPED_TRACE(testing::Message() << count << " values, " << rounds << " rounds, in place: " << in_place);
  constexpr std::size_t margin = 100;
  const PinnedBuffer from((count + margin) * 4), other((count + margin) * 4);
  std::uint32_t *const x = from.as<std::uint32_t>(), *const y = in_place ? x : other.as<std::uint32_t>();
  std::fill_n(y, count + margin, poison);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<std::uint32_t>(i * 2654435761U);
  pipeline.run(x, y, count * 4, compute(rounds));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i)
    wrong += y[i] != computed(static_cast<std::uint32_t>(i * 2654435761U), i, rounds) ? 1 : 0;
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(std::count(y + count, y + count + margin, poison), static_cast<std::ptrdiff_t>(margin));
}

TEST(Pipeline, EveryNumberOfChunks) {
  const auto backend = test_backend();
  Pipeline pipeline(*backend, chunk * 4);
  for (const int rounds : {0, 20000})
    for (const bool in_place : {false, true})
      for (const std::size_t count : {chunk, 2 * chunk, 3 * chunk, 4 * chunk, 5 * chunk, 20 * chunk, std::size_t{1},
                                      std::size_t{77}, chunk + 1, 3 * chunk - 1, 10 * chunk + 333})
        expect_computed(pipeline, count, rounds, in_place);
}

TEST(Pipeline, OfNothing) {
  const auto backend = test_backend();
  Pipeline pipeline(*backend, chunk * 4);
  pipeline.run(nullptr, nullptr, 0, [](void*, std::size_t, std::size_t, void*) { FAIL(); });
}

TEST(Pipeline, LeavesNoMemoryBehind) {
  const auto backend = test_backend();
  const std::size_t before = backend->memory().now();
  { const Pipeline pipeline(*backend, chunk * 4); }
  EXPECT_EQ(backend->memory().now(), before);
}

// Exceptions of the callback must propagate, and the pipeline must work afterwards.
TEST(Pipeline, AfterACallbackThatThrows) {
  const auto backend = test_backend();
  Pipeline pipeline(*backend, chunk * 4);
  const PinnedBuffer x(10 * chunk * 4);
  int calls = 0;
  EXPECT_THROW(pipeline.run(x.data(), x.data(), x.bytes(),
                            [&](void*, std::size_t, std::size_t, void*) {
                              if (++calls == 4) throw std::runtime_error("enough");
                            }),
               std::runtime_error);
  EXPECT_EQ(calls, 4);
  expect_computed(pipeline, 7 * chunk, 100, false);
}

TEST(Pipeline, RefusesInvalidArguments) {
  const auto backend = test_backend(), cpu = make_cpu_backend();
  EXPECT_THROW(Pipeline(*backend, 0), InputError);
  EXPECT_THROW(Pipeline(*cpu, 4096), InputError);
  EXPECT_THROW(PinnedBuffer(std::size_t{1} << 50), RunError);
}

}  // namespace
}  // namespace poisson
