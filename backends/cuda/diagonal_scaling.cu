#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/factories.hpp"

namespace poisson::cuda {
namespace {

// Computes S from the diagonal of A. The tables begin at the first values of the box.
template <class T>
struct RootOfRatio {
  View<const T> diagonal;
  View<float> factors;
  const double *kx, *mx, *ky, *my, *kz, *mz;
  double sigma;
  int first[3];

  __device__ void operator()(int i, int j, int k0, int k1) const {
    const int a = i - first[0], b = j - first[1];
    for (int k = k0; k < k1; ++k) {
      const int c = k - first[2];
      const double L = TensorDiagonal::entry(kx[a], mx[a], ky[b], my[b], kz[c], mz[c], sigma);
      factors(i, j, k) = static_cast<float>(sqrt(L / static_cast<double>(diagonal(i, j, k))));
    }
  }
};

template <class T>
struct Scaled {
  View<T> x;
  View<const float> factors;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) x(i, j, k) *= factors(i, j, k);
  }
};

class CudaDiagonalScaling final : public DiagonalScaling {
 public:
  CudaDiagonalScaling(const TensorDiagonal& L, const Field& diagonal)
      : device_(dynamic_cast<CudaBackend&>(diagonal.backend())),
        box_(L.box),
        factors_(device_, diagonal.space(), Precision::fp32) {
    std::vector<double> all;
    std::array<std::size_t, 6> at{};
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t part = 0; part < 2; ++part) {
        const std::vector<double>& table = part == 0 ? L.stiffness[d] : L.mass[d];
        at[2 * d + part] = all.size();
        all.insert(all.end(), table.begin(), table.end());
      }
    tables_ = device_.allocate(all.size() * sizeof(double));
    device_.write(all.data(), tables_.data(), all.size() * sizeof(double));
    const auto* table = static_cast<const double*>(tables_.data());
    dispatch(diagonal.precision(), [&]<class T>(T) {
      for_columns(device_.stream(), box_,
                  RootOfRatio<T>{diagonal.view<T>(),
                                 factors_.view<float>(),
                                 table + at[0],
                                 table + at[1],
                                 table + at[2],
                                 table + at[3],
                                 table + at[4],
                                 table + at[5],
                                 L.sigma,
                                 {box_.first[0], box_.first[1], box_.first[2]}});
    });
  }

  void apply(Field& x) const override {
    dispatch(x.precision(), [&]<class T>(T) {
      for_columns(device_.stream(), box_, Scaled<T>{x.view<T>(), factors_.view<float>()});
    });
  }

 private:
  CudaBackend& device_;
  Box box_;
  Buffer tables_;
  Field factors_;
};

}  // namespace

std::unique_ptr<DiagonalScaling> make_diagonal_scaling(const TensorDiagonal& L, const Field& diagonal) {
  return std::make_unique<CudaDiagonalScaling>(L, diagonal);
}

}  // namespace poisson::cuda
