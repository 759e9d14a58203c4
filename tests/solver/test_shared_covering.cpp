// These tests compare solves on 2, 3, 4, 6 and 8 processes with one process, for every pair of properties of a problem,
// its solver and its cuts.

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "grids/axes/stretching.hpp"
#include "solver/matrix_model.hpp"
#include "tests/cases/covering.hpp"
#include "tests/problems.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"
#include "tests/smoothing.hpp"

namespace poisson::shared_covering_tests {
namespace {

/// Describes into how many parts the axes are cut in two and in three dimensions: slabs and blocks, along every axis.
struct Cutting {
  Parts flat, solid;
};
const std::vector<Named<Cutting>> cuttings{{"2", {{1, 2, 1}, {1, 1, 2}}},
                                           {"3", {{3, 1, 1}, {1, 3, 1}}},
                                           {"4", {{2, 2, 1}, {1, 2, 2}}},
                                           {"6", {{2, 3, 1}, {3, 2, 1}}},
                                           {"8", {{2, 4, 1}, {2, 2, 2}}}};

enum class Data { constant, sigma, tensor, smooth, jump, strong_clusters, rotated };
const std::vector<Named<Data>> coefficients{{"constant", Data::constant}, {"sigma", Data::sigma},
                                            {"tensor", Data::tensor},     {"smooth", Data::smooth},
                                            {"jump", Data::jump},         {"islands", Data::strong_clusters},
                                            {"rotated", Data::rotated}};

struct Discrete {
  int dimension;
  Scheme scheme;
  Centering centering;
};
const std::vector<Named<Discrete>> discretizations{
    {"nodes2", {2, Scheme::fv, Centering::node}},    {"nodes3", {3, Scheme::fv, Centering::node}},
    {"cells2", {2, Scheme::fv, Centering::cell}},    {"cells3", {3, Scheme::fv, Centering::cell}},
    {"elements2", {2, Scheme::q1, Centering::node}}, {"elements3", {3, Scheme::q1, Centering::node}}};

enum class Way {
  automatic,
  jacobi,
  red_black,
  chebyshev,
  lines,
  planes,
  galerkin,
  gradients,
  sweeps,
  w_cycle,
  f_cycle
};
const std::vector<Named<Way>> ways{{"auto", Way::automatic},      {"jacobi", Way::jacobi}, {"redBlack", Way::red_black},
                                   {"chebyshev", Way::chebyshev}, {"lines", Way::lines},   {"planes", Way::planes},
                                   {"galerkin", Way::galerkin},   {"cg", Way::gradients},  {"sweeps", Way::sweeps},
                                   {"w", Way::w_cycle},           {"f", Way::f_cycle}};

enum class Axes { equal, stretched, steep };
const std::vector<Named<Axes>> axes{{"equal", Axes::equal}, {"stretched", Axes::stretched}, {"steep", Axes::steep}};

const std::vector<Named<SolvePrecision>> precisions{
    {"fp64", SolvePrecision::double_}, {"mixed", SolvePrecision::mixed}, {"fp32", SolvePrecision::single}};
const std::vector<Named<Assembly>> assemblies{
    {"partial", Assembly::automatic}, {"full", Assembly::full}, {"recompute", Assembly::recompute}};

/// Parts may have their minimum thickness.
const std::vector<Named<bool>> sizes{{"thick", false}, {"thin", true}};

using Choice = std::tuple<Named<Cutting>, NamedFaces, Named<Discrete>, Named<Data>, Named<Way>, Named<Axes>,
                          Named<SolvePrecision>, Named<Assembly>, Named<bool>>;

// Returns numbers of cells that do not halve well, with parts of six or four values.
std::array<int, 3> cells_of(const Discrete& d, bool thin) {
  if (thin) return d.dimension == 2 ? std::array{13, 17, 1} : std::array{13, 13, 9};
  return d.dimension == 2 ? std::array{25, 31, 1} : std::array{19, 13, 11};
}

void set_coefficient(Problem& p, Data data) {
  std::array<std::int64_t, 3> shape{1, 1, 1};
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d)
    shape[d] = static_cast<std::int64_t>(p.nodes[d].size()) - 1;
  const auto cells = [&](const auto& value) {
    GridArray array{Location::cell, shape, {}};
    for (std::int64_t i = 0; i < shape[0] * shape[1] * shape[2]; ++i) array.values.push_back(value());
    return array;
  };
  Random random(5);
  switch (data) {
    case Data::constant:
      p.coefficient[0] = 2.5;
      break;
    case Data::sigma:
      p.coefficient[0] = 0.5;
      p.reaction = [](double x, double y, double z) { return 1 + x * x + std::sin(3 * y) + z * z; };
      break;
    case Data::tensor:
      p.isotropic = false;
      p.coefficient = {Quantity(1.0), Quantity(0.25), Quantity(3.0)};
      p.reaction = 2.0;
      break;
    case Data::smooth:
      p.coefficient[0] = Quantity(
          [](std::span<const double> x, std::span<const double> y, std::span<const double> z,
             std::span<double> values) {
            for (std::size_t i = 0; i < x.size(); ++i) values[i] = 2 + std::sin(3 * x[i] + y[i]) * std::cos(2 * z[i]);
          },
          "2 + sin(3 * x + y) * cos(2 * z)");
      break;
    case Data::jump:
      p.coefficient[0] = [](double x, double y, double z) {
        return (x - 0.5) * (x - 0.5) + (y - 0.4) * (y - 0.4) + z * z < 0.15 ? 1e3 : 1.0;
      };
      break;
    case Data::strong_clusters:
      p.coefficient[0] = cells([&] { return random() < -0.7 ? 1e5 : 1.0; });
      break;
    case Data::rotated:
      if (p.scheme != Scheme::q1) return set_coefficient(p, Data::smooth);
      p.isotropic = false;
      p.full_tensor = true;
      for (Quantity& k : p.coefficient) k = cells([&] { return 2 + random(); });
      for (Quantity& k : p.offdiagonal) k = cells([&] { return 0.3 * random(); });
      break;
  }
}

// Sets a solver. If it does not suit the problem, it uses the closest one, for example lines instead of planes in two
// dimensions.
void set_way(Case& c, Way way) {
  Options& o = c.options;
  const bool flat = c.problem.dimension == 2, in_cells = c.problem.centering == Centering::cell;
  switch (way) {
    case Way::automatic:
      break;
    case Way::jacobi:
      choose(o.smoother, "jacobi");
      break;
    case Way::red_black:
      choose(o.smoother, "red-black");
      o.krylov = Krylov::cg;
      break;
    case Way::chebyshev:
      choose(o.smoother, "chebyshev", "fourth");
      o.krylov = Krylov::none;
      break;
    case Way::lines:
      choose(o.smoother, "line");
      break;
    case Way::planes:
      choose(o.smoother, flat ? "line" : "plane");
      break;
    case Way::galerkin:
      if (!in_cells) o.coarse_operator = CoarseOperator::galerkin;
      break;
    case Way::gradients:
      o.method = Method::cg;
      break;
    case Way::sweeps:
      o.method = Method::jacobi;
      break;
    case Way::w_cycle:
      o.cycle = Cycle::w;
      break;
    case Way::f_cycle:
      o.cycle = Cycle::f;
      o.full_multigrid = false;
      break;
  }
}

Case case_of(const NamedFaces& faces, const Discrete& discrete, Data data, Way way, Axes along, bool thin) {
  Case c;
  Problem& p = c.problem;
  p.dimension = discrete.dimension;
  p.scheme = discrete.scheme;
  p.centering = discrete.centering;
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d) {
    const int n = cells_of(discrete, thin)[d];
    const double length = 1 + 0.25 * static_cast<double>(d);
    p.nodes[d] = along == Axes::equal || (along == Axes::steep && d == 1) ? uniform_nodes(0, length, n)
                 : along == Axes::stretched ? tanh_nodes(0, length, n, 1.5, StretchedEnd::both)
                                            : geometric_nodes(0, length, n, 1.2, StretchedEnd::lower);
  }
  p.boundary = faces.faces;
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.dimension); ++d)
    for (Boundary& face : p.boundary[d])
      if (face.kind != BoundaryKind::periodic)
        face.value = [](double x, double y, double z) { return 0.5 + x * y - z * z; };
  p.source = [](double x, double y, double z) { return std::sin(5 * x) * std::cos(3 * y + z); };
  set_coefficient(p, data);
  set_way(c, way);
  c.options.fallback = Fallback::never;
  return c;
}

// Returns the bound of |difference| over max|u| after a few cycles. In fp64 it is rounding. Corrections in fp32 add
// their rounding, which an ill-conditioned system amplifies.
double bound_of(const Case& c, Data data, Axes along) {
  if (c.options.precision == SolvePrecision::single) return 1e-3;
  const bool bad = data == Data::strong_clusters || data == Data::jump || along == Axes::steep;
  return c.options.precision == SolvePrecision::mixed ? (bad ? 1e-5 : 1e-9) : (bad && !on_cpu() ? 1e-10 : 1e-12);
}

// Galerkin levels can relax lines only if no cut crosses them. Levels of all processes must use another relaxation.
void without_lines_on_galerkin(Case& c, Discretization::Assembly assembly) {
  if (c.options.method != Method::multigrid && c.options.method != Method::automatic) return;
  const auto backend = test_backend();
  const Discretization alone(*backend, std::as_const(c.problem), assembly);
  const Options chosen = make_solver(alone, c.options)->options();
  if (chosen.coarse_operator != CoarseOperator::galerkin || chosen.smoother.extent != RelaxationChoice::lines) return;
  if (c.options.coarse_operator == CoarseOperator::galerkin)
    c.options.smoother.extent = RelaxationChoice::points;
  else
    c.options.coarse_operator = CoarseOperator::rediscretized;
}

class SharedCovering : public testing::TestWithParam<Choice> {};

TEST_P(SharedCovering, IsSolvedAsByOneProcess) {
  const auto& [cutting, faces, discrete, data, way, along, precision, assembly, thin] = GetParam();
  Case c = case_of(faces, discrete.value, data.value, way.value, along.value, thin.value);
  c.options.precision = precision.value;
  c.options.tolerance = 0;
  c.options.max_iterations = 3;
  without_lines_on_galerkin(c, assembly.value);
  const Parts& parts = discrete.value.dimension == 2 ? cutting.value.flat : cutting.value.solid;
  const auto values = static_cast<std::size_t>(make_block(c.problem).layout().size());
  std::vector<double> wanted(values), found(values), any(values);
  solve(c, {}, wanted, true, assembly.value);
  // The test also solves to a tolerance in fp64, independent of rounding, if few iterations suffice.
  Case converging = c;
  converging.options.tolerance = 1e-5;
  converging.options.max_iterations = 10;
  const bool counted = c.options.precision == SolvePrecision::double_ && c.options.method == Method::multigrid;
  const int iterations = counted ? solve(converging, {}, any, true, assembly.value).result.iterations : 0;
  as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
    const Sharing sharing{processes, parts, 300};
    solve(c, sharing, found, true, assembly.value);
    if (counted) {
      EXPECT_NEAR(solve(converging, sharing, any, true, assembly.value).result.iterations, iterations, 1);
    }
  });
  EXPECT_LE(largest_difference(found, wanted), bound_of(c, data.value, along.value) * largest_magnitude(wanted));
}
INSTANTIATE_TEST_SUITE_P(EveryPair, SharedCovering,
                         testing::ValuesIn(every_pair(cuttings, all_faces(), discretizations, coefficients, ways, axes,
                                                      precisions, assemblies, sizes)),
                         name_of_combination);

// Both fourth-order methods are tested on axes with even numbers of cells and parts of unequal sizes.
TEST(SharedCoveringOfFourthOrder, IsSolvedAsByOneProcess) {
  for (const auto& [name, cutting] : cuttings)
    for (const bool extrapolated : {false, true}) {
      SCOPED_TRACE(testing::Message() << name << (extrapolated ? " extrapolated" : " compact"));
      Case c;
      Problem& p = c.problem;
      p.nodes = {uniform_nodes(0, 1, 20), uniform_nodes(0, 1, 22), uniform_nodes(0, 1.5, 14)};
      for (Boundary& face : p.boundary[1]) face.kind = BoundaryKind::periodic;
      p.scheme = extrapolated ? Scheme::fv : Scheme::compact4;
      p.reaction = 1.5;
      p.source = [](double x, double y, double z) { return std::sin(5 * x) * std::cos(6.283185307179586 * y) + z; };
      p.boundary[0][0].value = [](double, double, double z) { return 0.5 - z * z; };
      c.options.extrapolate = extrapolated;
      c.options.precision = SolvePrecision::double_;
      c.options.tolerance = 1e-9;
      const auto values = static_cast<std::size_t>(make_block(p).layout().size());
      std::vector<double> wanted(values), found(values);
      const Solved one = solve(c, {}, wanted);
      const Parts& parts = cutting.solid;
      as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
        const Solved own = solve(c, {processes, parts, 300}, found);
        EXPECT_EQ(own.result.iterations, one.result.iterations);
        EXPECT_NEAR(own.result.extrapolated, one.result.extrapolated, 1e-12);
      });
      EXPECT_LE(largest_difference(found, wanted), 1e-12 * largest_magnitude(wanted));
    }
}

// Returns a matrix with couplings by these offsets and back, the latter times `skew`, alternately weak and strong.
BandedMatrix random_matrix(const std::array<int, 3>& shape, const std::vector<Offset>& offsets, double skew = 1) {
  BandedMatrix m;
  m.shape = shape;
  m.offsets = {{0, 0, 0}};
  const std::size_t points = m.points();
  m.entries.assign(1, std::vector<double>(points, 1e-3));
  Random random(3);
  const auto number = [&](const std::array<int, 3>& at) {
    return static_cast<std::size_t>(at[0] + shape[0] * (at[1] + shape[1] * at[2]));
  };
  for (const Offset& o : offsets) {
    std::vector<double> up(points), down(points);
    for (std::array<int, 3> at{}; at[2] < shape[2]; ++at[2])
      for (at[1] = 0; at[1] < shape[1]; ++at[1])
        for (at[0] = 0; at[0] < shape[0]; ++at[0]) {
          const std::array there{at[0] + o[0], at[1] + o[1], at[2] + o[2]};
          const double coupling = std::pow(10, 2 * random());
          bool inside = true;
          for (std::size_t d = 0; d < 3; ++d) inside = inside && there[d] >= 0 && there[d] < shape[d];
          if (!inside) continue;
          up[number(at)] = -coupling;
          down[number(there)] = -skew * coupling;
          m.entries[0][number(at)] += coupling;
          m.entries[0][number(there)] += skew * coupling;
        }
    m.offsets.push_back(o);
    m.entries.push_back(up);
    m.offsets.push_back({-o[0], -o[1], -o[2]});
    m.entries.push_back(down);
  }
  measure(m);
  return m;
}

// Compares the iterates of one process and of several after some iterations.
void expect_same_iterates(const BandedMatrix& matrix, Method method) {
  Options options;
  options.method = method;
  options.precision = SolvePrecision::double_;
  options.tolerance = 0;
  options.max_iterations = 4;
  const auto solved = [&](const Sharing& sharing, std::vector<double>& all) {
    const auto backend = test_backend();
    const MatrixModel model(*backend, matrix, sharing);
    const auto solver = make_solver(model, options);
    backend->fill(solver->rhs(), 1);
    solver->solve(false);
    put_part(solver->solution(), all);
  };
  std::vector<double> wanted(matrix.points()), found(matrix.points());
  solved({}, wanted);
  for (const auto& [name, cutting] : cuttings) {
    const Parts& parts = matrix.shape[2] == 1 ? cutting.flat : cutting.solid;
    as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
      solved({processes, parts, 300}, found);
    });
    EXPECT_LE(largest_difference(found, wanted), 1e-12 * largest_magnitude(wanted)) << name;
  }
}

TEST(SharedCoveringOfMatrices, IsSolvedAsByOneProcess) {
  for (const std::array shape : {std::array{25, 31, 1}, {19, 14, 13}}) {
    const int dimension = shape[2] == 1 ? 2 : 3;
    const std::vector<Offset> near = box_offsets(dimension), star = star_offsets(dimension);
    std::vector<Offset> far = near;
    far.insert(far.end(), {{2, 0, 0}, {0, 2, 0}, {-1, 2, 0}});
    if (dimension == 3) far.insert(far.end(), {{0, 0, 2}, {2, -1, 1}, {1, 0, -2}});
    for (const auto& offsets : {star, near}) expect_same_iterates(random_matrix(shape, offsets), Method::multigrid);
    for (const auto& offsets : {star, near, far}) {
      expect_same_iterates(random_matrix(shape, offsets), Method::cg);
      expect_same_iterates(random_matrix(shape, offsets, 0.5), Method::jacobi);
    }
  }
}

// Several processes must refuse such a matrix with one sentence if the couplings cross a cut.
TEST(SharedCoveringOfMatrices, IsRefusedWhereRowsReachFar) {
  const BandedMatrix far = random_matrix({13, 12, 1}, {{1, 0, 0}, {0, 1, 0}, {3, 0, 0}});
  for (const Parts& parts : {Parts{2, 1, 1}, Parts{1, 2, 1}})
    as_processes(2, [&](const std::shared_ptr<const Processes>& processes) {
      const auto backend = test_backend();
      Options options;
      options.method = Method::jacobi;
      std::string said;
      try {
        make_solver(MatrixModel(*backend, far, {processes, parts, 300}), options);
      } catch (const InputError& error) {
        said = error.what();
      }
      const std::string wanted = "the matrix couples points that are 3 apart along x";
      EXPECT_EQ(said.substr(0, wanted.size()), parts[0] > 1 ? wanted : "");
    });
}

}  // namespace
}  // namespace poisson::shared_covering_tests
