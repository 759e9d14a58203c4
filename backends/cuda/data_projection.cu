#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/factories.hpp"
#include "backends/cuda/inverse.cuh"
#include "backends/cuda/marched.hpp"

namespace poisson::cuda {
namespace {

// Points to K(i, i), M(i, i) and the row sums of M for the rows of an axis, from the first value of the box on.
struct AxisRows {
  const double *stiffness = nullptr, *mass = nullptr, *sum = nullptr;
  int first = 0;
};
struct TensorRows {
  AxisRows x, y, z;
  double sigma = 0;
};

// Contains the coefficients of a column of rows.
struct ColumnOfRows {
  double kx, mx, ky, my, weight, sigma;
  AxisRows z;
  __device__ ColumnOfRows(const TensorRows& rows, int i, int j)
      : kx(rows.x.stiffness[i - rows.x.first]),
        mx(rows.x.mass[i - rows.x.first]),
        ky(rows.y.stiffness[j - rows.y.first]),
        my(rows.y.mass[j - rows.y.first]),
        weight(rows.x.sum[i - rows.x.first] * rows.y.sum[j - rows.y.first]),
        sigma(rows.sigma),
        z(rows.z) {}
  __device__ double mass(int k) const { return weight * z.sum[k - z.first]; }
  __device__ double diagonal(int k) const {
    return TensorDiagonal::entry(kx, mx, ky, my, z.stiffness[k - z.first], z.mass[k - z.first], sigma);
  }
};

// Computes Σ (M1)²/D.
struct NormOfMass {
  TensorRows rows;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    const ColumnOfRows column(rows, i, j);
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += column.mass(k) * column.mass(k) * inverse_of(column.diagonal(k));
    return sum;
  }
};

template <class T>
struct SumOfData {
  View<const T> b;
  __device__ double operator()(int i, int j, int k0, int k1) const {
    double sum = 0;
    for (int k = k0; k < k1; ++k) sum += static_cast<double>(b(i, j, k));
    return sum;
  }
};

// Subtracts M1 amount/volume from b and computes Σ b²/D. Several values are read before the first is written.
template <class T>
struct TakeOff {
  View<T> b;
  TensorRows rows;
  const double* amount;
  double volume;

  template <class Sink>
  __device__ void each_plane(int i, int j, int k0, int k1, const Sink& of_plane) const {
    constexpr int n = 8;
    const ColumnOfRows column(rows, i, j);
    const double share = *amount / volume;
    int k = k0;
    for (; k + n <= k1; k += n) planes<n>(column, share, i, j, k, of_plane);
    for (; k < k1; ++k) planes<1>(column, share, i, j, k, of_plane);
  }

 private:
  template <int n, class Sink>
  __device__ void planes(const ColumnOfRows& column, double share, int i, int j, int k, const Sink& of_plane) const {
    T value[n];
#pragma unroll
    for (int m = 0; m < n; ++m) value[m] = b(i, j, k + m);
#pragma unroll
    for (int m = 0; m < n; ++m) {
      const T left = value[m] - static_cast<T>(share * column.mass(k + m));
      b(i, j, k + m) = left;
      of_plane(k + m, static_cast<double>(left) * static_cast<double>(left) * inverse_of(column.diagonal(k + m)));
    }
  }
};

struct AddTakenOff {
  const double *amount, *after;
  double* before;
  double norm;
  __device__ void operator()() const { *before = *after + *amount * *amount * norm; }
};

class CudaDataProjection final : public DataProjection {
 public:
  CudaDataProjection(CudaBackend& device, const Space& space, const TensorDiagonal& A, const TensorMass& mass)
      : device_(device), box_(marched(A.box, space.layout())), volume_(mass.volume) {
    std::vector<double> all;
    const auto add = [&](const std::vector<double>& table) { all.insert(all.end(), table.begin(), table.end()); };
    for (std::size_t d = 0; d < 3; ++d)
      for (const auto* table : {&A.stiffness[d], &A.mass[d], &mass.sums[d]}) add(*table);
    tables_ = device.allocate(all.size() * sizeof(double));
    device.write(all.data(), tables_.data(), all.size() * sizeof(double));
    const auto* at = static_cast<const double*>(tables_.data());
    AxisRows axes[3];
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t n = A.mass[d].size();
      axes[d] = {at, at + n, at + 2 * n, A.box.first[d]};
      at += 3 * n;
    }
    if (is_plane(space.layout())) std::swap(axes[1], axes[2]);
    rows_ = {axes[0], axes[1], axes[2], A.sigma};
    const Scalar norm = device.scalar();
    device.sum(space, box_, planes_marched(space), NormOfMass{rows_}, norm);
    taken_off_ = device.value(norm) / (volume_ * volume_);
  }

  void do_apply(Field& b, Scalar& amount, Scalar& before, Scalar& after) const override {
    const Space& space = b.space();
    const int depth = planes_marched(space);
    dispatch(b.precision(), [&]<class T>(T) {
      const View<T> values = marched(b.view<T>());
      device_.sum(space, box_, depth, SumOfData<T>{values}, amount);
      device_.sum(space, box_, depth, TakeOff<T>{values, rows_, amount.address(), volume_}, after);
    });
    on_scalars(device_.stream(), AddTakenOff{amount.address(), after.address(), before.address(), taken_off_});
  }

 private:
  CudaBackend& device_;
  Box box_;
  double volume_, taken_off_ = 0;  ///< 1ᵀM1, and ‖M1‖² over its square
  Buffer tables_;
  TensorRows rows_;
};

}  // namespace

std::unique_ptr<DataProjection> make_data_projection(Backend& backend, const Space& space, const TensorDiagonal& A,
                                                     const TensorMass& mass) {
  return std::make_unique<CudaDataProjection>(dynamic_cast<CudaBackend&>(backend), space, A, mass);
}

}  // namespace poisson::cuda
