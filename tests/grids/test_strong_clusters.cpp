// These tests check that strong clusters equal the result of joining all pairs, that corrections follow the formula,
// and how much they help if κ jumps from cell to cell.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "backends/spaces/mailbox_layout.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/levels/band_probe.hpp"
#include "grids/levels/strong_clusters.hpp"
#ifdef POISSON_HAVE_MPI
#include "backends/mpi/mpi_processes.hpp"
#endif
#include "tests/solve.hpp"

namespace poisson::strong_clusters_tests {
namespace {

/// Returns a problem with κ = ratio in a share of the cells, and 1 elsewhere.
Problem random_cells(int dimension, int n, double share, double ratio = 1e6) {
  Problem p;
  p.dimension = dimension;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) p.nodes[d] = uniform_nodes(0, 1, n);
  GridArray cells{Location::cell, {n, n, dimension == 3 ? n : 1}, {}};
  std::mt19937 engine(5);
  for (int c = 0; c < n * n * (dimension == 3 ? n : 1); ++c)
    cells.values.push_back(std::ldexp(engine(), -32) < share ? ratio : 1.0);
  p.coefficient[0] = cells;
  return p;
}

Bands bands_of(Backend& backend, const Problem& p) {
  const Discretization d(backend, p);
  const auto A = d.make_operator(Precision::fp64);
  return probe_bands(
      *A, p.scheme == Scheme::q1 ? box_offsets(A->space().part().layout()) : star_offsets(A->space().part().layout()));
}

/// Returns the clusters of a rule, each as the numbers x + nx (y + ny z) of its values.
std::vector<std::vector<std::int64_t>> sets_of(Backend& backend, const StrongClusters& strong_clusters,
                                               std::size_t rule, const Layout& layout, Precision precision) {
  const StrongClusterTables& tables = strong_clusters.tables(rule);
  std::vector<std::uint32_t> first(static_cast<std::size_t>(tables.count) + 1);
  if (tables.count == 0) return {};
  backend.read(tables.first, first.data(), first.size() * sizeof(std::uint32_t));
  std::vector<std::uint32_t> places(first.back());
  backend.read(tables.values, places.data(), places.size() * sizeof(std::uint32_t));
  const std::int64_t pitch = layout.pitch(precision), lines = layout.n[1] + 2 * layout.halo[1];
  std::vector<std::vector<std::int64_t>> sets(static_cast<std::size_t>(tables.count));
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (std::uint32_t m = first[s]; m < first[s + 1]; ++m) {
      const std::int64_t at = places[m] - layout.origin(precision);
      const std::int64_t z = layout.n[2] == 1 ? 0 : at / (pitch * lines), y = (at - z * pitch * lines) / pitch;
      sets[s].push_back(at - (z * lines + y) * pitch + layout.n[0] * (y + std::int64_t{1} * layout.n[1] * z));
    }
  return sets;
}

/// Returns A as rows of (column, entry), computed by products with unit vectors, without Dirichlet rows and columns.
std::vector<std::map<std::int64_t, double>> rows_of(const Operator& A) {
  const auto host = make_cpu_backend();
  Field unit(*host, A.space().part().layout(), Precision::fp64),
      image(*host, A.space().part().layout(), Precision::fp64);
  Field u(A.backend(), A.space().part().layout(), Precision::fp64),
      Au(A.backend(), A.space().part().layout(), Precision::fp64);
  const auto [nx, ny, nz] = A.space().part().layout().n;
  std::vector<std::map<std::int64_t, double>> rows(static_cast<std::size_t>(A.space().part().layout().size()));
  for_each(A.space().part().unknowns(), [&](int i, int j, int k) {
    host->fill(unit, 0);
    unit.view<double>()(i, j, k) = 1;
    transfer(unit, u);
    A.apply(u, Au);
    transfer(Au, image);
    const auto v = image.view<double>();
    for_each(A.space().part().unknowns(), [&](int a, int b, int c) {
      if (v(a, b, c) != 0) rows[static_cast<std::size_t>(a + nx * (b + ny * c))][i + nx * (j + ny * k)] = v(a, b, c);
    });
  });
  return rows;
}

using Sets = std::set<std::vector<std::int64_t>>;

/// Joins pairs until nothing changes, and returns the strong clusters of a rule.
Sets joined_pairs(const std::vector<std::map<std::int64_t, double>>& rows, const StrongClusterRule& rule) {
  std::vector<std::size_t> root(rows.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto diagonal = [&](std::size_t i) { return rows[i].at(static_cast<std::int64_t>(i)); };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const auto& [column, a] : rows[i]) {
        const auto j = static_cast<std::size_t>(column);
        if (i == j || std::abs(a) <= rule.strong * std::max(diagonal(i), diagonal(j))) continue;
        const std::size_t least = std::min(root[i], root[j]);
        changed = changed || root[i] != root[j];
        root[i] = root[j] = least;
      }
  }
  Sets sets;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::int64_t> values;
    double energy = 0, diagonals = 0;
    bool given = false;  // strong coupling to a Dirichlet node, visible in the row sum
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (root[i] != r || rows[i].empty()) continue;
      double sum = 0;
      for (const auto& [column, a] : rows[i]) sum += a;
      given = given || sum > rule.strong * diagonal(i);
      values.push_back(static_cast<std::int64_t>(i));
      diagonals += diagonal(i);
      for (const auto& [column, a] : rows[i])
        if (root[static_cast<std::size_t>(column)] == r) energy += a;
    }
    if (values.size() > 1 && !given && energy < rule.slow * diagonals && energy > 1e-12 * diagonals)
      sets.insert(values);
  }
  return sets;
}

TEST(StrongClusters, AreThoseOfJoinedPairs) {
  std::size_t repeated = 0;
  for (const Scheme scheme : {Scheme::fv, Scheme::q1})
    for (const auto kind : {BoundaryKind::dirichlet, BoundaryKind::neumann, BoundaryKind::periodic})
      for (const double share : {0.1, 0.3, 0.5}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(scheme) << static_cast<int>(kind) << " " << share);
        Problem p = random_cells(2, 18, share);
        p.scheme = scheme;
        for (Boundary& face : p.boundary[0]) face.kind = kind;
        const auto backend = test_backend();
        const Discretization d(*backend, std::as_const(p));
        const auto A = d.make_operator(Precision::fp64);
        const auto rows = rows_of(*A);
        const StrongClusters strong_clusters(bands_of(*backend, p), Precision::fp32, one_process());
        Sets of_first_rule;
        for (const std::size_t rule : {0u, 1u}) {
          Sets expected = joined_pairs(rows, strong_cluster_rules[rule]);
          // The second rule leaves out what the first one has.
          if (rule == 0) of_first_rule = expected;
          if (rule == 1)
            repeated += std::erase_if(expected, [&](const auto& set) { return of_first_rule.contains(set); });
          const auto sets = sets_of(*backend, strong_clusters, rule, A->space().part().layout(), Precision::fp32);
          const Sets found(sets.begin(), sets.end());
          EXPECT_EQ(found.size(), sets.size());
          EXPECT_EQ(found, expected) << "rule " << rule;
          if (share == 0.3 && rule == 0) {
            EXPECT_GT(found.size(), 2u);
          }
        }
      }
  EXPECT_GT(repeated, 10u);
}

// The mean residual of every cluster must become zero as if other clusters were fixed.
TEST(StrongClusters, AreCorrectedByTheFormula) {
  struct Medium {
    int dimension, cells;
    double share;
    std::size_t most;  // values of the largest cluster, at least
  };
  for (const auto& [dimension, cells, share, most] : {Medium{2, 24, 0.3, 4}, {3, 9, 0.05, 2}, {2, 90, 0.62, 3000}})
    for (const Precision precision : {Precision::fp64, Precision::fp32}) {
      Problem p = random_cells(dimension, cells, share);
      if (most > 1000)
        for (auto& faces : p.boundary)
          for (Boundary& face : faces) face.kind = BoundaryKind::neumann;
      const auto backend = test_backend();
      const Discretization d(*backend, std::as_const(p));
      const auto A = d.make_operator(Precision::fp64);
      const StrongClusters strong_clusters(bands_of(*backend, p), precision, one_process());
      const auto sets = sets_of(*backend, strong_clusters, 0, A->space().part().layout(), precision);
      ASSERT_GT(sets.size(), 3u);
      ASSERT_GE(std::ranges::max(sets, {}, &std::vector<std::int64_t>::size).size(), most);

      Field u(*backend, A->space().part().layout(), precision), b(*backend, A->space().part().layout(), precision);
      randomize(u, A->space().part().unknowns(), 1);
      randomize(b, A->space().part().unknowns(), 2);
      Field wide(*backend, A->space().part().layout(), Precision::fp64),
          right(*backend, A->space().part().layout(), Precision::fp64),
          r(*backend, A->space().part().layout(), Precision::fp64),
          one(*backend, A->space().part().layout(), Precision::fp64),
          image(*backend, A->space().part().layout(), Precision::fp64);
      backend->convert(u, wide);
      backend->convert(b, right);
      A->residual(wide, right, r);
      const std::vector<double> residual = values(r);
      std::vector<double> expected = values(u);
      const auto [nx, ny, nz] = A->space().part().layout().n;
      for (const std::vector<std::int64_t>& values_of_set : sets) {
        const std::set<std::int64_t> set(values_of_set.begin(), values_of_set.end());
        edit(one, [&](Field& host) {
          const auto view = host.view<double>();
          for_each(A->space().part().layout().box(), [&](int i, int j, int k) {
            view(i, j, k) = set.contains(i + std::int64_t{nx} * (j + std::int64_t{ny} * k)) ? 1 : 0;
          });
        });
        A->apply(one, image);
        const std::vector<double> product = values(image);
        double sum = 0, energy = 0;
        for (const std::int64_t v : set) {
          sum += residual[static_cast<std::size_t>(v)];
          energy += product[static_cast<std::size_t>(v)];
        }
        for (const std::int64_t v : set) expected[static_cast<std::size_t>(v)] += sum / energy;
      }
      strong_clusters.begin(b);
      strong_clusters.correct(0, u);
      const std::vector<double> got = values(u);
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], expected[i], (precision == Precision::fp64 ? 1e-8 : 1e-5) * (1 + std::abs(expected[i])));
    }
}

int iterations(const Problem& problem) {
  Options options;
  options.method = Method::automatic;
  Solve s(problem, options);
  EXPECT_EQ(s.solver().options().coarse_operator, CoarseOperator::galerkin);
  randomize(s.rhs(), s.block().unknowns());
  const Result result = s.run();
  EXPECT_TRUE(result.converged());
  return result.iterations;
}

// Without clusters 64², 128² and 256² needed 36, 126 and 196 iterations, and more than 400 if a fifth of the cells has
// the large κ.
TEST(StrongClusters, BoundTheIterationsOfRandomCells) {
  for (const Scheme scheme : {Scheme::fv, Scheme::q1})
    for (const double share : {0.2, 0.5})
      for (const auto& [n, most] : {std::pair{64, 20}, {128, 24}, {256, 28}}) {
        Problem p = random_cells(2, n, share);
        p.scheme = scheme;
        EXPECT_LE(iterations(p), most) << static_cast<int>(scheme) << ", " << share << ", " << n;
      }
  EXPECT_LE(iterations(random_cells(3, 32, 0.05)), 20);
}

#ifdef POISSON_HAVE_MPI
/// GPUs must allocate the mailboxes that plans predict for the exchange between strong clusters, for any number of
/// clusters.
TEST(CrossingClusters, OfLaunchedProcessesTakeTheRoomThatIsCounted) {
  if (!under_launcher()) GTEST_SKIP() << "start it by mpirun";
  const auto processes = mpi_processes([](Moment, std::span<const LostProcess>) {});
  const auto backend = test_backend();
  Cuts cuts;
  cuts.n = {9, 10, 8 * processes->count()};
  for (int p = 1; p < processes->count(); ++p) cuts.first[2].push_back(8 * p);
  const Space space(Share{cuts, processes}, Box{{0, 0, 0}, cuts.n});
  backend->reserve_halo_buffers(space);
  const std::size_t before = backend->memory().now();
  StrongClusterSets sets;
  for (int s = 0; s < 70000; ++s) sets.add({0}, {{0, 1.0}}, 1);
  {
    const CrossingClusters strong_clusters(*backend, sets, space, Precision::fp64, processes);
  }  // mailboxes remain allocated
  const auto mailbox = [&](const MailSizes& sizes) {
    return MailboxLayout(sizes, processes->count(), MailPlace::devices).bytes;
  };
  MailSizes sizes = MailSizes::of(space);
  sizes.include(MailSizes::of_parts(CrossingClusters::bytes_of_message()));
  const bool peers = backend->transport().starts_with("peer");
  EXPECT_EQ(backend->memory().now() - before, peers ? mailbox(sizes) - mailbox(MailSizes::of(space)) : 0U);
}
#endif

}  // namespace
}  // namespace poisson::strong_clusters_tests
