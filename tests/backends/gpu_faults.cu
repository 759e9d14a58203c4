// These tests make the device fail: memory runs out at any allocation, or kernels fail. Each case must end in an error
// that states the problem and a remedy, and must leave nothing behind.

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/memory/error.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/grid_model.hpp"
#include "tests/device.hpp"

namespace poisson {
namespace {

[[maybe_unused]] const int chosen = setenv("POISSON_TEST_DEVICE", "cuda", 0);  // default device

Problem problem() {
  Problem p;
  p.nodes = {uniform_nodes(0, 1, 12), uniform_nodes(0, 1, 9), uniform_nodes(0, 1, 7)};
  p.coefficient[0] = [](double x, double y, double z) { return 1 + x * y + z; };
  p.source = 1.0;
  return p;
}

// Runs a complete solve and returns whether it converged.
bool solve(Backend& backend) {
  const Discretization d(backend, problem());
  const auto solver = make_solver(d, Options{.method = Method::multigrid});
  d.assemble_rhs(solver->rhs());
  d.initialize(solver->solution());
  return solver->solve(false).converged();
}

// Returns the message of the RunError that ends a call, or nothing.
std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const RunError& error) {
    EXPECT_NE(error.remedy, Remedy::none) << error.what();
    return error.what();
  }
  return {};
}

void expect_out_of_memory(const std::string& message) {
  for (const char* const part : {"cannot allocate ", " on the device (", " are free", " in total)"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " is missing in: " << message;
}

// Sets POISSON_INJECT during its lifetime.
class Inject {
 public:
  explicit Inject(const std::string& fault) { setenv("POISSON_INJECT", fault.c_str(), 1); }
  ~Inject() { unsetenv("POISSON_INJECT"); }
};

TEST(OutOfMemory, AtEachAllocationInTurn) {
  int failures = 0;
  for (bool failed = true; failed; ++failures) {
    ASSERT_LT(failures, 10000);
    SCOPED_TRACE(testing::Message() << "allocation " << failures + 1);
    const Inject inject("allocation:" + std::to_string(failures + 1));
    std::unique_ptr<Backend> backend;
    std::size_t own = 0;
    const std::string message = error_of([&] {
      backend = test_backend();
      own = backend->memory().now();
      EXPECT_TRUE(solve(*backend));
    });
    failed = !message.empty();
    if (failed) expect_out_of_memory(message);
    if (!backend) continue;  // the backend itself failed
    EXPECT_EQ(backend->memory().now(), own) << "memory is left behind";
    if (!failed) continue;
    EXPECT_TRUE(solve(*backend)) << "the same backend does not work afterwards";
    EXPECT_EQ(backend->memory().now(), own);
  }
  EXPECT_GT(failures, 20);
  std::printf("%d allocations failed in turn\n", failures - 1);
}

// Fields occupy one piece that the plan predicted, and κ has its own piece allocated earlier.
TEST(Arena, ReservesTheMemoryOfASolve) {
  for (const bool varying : {false, true})
    for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed, SolvePrecision::single})
      for (const Krylov krylov : {Krylov::none, Krylov::cg}) {
        const auto backend = test_backend();
        const int own = static_cast<cuda::CudaBackend&>(*backend).pieces();
        Problem p;
        p.nodes = {uniform_nodes(0, 1, 120), uniform_nodes(0, 1, 97), uniform_nodes(0, 1, 64)};
        if (varying) p.coefficient[0] = [](double x, double y, double z) { return 1 + x * y + z; };
        p.source = 1.0;
        const Discretization d(*backend, std::as_const(p));
        Options o{.method = Method::multigrid};
        o.tolerance = 1e-4;
        o.precision = precision;
        o.krylov = krylov;
        const auto solver = make_solver(d, o);
        d.assemble_rhs(solver->rhs());
        EXPECT_TRUE(solver->solve(false).converged());
        EXPECT_EQ(static_cast<cuda::CudaBackend&>(*backend).pieces(), own + (varying ? 2 : 1));
      }
}

TEST(OutOfMemory, BelowALimit) {
  const auto unlimited = make_cuda_backend(0);
  const std::size_t own = unlimited->memory().now();
  ASSERT_TRUE(solve(*unlimited));
  const std::size_t peak = unlimited->memory().peak();
  constexpr std::size_t steps = 64;
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t limit = own + (peak - 1 - own) * step / (steps - 1);
    SCOPED_TRACE(testing::Message() << limit << " of " << peak << " bytes");
    const auto backend = make_cuda_backend(0, limit);
    expect_out_of_memory(error_of([&] { solve(*backend); }));
    EXPECT_EQ(backend->memory().now(), own);
    EXPECT_LE(backend->memory().peak(), limit);
  }
  EXPECT_TRUE(solve(*make_cuda_backend(0, peak)));
  expect_out_of_memory(error_of([] { make_cuda_backend(0, 1000); }));
}

TEST(OutOfMemory, OfTheDevice) {
  const auto backend = test_backend();
  const std::size_t own = backend->memory().now();
  const std::string message = error_of([&] { backend->allocate(std::size_t{1} << 48); });
  expect_out_of_memory(message);
  EXPECT_NE(message.find("cannot allocate 256 TiB"), std::string::npos) << message;
  EXPECT_EQ(backend->memory().now(), own);
  EXPECT_TRUE(solve(*backend));
}

TEST(OutOfMemory, LeavesTheDeviceAsItWas) {
  std::size_t before = 0, after = 0, total = 0;
  { test_backend(); }
  cudaMemGetInfo(&before, &total);
  for (int turn = 0; turn < 200; ++turn) {
    const Inject inject("allocation:" + std::to_string(10 + turn % 50));
    error_of([] { solve(*test_backend()); });
  }
  cudaMemGetInfo(&after, &total);
  // Other processes may use the device, and the driver keeps a little.
  EXPECT_LE(before, after + (std::size_t{64} << 20)) << "200 failed runs took " << before - after << " bytes";
}

// A failing kernel makes the device unusable for its process, so each of these tests runs in a separate process.

struct Trap {
  __device__ void operator()(int, int, int, int) const { __trap(); }
};
struct WriteNowhere {
  __device__ void operator()(int i, int j, int, int) const {
    *reinterpret_cast<volatile double*>(static_cast<std::uintptr_t>(8 * (i + j))) = 1;
  }
};

// Prints the error that ends a call and exits with status 3 for a RunError, or 0 without an error.
void report(const std::function<void()>& call) {
  const std::string message = error_of(call);
  std::fprintf(stderr, "%s\n", message.c_str());
  std::_Exit(message.empty() ? 0 : 3);
}

class FailingKernel : public testing::Test {
 protected:
  FailingKernel() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};
using FailingKernelDeathTest = FailingKernel;

const char* const asynchronous_failure =
    "CUDA: .+ \\(cudaError[A-Za-z]+ in poisson::cuda::CudaBackend::read, cuda_backend.cu:[0-9]+\\)";

template <class Column>
void run_and_read() {
  const auto backend = test_backend();
  auto& cuda = static_cast<cuda::CudaBackend&>(*backend);
  const Scalar a = backend->scalar(1);
  cuda::for_columns(cuda.stream(), Box{{0, 0, 0}, {40, 20, 3}}, Column{});
  backend->value(a);
}

TEST_F(FailingKernelDeathTest, IsSeenByTheNextRead) {
  EXPECT_EXIT(report(run_and_read<Trap>), testing::ExitedWithCode(3), asynchronous_failure);
  EXPECT_EXIT(report(run_and_read<WriteNowhere>), testing::ExitedWithCode(3), asynchronous_failure);
}

TEST_F(FailingKernelDeathTest, IsSeenByEveryLaterCall) {
  EXPECT_EXIT(
      {
        error_of(run_and_read<Trap>);
        report([] { solve(*test_backend()); });
      },
      testing::ExitedWithCode(3), "CUDA: ");
}

TEST_F(FailingKernelDeathTest, EndsASolve) {
  for (const int kernel : {1, 2, 5, 10, 25}) {
    SCOPED_TRACE(kernel);
    EXPECT_EXIT(
        {
          const Inject inject("kernel:" + std::to_string(kernel));
          report([] { solve(*test_backend()); });
        },
        testing::ExitedWithCode(3), "CUDA: .+ \\(cudaError");
  }
}

TEST(Injection, WithoutItsVariableNothingFails) {
  EXPECT_EQ(error_of([] { EXPECT_TRUE(solve(*test_backend())); }), "");
}

TEST(Injection, RefusesUnknownFaults) {
  for (const char* const fault : {"", "kernel", "kernel:", "kernel:0", "kernel:-1", "kernel:1x", "memory:1"}) {
    const Inject inject(fault);
    EXPECT_THROW(test_backend(), InputError) << fault;
  }
}

// CUDA rejects this launch immediately.
__global__ void nothing() {}

TEST(Launch, ReportsTheSourceLineOfARefusedKernel) {
  nothing<<<1, 100000>>>();
  const std::string message = error_of([] { cuda::launched(nullptr); });
  EXPECT_NE(message.find("cudaErrorInvalid"), std::string::npos) << message;
  EXPECT_NE(message.find("gpu_faults.cu:"), std::string::npos) << message;
  EXPECT_EQ(error_of([] { EXPECT_TRUE(solve(*test_backend())); }), "") << "the error stuck";
}

}  // namespace
}  // namespace poisson
