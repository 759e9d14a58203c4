// Sparse products, aggregates and levels of compact rows.

#include <random>

#include <gtest/gtest.h>

#include "grids/compact/aggregation_levels.hpp"
#include "grids/compact/host_rows.hpp"
#include "grids/compact/product_steps.hpp"
#include "grids/compact/row_builder.hpp"
#include "grids/compact/row_space.hpp"

namespace poisson::compact_rows_tests {
namespace {

using Dense = std::vector<std::vector<double>>;

CsrMatrix sparse(const Dense& A) {
  CsrMatrix S;
  S.columns = static_cast<std::int64_t>(A[0].size());
  S.start.push_back(0);
  for (const auto& row : A) {
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0) {
        S.column.push_back(static_cast<int>(j));
        S.value.push_back(row[j]);
      }
    S.start.push_back(S.entries());
  }
  return S;
}

Dense random_matrix(std::size_t rows, std::size_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  Dense A(rows, std::vector<double>(columns, 0));
  for (auto& row : A)
    for (double& a : row)
      if (random() % 4 == 0) a = value(random);
  return A;
}

// Returns the matrix of five points on n² points. κ is 1 or `jump` in blocks of 8² points.
CsrMatrix five_points(int n, double jump = 1, bool neumann = false) {
  std::mt19937 random(5);
  std::vector<double> block(static_cast<std::size_t>(n * n), 1);
  for (double& k : block)
    if (random() % 2 == 0) k = jump;
  const auto kappa = [&](int i, int j) { return block[static_cast<std::size_t>(j / 8 * n + i / 8)]; };
  CsrMatrix A;
  A.columns = n * n;
  A.start.push_back(0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      std::vector<std::pair<int, double>> row{{j * n + i, 0}};
      for (const auto& [di, dj] : {std::pair{0, -1}, {-1, 0}, {1, 0}, {0, 1}}) {
        const int x = i + di, y = j + dj;
        const bool inside = x >= 0 && x < n && y >= 0 && y < n;
        const double k = kappa(i, j), w = inside ? 2 * k * kappa(x, y) / (k + kappa(x, y)) : neumann ? 0 : 2 * k;
        row[0].second += w;
        if (inside) row.emplace_back(y * n + x, -w);
      }
      std::ranges::sort(row);
      for (const auto& [c, v] : row) {
        A.column.push_back(c);
        A.value.push_back(v);
      }
      A.start.push_back(A.entries());
    }
  return A;
}

AggregatesOn<HostRows> aggregates_of(const CsrMatrix& A) {
  HostRows rows;
  const auto largest = largest_couplings(rows, view_of(A));
  return aggregate(rows, view_of(A), CouplingTest{largest.data()});
}

TEST(CompactRows, MultiplyLikeDenseMatrices) {
  const Dense A = random_matrix(23, 31, 1), B = random_matrix(31, 17, 2);
  const CsrMatrix C = product(sparse(A), sparse(B)), T = transpose(sparse(A));
  for (std::size_t i = 0; i < 23; ++i)
    for (std::size_t j = 0; j < 31; ++j) EXPECT_EQ(T.at(static_cast<std::int64_t>(j), static_cast<int>(i)), A[i][j]);
  for (std::size_t i = 0; i < 23; ++i)
    for (std::size_t j = 0; j < 17; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 31; ++k) sum += A[i][k] * B[k][j];
      EXPECT_NEAR(C.at(static_cast<std::int64_t>(i), static_cast<int>(j)), sum, 1e-13);
    }
  CsrMatrix again = C;
  std::ranges::fill(again.value, 7);
  product_values(sparse(A), sparse(B), again);
  EXPECT_EQ(again.value, C.value);
}

// GPUs multiply with tables of columns, for which a thread alone is a team.
TEST(CompactRows, MultiplyWithTables) {
  const CsrMatrix A = sparse(random_matrix(40, 90, 3)), B = sparse(random_matrix(90, 70, 4)), C = product(A, B);
  const RowProduct rows{view_of(A), B.start.data(), B.start.data() + 1, B.column.data(), B.value.data()};
  constexpr int size = 128;
  std::vector<int> key(size), any(size), column(size);
  std::vector<double> sum(size), of_any(size), value(size);
  const ColumnTable table{key.data(), sum.data(), size};
  constexpr OneThread alone;
  std::vector<double> again(C.value.size());  // on the known pattern
  for (std::int64_t i = 0; i < A.rows(); ++i) {
    const std::int64_t first = C.start[static_cast<std::size_t>(i)],
                       n = C.start[static_cast<std::size_t>(i) + 1] - first;
    ASSERT_EQ(rows.sum(alone, i, table, static_cast<int>(n) - 1), -1);
    ASSERT_EQ(rows.sum(alone, i, table, size), n);
    KnownRow{C.start.data(), C.column.data(), again.data()}.fill(alone, i, table);
    RowProduct::write(alone, table, any.data(), of_any.data());
    const std::int64_t zero = 0;
    const SortedRow copied{&zero, &n, &zero, any.data(), of_any.data(), column.data(), value.data()};
    copied.sort(alone, 0, key.data());
    for (std::int64_t k = 0; k < n; ++k) {
      EXPECT_EQ(column[static_cast<std::size_t>(k)], C.column[static_cast<std::size_t>(first + k)]);
      EXPECT_NEAR(value[static_cast<std::size_t>(k)], C.value[static_cast<std::size_t>(first + k)], 1e-14);
      EXPECT_EQ(again[static_cast<std::size_t>(first + k)], value[static_cast<std::size_t>(k)]);
    }
  }
}

TEST(CompactRows, TransposeValuesOnAKnownPattern) {
  const CsrMatrix A = sparse({{2, -1, 0}, {-1.5, 2, 0}, {0, 3, 1}});
  CsrMatrix T = transpose(A);
  const std::vector<double> wanted(T.value.begin(), T.value.end());
  std::ranges::fill(T.value, 0);
  std::vector<int> place(T.value.size());
  const TransposeRow row{view_of(A), T.start.data(), T.column.data(), T.value.data(), place.data()};
  for (std::int64_t i = 0; i < T.rows(); ++i) row(i);
  EXPECT_TRUE(std::ranges::equal(T.value, wanted));
  std::ranges::fill(T.value, 0);
  for (std::int64_t k = 0; k < T.entries(); ++k) CopyPlaces{A.value.data(), place.data(), T.value.data()}(k);
  EXPECT_TRUE(std::ranges::equal(T.value, wanted));
}

TEST(CompactRows, FindAsymmetry) {
  const CsrMatrix A = sparse({{2, -1, 0}, {-1.5, 2, 0}, {0, 0, 1}});
  EXPECT_NEAR(asymmetry_of(A), 0.25, 1e-15);
  const CsrMatrix S = symmetric_part(A);
  EXPECT_EQ(S.at(0, 1), -1.25);
  EXPECT_EQ(S.at(1, 0), -1.25);
  EXPECT_EQ(asymmetry_of(S), 0);
}

TEST(CompactRows, AggregatesCoverRowsAroundDistantRoots) {
  const CsrMatrix A = five_points(60);
  const AggregatesOn<HostRows> all = aggregates_of(A);
  std::vector<int> size(static_cast<std::size_t>(all.count), 0);
  for (const int a : all.of) {
    ASSERT_GE(a, 0);
    ++size[static_cast<std::size_t>(a)];
  }
  EXPECT_GT(*std::ranges::min_element(size), 0);
  EXPECT_LT(all.count, 3600 / 4);
  EXPECT_GT(all.count, 3600 / 13);  // rows within two couplings of a root
}

// Rows with a large diagonal, as with σ, belong to no aggregate, and P does not reach them.
TEST(CompactRows, AggregatesLeaveOutIsolatedRows) {
  CsrMatrix A = five_points(40);
  const auto isolated = [](std::int64_t i) { return i % 40 < 20; };
  for (std::int64_t i = 0; i < A.rows(); ++i)
    for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k)
      if (isolated(i) && A.column[static_cast<std::size_t>(k)] == i) A.value[static_cast<std::size_t>(k)] = 100;
  const AggregatesOn<HostRows> all = aggregates_of(A);
  for (std::int64_t i = 0; i < A.rows(); ++i) EXPECT_EQ(all.of[static_cast<std::size_t>(i)] < 0, isolated(i)) << i;
  const AggregationLevels levels = make_aggregation_levels(A);
  const CsrMatrix& P = levels.levels.front().P;
  for (std::int64_t i = 0; i < A.rows(); ++i)
    EXPECT_EQ(P.start[static_cast<std::size_t>(i) + 1] == P.start[static_cast<std::size_t>(i)], isolated(i));
}

// Aggregates must not join places of large κ that only couplings of small κ connect.
TEST(CompactRows, AggregatesRespectJumps) {
  const CsrMatrix A = five_points(64, 1e6);
  HostRows rows;
  const UnsetVector<double> largest_of = largest_couplings(rows, view_of(A));
  const AggregatesOn<HostRows> all = aggregates_of(A);
  std::vector<double> largest(static_cast<std::size_t>(all.count), 0);
  for (std::int64_t i = 0; i < A.rows(); ++i) {
    double& most = largest[static_cast<std::size_t>(all.of[static_cast<std::size_t>(i)])];
    most = std::max(most, largest_of[static_cast<std::size_t>(i)]);
  }
  // Each row of large κ shares its aggregate with a neighbour of large κ, or is alone with rows of small κ.
  for (std::int64_t i = 0; i < A.rows(); ++i) {
    if (largest_of[static_cast<std::size_t>(i)] < 1e3) continue;
    const int own = all.of[static_cast<std::size_t>(i)];
    bool near = false, others = false;
    for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k)
      near = near || (A.value[static_cast<std::size_t>(k)] < -1e3 &&
                      all.of[static_cast<std::size_t>(A.column[static_cast<std::size_t>(k)])] == own);
    for (std::int64_t j = 0; j < A.rows(); ++j)
      others = others ||
               (j != i && all.of[static_cast<std::size_t>(j)] == own && largest_of[static_cast<std::size_t>(j)] > 1e3);
    EXPECT_TRUE(near || !others) << i;
  }
}

TEST(CompactRows, LevelsKeepTheConstant) {
  const CsrMatrix A = five_points(50, 1, true);
  const AggregationLevels all = make_aggregation_levels(A);
  ASSERT_GE(all.levels.size(), 1U);
  for (const auto& level : all.levels) {
    for (std::int64_t i = 0; i < level.P.rows(); ++i) {
      double sum = 0;
      for (std::int64_t k = level.P.start[static_cast<std::size_t>(i)];
           k < level.P.start[static_cast<std::size_t>(i) + 1]; ++k)
        sum += level.P.value[static_cast<std::size_t>(k)];
      EXPECT_NEAR(sum, 1, 1e-12);
    }
    for (std::int64_t i = 0; i < level.A.rows(); ++i) {
      double sum = 0;
      for (std::int64_t k = level.A.start[static_cast<std::size_t>(i)];
           k < level.A.start[static_cast<std::size_t>(i) + 1]; ++k)
        sum += level.A.value[static_cast<std::size_t>(k)];
      EXPECT_NEAR(sum, 0, 1e-11);
    }
  }
  EXPECT_LE(all.levels.back().A.rows(), most_coarsest);
  EXPECT_LT(all.operator_complexity, 1.6);
}

TEST(CompactRows, UpdatedLevelsEqualNewOnes) {
  const CsrMatrix A = five_points(50);
  CsrMatrix scaled = A;
  for (double& a : scaled.value) a *= 4;
  AggregationLevels updated = make_aggregation_levels(A);
  update_values(scaled, updated);
  const AggregationLevels made = make_aggregation_levels(scaled);
  ASSERT_EQ(updated.levels.size(), made.levels.size());
  for (std::size_t l = 0; l < made.levels.size(); ++l) {
    ASSERT_EQ(updated.levels[l].A.column, made.levels[l].A.column);
    for (std::size_t k = 0; k < made.levels[l].A.value.size(); ++k)
      EXPECT_NEAR(updated.levels[l].A.value[k], made.levels[l].A.value[k], 1e-12);
  }
}

// A diagonal matrix cannot be coarsened by couplings.
TEST(CompactRows, MakesLevelsOfUncoupledRows) {
  CsrMatrix A;
  A.columns = 5000;
  for (int i = 0; i <= 5000; ++i) A.start.push_back(i);
  for (int i = 0; i < 5000; ++i) {
    A.column.push_back(i);
    A.value.push_back(1 + i);
  }
  const AggregationLevels all = make_aggregation_levels(A);
  ASSERT_EQ(all.levels.size(), 1U);
  EXPECT_EQ(all.levels[0].A.rows(), 100);
}

TEST(CompactRows, EstimateEigenvalues) {
  EXPECT_DOUBLE_EQ(largest_scaled_eigenvalue(five_points(40)), 2);  // the bound, which is close
  // Three rows that are coupled with each other have the eigenvalues 0 and 1.5, and the bound 2.
  CsrMatrix A;
  A.columns = 3000;
  A.start.push_back(0);
  for (int i = 0; i < 3000; ++i) {
    for (int j = i / 3 * 3; j < i / 3 * 3 + 3; ++j) {
      A.column.push_back(j);
      A.value.push_back(j == i ? 1 : -0.5);
    }
    A.start.push_back(A.entries());
  }
  EXPECT_NEAR(largest_scaled_eigenvalue(A), 1.5 * 1.06, 1e-6);
}

TEST(CompactRows, PlacesDoNotDependOnPrecision) {
  for (const std::int64_t rows : {1, 100, 4096, 4097, 50'000, 1'234'567}) {
    const RowSpace space(rows);
    const Layout& layout = space.space().part().layout();
    EXPECT_GE(layout.size(), rows);
    EXPECT_LT(layout.size() - rows, space.length());
    if (layout.n[1] > 1) {
      EXPECT_EQ(layout.pitch(Precision::fp32), layout.pitch(Precision::fp64));
      EXPECT_EQ(space.place(space.first(1)), layout.pitch(Precision::fp64));
    }
    EXPECT_EQ(space.last(space.lines() - 1), rows);
  }
}

}  // namespace
}  // namespace poisson::compact_rows_tests
