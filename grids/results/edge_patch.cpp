#include "grids/results/edge_patch.hpp"

#include <algorithm>

namespace poisson {
namespace {

// Solves a symmetric positive definite system. lower[i·(w + 1) + j] couples i to i − j.
void solve_banded(std::vector<double>& lower, std::size_t w, std::vector<double>& b) {
  const std::size_t n = b.size();
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return lower[i * (w + 1) + (i - j)]; };
  const auto first = [&](std::size_t i) { return i > w ? i - w : 0; };
  for (std::size_t i = 0; i < n; ++i) {  // L D Lᵀ with D on the diagonal
    for (std::size_t j = first(i); j < i; ++j)
      for (std::size_t k = std::max(first(i), first(j)); k < j; ++k) at(i, j) -= at(i, k) * at(j, k);
    for (std::size_t j = first(i); j < i; ++j) {
      const double entry = at(i, j);
      at(i, j) = entry / at(j, j);
      at(i, i) -= entry * at(i, j);
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = first(i); j < i; ++j) b[i] -= at(i, j) * b[j];
  for (std::size_t i = 0; i < n; ++i) b[i] /= at(i, i);
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = first(i); j < i; ++j) b[j] -= at(i, j) * b[i];
}

}  // namespace

EdgePatch::EdgePatch(const std::vector<std::vector<double>>& widths, const std::vector<double>& values,
                     const std::function<double(const Point&)>& beyond) {
  const std::size_t axes = widths.size();
  std::array<std::vector<double>, 3> centre;
  for (std::size_t a = 0; a < axes; ++a) {
    n_[a] = static_cast<int>(widths[a].size()) - 1;
    double x = 0;
    for (const double h : widths[a]) {
      centre[a].push_back(x + 0.5 * h);
      x += h;
    }
  }
  const auto for_each_cell = [&](const auto& f) {
    Index cell{};
    for (cell[2] = 0; cell[2] < n_[2]; ++cell[2])
      for (cell[1] = 0; cell[1] < n_[1]; ++cell[1])
        for (cell[0] = 0; cell[0] < n_[0]; ++cell[0]) f(cell);
  };
  const auto width = [&](std::size_t a, int i) { return widths[a][static_cast<std::size_t>(i)]; };
  // `way` is the distance to the neighbour at a side, 0 or 1; `given` is its value if it is prescribed.
  const auto way = [&](const Index& cell, std::size_t a, int side) {
    const int i = cell[a], other = side == 0 ? i - 1 : i + 1;
    return 0.5 * (width(a, i) + (other < 0 ? 0 : width(a, other)));
  };
  const auto given = [&](const Index& cell, std::size_t a, int side) {
    if (side == 0) return values[a];
    Point at{};
    for (std::size_t e = 0; e < axes; ++e) at[e] = centre[e][static_cast<std::size_t>(e == a ? cell[e] + 1 : cell[e])];
    return beyond(at);
  };
  const auto inside = [&](const Index& cell, std::size_t a, int side) {
    return side == 0 ? cell[a] > 0 : cell[a] + 1 < n_[a];
  };
  const std::array<std::size_t, 3> step{1, static_cast<std::size_t>(n_[0]), static_cast<std::size_t>(n_[0] * n_[1])};
  const std::size_t count = step[2] * static_cast<std::size_t>(n_[2]), w = step[axes - 1];
  std::vector<double> lower(count * (w + 1)), u(count);
  for_each_cell([&](const Index& cell) {
    const std::size_t i = number(cell);
    for (std::size_t a = 0; a < axes; ++a) {
      double area = 1;
      for (std::size_t e = 0; e < axes; ++e)
        if (e != a) area *= width(e, cell[e]);
      for (const int side : {0, 1}) {
        const double coupling = area / way(cell, a, side);
        lower[i * (w + 1)] += coupling;
        if (!inside(cell, a, side))
          u[i] += coupling * given(cell, a, side);
        else if (side == 0)
          lower[i * (w + 1) + step[a]] -= coupling;
      }
    }
  });
  solve_banded(lower, w, u);
  gradients_.resize(count);
  for_each_cell([&](const Index& cell) {
    const std::size_t i = number(cell);
    for (std::size_t a = 0; a < axes; ++a)
      for (const int side : {0, 1}) {
        const double other = !inside(cell, a, side) ? given(cell, a, side) : u[side == 0 ? i - step[a] : i + step[a]];
        gradients_[i][a] += (side == 0 ? 0.5 : -0.5) * (u[i] - other) / way(cell, a, side);
      }
  });
}

bool EdgePatch::holds(const Index& cell) const {
  return cell[0] < n_[0] && cell[1] < n_[1] && cell[2] < n_[2];
}

}  // namespace poisson
