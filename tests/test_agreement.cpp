// The device under test against the CPU: the same problems with the same options for a fixed number of cycles. Bounds
// are in units of the largest value of the solution.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io/config.hpp"
#include "tests/problems.hpp"
#include "tests/solve.hpp"

namespace poisson {
namespace {

[[maybe_unused]] const int chosen = setenv("POISSON_TEST_DEVICE", "cuda", 0);  // unless another is named

/// A problem with data of all frequencies, of one size whatever the units of the grid.
Problem with_data(const NamedFaces& faces, const NamedGrid& grid, const ProblemChoice& choice) {
  const double L = grid.length, K = grid.kappa;
  Problem p = make_problem(faces, grid, choice);
  const auto wave = [L](double factor, double phase) {
    return Quantity([=](double x, double y, double z) {
      return factor * (0.3 + std::sin(7 * x / L + phase) * std::cos(5 * y / L - phase) + z / L);
    });
  };
  p.source = wave(10 * K / (L * L), 0.4);
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t end = 0; end < 2; ++end) {
      Boundary& face = p.boundary[d][end];
      if (face.kind == BoundaryKind::periodic) continue;
      face.value = wave(face.kind == BoundaryKind::dirichlet ? 1 : K / L, static_cast<double>(2 * d + end));
    }
  return p;
}

struct Outcome {
  Result result;
  std::vector<double> u;
  double largest = 0;
};

Outcome outcome(Solve& s) {
  Outcome o{s.run(), values(s.solution()), 0};
  for (const double u : o.u) o.largest = std::max(o.largest, std::abs(u));
  return o;
}

Outcome on_host(const Problem& problem, const Options& options, Assembly assembly = Assembly::automatic) {
  Solve s(problem, options, assembly, make_cpu_backend());
  return outcome(s);
}
Outcome on_device(const Problem& problem, const Options& options, Assembly assembly = Assembly::automatic) {
  Solve s(problem, options, assembly);
  return outcome(s);
}

/// Reads as: how far apart two solutions are, in units of the largest value.
double distance(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.u.size(), b.u.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.u.size(); ++i) {
    const double d = std::abs(a.u[i] - b.u[i]);
    largest = d <= largest ? largest : d;  // NaN stays
  }
  return a.largest > 0 ? largest / a.largest : largest;
}

/// What the precision allows. In double the rounding of the solution, which axes that stretch by 10³ and conjugate
/// gradients that have not converged amplify; those where they are far from
/// converged more; mixed, what single precision makes of the last correction as well, whose size the estimated error
/// gives; single, its rounding.
double bound(const Options& options, const Result& result, bool very_stretched) {
  const bool amplified = very_stretched || options.krylov == Krylov::cg || options.method == Method::cg;
  const double error = std::isfinite(result.estimated_error) ? std::min(result.estimated_error, 1.0) : 1;
  switch (options.precision) {
    case SolvePrecision::double_:
      return amplified ? 3e-11 + (options.krylov == Krylov::cg ? 1e-6 * error : 0) : 1e-12;
    case SolvePrecision::mixed:
      return 1e-9 + 0.05 * error;
    case SolvePrecision::single:
      break;
  }
  return 1e-3;
}

/// Relative residuals below this are rounding, which devices need not share.
double rounding_level(SolvePrecision precision) {
  return precision == SolvePrecision::single ? 3e-4 : 1e-10;
}

/// Residuals fall by factors that agree to two digits; with corrections in single precision to a few per cent. Below
/// `noise` a factor is what rounding made it: the iteration had ended, or a correction, whose rounding axes amplify
/// that stretch by 10³.
void expect_contraction(const Result& host, const Result& device, SolvePrecision precision, bool very_stretched) {
  ASSERT_EQ(host.history.size(), device.history.size());
  const bool in_double = precision == SolvePrecision::double_;
  const double digits = in_double ? 0.005 : 0.03, noise = in_double ? 1e-9 : very_stretched ? 0.15 : 1e-4;
  for (std::size_t i = 1; i < host.history.size() && host.history[i] > rounding_level(precision); ++i) {
    const double a = host.history[i] / host.history[i - 1], b = device.history[i] / device.history[i - 1];
    ASSERT_NEAR(a, b, digits * a + noise)
        << "contraction of iteration " << i << ", from a relative residual of " << host.history[i - 1];
  }
}

/// Iterations that can be compared: until the residual is rounding, at most as many as asked for. Where full multigrid
/// starts from more than zero would, the cycle diverges, and conjugate gradients with it enlarge rounding a
/// thousandfold each iteration: three.
int comparable_iterations(const Result& result, const Options& options) {
  const bool diverges = options.krylov == Krylov::cg && result.history.front() > 1.5;
  const int most = diverges ? std::min(result.iterations, 3) : result.iterations;
  int count = 0;
  while (count < most &&
         (count == 0 || result.history[static_cast<std::size_t>(count)] > rounding_level(options.precision)))
    ++count;
  return count;
}

/// Returns the distance of the two solutions.
double expect_agreement(const Problem& problem, Options options, bool very_stretched = false,
                        Assembly assembly = Assembly::automatic) {
  Outcome host = on_host(problem, options, assembly);
  const int count = comparable_iterations(host.result, options);
  if (count < options.max_iterations) {  // what follows would compare noise
    options.max_iterations = count;
    host = on_host(problem, options, assembly);
  }
  const Outcome device = on_device(problem, options, assembly);
  const double d = distance(host, device);
  EXPECT_LE(d, bound(options, host.result, very_stretched))
      << "after " << count << " iterations; relative residuals: host " << host.result.history.back() << ", device "
      << device.result.history.back() << "; estimated error " << host.result.estimated_error << "; largest |u| "
      << host.largest;
  EXPECT_EQ(host.result.verdict, device.result.verdict);
  EXPECT_EQ(host.result.iterations, device.result.iterations);
  EXPECT_NEAR(host.result.projected, device.result.projected,
              (options.precision == SolvePrecision::single ? 1e-5 : 1e-12) * (1 + host.result.reference));
  expect_contraction(host.result, device.result, options.precision, very_stretched);
  return d;
}

/// A combination of everything, its settings drawn by a number.
struct Choice {
  ProblemChoice problem;
  Options options;
};

Choice draw(unsigned seed, SolvePrecision precision) {
  constexpr std::array<std::array<int, 3>, 10> sizes{{{2, 2, 2},
                                                      {3, 2, 5},
                                                      {5, 31, 2},
                                                      {33, 3, 2},
                                                      {31, 5, 3},
                                                      {2, 33, 5},
                                                      {5, 3, 33},
                                                      {3, 5, 31},
                                                      {31, 33, 2},
                                                      {17, 2, 33}}};
  Random random(seed);
  const auto pick = [&](int count) { return std::min(count - 1, static_cast<int>((random() + 1) / 2 * count)); };
  Choice c;
  c.problem = {2 + pick(2), sizes[static_cast<std::size_t>(pick(sizes.size()))], static_cast<Kappa>(pick(4)),
               static_cast<Sigma>(pick(3))};
  const auto& cells = c.problem.cells;
  Options& o = c.options;
  o.tolerance = 0;
  o.precision = precision;
  o.full_multigrid = pick(2) == 0;
  o.cycle = static_cast<Cycle>(pick(3));
  switch (pick(8)) {
    case 0:
      o.method = Method::cg;
      // With as many iterations as unknowns all that is left is rounding.
      o.max_iterations =
          std::min(12, std::accumulate(cells.begin(), cells.begin() + c.problem.dimension, 1, std::multiplies<>()) / 2);
      return c;
    case 1:
      o.method = Method::jacobi;
      o.max_iterations = 20;
      return c;
    default:
      break;
  }
  o.max_iterations = 6;
  o.krylov = pick(3) == 0 ? Krylov::cg : Krylov::none;
  o.smoother.type = std::array{SmootherType::chebyshev, SmootherType::red_black,
                               SmootherType::jacobi}[static_cast<std::size_t>(pick(3))];
  o.smoother.kind = pick(2) == 0 ? ChebyshevKind::first : ChebyshevKind::fourth;
  const int sweeps = 1 + pick(3);
  o.smoother.pre = o.krylov == Krylov::cg ? sweeps : pick(3);
  o.smoother.post = sweeps;
  return c;
}

std::string describe(const Choice& c) {
  const auto& [dimension, cells, kappa, sigma, centering, scheme] = c.problem;
  const Options& o = c.options;
  std::string text = std::to_string(dimension) + "-D";
  for (int d = 0; d < dimension; ++d) text += (d ? " x " : " ") + std::to_string(cells[static_cast<std::size_t>(d)]);
  const auto add = [&](const char* name, int value) { text += std::string(", ") + name + " " + std::to_string(value); };
  add("scheme", static_cast<int>(scheme));
  add("kappa", static_cast<int>(kappa));
  add("sigma", static_cast<int>(sigma));
  add("centering", static_cast<int>(centering));
  add("method", static_cast<int>(o.method));
  add("cycle", static_cast<int>(o.cycle));
  add("full multigrid", o.full_multigrid);
  add("smoother", static_cast<int>(o.smoother.type));
  add("kind", static_cast<int>(o.smoother.kind));
  add("pre", o.smoother.pre.value_or(-1));
  add("post", o.smoother.post.value_or(-1));
  add("krylov", static_cast<int>(o.krylov));
  add("coarse operator", static_cast<int>(o.coarse_operator));
  add("precision", static_cast<int>(o.precision));
  return text;
}

class Agreement : public testing::TestWithParam<std::tuple<NamedFaces, NamedGrid>> {
 protected:
  void check(SolvePrecision precision, int count, Centering centering = Centering::node) {
    const auto& [faces, grid] = GetParam();
    unsigned seed = 1;
    for (const char c : faces.name + grid.name) seed = 31 * seed + static_cast<unsigned char>(c);
    double worst = 0;
    for (int i = 0; i < count; ++i) {
      Choice c = draw(seed + static_cast<unsigned>(i), precision);
      c.problem.centering = centering;
      SCOPED_TRACE(describe(c));
      const bool very_stretched = grid.name == "geometric" || grid.name == "micro";
      worst = std::max(worst, expect_agreement(with_data(faces, grid, c.problem), c.options, very_stretched));
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", worst);
    RecordProperty("largest_distance", text);
  }
};

TEST_P(Agreement, InDouble) {
  check(SolvePrecision::double_, 10);
}
TEST_P(Agreement, InMixedPrecision) {
  check(SolvePrecision::mixed, 5);
}
TEST_P(Agreement, InSingle) {
  check(SolvePrecision::single, 3);
}
TEST_P(Agreement, OfCells) {
  check(SolvePrecision::double_, 8, Centering::cell);
  check(SolvePrecision::mixed, 4, Centering::cell);
  check(SolvePrecision::single, 2, Centering::cell);
}

INSTANTIATE_TEST_SUITE_P(All, Agreement, testing::Combine(testing::ValuesIn(all_faces()), testing::ValuesIn(all_grids)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + std::get<1>(test.param).name;
                         });

/// Every way to solve, on an awkward box of many tiles.
class LargerBox : public testing::TestWithParam<NamedFaces> {};

TEST_P(LargerBox, Agrees) {
  for (const NamedGrid& grid : {all_grids[0], all_grids[1]})
    for (const ProblemChoice& choice : {ProblemChoice{3, {97, 61, 43}, Kappa::constant, Sigma::zero},
                                        {3, {33, 31, 64}, Kappa::random_tensor, Sigma::varying},
                                        {2, {257, 131, 1}, Kappa::random, Sigma::zero},
                                        {3, {97, 61, 43}, Kappa::constant, Sigma::zero, Centering::cell},
                                        {3, {33, 31, 64}, Kappa::random, Sigma::zero, Centering::cell},
                                        {2, {257, 131, 1}, Kappa::random_tensor, Sigma::varying, Centering::cell}})
      for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed}) {
        Choice c;
        c.problem = choice;
        c.options.krylov = Krylov::none;
        c.options.tolerance = 0;
        c.options.max_iterations = 6;
        c.options.precision = precision;
        SCOPED_TRACE(grid.name + ", " + describe(c));
        expect_agreement(with_data(GetParam(), grid, choice), c.options);
      }
}

INSTANTIATE_TEST_SUITE_P(All, LargerBox, testing::ValuesIn(all_faces()),
                         [](const auto& test) { return test.param.name; });

/// Elements in every assembly mode, finite volumes around nodes and cells in full assembly; points, lines and planes.
class Schemes : public testing::TestWithParam<NamedFaces> {};

TEST_P(Schemes, Agree) {
  std::size_t turn = GetParam().name.size();  // every choice another one of the rest
  for (const NamedGrid& grid : {all_grids[0], all_grids[1], all_grids[2]})
    for (const auto& [scheme, centering] :
         {std::pair{Scheme::fv, Centering::node}, std::pair{Scheme::q1, Centering::node},
          std::pair{Scheme::fv, Centering::cell}})
      for (const Kappa kappa :
           {Kappa::constant, Kappa::random, Kappa::random_tensor, Kappa::constant_tensor, Kappa::random_full}) {
        if (scheme == Scheme::fv && kappa == Kappa::random_full) continue;
        ++turn;
        const std::array sizes{std::array{17, 9, 33}, std::array{5, 31, 14}, std::array{33, 6, 7}};
        Choice c;
        c.problem = {turn % 3 == 0 ? 2 : 3,
                     sizes[turn % 3],
                     kappa,
                     std::array{Sigma::zero, Sigma::constant, Sigma::varying}[turn / 2 % 3],
                     centering,
                     scheme};
        c.options.krylov = Krylov::none;
        c.options.tolerance = 0;
        c.options.max_iterations = 5;
        c.options.precision = turn % 2 == 0 ? SolvePrecision::double_ : SolvePrecision::mixed;
        c.options.smoother.type = std::array{SmootherType::automatic, SmootherType::red_black, SmootherType::line,
                                             SmootherType::plane, SmootherType::chebyshev}[turn / 3 % 5];
        const Assembly assembly =
            scheme == Scheme::fv ? Assembly::full
                                 : std::array{Assembly::automatic, Assembly::full, Assembly::partial}[turn / 4 % 3];
        SCOPED_TRACE(grid.name + ", " + describe(c) + ", assembly " + std::to_string(static_cast<int>(assembly)));
        expect_agreement(with_data(GetParam(), grid, c.problem), c.options, grid.name == "geometric", assembly);
      }
}

INSTANTIATE_TEST_SUITE_P(All, Schemes, testing::ValuesIn(all_faces()),
                         [](const auto& test) { return test.param.name; });

const NamedFaces& faces_named(const std::string& name) {
  static const std::vector<NamedFaces> all = all_faces();
  return *std::find_if(all.begin(), all.end(), [&](const NamedFaces& f) { return f.name == name; });
}

/// Galerkin coarse operators below elements, and below rows that are held as bands.
TEST(GalerkinOperators, Agree) {
  for (const char* const faces : {"dirichlet", "mixed", "periodic_xy"})
    for (const NamedGrid& grid : {all_grids[0], all_grids[3]})
      for (const auto& [scheme, assembly] : {std::pair{Scheme::q1, Assembly::automatic},
                                             {Scheme::q1, Assembly::partial},
                                             {Scheme::q1, Assembly::full},
                                             {Scheme::fv, Assembly::full}})
        for (const int dimension : {2, 3})
          for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed}) {
            Choice c;
            c.problem = {
                dimension,
                dimension == 2 ? std::array{33, 21, 1} : std::array{17, 9, 12},
                scheme == Scheme::q1 && precision == SolvePrecision::mixed ? Kappa::random_full : Kappa::random,
                dimension == 2 ? Sigma::varying : Sigma::zero,
                Centering::node,
                scheme};
            c.options.tolerance = 0;
            c.options.max_iterations = 6;
            c.options.precision = precision;
            c.options.krylov = Krylov::cg;
            c.options.coarse_operator = CoarseOperator::galerkin;
            SCOPED_TRACE(std::string(faces) + ", " + grid.name + ", " + describe(c) + ", assembly " +
                         std::to_string(static_cast<int>(assembly)));
            const NamedFaces& named = faces_named(faces);
            expect_agreement(with_data(named, grid, c.problem), c.options, false, assembly);
          }
}

/// Cells where κ jumps by 10³ at edges and corners: coarse faces on which the current bends, on boxes of even and odd
/// numbers of cells.
TEST(Checkerboards, OfCellsAgree) {
  for (const char* const faces : {"dirichlet", "mixed", "periodic_xyz"})
    for (const int dimension : {2, 3})
      for (const std::array<int, 3>& cells : {std::array{32, 32, 32}, std::array{33, 20, 26}})
        for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed}) {
          Choice c;
          c.problem = {dimension, cells, Kappa::random, Sigma::zero, Centering::cell};
          c.options.tolerance = 0;
          c.options.max_iterations = 6;
          c.options.precision = precision;
          c.options.krylov = Krylov::cg;
          SCOPED_TRACE(std::string(faces) + ", " + describe(c));
          Problem p = with_data(faces_named(faces), all_grids[0], c.problem);
          p.coefficient[0] = [nodes = p.nodes](double x, double y, double z) {
            const std::array at{x, y, z};
            int blocks = 0;
            for (std::size_t d = 0; d < 3; ++d)
              if (nodes[d].size() > 1)
                blocks += static_cast<int>((at[d] - nodes[d][0]) / (nodes[d][1] - nodes[d][0]) / 4);
            return blocks % 2 ? 1e3 : 1.0;
          };
          expect_agreement(p, c.options, true);
        }
}

/// The compact scheme in every assembly mode, and extrapolated finite volumes; points, lines and planes.
TEST(FourthOrder, Agrees) {
  Boundary dirichlet, periodic;
  periodic.kind = BoundaryKind::periodic;
  const std::array D{dirichlet, dirichlet}, P{periodic, periodic};
  const std::array<NamedFaces, 5> faces{{{"dirichlet", {D, D, D}},
                                         {"periodic_x", {P, D, D}},
                                         {"periodic_yz", {D, P, P}},
                                         {"periodic_z", {D, D, P}},
                                         {"periodic_xyz", {P, P, P}}}};
  unsigned turn = 0;
  for (const NamedFaces& f : faces)
    for (const bool extrapolate : {false, true})
      for (const int dimension : {2, 3})
        for (const Kappa kappa : {Kappa::constant, Kappa::constant_tensor})
          for (const Krylov krylov : {Krylov::none, Krylov::cg}) {
            ++turn;
            const std::array<int, 3> cells = extrapolate
                                                 ? std::array{34, 16, 22}
                                                 : std::array{std::array{33, 9, 17}, std::array{6, 31, 14}}[turn % 2];
            Choice c;
            c.problem = {dimension,       cells,
                         kappa,           turn / 2 % 2 == 0 ? Sigma::zero : Sigma::constant,
                         Centering::node, extrapolate ? Scheme::fv : Scheme::compact4};
            c.options.tolerance = 0;
            c.options.max_iterations = extrapolate ? 8 : 5;
            c.options.extrapolate = extrapolate;
            c.options.krylov = krylov;
            c.options.precision = turn / 3 % 2 == 0 ? SolvePrecision::double_ : SolvePrecision::mixed;
            c.options.smoother.type = std::array{SmootherType::automatic, SmootherType::red_black, SmootherType::line,
                                                 SmootherType::plane}[turn / 4 % 4];
            const Assembly assembly = std::array{Assembly::automatic, Assembly::full, Assembly::partial}[turn % 3];
            SCOPED_TRACE(f.name + ", " + describe(c) + ", extrapolate " + std::to_string(extrapolate) + ", assembly " +
                         std::to_string(static_cast<int>(assembly)));
            expect_agreement(with_data(f, all_grids[0], c.problem), c.options, false, assembly);
          }
}

std::vector<Choice> ways(Centering centering = Centering::node) {
  std::vector<Choice> all;
  const auto add = [&](auto change) {
    for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed}) {
      Choice c;
      c.problem = {3, {33, 31, 29}, Kappa::constant, Sigma::zero, centering};
      c.options.tolerance = 0;
      c.options.max_iterations = 6;
      c.options.precision = precision;
      change(c.options);
      all.push_back(c);
    }
  };
  for (const Cycle cycle : {Cycle::v, Cycle::w, Cycle::f})
    for (const SmootherType type : {SmootherType::chebyshev, SmootherType::red_black, SmootherType::jacobi})
      for (const Krylov krylov : {Krylov::none, Krylov::cg})
        add([&](Options& o) {
          o.cycle = cycle;
          o.smoother = {type, {}, ChebyshevKind::fourth, {}, 2, 2};
          o.krylov = krylov;
        });
  for (const SmootherType type : {SmootherType::chebyshev, SmootherType::red_black}) {
    if (centering == Centering::cell) break;
    add([&](Options& o) {
      o.coarse_operator = CoarseOperator::galerkin;
      o.smoother = {type, {}, ChebyshevKind::first, {}, 2, 2};
      o.krylov = Krylov::cg;
    });
  }
  for (const SmootherType type : {SmootherType::line, SmootherType::plane})
    for (const Krylov krylov : {Krylov::none, Krylov::cg})
      add([&](Options& o) {
        o.smoother.type = type;
        o.krylov = krylov;
        if (type == SmootherType::plane) o.max_iterations = 2;  // each is many launches
      });
  add([](Options& o) {
    o.method = Method::cg;
    o.max_iterations = 12;
  });
  add([](Options& o) {
    o.method = Method::jacobi;
    o.max_iterations = 20;
  });
  return all;
}

TEST(EveryWay, Agrees) {
  for (const char* const faces : {"dirichlet", "neumann", "mixed", "periodic_xyz"})
    for (const Centering centering : {Centering::node, Centering::cell})
      for (const Choice& c : ways(centering)) {
        SCOPED_TRACE(std::string(faces) + ", " + describe(c));
        expect_agreement(with_data(faces_named(faces), all_grids[0], c.problem), c.options);
      }
}

TEST(EveryWay, GivesTheSameBitsTwice) {
  std::vector<Choice> all = ways();
  for (Choice c : ways(Centering::cell)) {
    c.problem.kappa = Kappa::random;
    all.push_back(c);
  }
  for (const Choice& c : all) {
    SCOPED_TRACE(describe(c));
    const Problem problem = with_data(faces_named("mixed"), all_grids[1], c.problem);
    Solve s(problem, c.options);
    const Outcome first = outcome(s);
    s.reset();
    const Outcome again = outcome(s), other = on_device(problem, c.options);
    EXPECT_EQ(first.u, again.u) << "by the same solver";
    EXPECT_EQ(first.result.history, again.result.history);
    EXPECT_EQ(first.u, other.u) << "by another one";
    EXPECT_EQ(first.result.history, other.result.history);
  }
}

/// NaN in what no verb may read, padding and the halo of periodic axes, changes no bit.
TEST(EveryWay, ReadsNoPadding) {
  for (const char* const faces : {"mixed", "periodic_y", "periodic_xyz"})
    for (const Choice& c : ways()) {
      SCOPED_TRACE(std::string(faces) + ", " + describe(c));
      const Problem problem = with_data(faces_named(faces), all_grids[1], c.problem);
      const Outcome clean = on_device(problem, c.options);
      Solve s(problem, c.options);
      for (Field* const f : {&s.solution(), &s.rhs()}) set_values(s.backend(), *f, values(s.backend(), *f));
      set_values(
          s.backend(), s.solver().spare(),
          Vector(static_cast<std::size_t>(s.solution().layout().size()), std::numeric_limits<double>::quiet_NaN()));
      const Outcome poisoned = outcome(s);
      EXPECT_EQ(clean.u, poisoned.u);
      EXPECT_EQ(clean.result.history, poisoned.result.history);
    }
}

/// Verbs on small levels share launches while a graph is recorded, and have their own where each runs at once: the
/// functors are the same, and so are the numbers but for how the compiler fused multiplications and additions.
TEST(EveryWay, SharingLaunchesChangesRoundingAtMost) {
  for (const std::string faces : {"mixed", "periodic_x", "periodic_xyz"}) {
    std::size_t turn = faces.size();  // every way another grid and κ
    for (Choice c : ways()) {
      ++turn;
      const NamedGrid& grid = all_grids[turn % 2];
      c.problem.kappa = turn / 2 % 2 == 0 ? Kappa::constant : Kappa::random_tensor;
      c.options.max_iterations = 2;  // each is many launches
      SCOPED_TRACE(faces + ", " + grid.name + ", " + describe(c));
      const Problem problem = with_data(faces_named(faces), grid, c.problem);
      const Outcome shared = on_device(problem, c.options);
      Solve s(problem, c.options);
      s.backend().run_immediately();
      const Outcome alone = outcome(s);
      EXPECT_LE(distance(shared, alone),
                c.options.krylov == Krylov::none && c.options.precision == SolvePrecision::double_
                    ? 1e-14
                    : bound(c.options, alone.result, false));
    }
  }
}

/// The files that a user starts from, solved in double for a fixed number of cycles.
TEST(EveryConfiguration, Agrees) {
  const char* const root = std::getenv("POISSON_ROOT");
  int count = 0;
  for (const char* const folder : {"configs", "examples"})
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(root ? root : ".") / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      SCOPED_TRACE(entry.path());
      const std::vector<std::string> overrides{"solver.precision=double", "solver.tolerance=0",
                                               "solver.max_iterations=10"};
      const Config config = load_config(entry.path(), overrides);
      if (config.matrix) continue;  // test_bands holds those against a reference on the device itself
      const double d = expect_agreement(config.problem, config.options);
      std::printf("%-24s %.2g of the largest |u|\n", entry.path().stem().c_str(), d);
      EXPECT_LE(d, 1e-12);
      ++count;
    }
  EXPECT_GE(count, 9);
}

/// Until the tolerance is reached: the same iterations, the same end.
TEST(EveryWay, EndsAlike) {
  for (Choice c : ways()) {
    if (c.options.method == Method::jacobi) continue;
    c.options.tolerance = 1e-9;
    c.options.max_iterations = 300;
    SCOPED_TRACE(describe(c));
    const Problem problem = with_data(faces_named("mixed"), all_grids[0], c.problem);
    const Outcome host = on_host(problem, c.options), device = on_device(problem, c.options);
    EXPECT_TRUE(device.result.converged()) << device.result.reason(c.options);
    // Many iterations of conjugate gradients let rounding move the last.
    EXPECT_NEAR(host.result.iterations, device.result.iterations, c.options.method == Method::cg ? 2 : 0);
    EXPECT_LE(distance(host, device), 1e-6);
  }
}

}  // namespace
}  // namespace poisson
