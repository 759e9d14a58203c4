#pragma once

#include <array>
#include <vector>

#include "backends/view.hpp"
#include "grids/block.hpp"
#include "grids/element_mass.hpp"

namespace poisson {

/// The mass matrix of a scheme on elements, M ⊗ M ⊗ M with tridiagonal factors, applied on the host to values over a
/// block.
class ConsistentMass {
 public:
  ConsistentMass(const Block& block, Scheme scheme) {
    const double off = element_mass(scheme).off;
    for (std::size_t d = 0; d < 3; ++d)
      for (int i = 0; i < block.axes[d].size(); ++i) {
        const Axis& axis = block.axes[d];
        const double before = axis.degenerate() ? 0 : off * axis.width(i - 1),
                     after = axis.degenerate() ? 0 : off * axis.width(i);
        rows_[d].push_back({before, axis.mass(i) - before - after, after});
      }
  }

  /// (M f)(i, j, k); the halo of f on periodic axes filled.
  double operator()(const View<const double>& f, int i, int j, int k) const { return at<-1>(f, i, j, k); }
  /// The same on a face across `axis`, where M is that of the face.
  double on_face(std::size_t axis, const View<const double>& f, int i, int j, int k) const {
    return axis == 0 ? at<0>(f, i, j, k) : axis == 1 ? at<1>(f, i, j, k) : at<2>(f, i, j, k);
  }

 private:
  template <int face>
  double at(const View<const double>& f, int i, int j, int k) const {
    const std::array<int, 3> at{i, j, k};
    std::array<std::array<double, 3>, 3> w{};
    for (std::size_t d = 0; d < 3; ++d)
      w[d] = static_cast<int>(d) == face ? std::array<double, 3>{0, 1, 0} : rows_[d][static_cast<std::size_t>(at[d])];
    double sum = 0;
    for (int c = -1; c <= 1; ++c)
      for (int b = -1; b <= 1; ++b)
        for (int a = -1; a <= 1; ++a) {
          const double weight = w[0][static_cast<std::size_t>(a + 1)] * w[1][static_cast<std::size_t>(b + 1)] *
                                w[2][static_cast<std::size_t>(c + 1)];
          if (weight != 0) sum += weight * f(i + a, j + b, k + c);
        }
    return sum;
  }

  std::array<std::vector<std::array<double, 3>>, 3> rows_;  // before, own, after
};

}  // namespace poisson
