// In every cell, the flows through its faces less its source are the residual of its row.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/places.hpp"
#include "grids/problem/mixed_bc.hpp"
#include "grids/results/face_flows.hpp"
#include "grids/results/face_results.hpp"
#include "grids/results/integrals.hpp"
#include "grids/sampling/sampler.hpp"
#include "grids/schemes/cells/cell_face.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/solve.hpp"

namespace poisson::flows_of_rows_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, P = BoundaryKind::periodic,
               R = BoundaryKind::robin;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double low, double high) { return std::uniform_real_distribution(low, high)(engine_); }
  int below(int n) { return std::uniform_int_distribution(0, n - 1)(engine_); }

 private:
  std::mt19937 engine_;
};

// Returns a cube with stretched, equal or random cells, and random conditions on its faces.
Problem random_box(Random& random) {
  Problem p = cube_in_cells(8 + random.below(5));
  for (std::size_t d = 0; d < 3; ++d) {
    std::vector<double> nodes{0};
    const int kind = random.below(3), n = 7 + random.below(6);
    for (int i = 0; i < n; ++i)
      nodes.push_back(nodes.back() + (kind == 0 ? 1 : kind == 1 ? std::pow(1.3, i) : random(0.2, 1)));
    for (double& x : nodes) x /= nodes.back();
    nodes.back() = 1;
    p.nodes[d] = nodes;
    if (random.below(4) == 0) {
      p.boundary[d] = {Boundary{P}, Boundary{P}};
      continue;
    }
    for (Boundary& face : p.boundary[d]) {
      const std::array kinds{Boundary{D, random(-1, 1)}, Boundary{N, random(-1, 1)},
                             Boundary{R, random(-1, 1), random(0.1, 10)}};
      face = kinds[static_cast<std::size_t>(random.below(3))];
    }
  }
  const bool fixed = std::ranges::any_of(p.boundary, [](const auto& faces) {
    return std::ranges::any_of(faces, [](const Boundary& face) { return face.kind == D || face.kind == R; });
  });
  if (!fixed) p.boundary[0] = {Boundary{D, 1.0}, Boundary{N, 0.0}};  // otherwise the data would have to balance
  p.source = random(-2, 2);
  return p;
}

ShapePtr random_shape(Random& random) {
  const Point centre{random(0, 1), random(0, 1), random(0, 1)};
  if (random.below(2) == 0) return make_ellipsoid(centre, {random(0.1, 0.4), random(0.1, 0.4), random(0.1, 0.4)});
  Point upper = centre;
  for (double& x : upper) x += random(0.1, 0.5);
  return make_box(centre, upper);
}

// Adds bodies of random conductors, a fixed one, an insulator, a contact and a sheet.
void add_media(Random& random, Problem& p) {
  MediaBuilder media;
  media.add("background", {random(0.5, 2), random(0.5, 2), random(0.5, 2)});
  media.add("core", std::pow(10, random(-3, 3)));
  media.back().source = random(-3, 3);
  media.add("shell", std::pow(10, random(-3, 3)));
  media.add_fixed("lead", random(-1, 1));
  media.add_insulator("hole");
  for (const char* name : {"core", "shell", "core", "lead", "hole", "shell"})
    if (random.below(4) > 0) media.body(name, random_shape(random));
  if (random.below(2) == 0) media.contact("core", "shell", std::pow(10, random(-4, 1)));
  if (random.below(2) == 0) media.sheet("core", std::pow(10, random(-5, -2)), std::pow(10, random(0, 6)));
  media.use(p, random.below(2) == 0 ? Surfaces::averaged : Surfaces::staircase);
}

// Gives each cell of the system a random value.
void fill_randomly(Random& random, const Discretization& d, Field& u) {
  const Box box = d.block().layout().box();
  std::vector<double> values;
  for_each_place(box, [&](int i, int j, int k) { values.push_back(d.media()->solved(i, j, k) ? random(-1, 1) : 0); });
  d.sampler().put(box, values, SampleStore::set, u);
}

// Returns Σ c |u| over the couplings of a cell: to neighbours, faces of the domain and fixed bodies.
double sum_of_terms(const Discretization& d, const std::vector<double>& u, const std::array<int, 3>& cell) {
  const MediaSystem& media = *d.media();
  const Block& block = d.block();
  const std::array<int, 3> n = block.layout().n;
  const auto at = [&](const std::array<int, 3>& c) { return std::abs(u[media.own(c[0], c[1], c[2])]); };
  const double here = at(cell);
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const Axis& axis = block.axes[a];
    const double area = block.face_area(static_cast<int>(a), cell[0], cell[1], cell[2]);
    for (const int side : {0, 1}) {
      std::array next = cell, face = cell;
      next[a] += side == 0 ? -1 : 1;
      face[a] += side;
      const bool end = next[a] < 0 || next[a] >= n[a];
      if (end && !axis.periodic()) {
        const double kappa = media.end_kappa(static_cast<int>(a), side)[0 + [&] {
          const std::size_t e = a == 0 ? 1 : 0, f = a == 2 ? 1 : 2;
          return static_cast<std::size_t>(cell[f] * n[e] + cell[e]);
        }()];
        sum += 2 * kappa * area / axis.width(cell[a]) * (here + 1);
        continue;
      }
      next[a] = (next[a] + n[a]) % n[a];
      const double distance = 0.5 * (axis.width(face[a] - 1) + axis.width(face[a]));
      sum += media.face(a, face[0], face[1], face[2]) * area / distance * (here + at(next));
    }
  }
  for (const FixedLink& link : media.links())
    if (link.cell == cell) sum += link.conductance * (here + std::abs(*media.media().material_of(link.region).fixed));
  return sum;
}

class FlowsOfRows : public testing::TestWithParam<unsigned> {};

TEST_P(FlowsOfRows, LessTheSourceAreTheResidual) {
  Random random(GetParam());
  Problem p = random_box(random);
  add_media(random, p);
  Options options{.method = Method::multigrid};
  options.precision = SolvePrecision::double_;
  Solve solve(p, options);
  const Discretization& d = solve.discretization();
  Solver& solver = solve.solver();
  Field& u = solver.solution();
  fill_randomly(random, d, u);
  solver.A().residual(u, solver.rhs(), solver.spare());
  const Box box = d.block().layout().box();
  const std::vector<double> residual = d.functionals().values(solver.spare(), box),
                            values = d.functionals().values(u, box);
  const std::vector<double> sources = d.media()->sources();
  const FaceFlows flows(d, u);
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  double worst = 0;
  int cells = 0;
  for_each_place(box, [&](int i, int j, int k) {
    if (!d.media()->solved(i, j, k) || std::ranges::count(d.media()->anchors(), std::array{i, j, k}) > 0) return;
    const std::size_t at = d.media()->own(i, j, k);
    const double source = sources[at] + *p.source.constant() * d.block().cell_volume(i, j, k);
    const double left = flows.out_of(i, j, k) - source + residual[at] / solver.A().scale();
    const double allowed = 4 * epsilon * (sum_of_terms(d, values, {i, j, k}) + std::abs(source));
    worst = std::max(worst, std::abs(left) / allowed);
    ++cells;
  });
  EXPECT_LE(worst, 1) << cells << " cells";
  RecordProperty("worst", std::to_string(worst));
}

// Conditions at faces read κ from the rows. Lines, which serve cells next to a process's part, must find the same.
TEST_P(FlowsOfRows, HaveBehindFacesWhatLinesFind) {
  Random random(GetParam());
  Problem p = random_box(random);
  add_media(random, p);
  Solve solve(p, {.method = Method::multigrid});
  const Discretization& d = solve.discretization();
  const Box all = d.block().layout().box();
  for (int axis = 0; axis < 3; ++axis)
    for (int end = 0; end < 2; ++end) {
      if (!d.block().axes[static_cast<std::size_t>(axis)].open(end)) continue;
      Box within = all;
      if (end == 1)
        for (std::size_t e = 0; e < 3; ++e) ++within.first[e];
      std::vector<CellFace::Values> expected;
      const auto note = [&](int, int, int, const CellFace::Values& v) { expected.push_back(v); };
      CellFace(d.problem(), d.block(), axis, end, within, nullptr).visit(note);
      std::size_t at = 0;
      CellFace(d.problem(), d.block(), axis, end, within, d.media())
          .visit([&](int i, int j, int k, const CellFace::Values& v) {
            const CellFace::Values& e = expected.at(at++);
            if (!d.media()->solved(i, j, k)) return;
            EXPECT_NEAR(v.given, e.given, 1e-11 * std::abs(e.given)) << axis << end << " " << i << " " << j << " " << k;
            EXPECT_NEAR(v.conductance, e.conductance, 1e-11 * e.conductance);
            EXPECT_EQ(v.in_halo, e.in_halo);
          });
      EXPECT_EQ(at, expected.size());
    }
}

INSTANTIATE_TEST_SUITE_P(RandomMedia, FlowsOfRows, testing::Range(0U, 60U));

}  // namespace
}  // namespace poisson::flows_of_rows_tests
