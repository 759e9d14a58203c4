// Problems that several processes solve together must have the solution of one process.

#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/levels/band_probe.hpp"
#include "grids/levels/shared_strong_clusters.hpp"
#include "grids/levels/sharing.hpp"
#include "grids/results/integrals.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/solver.hpp"
#include "tests/device.hpp"
#include "tests/oracles/same_values.hpp"
#include "tests/parts.hpp"
#include "tests/problems.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"

namespace poisson::shared_tests {
namespace {

class Shared : public testing::TestWithParam<Case> {};

TEST_P(Shared, IsSolvedAsByOneProcess) {
  const Case& c = GetParam();
  const std::size_t values = static_cast<std::size_t>(make_block(c.problem).layout().size());
  std::vector<double> wanted(values);
  const Solved one = solve(c, {}, wanted);
  double size = 0;
  for (const double u : wanted) size = std::max(size, std::abs(u));
  const std::vector<std::array<int, 3>> all_parts{{1, 2, 2}, {1, 1, 2}, {1, 1, 3}, {2, 1, 1}};
  for (const std::array parts : std::span(all_parts).first(on_cpu() ? 4 : 1)) {
    std::vector<double> found(values);
    std::array parted = parts;
    if (c.problem.dimension == 2) std::swap(parted[1], parted[2]), parted[2] = 1;
    as_processes(parted[0] * parted[1] * parted[2], [&](const std::shared_ptr<const Processes>& processes) {
      const Sharing sharing{processes, parted, 300};
      const Solved own = solve(c, sharing, found);
      EXPECT_EQ(own.result.iterations, one.result.iterations);
      const auto near = [&](double is, double should, double scale, const char* what) {
        EXPECT_NEAR(is, should, 1e-11 * std::max(scale, std::abs(should))) << what;
      };
      near(own.norms.integral, one.norms.integral, size, "integral");
      near(own.norms.min, one.norms.min, size, "min");
      near(own.norms.max, one.norms.max, size, "max");
      EXPECT_EQ(own.norms.max_at, one.norms.max_at);
      double flow = std::abs(one.balance.source) + std::abs(one.balance.reaction);
      for (const double flux : one.balance.flux) flow += std::abs(flux);
      near(own.balance.source, one.balance.source, flow, "source");
      near(own.balance.reaction, one.balance.reaction, flow, "reaction");
      near(own.balance.residual, one.balance.residual, flow, "residual");
      for (std::size_t f = 0; f < one.balance.flux.size(); ++f)
        near(own.balance.flux[f], one.balance.flux[f], flow, "flux");
    });
    double most = 0;
    for (std::size_t i = 0; i < values; ++i) most = std::max(most, std::abs(found[i] - wanted[i]));
    EXPECT_LE(most, 1e-12 * size) << parted[0] << parted[1] << parted[2];
  }
}

// Overlapping communication must not change any bit, and sums by planes must equal those of one process. Kernels of a
// GPU process planes in batches from the start of each part.
constexpr double rounding = 1e-12;

class SharedInSlabs : public testing::TestWithParam<Case> {};
TEST_P(SharedInSlabs, HasTheSameBits) {
  const Case& c = GetParam();
  const std::size_t values = static_cast<std::size_t>(make_block(c.problem).layout().size());
  std::vector<double> wanted(values);
  const Solved one = solve(c, {}, wanted);
  const std::vector<std::array<int, 3>> all_parts{{1, 1, 2}, {2, 2, 1}, {1, 1, 3}};
  for (const std::array parts : std::span(all_parts).first(on_cpu() ? 3 : 2)) {
    std::array parted = parts;
    if (c.problem.dimension == 2) std::swap(parted[1], parted[2]), parted[2] = 1;
    std::array<std::vector<double>, 2> found{std::vector<double>(values), std::vector<double>(values)};
    std::array<std::vector<double>, 2> history;
    SolutionNorms norms;
    Balance balance;
    for (const std::size_t beside : {0, 1})
      as_processes(parted[0] * parted[1] * parted[2], [&](const std::shared_ptr<const Processes>& processes) {
        const Solved own = solve(c, {processes, parted, 300}, found[beside], beside == 1);
        if (!processes->first()) return;
        history[beside] = own.result.history;
        norms = own.norms;
        balance = own.balance;
      });
    expect_same_values(found[0], found[1], rounding);
    if (on_cpu()) {
      EXPECT_EQ(history[0], history[1]);
    }
    EXPECT_EQ(history[0].size(), history[1].size());
    if (parts[0] * parts[1] == 1) {
      expect_same_values(found[1], wanted, rounding);
      if (on_cpu()) {
        EXPECT_EQ(history[1], one.result.history);
        EXPECT_EQ(norms.integral, one.norms.integral);
        EXPECT_EQ(norms.l2, one.norms.l2);
        for (std::size_t face = 0; face < balance.flux.size(); ++face)
          EXPECT_EQ(balance.flux[face], one.balance.flux[face]) << face;
        EXPECT_EQ(balance.source, one.balance.source);
        EXPECT_EQ(balance.reaction, one.balance.reaction);
        EXPECT_EQ(balance.residual, one.balance.residual);
      }
    }
  }
}

// Fills a field with random values that do not depend on the parts, also beyond open ends of cells' axes.
void fill_random(Field& field, unsigned seed) {
  const auto host = make_cpu_backend();
  Field there(*host, field.space(), field.precision());
  const Space& space = field.space();
  dispatch(field.precision(), [&]<class T>(T) {
    const auto view = there.template view<T>();
    const auto& o = space.part().origin();
    for_each_value(view, true, [&](int i, int j, int k) {
      const std::array at{i + o[0], j + o[1], k + o[2]};
      unsigned bits = seed;
      for (std::size_t d = 0; d < 3; ++d) {
        const int n = space.part().all()[d];
        if ((at[d] < -1 || at[d] > n) && !space.part().closed()[d]) return;
        bits = (bits ^ static_cast<unsigned>(space.part().closed()[d] ? (at[d] + n) % n : at[d] + 1)) * 2654435761u;
        bits ^= bits >> 15;
      }
      view(i, j, k) = static_cast<T>(std::ldexp(static_cast<double>(bits), -31) - 1);
    });
  });
  transfer(there, field);
}

TEST_P(Shared, HasTheLevelsOfTheGlobalGrid) {
  const Case& c = GetParam();
  std::vector<std::pair<std::string, std::vector<double>>> wanted;
  // Calls see(name, field) with the results of verbs for random values on all levels.
  const auto verbs = [&](const Sharing& sharing, const auto& see) {
    const auto backend = test_backend();
    const Discretization d(*backend, c.problem, Assembly::automatic, Sampling::automatic, sharing);
    const Hierarchy h = d.make_hierarchy(Precision::fp64);
    const auto field = [&](std::size_t l, unsigned seed) {
      Field f(*backend, h.operators[l]->space(), Precision::fp64);
      if (seed > 0) fill_random(f, seed);
      return f;
    };
    Field b = field(0, 0), u0 = field(0, 0);
    d.assemble_rhs(b);
    see("b", b);
    d.initialize(u0);
    see("u", u0);
    for (std::size_t l = 0; l < h.operators.size(); ++l) {
      const std::string level = " of level " + std::to_string(l);
      const Operator& A = *h.operators[l];
      Field u = field(l, 1 + static_cast<unsigned>(l)), v = field(l, 0);
      A.apply(u, v);
      see("product" + level, v);
      v = field(l, 0);
      A.diagonal(v);
      see("diagonal" + level, v);
      if (l + 1 == h.operators.size()) break;
      const Transfer& t = *h.transfers[l];
      Field coarse = field(l + 1, 0);
      t.restrict_to(u, coarse);
      see("restriction" + level, coarse);
      t.restrict_data(u, coarse);
      see("data" + level, coarse);
      coarse = field(l + 1, 0);
      t.inject(u, coarse);
      see("injection" + level, coarse);
      coarse = field(l + 1, 77);
      v = field(l, 0);
      t.prolong(coarse, v);
      see("prolongation" + level, v);
      v = field(l, 0);
      t.interpolate(coarse, v);
      see("interpolation" + level, v);
    }
  };
  verbs({}, [&](const std::string& name, const Field& field) {
    wanted.emplace_back(name, std::vector<double>(static_cast<std::size_t>(field.layout().size())));
    put_part(field, wanted.back().second);
  });
  const std::vector<std::array<int, 3>> all_parts{{1, 2, 2}, {1, 1, 3}, {2, 1, 1}, {1, 3, 1}, {1, 1, 2}};
  for (const std::array parts : std::span(all_parts).first(on_cpu() ? 5 : 3)) {
    std::array parted = parts;
    if (c.problem.dimension == 2) std::swap(parted[1], parted[2]), parted[2] = 1;
    std::vector<std::vector<double>> found;
    for (const auto& [name, values] : wanted) found.emplace_back(values.size(), -1e9);
    as_processes(parted[0] * parted[1] * parted[2], [&](const std::shared_ptr<const Processes>& processes) {
      std::size_t at = 0;
      verbs({processes, parted, 300}, [&](const std::string&, const Field& field) { put_part(field, found[at++]); });
    });
    for (std::size_t w = 0; w < wanted.size(); ++w) {
      double most = 0, size = 0;
      for (std::size_t i = 0; i < found[w].size(); ++i) {
        most = std::max(most, std::abs(found[w][i] - wanted[w].second[i]));
        size = std::max(size, std::abs(wanted[w].second[i]));
      }
      EXPECT_LE(most, 1e-13 * size) << wanted[w].first << ", parts " << parted[0] << parted[1] << parted[2];
    }
  }
}

// κ jumps from cell to cell, and strong clusters cross the cuts.
TEST(SharedStrongClusters, AreThoseOfOneProcess) {
  for (const int dimension : {2, 3})
    for (const BoundaryKind kind : {BoundaryKind::dirichlet, BoundaryKind::neumann, BoundaryKind::periodic}) {
      SCOPED_TRACE(testing::Message() << dimension << " " << static_cast<int>(kind));
      Case c;
      Problem& p = c.problem;
      p.dimension = dimension;
      const int n = dimension == 2 ? 45 : 22;
      GridArray kappa{Location::cell, {n, n, dimension == 3 ? n : 1}, {}};
      std::mt19937 bits(3);
      for (std::int64_t i = 0; i < kappa.shape[0] * kappa.shape[1] * kappa.shape[2]; ++i)
        kappa.values.push_back(bits() % 20 < (dimension == 2 ? 4 : 2) ? 1e5 : 1.0);
      p.coefficient[0] = p.coefficient[1] = p.coefficient[2] = kappa;
      p.source = 1.0;
      for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
        for (int i = 0; i <= n; ++i) p.nodes[d].push_back(static_cast<double>(i) / n);
        for (Boundary& face : p.boundary[d]) face.kind = d == 1 ? kind : BoundaryKind::dirichlet;
      }
      c.options.precision = SolvePrecision::double_;
      c.options.coarse_operator = CoarseOperator::galerkin;
      c.options.tolerance = 0;
      c.options.max_iterations = 6;
      const auto values = static_cast<std::size_t>(make_block(p).layout().size());
      std::vector<double> wanted(values), found(values);
      const Solved one = solve(c, {}, wanted);
      const auto host = test_backend();
      const auto whole = Discretization(*host, std::as_const(p)).make_operator(Precision::fp64);
      const StrongClusters strong_clusters(probe_bands(*whole, star_offsets(whole->space().part().layout())),
                                           Precision::fp64, one_process());
      const std::vector<std::array<int, 3>> all_parts{{1, 2, 2}, {1, 3, 1}, {2, 2, 1}};
      for (std::array parts : std::span(all_parts).first(on_cpu() ? 3 : 1)) {
        if (dimension == 2) parts = {parts[0], parts[1], 1};
        as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
          const Solved own = solve(c, Sharing{processes, parts, 300}, found);
          EXPECT_EQ(own.result.iterations, one.result.iterations);
          const auto backend = test_backend();
          const Discretization d(*backend, std::as_const(p), Assembly::automatic, Sampling::automatic,
                                 Sharing{processes, parts, 300});
          const auto A = d.make_operator(Precision::fp64);
          const StrongClusters shared(probe_bands(*A, star_offsets(A->space().part().layout())), Precision::fp64,
                                      processes);
          for (std::size_t rule = 0; rule < strong_cluster_rules.size(); ++rule) {
            EXPECT_EQ(processes->sum(static_cast<double>(shared.count(rule))) +
                          static_cast<double>(shared.crossing_count(rule)),
                      static_cast<double>(strong_clusters.count(rule)));
            if (rule == 0) {
              EXPECT_GT(shared.crossing_count(rule), 0);
            }
          }
        });
        EXPECT_LE(largest_difference(found, wanted), 1e-12 * largest_magnitude(wanted))
            << parts[0] << parts[1] << parts[2];
      }
    }
}

// The residual's sum over floating subdomains must include those that several parts share.
TEST(SharedFloatingSubdomains, AreThoseOfOneProcess) {
  Case c;
  Problem& p = c.problem;
  p.dimension = 2;
  p.centering = Centering::cell;
  for (std::size_t d = 0; d < 2; ++d) {
    p.nodes[d] = uniform_nodes(0, 1, 64);
    for (Boundary& face : p.boundary[d]) face.kind = BoundaryKind::neumann;
  }
  p.boundary[0][0] = {BoundaryKind::dirichlet, 0.0};
  p.boundary[1][1] = {BoundaryKind::dirichlet, 1.0};
  p.coefficient[0] = [](double x, double y, double) {
    return x < 0.25 || (x > 0.5 && x < 0.75 && y < 0.75) || (y > 0.75 && x > 0.75) ? 1e8 : 1.0;
  };
  const auto values = static_cast<std::size_t>(make_block(p).layout().size());
  std::vector<double> wanted(values), found(values);
  const Solved one = solve(c, {}, wanted);
  ASSERT_TRUE(one.result.converged());
  for (const Parts& parts : {Parts{2, 1, 1}, {1, 3, 1}}) {
    as_processes(parts[0] * parts[1], [&](const std::shared_ptr<const Processes>& processes) {
      const Solved own = solve(c, Sharing{processes, parts, 300}, found);
      EXPECT_TRUE(own.result.converged());
      EXPECT_LT(own.result.estimated_error, 1e-5);
      EXPECT_NEAR(own.result.iterations, one.result.iterations, 1);
    });
    EXPECT_LE(largest_difference(found, wanted), 1e-6 * largest_magnitude(wanted));
  }
}

// If multigrid fails, several processes use the fallback chain as well; each has all rows.
TEST(SharedFallbackChain, AdvancesOnAllProcessesTogether) {
  Case c;
  Problem& p = c.problem;
  p.dimension = 2;
  constexpr int n = 40;
  for (std::size_t d = 0; d < 2; ++d)
    for (int i = 0; i <= n; ++i) p.nodes[d].push_back(static_cast<double>(i) / n);
  GridArray kappa{Location::cell, {n, n, 1}, {}};
  std::mt19937 bits(7);
  for (int i = 0; i < n * n; ++i) kappa.values.push_back(bits() % 2 == 0 ? 1e6 : 1e-6);
  p.coefficient[0] = kappa;
  p.source = 1.0;
  c.options.precision = SolvePrecision::double_;
  c.options.tolerance = 1e-10;
  c.options.coarse_operator = CoarseOperator::rediscretized;
  const auto values = static_cast<std::size_t>(make_block(p).layout().size());
  std::vector<double> wanted(values), found(values);
  const Solved one = solve(c, {}, wanted);
  ASSERT_TRUE(one.result.converged());
  as_processes(2, [&](const std::shared_ptr<const Processes>& processes) {
    const Solved own = solve(c, Sharing{processes, {1, 2, 1}, 300}, found);
    EXPECT_TRUE(own.result.converged());
    EXPECT_FALSE(own.result.steps.empty());
  });
  EXPECT_LE(largest_difference(found, wanted), 1e-6 * largest_magnitude(wanted));
}

std::vector<Case> cases() {
  std::vector<Case> all;
  int seen = 0;
  for (const int dimension : {2, 3})
    for (const NamedFaces& faces : all_faces())
      for (const char* scheme : {"nodes", "cells", "q1"})
        for (const char* kind : {"constant", "varying", "stretched", "galerkin"}) {
          const bool galerkin = std::string_view(kind) == "galerkin";
          if (galerkin && (std::string_view(scheme) == "cells" || ++seen % 3 != 0)) continue;  // a subset suffices
          Case c;
          Problem& p = c.problem;
          p.dimension = dimension;
          p.boundary = faces.faces;
          bool singular = true, flat = true;
          for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
            for (Boundary& face : p.boundary[d]) {
              singular = singular && (face.kind == BoundaryKind::neumann || face.kind == BoundaryKind::periodic);
              flat = flat && (face.kind == BoundaryKind::periodic);
              if (face.kind != BoundaryKind::periodic && !singular)
                face.value = [](double x, double y, double z) { return 1 + x * y - z; };
            }
          const std::string_view of(kind);
          if (of == "varying") {
            p.coefficient[0] = [](double x, double y, double z) {
              return 2 + std::sin(3 * x + y) * std::cos(2 * z - y);
            };
            p.reaction = [](double x, double y, double z) { return 1 + x * x + y + z; };
          }
          if (of == "galerkin") {
            p.coefficient[0] = [](double x, double y, double z) { return x + 0.3 * y + 0.2 * z > 0.6 ? 500.0 : 1.0; };
            c.options.coarse_operator = CoarseOperator::galerkin;
          }
          for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
            const int n = std::array{23, 26, 21}[d] + (dimension == 2 ? 14 : 0);
            for (int i = 0; i <= n; ++i) {
              const double t = static_cast<double>(i) / n;
              p.nodes[d].push_back(of == "stretched" ? t + 0.3 * t * t : t);
            }
          }
          if (std::string_view(scheme) == "cells") p.centering = Centering::cell;
          if (std::string_view(scheme) == "q1") p.scheme = Scheme::q1;
          p.source = [](double x, double y, double z) { return std::sin(5 * x) * std::cos(3 * y + z); };
          c.options.precision = SolvePrecision::double_;
          c.options.tolerance = 1e-9;
          c.name = faces.name + "_" + scheme + "_" + kind + "_" + std::to_string(dimension);
          all.push_back(c);
        }
  return all;
}
// Every seventh case is used; each kind of face, scheme and coefficient occurs.
std::vector<Case> some_cases() {
  std::vector<Case> some;
  const std::vector<Case> all = cases();
  for (std::size_t c = 0; c < all.size(); c += 7) some.push_back(all[c]);
  return some;
}
INSTANTIATE_TEST_SUITE_P(Some, SharedInSlabs, testing::ValuesIn(some_cases()),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(All, Shared, testing::ValuesIn(cases()), [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace poisson::shared_tests
