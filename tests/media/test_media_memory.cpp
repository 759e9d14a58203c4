// The plan of a problem with materials must count what its set-up and its solves allocate.

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "grids/schemes/cells/media_system.hpp"
#include "solver/grid_model.hpp"
#include "tests/device.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/processes.hpp"

namespace poisson::media_memory_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann;

/// Is an image of cubic pores of 3 cells, half of which are filled with each of the given regions.
class Blocks final : public RegionMap {
 public:
  void fill(const std::array<std::vector<double>, 3>&, const Box& cells,
            std::span<RegionNumber> numbers) const override {
    auto next = numbers.begin();
    for (int k = cells.first[2]; k < cells.last[2]; ++k)
      for (int j = cells.first[1]; j < cells.last[1]; ++j)
        for (int i = cells.first[0]; i < cells.last[0]; ++i) {
          const double random = 43758.5453 * std::sin(12.7 * (i / 3) + 31.1 * (j / 3) + 7.4 * (k / 3));
          *next++ = random - std::floor(random) < 0.35 ? 1 : 0;
        }
  }
};

struct Case {
  std::string_view name;
  Problem problem;
  std::size_t floating = 0;  ///< bodies without a given value
  friend std::ostream& operator<<(std::ostream& stream, const Case& c) { return stream << c.name; }
};

Problem between_plates(int cells) {
  Problem p = cube_in_cells(cells);
  p.source = 1.0;
  p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}}};
  return p;
}

Problem image(double kappa, bool insulates) {
  Problem p = between_plates(30);
  Media media;
  media.materials.resize(2);
  media.materials[0].name = "pore";
  media.materials[0].coefficient.fill(1.0);
  media.materials[1].name = "grain";
  media.materials[1].coefficient.fill(kappa);
  media.materials[1].insulator = insulates;
  media.regions = {{"pore", 0, MediaRegion::Origin::image}, {"grain", 1, MediaRegion::Origin::image}};
  media.map = std::make_shared<const Blocks>();
  use_media(p, std::make_shared<const Media>(std::move(media)));
  return p;
}

Problem with_bodies(Surfaces surfaces, int floating, bool contact = false) {
  Problem p = between_plates(26);
  MediaBuilder media;
  media.add("background", 1);
  media.add("copper", 40);
  media.add("board", {2, 2, 0.5});
  media.add_insulator("hole");
  media.add_fixed("electrode", 0.4);
  media.add_floating("net");
  media.body("copper", make_ellipsoid({0.3, 0.4, 0.5}, {0.2, 0.15, 0.1}));
  media.body("board", make_box({0.1, 0.1, 0.8}, {0.9, 0.9, 0.87}));
  media.body("hole", make_ellipsoid({0.7, 0.3, 0.3}, {0.13, 0.13, 0.13}));
  media.body("electrode", make_ellipsoid({0.75, 0.75, 0.4}, {0.09, 0.09, 0.2}));
  for (int b = 0; b < floating; ++b) media.body("net", make_ellipsoid({0.2 + 0.25 * b, 0.7, 0.15}, {0.08, 0.1, 0.08}));
  if (contact) media.contact("background", "copper", 0.1);
  media.use(p, surfaces);
  return p;
}

std::vector<Case> cases() {
  return {{"Sharp", with_bodies(Surfaces::sharp, 0)},
          {"Averaged", with_bodies(Surfaces::averaged, 0)},
          {"Staircase", with_bodies(Surfaces::staircase, 0)},
          {"Contact", with_bodies(Surfaces::sharp, 0, true)},
          {"Floating", with_bodies(Surfaces::sharp, 3), 3},
          {"Voxels", image(50, false)},
          {"InsulatingVoxels", image(1, true)}};
}

struct Measured {
  double peak;
  Plan before, after;  ///< planned before and after the cells were known
};

/// Solves on the device of the tests. Collective.
Measured measure(const Problem& problem, const Options& options, const Sharing& sharing) {
  const auto backend = test_backend();
  GridModel model(*backend, problem, Assembly::automatic, Sampling::automatic, sharing);
  Plan after = model.plan(options);
  model.count_bytes(after);
  const auto solver = make_solver(model, options, nullptr, &after);
  model.fill(solver->rhs(), solver->solution());
  model.solve(*solver, false);
  const KappaSummary kappa{model.discretization().rows().kappa, model.discretization().jumps()};
  return {static_cast<double>(backend->memory().peak()),
          make_plan(problem, options, Assembly::automatic, !on_cpu(), kappa, sharing), after};
}

class MediaMemory : public testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() { omp_set_num_threads(1); }
};

TEST_P(MediaMemory, IsCounted) {
  const Case& c = GetParam();
  for (const CoarseOperator coarse : {CoarseOperator::automatic, CoarseOperator::galerkin})
    for (const int count : {1, 2, 5}) {
      if (count > 1 && coarse == CoarseOperator::galerkin) continue;
      SCOPED_TRACE(testing::Message() << count << " processes, coarse operator " << static_cast<int>(coarse));
      Options options{.method = Method::multigrid};
      options.coarse_operator = coarse;
      options.tolerance = 1e-6;
      std::mutex mutex;
      double peak = 0;
      Plan before, after;
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        Sharing sharing;
        if (count > 1) sharing = {processes, Parts{1, 1, count}, 2000};
        const Measured own = measure(c.problem, options, sharing);
        const std::lock_guard lock(mutex);
        peak = std::max(peak, own.peak);
        before = own.before;
        after = own.after;
      });
      EXPECT_EQ(after.floating_bodies, c.floating);
      EXPECT_EQ(before.floating_bodies, c.floating);
      // Only the values of κ determine the tables of strong clusters, for which the plan has a bound.
      const bool bounded = after.options.coarse_operator == CoarseOperator::galerkin;
      const double slack = on_cpu() ? 0 : 2 * static_cast<double>(Plan::allowance);
      for (const Plan& plan : {before, after}) {
        SCOPED_TRACE(testing::Message() << plan.bytes << " bytes, set-up " << plan.setup << ", floating bodies "
                                        << plan.floating << ", mailbox " << plan.mailbox << ", used " << peak);
        // Tables of Galerkin levels at cuts are counted to 2 %.
        EXPECT_GE(static_cast<double>(plan.most()), (bounded && count > 1 ? 0.97 : 0.99) * peak);
        // The transport of this run may need no mailbox.
        EXPECT_LE(static_cast<double>(plan.most() - plan.mailbox), (bounded ? 1.8 : 1.01) * peak + slack);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(, MediaMemory, testing::ValuesIn(cases()),
                         [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace poisson::media_memory_tests
