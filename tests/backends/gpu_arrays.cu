// Tests device arrays of a program: streams in both directions, lent streams and memory, and data that kernels read
// where they are.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "backends/device/arrays.hpp"
#include "backends/device/device_setup.hpp"
#include "backends/memory/error.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/kernels/data_gradients.hpp"
#include "grids/results/gather.hpp"
#include "solver/grid_model.hpp"
#include "solver/solver.hpp"
#include "tests/device.hpp"

namespace poisson {
namespace {

[[maybe_unused]] const int chosen = setenv("POISSON_TEST_DEVICE", "cuda", 0);  // default device

void require(cudaError_t status) {
  ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status);
}

// Is memory of the device that the test allocates itself.
template <class T>
class DeviceMemory {
 public:
  explicit DeviceMemory(const std::vector<T>& values) : count_(values.size()) {
    require(cudaMalloc(&data_, count_ * sizeof(T)));
    require(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  T* data() const { return static_cast<T*>(data_); }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    require(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  void* data_ = nullptr;
  std::size_t count_;
};

struct SideStream {
  SideStream() { require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~SideStream() { cudaStreamDestroy(stream); }
  cudaStream_t stream = nullptr;
};

// Sets values after a long wait, so that a stream that does not wait for this kernel reads the old ones.
__global__ void set_late(double* values, int count, double value) {
  const long long start = clock64();
  while (clock64() - start < 100'000'000) {
  }
  for (int i = threadIdx.x; i < count; i += blockDim.x) values[i] = value;
}

__global__ void copy_values(const double* from, double* to, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

constexpr int n = 33;

Problem make_problem(Centering centering) {
  Problem p;
  for (auto& nodes : p.nodes) nodes = uniform_nodes(0, 1, n - (centering == Centering::node ? 1 : 0));
  p.centering = centering;
  return p;
}

TEST(DeviceArrays, AreOrderedByEventsInBothDirections) {
  const auto backend = test_backend();
  const Block block = make_block(make_problem(Centering::cell));
  Field field(*backend, block.space(), Precision::fp64);
  const int count = n * n * n;
  const DeviceMemory<double> in(std::vector<double>(count, 1.0)), out(std::vector<double>(count, 1.0)),
      copy(std::vector<double>(count, 1.0));
  const SideStream side;
  set_late<<<1, 256, 0, side.stream>>>(in.data(), count, 5);
  wait_for_stream(*backend, side.stream);
  import_values({in.data(), Precision::fp64, {n, n, n}}, 2, field);
  export_values(field, 1, {out.data(), Precision::fp64, {n, n, n}});
  make_stream_wait(side.stream, *backend);
  copy_values<<<1, 256, 0, side.stream>>>(out.data(), copy.data(), count);
  require(cudaStreamSynchronize(side.stream));
  for (const double value : copy.read()) ASSERT_EQ(value, 10);
}

std::vector<double> solve(Backend& backend, Problem problem, const std::optional<GridData>& data = {}) {
  GridModel model(backend, std::move(problem));
  const auto solver = make_solver(model, Options{.method = Method::multigrid, .tolerance = 1e-9});
  if (data) {
    model.update(*data);
    solver->update();
  }
  model.fill(solver->rhs(), solver->solution());
  EXPECT_TRUE(solver->solve(false).converged());
  return gather_values(model.discretization().block(), solver->solution()).all();
}

TEST(DeviceSetup, LendsStreamAndMemory) {
  const SideStream side;
  std::map<void*, std::size_t> lent;
  std::size_t pieces = 0;
  std::vector<double> found;
  {
    const auto backend = make_cuda_backend(DeviceSetup{.stream = side.stream,
                                                       .allocate =
                                                           [&](std::size_t bytes) {
                                                             void* piece = nullptr;
                                                             require(cudaMalloc(&piece, bytes));
                                                             lent[piece] = bytes;
                                                             ++pieces;
                                                             return piece;
                                                           },
                                                       .release =
                                                           [&](void* piece) {
                                                             EXPECT_EQ(lent.erase(piece), 1U);
                                                             cudaFree(piece);
                                                           }});
    found = solve(*backend, make_problem(Centering::node));
    EXPECT_GT(pieces, 1U);
    EXPECT_FALSE(lent.empty());
  }
  EXPECT_TRUE(lent.empty());
  EXPECT_EQ(found, solve(*test_backend(), make_problem(Centering::node)));
}

TEST(DeviceSetup, RefusesDefaultStreamsAndReportsEmptyAllocators) {
  for (const cudaStream_t stream : {cudaStreamLegacy, cudaStreamPerThread})
    EXPECT_THROW(make_cuda_backend(DeviceSetup{.stream = stream}), InputError);
  const DeviceSetup empty{.allocate = [](std::size_t) -> void* { return nullptr; }, .release = [](void*) {}};
  EXPECT_THROW(make_cuda_backend(empty), RunError);
  EXPECT_THROW(make_backend("cpu", empty), InputError);
}

// Returns smooth positive values, x fastest.
template <class T>
std::vector<T> smooth(int count) {
  std::vector<T> values;
  for (int k = 0; k < count; ++k)
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < count; ++i)
        values.push_back(static_cast<T>(2 + std::sin(0.3 * i + 0.2 * j) * std::cos(0.25 * k)));
  return values;
}

template <class T>
GridArray on_device(const DeviceMemory<T>& memory, Location location, int count) {
  GridArray array{location, {count, count, count}, {}};
  const auto read = [&memory, count](const auto& first, const auto& last) {
    const std::vector<T> all = memory.read();
    std::vector<double> values;
    for (std::int64_t k = first[2]; k < last[2]; ++k)
      for (std::int64_t j = first[1]; j < last[1]; ++j)
        for (std::int64_t i = first[0]; i < last[0]; ++i)
          values.push_back(static_cast<double>(all[static_cast<std::size_t>((k * count + j) * count + i)]));
    return values;
  };
  array.on_device = GridArray::OnDevice{memory.data(), sizeof(T) == 4, 0, read};
  return array;
}

template <class T>
GridArray on_host(const std::vector<T>& values, Location location, int count) {
  return {location, {count, count, count}, std::vector<double>(values.begin(), values.end())};
}

// Means of cells at nodes may be rounded in another way.
void expect_close(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-11 * largest) << i;
}

// κ, σ and f from arrays of the device give what arrays of the host give, when a model is made and when it is updated.
template <class T>
void check_data(Centering centering) {
  const auto backend = test_backend();
  const int cells = n - (centering == Centering::node ? 1 : 0);
  const std::vector<T> of_cells = smooth<T>(cells), of_values = smooth<T>(n);
  const DeviceMemory<T> kappa(of_cells), source(of_values), sigma(of_cells);
  const Location values = centering == Centering::node ? Location::node : Location::cell;
  Problem given = make_problem(centering), there = make_problem(centering);
  given.coefficient.fill(on_host(of_cells, Location::cell, cells));
  given.source = on_host(of_values, values, n);
  given.reaction = on_host(of_cells, Location::cell, cells);
  there.coefficient.fill(on_device(kappa, Location::cell, cells));
  there.source = on_device(source, values, n);
  there.reaction = on_device(sigma, Location::cell, cells);
  const std::vector<double> expected = solve(*backend, given);
  expect_close(solve(*backend, there), expected);
  GridData data;
  data.coefficient.assign(3, Quantity(on_device(kappa, Location::cell, cells)));
  data.source = on_device(source, values, n);
  data.reaction = on_device(sigma, Location::cell, cells);
  Problem before = given;
  before.coefficient.fill(Quantity([](double x, double, double) { return 1 + x; }));
  before.reaction = Quantity([](double, double y, double) { return y; });
  expect_close(solve(*backend, before, data), expected);
}

TEST(DeviceArrays, GiveTheSolutionsOfArraysOfTheHost) {
  for (const Centering centering : {Centering::node, Centering::cell}) {
    check_data<float>(centering);
    check_data<double>(centering);
  }
}

TEST(DeviceArrays, WithBadValuesAreReportedWithTheirPlace) {
  std::vector<double> values = smooth<double>(n);
  values[static_cast<std::size_t>((2 * n + 1) * n + 4)] = -1;
  const DeviceMemory<double> kappa(values);
  Problem p = make_problem(Centering::cell);
  p.coefficient.fill(on_device(kappa, Location::cell, n));
  try {
    const Discretization d(*test_backend(), std::move(p));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("-1 at (0.136364, 0.0454545, 0.0757576)"), std::string::npos)
        << error.what();
  }
}

TEST(DeviceArrays, GiveTheGradientsOfTheHost) {
  const auto backend = test_backend();
  for (const Centering centering : {Centering::node, Centering::cell}) {
    const Block block = make_block(make_problem(centering));
    const int cells = n - (centering == Centering::node ? 1 : 0);
    const std::vector<double> u = smooth<double>(n), kappa = smooth<double>(cells);
    std::vector<double> lambda = u;
    for (double& value : lambda) value = std::sin(3 * value);
    const DeviceMemory<double> u_there(u), lambda_there(lambda), kappa_there(kappa);
    const auto check = [&](DataGradient kind, int count) {
      const auto size = static_cast<std::size_t>(count) * count * count;
      std::vector<double> expected(size);
      const DeviceMemory<double> found(expected);
      const std::array<int, 3> shape{count, count, count};
      GradientArrays arrays{u.data(), lambda.data(), {kappa.data(), kappa.data(), kappa.data()}};
      compute_gradient(nullptr, block, kind, arrays, {expected.data(), Precision::fp64, shape});
      arrays = {u_there.data(), lambda_there.data(), {kappa_there.data(), kappa_there.data(), kappa_there.data()}};
      compute_gradient(backend.get(), block, kind, arrays, {found.data(), Precision::fp64, shape});
      require(cudaDeviceSynchronize());
      SCOPED_TRACE(testing::Message() << "derivative " << static_cast<int>(kind));
      expect_close(found.read(), expected);
    };
    check(DataGradient::source_at_values, n);
    check(DataGradient::reaction_at_values, n);
    if (centering == Centering::cell) {
      check(DataGradient::kappa_in_cells, cells);
      continue;
    }
    for (const DataGradient kind :
         {DataGradient::source_in_cells, DataGradient::reaction_in_cells, DataGradient::reaction_elements,
          DataGradient::kappa_at_nodes, DataGradient::kappa_elements})
      check(kind, cells);
  }
}

}  // namespace
}  // namespace poisson
