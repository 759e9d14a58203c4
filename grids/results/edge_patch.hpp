#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace poisson {

/// The discrete harmonic function of cells near an edge or a corner where Dirichlet faces meet, each with a constant,
/// and the gradient that cells make of it: the mean of the differences to both sides. κ is 1; the axes are those across
/// the faces, distances are from these.
class EdgePatch {
 public:
  using Point = std::array<double, 3>;
  using Index = std::array<int, 3>;

  /// `widths`: of the cells along each axis, two or three, from the face on, and of one more; `values`: on the faces;
  /// `beyond`: in the cells past the last ones.
  EdgePatch(const std::vector<std::vector<double>>& widths, const std::vector<double>& values,
            const std::function<double(const Point&)>& beyond);

  bool holds(const Index& cell) const;
  const Point& gradient(const Index& cell) const { return gradients_[number(cell)]; }

 private:
  std::size_t number(const Index& cell) const {
    return (static_cast<std::size_t>(cell[2]) * static_cast<std::size_t>(n_[1]) + static_cast<std::size_t>(cell[1])) *
               static_cast<std::size_t>(n_[0]) +
           static_cast<std::size_t>(cell[0]);
  }

  Index n_{1, 1, 1};
  std::vector<Point> gradients_;
};

}  // namespace poisson
