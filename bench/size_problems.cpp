#include "bench/size_problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "grids/axes/stretching.hpp"

namespace poisson::bench {
namespace {

constexpr double pi = std::numbers::pi;

std::size_t last_axis(const Problem& p) {
  return static_cast<std::size_t>(p.dimension) - 1;
}

void on_all_faces(Problem& p, BoundaryKind kind) {
  for (std::size_t d = 0; d <= last_axis(p); ++d)
    for (Boundary& face : p.boundary[d]) face.kind = kind;
}

void as_it_is(Problem&) {}
void neumann(Problem& p) {
  on_all_faces(p, BoundaryKind::neumann);
}
void mixed(Problem& p) {
  on_all_faces(p, BoundaryKind::neumann);
  p.boundary[0][0].kind = p.boundary[1][1].kind = BoundaryKind::dirichlet;
}
void periodic(Problem& p) {
  on_all_faces(p, BoundaryKind::periodic);
}
void cells(Problem& p) {
  p.centering = Centering::cell;
}
void elements(Problem& p) {
  p.scheme = Scheme::q1;
}
void compact4(Problem& p) {
  p.scheme = Scheme::compact4;
}
void smooth(Problem& p) {
  p.coefficient[0] = [](double x, double y, double z) {
    return 1 + 0.5 * std::sin(2 * pi * x) * std::sin(2 * pi * y) * std::cos(2 * pi * z);
  };
}
// Sets κ in a sphere or disc around the centre.
void sphere_of(Problem& p, double kappa) {
  std::array<double, 3> centre{};
  double shortest = 1;
  for (std::size_t d = 0; d <= last_axis(p); ++d) {
    centre[d] = p.nodes[d].back() / 2;
    shortest = std::min(shortest, p.nodes[d].back());
  }
  const double square = 0.09 * shortest * shortest;
  p.coefficient[0] = [=](double x, double y, double z) {
    const double dx = x - centre[0], dy = y - centre[1], dz = z - centre[2];
    return dx * dx + dy * dy + dz * dz < square ? kappa : 1.0;
  };
}
void sphere(Problem& p) {
  sphere_of(p, 1e6);
}
void sphere_of_cells(Problem& p) {
  cells(p);
  sphere(p);
}
void stretch(std::vector<double>& axis, StretchedEnd end) {
  const int n = static_cast<int>(axis.size()) - 1;
  axis = geometric_nodes(0, axis.back(), n, geometric_ratio(1e3, n, end), end);
}
void stretched(Problem& p) {
  stretch(p.nodes[last_axis(p)], StretchedEnd::lower);
}
void stretched_all(Problem& p) {
  for (std::size_t d = 0; d <= last_axis(p); ++d) stretch(p.nodes[d], StretchedEnd::lower);
}
// Cells grow by 10⁴ along the last axes.
void stretch_far(Problem& p, std::size_t first) {
  for (std::size_t d = first; d <= last_axis(p); ++d) {
    const int n = static_cast<int>(p.nodes[d].size()) - 1;
    p.nodes[d] =
        geometric_nodes(0, p.nodes[d].back(), n, geometric_ratio(1e4, n, StretchedEnd::lower), StretchedEnd::lower);
  }
}
void smooth_stretched_two(Problem& p) {
  smooth(p);
  stretch_far(p, last_axis(p) - 1);
}
void smooth_stretched_all(Problem& p) {
  smooth(p);
  stretch_far(p, 0);
}
void sphere_stretched_two(Problem& p) {
  sphere_of(p, 1e3);
  stretch_far(p, last_axis(p) - 1);
}
void stretched_symmetric(Problem& p) {
  for (std::size_t d = 0; d <= last_axis(p); ++d) stretch(p.nodes[d], StretchedEnd::both);
}

constexpr std::array table{
    SizeProblem{"nodes", "unknowns at nodes, u = 0 on all faces", as_it_is},
    SizeProblem{"neumann", "Neumann faces", neumann},
    SizeProblem{"mixed", "Dirichlet and Neumann faces", mixed},
    SizeProblem{"periodic", "periodic axes", periodic},
    SizeProblem{"cells", "unknowns in cells", cells},
    SizeProblem{"elements", "bilinear or trilinear elements", elements},
    SizeProblem{"compact4", "the compact scheme of fourth order", compact4},
    SizeProblem{"smooth", "smooth κ", smooth},
    SizeProblem{"sphere", "κ = 1e6 in a sphere, or a disc, at nodes", sphere},
    SizeProblem{"cells-sphere", "κ = 1e6 in a sphere, or a disc, in cells", sphere_of_cells},
    SizeProblem{"stretched", "cells that grow by 1e3 along the last axis", stretched},
    SizeProblem{"smooth-stretched-two", "smooth κ, cells that grow by 1e4 along two axes", smooth_stretched_two},
    SizeProblem{"smooth-stretched-all", "smooth κ, cells that grow by 1e4 along all axes", smooth_stretched_all},
    SizeProblem{"sphere-stretched-two", "κ = 1e3 in a sphere, cells that grow by 1e4 along two axes",
                sphere_stretched_two},
    SizeProblem{"direct", "directly, unknowns at nodes, u = 0 on all faces", as_it_is, Method::direct},
    SizeProblem{"direct-neumann", "directly, Neumann faces", neumann, Method::direct},
    SizeProblem{"direct-mixed", "directly, Dirichlet and Neumann faces", mixed, Method::direct},
    SizeProblem{"direct-periodic", "directly, periodic axes", periodic, Method::direct},
    SizeProblem{"direct-cells", "directly, unknowns in cells", cells, Method::direct},
    SizeProblem{"direct-stretched", "directly, cells that grow by 1e3 along the last axis", stretched, Method::direct},
    SizeProblem{"direct-stretched-all", "directly, along all axes", stretched_all, Method::direct},
    SizeProblem{"direct-stretched-symmetric", "directly, from both ends of all axes", stretched_symmetric,
                Method::direct},
};

// Stores the factors of waves along x, which are the same on all lines, for a thread that processes lines one after
// another.
struct LineOfTrig {
  std::vector<double> x, slow, fast;

  void at(std::span<const double> places) {
    if (std::ranges::equal(x, places)) return;
    x.assign(places.begin(), places.end());
    slow.resize(x.size());
    fast.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      slow[i] = std::cos(2 * pi * x[i] + 0.3);
      fast[i] = std::cos(14 * pi * x[i] - 0.9);
    }
  }
};

// Evaluates a long and a short wave that satisfy no boundary condition, so that no start is exact.
void waves(std::span<const double> x, std::span<const double> y, std::span<const double> z, std::span<double> values) {
  if (values.empty()) return;
  static thread_local LineOfTrig line;
  line.at(x);
  const double slow = 10 * std::cos(2 * pi * y[0] + 0.7) * std::cos(2 * pi * z[0] + 0.2);
  const double fast = 30 * std::cos(10 * pi * y[0] + 0.1) * std::cos(6 * pi * z[0] - 0.4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = slow * line.slow[i] + fast * line.fast[i];
}

}  // namespace

std::span<const SizeProblem> size_problems() {
  return table;
}

Problem problem_of(const SizeProblem& which, const Size& size) {
  Problem p;
  p.dimension = size.dimension;
  const int longest = *std::max_element(size.cells.begin(), size.cells.end());
  for (std::size_t d = 0; d < static_cast<std::size_t>(size.dimension); ++d)
    p.nodes[d] = uniform_nodes(0, static_cast<double>(size.cells[d]) / longest, size.cells[d]);
  p.source = Quantity::Function(waves);
  which.change(p);
  return p;
}

}  // namespace poisson::bench
