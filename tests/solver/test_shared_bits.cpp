// Finite volumes in slabs across the last axis must have the same bits for any number of processes, on CPUs and on
// GPUs.

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "solver/smoothers/smoother.hpp"
#include "tests/problems.hpp"
#include "tests/processes.hpp"
#include "tests/shared_solve.hpp"

namespace poisson::shared_bits_tests {
namespace {

// Two levels are shared, with odd numbers of cells along their axes. Even their smallest part has more values than
// verbs that share launches.
constexpr std::array cells{75, 103, 61};
constexpr std::int64_t least_shared = 20000;

class SlabsOfVolumes : public testing::TestWithParam<Case> {};

TEST_P(SlabsOfVolumes, HaveTheBitsOfOneProcess) {
  const Case& c = GetParam();
  const auto values = static_cast<std::size_t>(make_block(c.problem).layout().size());
  std::vector<double> wanted(values);
  const Solved one = solve(c, {}, wanted);
  for (const int count : {2, 3}) {
    SCOPED_TRACE(count);
    std::vector<double> found(values);
    as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
      const Solved own = solve(c, {processes, {1, 1, count}, least_shared}, found);
      EXPECT_EQ(own.result.history, one.result.history);
      EXPECT_EQ(own.norms.integral, one.norms.integral);
      EXPECT_EQ(own.norms.l2, one.norms.l2);
      for (std::size_t face = 0; face < own.balance.flux.size(); ++face)
        EXPECT_EQ(own.balance.flux[face], one.balance.flux[face]) << face;
      EXPECT_EQ(own.balance.source, one.balance.source);
    });
    EXPECT_EQ(largest_difference(found, wanted), 0);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Centering centering : {Centering::node, Centering::cell})
    for (const std::string_view kappa : {"constant", "smooth", "jumping"})
      for (const std::string_view axes : {"equal", "stretched"})
        for (const SolvePrecision precision : {SolvePrecision::mixed, SolvePrecision::double_})
          for (const std::string_view smoother : {"automatic", "red-black"}) {
            if (smoother == "red-black" && (axes == "stretched" || kappa == "smooth")) continue;  // a subset suffices
            Case c;
            Problem& p = c.problem;
            p.centering = centering;
            for (std::size_t d = 0; d < 3; ++d) {
              for (int i = 0; i <= cells[d]; ++i) {
                const double t = static_cast<double>(i) / cells[d];
                p.nodes[d].push_back(axes == "stretched" ? t + 0.1 * t * t : t);
              }
              for (Boundary& face : p.boundary[d]) face.kind = BoundaryKind::dirichlet;
            }
            p.boundary[0][1] = {BoundaryKind::neumann, 0.5};
            p.boundary[2][1].value = 1.0;
            if (kappa == "smooth")
              p.coefficient[0] = [](double x, double y, double z) { return 2 + std::sin(3 * x + y) * std::cos(2 * z); };
            if (kappa == "jumping")
              p.coefficient[0] = [](double x, double y, double z) { return x + y + z < 1.2 ? 50.0 : 1.0; };
            p.source = [](double x, double y, double z) { return std::sin(5 * x) * y + z; };
            c.options.precision = precision;
            c.options.coarse_operator = CoarseOperator::rediscretized;
            c.options.tolerance = 0;
            c.options.max_iterations = 3;
            if (smoother == "red-black") c.options.smoother.kind = &smoother_kind("red-black");
            c.name = std::string(centering == Centering::node ? "nodes_" : "cells_") + std::string(kappa) + "_" +
                     std::string(axes) + (precision == SolvePrecision::mixed ? "_mixed" : "_double") +
                     (smoother == "red-black" ? "_colours" : "");
            all.push_back(c);
          }
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, SlabsOfVolumes, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace poisson::shared_bits_tests
