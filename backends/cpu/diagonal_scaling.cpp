#include <cmath>

#include "backends/cpu/factories.hpp"
#include "backends/cpu/launch.hpp"

namespace poisson::cpu {
namespace {

class CpuDiagonalScaling final : public DiagonalScaling {
 public:
  CpuDiagonalScaling(const TensorDiagonal& L, const Field& diagonal)
      : box_(L.box), factors_(diagonal.backend(), diagonal.space(), Precision::fp32) {
    const View<float> s = factors_.view<float>();
    const auto& [first_i, first_j, first_k] = box_.first;
    const auto at = [](const std::vector<double>& v, int i, int first) {
      return v[static_cast<std::size_t>(i - first)];
    };
    dispatch(diagonal.precision(), [&]<class T>(T) {
      const View<const T> d = diagonal.view<T>();
      for_each_line(box_, [&](int j, int k) {
        const double ky = at(L.stiffness[1], j, first_j), my = at(L.mass[1], j, first_j);
        const double kz = at(L.stiffness[2], k, first_k), mz = at(L.mass[2], k, first_k);
        for (int i = box_.first[0]; i < box_.last[0]; ++i)
          s(i, j, k) =
              static_cast<float>(std::sqrt(TensorDiagonal::entry(at(L.stiffness[0], i, first_i),
                                                                 at(L.mass[0], i, first_i), ky, my, kz, mz, L.sigma) /
                                           static_cast<double>(d(i, j, k))));
      });
    });
  }

  void apply(Field& x) const override {
    dispatch(x.precision(), [&]<class T>(T) {
      const View<T> v = x.view<T>();
      const View<const float> s = factors_.view<float>();
      for_each_line(box_, [&](int j, int k) {
        T* line = v.line(j, k);
        const float* factor = s.line(j, k);
        for (int i = box_.first[0]; i < box_.last[0]; ++i) line[i] *= factor[i];
      });
    });
  }

 private:
  Box box_;
  Field factors_;
};

}  // namespace

std::unique_ptr<DiagonalScaling> make_diagonal_scaling(const TensorDiagonal& L, const Field& diagonal) {
  return std::make_unique<CpuDiagonalScaling>(L, diagonal);
}

}  // namespace poisson::cpu
