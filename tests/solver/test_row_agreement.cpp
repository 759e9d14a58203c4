// Compact rows on a GPU give the results of the CPU to rounding, and the same bits every time.

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "backends/device/device.hpp"
#include "solver/general_rows_model.hpp"
#include "tests/agreement.hpp"

namespace poisson::row_agreement_tests {
namespace {

using Rows = std::vector<std::map<int, double>>;

// Joins two rows by a coupling.
void join(Rows& rows, int i, int j, double a) {
  if (i == j) return;
  rows[static_cast<std::size_t>(i)][j] -= a;
  rows[static_cast<std::size_t>(j)][i] -= a;
  rows[static_cast<std::size_t>(i)][i] += a;
  rows[static_cast<std::size_t>(j)][j] += a;
}

RowSystem system_of(const Rows& rows, bool singular = false) {
  RowSystem system;
  system.A.columns = static_cast<std::int64_t>(rows.size());
  system.A.start.push_back(0);
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      system.A.column.push_back(column);
      system.A.value.push_back(value);
    }
    system.A.start.push_back(system.A.entries());
  }
  std::mt19937 random(7);
  std::uniform_real_distribution<double> value(-1, 1);
  for (std::size_t i = 0; i < rows.size(); ++i) system.b.push_back(value(random));
  system.singular = singular;
  return system;
}

// Returns a grid of seven points. κ is `jump` in every second block of 8³ cells; a layer of cells is thin.
Rows grid(int n, double jump = 1, double along_z = 1, bool neumann = false) {
  Rows rows(static_cast<std::size_t>(n * n * n));
  const auto number = [n](int x, int y, int z) { return (z * n + y) * n + x; };
  const auto kappa = [jump](int x, int y, int z) { return (x / 8 + y / 8 + z / 8) % 2 == 0 ? jump : 1; };
  const auto mean = [](double a, double b) { return 2 * a * b / (a + b); };
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const double k = kappa(x, y, z);
        const int i = number(x, y, z);
        if (x + 1 < n) join(rows, i, number(x + 1, y, z), mean(k, kappa(x + 1, y, z)));
        if (y + 1 < n) join(rows, i, number(x, y + 1, z), mean(k, kappa(x, y + 1, z)));
        if (z + 1 < n) join(rows, i, number(x, y, z + 1), along_z * mean(k, kappa(x, y, z + 1)));
        if (!neumann && x == 0) rows[static_cast<std::size_t>(i)][i] += 2 * k;
      }
  return rows;
}

// Joins random points of the unit square that are near to each other: rows of any length, in no order. One point is
// joined to many.
Rows cloud(int n, int hub = 0) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(0, 1);
  Rows rows(static_cast<std::size_t>(n));
  std::vector<std::array<double, 2>> x(static_cast<std::size_t>(n));
  for (auto& p : x) p = {place(random), place(random)};
  const int cells = std::max(1, static_cast<int>(std::sqrt(n / 2.0)));
  std::map<std::pair<int, int>, std::vector<int>> of;
  const auto cell = [cells](double c) { return std::min(cells - 1, static_cast<int>(c * cells)); };
  for (int i = 0; i < n; ++i)
    of[{cell(x[static_cast<std::size_t>(i)][0]), cell(x[static_cast<std::size_t>(i)][1])}].push_back(i);
  for (int i = 0; i < n; ++i) {
    const auto& p = x[static_cast<std::size_t>(i)];
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const auto near = of.find({cell(p[0]) + dx, cell(p[1]) + dy});
        if (near == of.end()) continue;
        for (const int j : near->second) {
          const double d =
              std::hypot(p[0] - x[static_cast<std::size_t>(j)][0], p[1] - x[static_cast<std::size_t>(j)][1]);
          if (j > i && d * cells < 1) join(rows, i, j, 1 - d * cells);
        }
      }
    rows[static_cast<std::size_t>(i)][i] += 1e-3;
  }
  for (int k = 1; k <= hub; ++k) join(rows, 0, k * (n / (hub + 1)), 0.1);
  return rows;
}

struct Solved {
  int iterations;
  bool converged;
  double complexity;
  std::vector<double> u;
};
Solved solve_on(const std::string& device, const RowSystem& system, int updates = 0) {
  const auto backend = make_backend(device);
  const RowsModel model(*backend, system, updates > 0);
  const auto solver = make_solver(model, Options{});
  for (int k = 0; k < updates; ++k) solver->update();
  model.fill(solver->rhs(), solver->solution());
  const Result result = solver->solve(false);
  return {result.iterations, result.converged(), model.operator_complexity(),
          get_rows(solver->solution(), model.rows())};
}

void expect_agreement(const RowSystem& system) {
  const Solved host = solve_on("cpu", system), device = solve_on("cuda", system);
  EXPECT_TRUE(host.converged);
  EXPECT_TRUE(device.converged);
  EXPECT_NEAR(host.complexity, device.complexity, 1e-9);
  EXPECT_NEAR(host.iterations, device.iterations, 1);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < host.u.size(); ++i) {
    difference = std::max(difference, std::abs(host.u[i] - device.u[i]));
    size = std::max(size, std::abs(host.u[i]));
  }
  EXPECT_LT(difference, 1e-6 * size);
  EXPECT_EQ(solve_on("cuda", system).u, device.u);
  EXPECT_NEAR(solve_on("cuda", system, 2).iterations, device.iterations, 1);
}

TEST(RowAgreement, Grids) {
  expect_agreement(system_of(grid(30)));
}
TEST(RowAgreement, Jumps) {
  expect_agreement(system_of(grid(32, 1e6)));
}
TEST(RowAgreement, ThinLayers) {
  expect_agreement(system_of(grid(30, 1, 1e3)));
}
TEST(RowAgreement, SingularRows) {
  expect_agreement(system_of(grid(30, 1, 1, true), true));
}
TEST(RowAgreement, Clouds) {
  expect_agreement(system_of(cloud(40'000)));
}
TEST(RowAgreement, LongRows) {
  expect_agreement(system_of(cloud(40'000, 900)));
}
TEST(RowAgreement, RowsTooLongForTheDevice) {
  expect_agreement(system_of(cloud(40'000, 20'000)));
}

TEST(RowAgreement, SeparateParts) {
  Rows rows = grid(24);
  const Rows other = cloud(9000);
  const int before = static_cast<int>(rows.size());
  for (const auto& row : other) {
    rows.emplace_back();
    for (const auto& [j, a] : row) rows.back()[j + before] = a;
  }
  for (int k = 0; k < 5000; ++k) {  // rows without couplings
    rows.emplace_back();
    rows.back()[static_cast<int>(rows.size()) - 1] = 1 + k % 3;
  }
  expect_agreement(system_of(rows));
}

// Upwind differences of a flow across a grid with jumps: unsymmetric.
TEST(RowAgreement, UnsymmetricRows) {
  for (const bool singular : {false, true}) {
    Rows rows = grid(24, 1e3, 1, singular);
    for (int i = 0; i + 1 < static_cast<int>(rows.size()); ++i) {
      const auto before = static_cast<std::size_t>(i), after = before + 1;
      const double speed = singular || i % 24 == 23 ? 0 : 3;
      rows[after][i] -= speed;
      rows[after][i + 1] += speed;
    }
    const RowSystem system = system_of(rows, singular);
    const GeneralRows general = examine_rows(system.A, system.b);
    EXPECT_EQ(general.is_symmetric(), singular);
    std::map<std::string, std::vector<double>> found;
    std::map<std::string, int> iterations;
    for (const std::string device : {"cpu", "cuda"}) {
      const auto backend = make_backend(device);
      const GeneralRowsModel model(*backend, general);
      const auto solver = make_general_solver(model, Options{});
      model.fill(solver->rhs(), solver->solution());
      const Result result = solver->solve(false);
      EXPECT_TRUE(result.converged()) << device;
      iterations[device] = result.iterations;
      found[device] = get_rows(solver->solution(), model.rows());
    }
    EXPECT_NEAR(iterations["cpu"], iterations["cuda"], 5);  // BiCGStab amplifies rounding errors
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < found["cpu"].size(); ++i) {
      difference = std::max(difference, std::abs(found["cpu"][i] - found["cuda"][i]));
      size = std::max(size, std::abs(found["cpu"][i]));
    }
    EXPECT_LT(difference, 1e-6 * size);
  }
}

TEST(RowAgreement, EmptyRowsAreRefused) {
  Rows rows = grid(20);
  rows[4321].clear();
  for (auto& row : rows) row.erase(4321);
  const RowSystem system = system_of(rows);
  try {
    solve_on("cuda", system);
    ADD_FAILURE();
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("row 4322 "), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace poisson::row_agreement_tests
