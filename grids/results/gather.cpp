#include "grids/results/gather.hpp"

#include <algorithm>
#include <cstdint>

#include "backends/cpu/launch.hpp"
#include "grids/results/edge_gradient.hpp"
#include "grids/rows/face_means.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/schemes/cells/cell_face.hpp"

namespace poisson {
namespace {

// Fills a file's array with value(i, j, k), where wrapped indices stand for the last nodes of periodic axes.
template <class F>
void fill_values(const Block& block, const F& put) {
  const std::array<int, 3> n = file_shape(block), size = block.layout().n;
  cpu::for_each_line({{0, 0, 0}, n}, [&](int j, int k) {
    for (int i = 0; i < n[0]; ++i)
      put((static_cast<std::size_t>(k) * static_cast<std::size_t>(n[1]) + static_cast<std::size_t>(j)) *
                  static_cast<std::size_t>(n[0]) +
              static_cast<std::size_t>(i),
          i % size[0], j % size[1], k % size[2]);
  });
}

std::size_t count(const std::array<int, 3>& n) {
  return static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]);
}

// Weights of the first difference at a node over three nodes around it, or beside it at an end.
struct Difference {
  std::array<int, 3> at{};
  std::array<double, 3> weight{};
};

std::vector<Difference> first_differences(const Axis& axis) {
  std::vector<Difference> all;
  const int n = axis.size();
  for (int i = 0; i < n; ++i) {
    Difference d;
    // Distances from value i to the three; the derivative of their Lagrange polynomial at 0.
    std::array<double, 3> s{};
    if (axis.periodic()) {
      d.at = {(i + n - 1) % n, i, (i + 1) % n};
      s = {-1 / axis.inverse_distance(i - 1), 0, 1 / axis.inverse_distance(i)};
    } else {
      const int start = std::clamp(i - 1, 0, n - 3);
      for (int p = 0; p < 3; ++p) {
        d.at[static_cast<std::size_t>(p)] = start + p;
        s[static_cast<std::size_t>(p)] = axis.point(start + p) - axis.point(i);
      }
    }
    for (std::size_t p = 0; p < 3; ++p) {
      const std::size_t q = (p + 1) % 3, r = (p + 2) % 3;
      d.weight[p] = -(s[q] + s[r]) / ((s[p] - s[q]) * (s[p] - s[r]));
    }
    all.push_back(d);
  }
  return all;
}

// κ ∂u/∂x through the faces across an axis of cells at both ends of it.
class EndFluxes {
 public:
  template <class Value>
  EndFluxes(const Problem& problem, const Block& block, int axis, const Value& u)
      : axis_(static_cast<std::size_t>(axis)) {
    for (int end = 0; end < 2; ++end) {
      if (block.axes[axis_].periodic()) continue;
      const CellFace face(problem, block, axis, end);
      box_ = face.behind();
      face.visit([&](int i, int j, int k, const CellFace::Values& v) {
        const double into = v.given - v.conductance * static_cast<double>(u(i, j, k));
        fluxes_[static_cast<std::size_t>(end)].push_back(end == 0 ? -into : into);
      });
    }
  }

  double at(int end, const std::array<int, 3>& cell) const {
    std::size_t number = 0;
    for (std::size_t d = 3; d-- > 0;)
      if (d != axis_)
        number = number * static_cast<std::size_t>(box_.last[d] - box_.first[d]) + static_cast<std::size_t>(cell[d]);
    return fluxes_[static_cast<std::size_t>(end)][number];
  }

 private:
  std::size_t axis_;
  Box box_;
  std::array<std::vector<double>, 2> fluxes_;
};

std::vector<double> gradient_in_cells(const Discretization& discretization, const Field& field) {
  const Block& block = discretization.block();
  const Problem& problem = discretization.problem();
  const HostRead read(field);
  const Field& u = *read;
  const Box cells = block.layout().box();
  const std::array<int, 3> n = cells.last;
  const auto components = static_cast<std::size_t>(block.dimension());
  std::vector<double> gradient(static_cast<std::size_t>(cells.size()) * components), kappas;
  dispatch(u.precision(), [&]<class T>(T) {
    const auto value = u.view<T>();
    for (std::size_t d = 0; d < components; ++d) {
      const Axis& axis = block.axes[d];
      const Quantity& coefficient = problem.coefficient[problem.isotropic ? 0 : d];
      if (!coefficient.constant() && (d == 0 || !problem.isotropic))
        kappas = sample(coefficient, coefficient_key(problem, d), Sign::positive, block, Location::cell, cells);
      const auto place = [&](const std::array<int, 3>& cell) {
        return (static_cast<std::size_t>(cell[2]) * static_cast<std::size_t>(n[1]) +
                static_cast<std::size_t>(cell[1])) *
                   static_cast<std::size_t>(n[0]) +
               static_cast<std::size_t>(cell[0]);
      };
      const auto kappa = [&](const std::array<int, 3>& cell) {
        return coefficient.constant() ? *coefficient.constant() : kappas[place(cell)];
      };
      const EndFluxes ends(problem, block, static_cast<int>(d), value);
      cpu::for_each_line(cells, [&](int j, int k) {
        for (int i = 0; i < n[0]; ++i) {
          const std::array cell{i, j, k};
          double flux = 0;
          for (const int end : {0, 1}) {
            std::array other = cell;
            other[d] += end == 0 ? -1 : 1;
            if (!axis.periodic() && (other[d] < 0 || other[d] >= n[d])) {
              flux += ends.at(end, cell);
              continue;
            }
            const double h = axis.width(cell[d]), beyond = axis.width(other[d]);
            other[d] = (other[d] + n[d]) % n[d];
            const double rise =
                static_cast<double>(value(other[0], other[1], other[2])) - static_cast<double>(value(i, j, k));
            flux += (end == 0 ? -1 : 1) * harmonic_face(kappa(cell), h, kappa(other), beyond) * 2 / (h + beyond) * rise;
          }
          gradient[place(cell) * components + d] = 0.5 * flux / kappa(cell);
        }
      });
    }
  });
  correct_edges(problem, block, gradient);
  return gradient;
}

}  // namespace

std::array<int, 3> file_shape(const Block& block) {
  std::array<int, 3> n{};
  const int past = block.centering() == Centering::node ? 1 : 0;
  for (std::size_t d = 0; d < 3; ++d) n[d] = std::max(1, block.axes[d].cells() + past);
  return n;
}

std::vector<double> gather_values(const Block& block, const Field& field) {
  const HostRead read(field);
  const Field& u = *read;
  std::vector<double> values(count(file_shape(block)));
  dispatch(u.precision(), [&]<class T>(T) {
    const auto view = u.view<T>();
    fill_values(block, [&](std::size_t at, int i, int j, int k) { values[at] = static_cast<double>(view(i, j, k)); });
  });
  return values;
}

std::vector<double> gather_gradient(const Discretization& discretization, const Field& field) {
  const Block& block = discretization.block();
  if (block.centering() == Centering::cell) return gradient_in_cells(discretization, field);
  const HostRead read(field);
  const Field& u = *read;
  const auto components = static_cast<std::size_t>(block.dimension());
  std::vector<double> values(count(file_shape(block)) * components);
  std::array<std::vector<Difference>, 3> differences;
  for (std::size_t d = 0; d < components; ++d) differences[d] = first_differences(block.axes[d]);
  dispatch(u.precision(), [&]<class T>(T) {
    const auto view = u.view<T>();
    fill_values(block, [&](std::size_t at, int i, int j, int k) {
      const std::array node{i, j, k};
      for (std::size_t d = 0; d < components; ++d) {
        const Difference& w = differences[d][static_cast<std::size_t>(node[d])];
        double sum = 0;
        for (std::size_t p = 0; p < 3; ++p) {
          std::array to = node;
          to[d] = w.at[p];
          sum += w.weight[p] * static_cast<double>(view(to[0], to[1], to[2]));
        }
        values[at * components + d] = sum;
      }
    });
  });
  return values;
}

std::vector<double> gather_error(const Discretization& discretization, const Field& u) {
  const Block& block = discretization.block();
  const Problem& problem = discretization.problem();
  std::vector<double> values = gather_values(block, u);
  const std::vector<double> exact = gather_quantity(block, *problem.exact, "exact", block.location());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= exact[i];
  if (!discretization.rows().singular) return values;
  // The mean; at nodes by half cells to both sides: right on periodic axes too, whose last node is the first.
  const std::array<int, 3> n = file_shape(block);
  const auto weight = [&](std::size_t d, int i) {
    const Axis& axis = block.axes[d];
    if (axis.degenerate()) return 1.0;
    if (axis.centering() == Centering::cell) return axis.mass(i);
    return 0.5 * ((i > 0 ? axis.width(i - 1) : 0) + (i < axis.cells() ? axis.width(i) : 0));
  };
  double sum = 0, volume = 0;
  std::size_t at = 0;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i, ++at) {
        const double w = weight(0, i) * weight(1, j) * weight(2, k);
        sum += w * values[at];
        volume += w;
      }
  for (double& v : values) v -= sum / volume;
  return values;
}

std::vector<double> gather_density(const Block& block, const Field& field, double factor) {
  const HostRead read(field);
  const Field& r = *read;
  std::vector<double> values(count(file_shape(block)));
  const Box unknowns = block.unknowns();
  dispatch(r.precision(), [&]<class T>(T) {
    const auto view = r.view<T>();
    fill_values(block, [&](std::size_t at, int i, int j, int k) {
      const std::array node{i, j, k};
      for (std::size_t d = 0; d < 3; ++d)
        if (node[d] < unknowns.first[d] || node[d] >= unknowns.last[d]) return;
      values[at] = factor * static_cast<double>(view(i, j, k)) / block.mass(i, j, k);
    });
  });
  return values;
}

std::vector<double> gather_quantity(const Block& block, const Quantity& quantity, std::string_view name,
                                    Location location) {
  const Layout layout = location == Location::node ? block.layout() : block.cell_layout();
  const std::array<int, 3> n = layout.n;
  std::vector<double> own(count(n));
  sample(quantity, name, Sign::any, block, location, layout.box(), [&](int j, int k, const double* line) {
    std::copy_n(line, n[0], own.begin() + (static_cast<std::int64_t>(k) * n[1] + j) * static_cast<std::int64_t>(n[0]));
  });
  if (location == Location::cell) return own;
  std::vector<double> values(count(file_shape(block)));
  fill_values(block, [&](std::size_t at, int i, int j, int k) {
    values[at] = own[(static_cast<std::size_t>(k) * static_cast<std::size_t>(n[1]) + static_cast<std::size_t>(j)) *
                         static_cast<std::size_t>(n[0]) +
                     static_cast<std::size_t>(i)];
  });
  return values;
}

}  // namespace poisson
