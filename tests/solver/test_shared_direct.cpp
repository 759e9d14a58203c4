// Direct solutions of several processes, against those of one.

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "backends/error.hpp"
#include "grids/levels/sharing.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/direct/fast_diagonalization.hpp"
#include "solver/plan.hpp"
#include "solver/solver.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/problems.hpp"
#include "tests/processes.hpp"

namespace poisson {
namespace {

// Puts what a process has of u into `all`, of the whole, x fastest.
Result solve(const Problem& problem, const Options& options, const Sharing& sharing, std::vector<double>& all) {
  const auto backend = test_backend();
  const Discretization d(*backend, problem, Assembly::automatic, Sampling::automatic, sharing);
  const auto solver = make_solver(d, options);
  d.assemble_rhs(solver->rhs());
  d.initialize(solver->solution());
  const Result result = solver->solve(false);
  const HostRead read(solver->solution());
  const Space& space = solver->solution().space();
  const auto &o = space.origin(), &n = space.all();
  dispatch(solver->solution().precision(), [&]<class T>(T) {
    const auto view = (*read).template view<T>();
    for_each_value(view, false, [&](int i, int j, int k) {
      const std::int64_t line = std::int64_t{k + o[2]} * n[1] + j + o[1];
      all[static_cast<std::size_t>(line * n[0] + i + o[0])] = static_cast<double>(view(i, j, k));
    });
  });
  return result;
}

void expect_same(const Problem& problem, const Options& options, const Parts& parts, double tolerance = 1e-12) {
  SCOPED_TRACE("parts " + std::to_string(parts[0]) + " " + std::to_string(parts[1]) + " " + std::to_string(parts[2]));
  const auto values = static_cast<std::size_t>(make_block(problem).layout().size());
  std::vector<double> wanted(values), found(values);
  const Result one = solve(problem, options, {}, wanted);
  as_processes(parts[0] * parts[1] * parts[2], [&](const std::shared_ptr<const Processes>& processes) {
    const Result own = solve(problem, options, {processes, parts, 300}, found);
    EXPECT_TRUE(own.converged()) << own.relative();
    EXPECT_LE(std::abs(own.iterations - one.iterations), 1);
  });
  double size = 0, most = 0;
  for (std::size_t i = 0; i < values; ++i) {
    size = std::max(size, std::abs(wanted[i]));
    most = std::max(most, std::abs(found[i] - wanted[i]));
  }
  EXPECT_LE(most, tolerance * size);
}

Problem problem_of(const NamedFaces& faces, const std::string& scheme, bool stretched, int dimension) {
  Problem p;
  p.dimension = dimension;
  p.boundary = faces.faces;
  bool singular = true;
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) {
      if (face.kind == BoundaryKind::robin && !face.alpha.constant()) face.alpha = 1.5;
      singular = singular && (face.kind == BoundaryKind::neumann || face.kind == BoundaryKind::periodic);
    }
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
    for (Boundary& face : p.boundary[d])
      if (face.kind != BoundaryKind::periodic && !singular)
        face.value = [](double x, double y, double z) { return 1 + x * y - z; };
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
    const int n = std::array{23, 26, 28}[d];
    for (int i = 0; i <= n; ++i) {
      const double t = static_cast<double>(i) / n;
      p.nodes[d].push_back(stretched ? t + 0.3 * t * t : t);
    }
  }
  if (scheme == "cells") p.centering = Centering::cell;
  if (scheme == "elements") p.scheme = Scheme::q1;
  p.source = [](double x, double y, double z) { return std::sin(5 * x) * std::cos(3 * y + z); };
  return p;
}

Options directly() {
  Options options;
  options.method = Method::direct;
  options.precision = SolvePrecision::double_;
  options.tolerance = 1e-13;
  options.max_iterations = 4;
  return options;
}

class SharedDirect : public testing::TestWithParam<std::tuple<NamedFaces, std::string, bool, int>> {};

TEST_P(SharedDirect, IsThatOfOneProcess) {
  const auto& [faces, scheme, stretched, dimension] = GetParam();
  const Problem p = problem_of(faces, scheme, stretched, dimension);
  for (int cut = 0; cut < dimension; ++cut)
    for (const int count : {2, 3, 4}) {
      if (count != 2 + (cut + static_cast<int>(faces.name.size())) % 3) continue;
      Parts parts = uncut_axes;
      parts[static_cast<std::size_t>(cut)] = count;
      expect_same(p, directly(), parts);
    }
}

INSTANTIATE_TEST_SUITE_P(All, SharedDirect,
                         testing::Combine(testing::ValuesIn(all_faces()), testing::Values("nodes", "cells", "elements"),
                                          testing::Bool(), testing::Values(2, 3)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + std::get<1>(test.param) +
                                  (std::get<2>(test.param) ? "_stretched_" : "_equidistant_") +
                                  std::to_string(std::get<3>(test.param));
                         });

}  // namespace
}  // namespace poisson
