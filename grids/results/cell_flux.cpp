#include "grids/results/cell_flux.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "backends/memory/places.hpp"
#include "grids/results/face_flows.hpp"
#include "grids/sampling/problem_data.hpp"

namespace poisson {
namespace {

using CellVector = std::array<double, 3>;

// Multiplies by −κ: one number, one for each axis, or the diagonal and then the entries xy, xz and yz.
CellVector minus_kappa_times(std::span<const double> kappa, int dimension, const CellVector& gradient) {
  const auto n = static_cast<std::size_t>(dimension);
  CellVector flux{};
  for (std::size_t d = 0; d < n; ++d) flux[d] = -kappa[kappa.size() == 1 ? 0 : d] * gradient[d];
  std::size_t entry = n;
  for (std::size_t d = 0; kappa.size() > n && n > 1 && d < n; ++d)
    for (std::size_t e = d + 1; e < n; ++e, ++entry) {
      flux[d] -= kappa[entry] * gradient[e];
      flux[e] -= kappa[entry] * gradient[d];
    }
  return flux;
}

// Contains u at the nodes of some planes of this process, x fastest.
struct NodePlanes {
  std::size_t nx, ny;
  std::vector<double> values;

  double at(std::size_t i, std::size_t j, std::size_t k) const { return values[(k * ny + j) * nx + i]; }
  // Returns the mean difference along the edges of cell (i, j, k) in the direction of an axis.
  double rise(std::size_t axis, std::size_t i, std::size_t j, std::size_t k, bool flat) const {
    double sum = 0;
    const std::size_t upper = flat ? 1 : 2;
    for (std::size_t c = 0; c < upper; ++c)
      for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t a = 0; a < 2; ++a) {
          const std::array corner{a, b, c};
          sum += (corner[axis] == 1 ? 1 : -1) * at(i + a, j + b, k + c);
        }
    return sum / (flat ? 2 : 4);
  }
};

}  // namespace

Pieces gather_cell_flux(const Discretization& discretization, const Field& u) {
  const Problem& problem = discretization.problem();
  if (discretization.block().centering() == Centering::cell) return gather_flux(discretization, u);
  const Pieces values = gather_solution(discretization, u);
  const Pieces kappa = gather_quantities(discretization, kappa_components(problem), "coefficient", Location::cell);
  const Box cells = shown_places(discretization.block(), Location::cell);
  const int dimension = problem.dimension;
  return {cells, dimension,
          [values, kappa, cells, dimension, nodes = problem.nodes](int first, int last, std::span<double> flux) {
            const bool flat = dimension == 2;
            NodePlanes planes{static_cast<std::size_t>(values.shape[0]), static_cast<std::size_t>(values.shape[1]), {}};
            const int past = flat ? last : last + 1;
            planes.values.resize(values.plane() * static_cast<std::size_t>(past - first));
            values.fill(first, past, planes.values);
            std::vector<double> coefficients(kappa.plane() * static_cast<std::size_t>(last - first));
            kappa.fill(first, last, coefficients);
            const auto width = [&](std::size_t d, int local) {
              const auto i = static_cast<std::size_t>(cells.first[d] + local);
              return nodes[d][i + 1] - nodes[d][i];
            };
            std::size_t place = 0;
            const auto components = static_cast<std::size_t>(kappa.components);
            for_each_place({{0, 0, first}, {kappa.shape[0], kappa.shape[1], last}}, [&](int i, int j, int k) {
              const std::array at{i, j, k};
              CellVector gradient{};
              for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
                gradient[d] = planes.rise(d, static_cast<std::size_t>(i), static_cast<std::size_t>(j),
                                          static_cast<std::size_t>(k - first), flat) /
                              width(d, at[d]);
              const CellVector here = minus_kappa_times(std::span(coefficients).subspan(place * components, components),
                                                        dimension, gradient);
              std::copy_n(here.begin(), dimension, flux.begin() + static_cast<std::ptrdiff_t>(place) * dimension);
              ++place;
            });
          }};
}

}  // namespace poisson
