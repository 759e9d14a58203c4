// Counts the iterations of conjugate gradients in 64 bits around algebraic multigrid, the fallback of boxes, for
// coefficients that vary much (docs/design/solver.md). Random right-hand sides fall by 10⁸ in the norm with D⁻¹:
//
//     poisson-fallback-iterations [RESULT.json]

#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "backends/device/device.hpp"
#include "backends/utilities/commit.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/fallbacks/algebraic_multigrid.hpp"

namespace poisson::bench {
namespace {

using Place = std::array<int, 3>;

struct Case {
  std::string name;
  std::function<double(const Place&, std::mt19937&)> kappa;  ///< of a cell
  double length = 1, exponent = 1;                           ///< of the first axis; x^exponent on all axes
  BoundaryKind faces = BoundaryKind::dirichlet;
  bool heavy = false;  ///< σ = 10⁸ in one half
};

// Returns κ = 1, or `other` with a probability.
auto at_random(double other, double share = 0.5) {
  return [=](const Place&, std::mt19937& random) {
    return std::uniform_real_distribution<double>()(random) < share ? other : 1.0;
  };
}

std::vector<Case> cases() {
  const auto constant = [](const Place&, std::mt19937&) { return 1.0; };
  return {
      {"constant", constant},
      {"1e6 or 1 at random", at_random(1e6)},
      {"1e6 in 30 %", at_random(1e6, 0.3)},
      {"1e-9 or 1 at random", at_random(1e-9)},
      {"lognormal, deviation 4",
       [](const Place&, std::mt19937& random) { return std::exp(4 * std::normal_distribution<double>()(random)); }},
      {"checkerboard of 4 cells, 1e6",
       [](const Place& c, std::mt19937&) { return (c[0] / 4 + c[1] / 4 + c[2] / 4) % 2 ? 1e6 : 1.0; }},
      {"layers over twelve decades", [](const Place& c, std::mt19937&) { return std::pow(10.0, (c[1] * 7) % 13 - 6); }},
      {"cells graded as x^3, 1e4 or 1 at random", at_random(1e4), 1, 3},
      {"box of 1e-3, 1e3 or 1 at random", at_random(1e3), 1e-3},
      {"Neumann, 1e6 or 1 at random", at_random(1e6), 1, 1, BoundaryKind::neumann},
      {"sigma of 1e8 in one half", constant, 1, 1, BoundaryKind::dirichlet, true},
      {"periodic blocks of 1e-6",
       [](const Place& c, std::mt19937&) { return c[0] / 4 % 2 && c[1] / 4 % 2 ? 1e-6 : 1.0; }, 1, 1,
       BoundaryKind::periodic},
  };
}

Problem problem_of(const Case& of, int dimension, int cells, Centering centering) {
  Problem p;
  p.dimension = dimension;
  p.centering = centering;
  GridArray kappa{Location::cell, {cells, cells, dimension == 3 ? cells : 1}, {}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
    p.nodes[d] = uniform_nodes(0, 1, cells);
    for (double& x : p.nodes[d]) x = std::pow(x, of.exponent) * (d == 0 ? of.length : 1);
    for (Boundary& face : p.boundary[d]) face.kind = of.faces;
  }
  std::mt19937 random(7);
  for (int k = 0; k < kappa.shape[2]; ++k)
    for (int j = 0; j < cells; ++j)
      for (int i = 0; i < cells; ++i) kappa.values.push_back(of.kappa({i, j, k}, random));
  p.coefficient[0] = kappa;
  if (of.heavy) p.reaction = [](double, double y, double) { return y < 0.5 ? 1e8 : 0.0; };
  return p;
}

Result solve(const Problem& problem) {
  const auto backend = make_backend("cpu");
  const Discretization discretization(*backend, problem);
  const auto A = discretization.make_operator(Precision::fp64);
  Field in(*backend, A->space(), Precision::fp64), out(*backend, A->space(), Precision::fp64);
  RowSystem system;
  system.A = matrix_of(read_rows(*A, in, out));
  system.singular = A->singular();
  std::mt19937 random(11);
  double sum = 0;
  for (std::int64_t i = 0; i < system.A.rows(); ++i)
    sum += system.b.emplace_back(std::uniform_real_distribution<double>(-1, 1)(random));
  if (system.singular)
    for (double& b : system.b) b -= sum / static_cast<double>(system.b.size());
  const RowsModel model(*backend, system);
  Options options;
  options.method = Method::multigrid;
  options.precision = SolvePrecision::double_;
  options.tolerance = 1e-8;
  const auto solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());
  return solver->solve(false);
}

}  // namespace
}  // namespace poisson::bench

int main(int argc, char** argv) {
  using namespace poisson;
  using namespace poisson::bench;
  nlohmann::json found{{"benchmark", "fallback_iterations"}, {"commit", commit()}};
  const struct {
    const char* name;
    int dimension, cells;
    Centering centering;
  } grids[]{{"square, cells", 2, 100, Centering::cell},
            {"square, nodes", 2, 100, Centering::node},
            {"cube, cells", 3, 24, Centering::cell}};
  for (const Case& of : cases()) {
    std::printf("%-40s", of.name.c_str());
    for (const auto& grid : grids) {
      const Result result = solve(problem_of(of, grid.dimension, grid.cells, grid.centering));
      std::printf("  %s %d%s", grid.name, result.iterations, result.converged() ? "" : " (not converged)");
      found["problems"].push_back({{"problem", of.name},
                                   {"grid", grid.name},
                                   {"iterations", result.iterations},
                                   {"converged", result.converged()}});
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  if (argc > 1) std::ofstream(argv[1]) << found.dump(1) << '\n';
}
