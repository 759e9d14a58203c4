#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace poisson {

/// Computes the discrete harmonic function in cells near an edge or a corner where Dirichlet faces with constant data
/// meet.
/// It also stores the gradient as cells compute it: the mean of the differences to both sides. κ is 1. The axes are
/// perpendicular to the faces, and distances start at the faces.
class EdgePatch {
 public:
  using Point = std::array<double, 3>;
  using Index = std::array<int, 3>;

  /// Solves for the function. `widths` are cell widths along each of two or three axes, starting at the face, plus one
  /// more cell. `values` are the data on the faces. `beyond` gives the function in the cells past the last ones.
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
