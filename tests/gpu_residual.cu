// The seam between formula and backend: the kernel that launches the residual's point formula gives what the CPU gives.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "backends/cuda/check.cuh"
#include "grids/axis_tables.hpp"
#include "grids/cuda/residual.cuh"
#include "grids/stretching.hpp"

namespace poisson {
namespace {

// A copy of a field's memory on the device and a view of it.
template <class T>
class DeviceCopy {
 public:
  explicit DeviceCopy(Field& field) : view_(field.view<T>()), bytes_(field.bytes()) {
    // A field's memory begins before the value at (0, 0, 0); the distance is the same in the copy.
    host_ = view_.data - field.layout().origin(field.precision());
    cuda::check(cudaMalloc(&device_, bytes_));
    cuda::check(cudaMemcpy(device_, host_, bytes_, cudaMemcpyHostToDevice));
    view_.data = device_ + (view_.data - host_);
  }
  ~DeviceCopy() { cudaFree(device_); }
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;

  View<T> view() const { return view_; }
  void back() const { cuda::check(cudaMemcpy(host_, device_, bytes_, cudaMemcpyDeviceToHost)); }

 private:
  View<T> view_;
  std::size_t bytes_;
  T* host_ = nullptr;
  T* device_ = nullptr;
};

template <class T>
void compare(const Block& block) {
  const auto backend = make_cpu_backend();
  RowData rows;
  rows.block = block;
  rows.sigma = 0.3;
  const auto A = make_operator(*backend, rows, precision_of<T>);
  Field u(*backend, block.layout(), precision_of<T>), b(*backend, block.layout(), precision_of<T>);
  Field expected(*backend, block.layout(), precision_of<T>), found(*backend, block.layout(), precision_of<T>);
  std::mt19937 random(7);
  std::uniform_real_distribution<T> uniform(-1, 1);
  const auto each = [&](const auto& f) {
    for (int k = 0; k < block.layout().n[2]; ++k)
      for (int j = 0; j < block.layout().n[1]; ++j)
        for (int i = 0; i < block.layout().n[0]; ++i) f(i, j, k);
  };
  each([&](int i, int j, int k) {
    u.view<T>()(i, j, k) = uniform(random);
    b.view<T>()(i, j, k) = uniform(random);
  });
  A->residual(u, b, expected);

  const CoefficientTables<T> tables(*backend, rows);
  const DeviceCopy<T> du(u), db(b), dr(found);
  cuda::residual<T>(tables.template model<Equidistant<T>>(), du.view(), db.view(), dr.view(), block.unknowns(), nullptr);
  cuda::check(cudaDeviceSynchronize());
  dr.back();
  double largest = 0;
  each([&](int i, int j, int k) {
    largest = std::max(largest, std::abs(static_cast<double>(found.view<T>()(i, j, k) - expected.view<T>()(i, j, k))));
  });
  // A row's terms are at most 14 values of size 1 under a diagonal near 8.
  EXPECT_LE(largest, 8 * 14 * std::numeric_limits<T>::epsilon());
}

TEST(CudaResidual, EqualsTheCpuToRounding) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no CUDA device here";
  for (const auto& cells : {std::array{2, 3, 5}, {31, 33, 17}, {97, 61, 43}})
    for (const BoundaryKind kind : {BoundaryKind::dirichlet, BoundaryKind::neumann, BoundaryKind::periodic}) {
      Block block;
      for (std::size_t d = 0; d < 3; ++d) block.axes[d] = Axis(uniform_nodes(0, cells[d], cells[d]), kind, kind);
      compare<double>(block);
      compare<float>(block);
      block.axes[2] = Axis();
      compare<double>(block);
    }
}

}  // namespace
}  // namespace poisson
