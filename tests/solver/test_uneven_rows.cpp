// Compact rows whose couplings differ much, as on meshes with poor elements: sweeps over blocks of aggregates.

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "grids/compact/host_rows.hpp"
#include "solver/rows_model.hpp"
#include "tests/device.hpp"

namespace poisson::uneven_rows_tests {
namespace {

struct Triangles {
  int n = 80;
  double shift = 0.4;    ///< points move at random by up to this share of their distance
  double squeeze = 1;    ///< height of the unit square
  double exponent = 1;   ///< of the coordinates
  bool neumann = false;  ///< on all sides
};

// Returns the matrix of linear elements on triangles whose points lie at random.
RowSystem rows_of(const Triangles& mesh) {
  const int n = mesh.n, points = n + 1;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> shift(-mesh.shift, mesh.shift);
  std::vector<std::array<double, 2>> x;
  for (int j = 0; j < points; ++j)
    for (int i = 0; i < points; ++i) {
      const double a = i == 0 || i == n ? 0 : shift(random), b = j == 0 || j == n ? 0 : shift(random);
      x.push_back({std::pow((i + a) / n, mesh.exponent), mesh.squeeze * std::pow((j + b) / n, mesh.exponent)});
    }
  std::vector<int> row(x.size(), -1);
  int rows = 0;
  for (int j = 0; j < points; ++j)
    for (int i = 0; i < points; ++i)
      if (mesh.neumann || (i > 0 && i < n && j > 0 && j < n)) row[static_cast<std::size_t>(j * points + i)] = rows++;
  std::vector<std::map<int, double>> entries(static_cast<std::size_t>(rows));
  const auto add = [&](const std::array<int, 3>& corner) {
    std::array<std::array<double, 2>, 3> edge{};  // opposite to each corner
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t d = 0; d < 2; ++d)
        edge[c][d] =
            x[static_cast<std::size_t>(corner[(c + 2) % 3])][d] - x[static_cast<std::size_t>(corner[(c + 1) % 3])][d];
    const double area = 0.5 * std::abs(edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) {
        const int i = row[static_cast<std::size_t>(corner[a])], j = row[static_cast<std::size_t>(corner[b])];
        if (i >= 0 && j >= 0)
          entries[static_cast<std::size_t>(i)][j] += (edge[a][0] * edge[b][0] + edge[a][1] * edge[b][1]) / (4 * area);
      }
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int p = j * points + i;
      add({p, p + 1, p + points + 1});
      add({p, p + points + 1, p + points});
    }
  RowSystem system;
  system.A.columns = rows;
  system.A.start.push_back(0);
  for (const auto& own : entries) {
    for (const auto& [column, value] : own) {
      system.A.column.push_back(column);
      system.A.value.push_back(value);
    }
    system.A.start.push_back(system.A.entries());
  }
  std::normal_distribution<double> normal;
  for (int i = 0; i < rows; ++i) system.b.push_back(normal(random));
  system.singular = mesh.neumann;
  return system;
}

struct Solved {
  Result result;
  std::vector<double> u;
};
Solved solved(const RowSystem& system, SolvePrecision precision = SolvePrecision::mixed) {
  const auto backend = test_backend();
  const RowsModel model(*backend, system);
  Options options;
  options.precision = precision;
  const auto solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());
  Solved found{solver->solve(false), {}};
  found.u = get_rows(solver->solution(), model.rows());
  return found;
}

struct Count {
  Triangles mesh;
  int most;
};
class UnevenRows : public ::testing::TestWithParam<Count> {};
INSTANTIATE_TEST_SUITE_P(Meshes, UnevenRows,
                         ::testing::Values(Count{{}, 12}, Count{{.shift = 0.3}, 12}, Count{{.neumann = true}, 13},
                                           Count{{.squeeze = 0.1}, 26}, Count{{.exponent = 3}, 17},
                                           Count{{.n = 170, .squeeze = 0.1}, 30}));

TEST_P(UnevenRows, NeedFewIterations) {
  const RowSystem system = rows_of(GetParam().mesh);
  EXPECT_TRUE(make_aggregation_levels(system.A).blocks);
  const Solved found = solved(system);
  EXPECT_TRUE(found.result.converged());
  EXPECT_LE(found.result.iterations, GetParam().most);
  EXPECT_EQ(solved(system).u, found.u);  // the same bits
  EXPECT_NEAR(solved(system, SolvePrecision::double_).result.iterations, found.result.iterations, 1);
}

// Blocks cost more than they save on good elements, although couplings differ there, too.
TEST(UnevenRowsOfGoodElements, KeepTheDiagonal) {
  for (const bool neumann : {false, true}) {
    const RowSystem system = rows_of({.shift = 0.2, .neumann = neumann});
    EXPECT_FALSE(make_aggregation_levels(system.A).blocks);
    const Solved found = solved(system);
    EXPECT_TRUE(found.result.converged());
    EXPECT_LE(found.result.iterations, 16);
  }
}

TEST(BlockInverses, InvertTheBlocksOfAggregates) {
  const RowSystem system = rows_of({.n = 30, .neumann = true});
  const AggregationLevels levels = make_aggregation_levels(system.A);
  const auto& level = levels.levels.front();
  UnsetVector<int> of = level.aggregate;
  of[5] = of[100] = -1;  // rows outside of all aggregates
  const CsrMatrix inverse = block_inverse(system.A, of, level.P.columns);
  for (std::int64_t i = 0; i < system.A.rows(); ++i)
    for (int j = 0; j < system.A.rows(); ++j) {
      const bool together = i == j || (of[static_cast<std::size_t>(i)] >= 0 &&
                                       of[static_cast<std::size_t>(i)] == of[static_cast<std::size_t>(j)]);
      if (!together) {
        EXPECT_EQ(inverse.at(i, j), 0);
        continue;
      }
      double sum = 0;  // of (B B⁻¹)_ij
      for (std::int64_t k = inverse.start[static_cast<std::size_t>(j)];
           k < inverse.start[static_cast<std::size_t>(j) + 1]; ++k)
        sum += inverse.value[static_cast<std::size_t>(k)] * system.A.at(i, inverse.column[static_cast<std::size_t>(k)]);
      EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-9);
    }
  EXPECT_LT(largest_scaled_eigenvalue(system.A, inverse), 4);
}

TEST(BlockInverses, CutLargeAggregatesAndSurviveSingularOnes) {
  const RowSystem system = rows_of({.n = 8, .neumann = true});
  UnsetVector<int> all(static_cast<std::size_t>(system.A.rows()));
  std::ranges::fill(all, 0);
  const CsrMatrix inverse = block_inverse(system.A, all, 1);  // 81 rows: blocks of 32, 32 and 17
  EXPECT_EQ(inverse.entries(), 32 * 32 + 32 * 32 + 17 * 17);
  const RowSystem small = rows_of({.n = 3, .neumann = true});  // 16 rows: one block, which is singular
  UnsetVector<int> one(static_cast<std::size_t>(small.A.rows()));
  std::ranges::fill(one, 0);
  const CsrMatrix diagonal = block_inverse(small.A, one, 1);
  for (int i = 0; i < small.A.rows(); ++i) EXPECT_DOUBLE_EQ(diagonal.at(i, i), 1 / small.A.at(i, i));
}

TEST(BlockInverses, FollowNewValues) {
  RowSystem system = rows_of({.squeeze = 0.1});
  const auto backend = test_backend();
  const RowsModel model(*backend, system, true);
  const auto solver = make_solver(model, Options{});
  model.fill(solver->rhs(), solver->solution());
  const int first = solver->solve(false).iterations;
  for (double& a : system.A.value) a *= 16;
  solver->update();
  model.fill(solver->rhs(), solver->solution());
  const Result result = solver->solve(false);
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.iterations, first);
}

}  // namespace
}  // namespace poisson::uneven_rows_tests
