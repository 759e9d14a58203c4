// Successive sweeps over a grid that is cut must equal those of one process. Exchanges between them run separately or
// within the sweep kernels.

#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#ifdef POISSON_HAVE_MPI
#include "tests/launched.hpp"
#endif
#include "grids/levels/sharing.hpp"
#include "grids/operators/splitting.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/grid_model.hpp"
#include "solver/smoothers/smoother.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/oracles/same_values.hpp"
#include "tests/problems.hpp"
#include "tests/processes.hpp"
#include "tests/wave.hpp"

namespace poisson::shared_sweeps_tests {
namespace {

struct Swept {
  std::vector<double> values;  // local unknowns, x fastest: first the iterate, then the residual
  Space space{Layout{}};
  std::size_t kernels = 0;  // in a recording of the sweeps; 0 if not counted
  std::string transport;
};

void append_unknowns(Backend& backend, const Field& x, std::vector<double>& values) {
  const Box& own = x.space().part().unknowns();
  dispatch(x.precision(), [&]<class T>(T) {
    const Image<T> image(backend, x);
    for (int k = own.first[2]; k < own.last[2]; ++k)
      for (int j = own.first[1]; j < own.last[1]; ++j)
        for (int i = own.first[0]; i < own.last[0]; ++i) values.push_back(static_cast<double>(image.view(i, j, k)));
  });
}

/// Makes `sweeps` Chebyshev sweeps from the zero guess or from another one, and computes the residual.
Swept sweep(const Problem& problem, SolvePrecision precision, const Sharing& sharing, int sweeps, bool from_zero) {
  Options options;
  options.method = Method::multigrid;
  options.precision = precision;
  const auto backend = test_backend();
  backend->set_least_beside(0);
  const Discretization d(*backend, problem, Assembly::automatic, Sampling::automatic, sharing);
  const auto solver = make_solver(d, options);
  const Operator& A = solver->A();
  Field b(*backend, A.space(), A.precision()), first(*backend, A.space(), A.precision()),
      second(*backend, A.space(), A.precision());
  fill(*backend, b, 0);
  const auto splitting = A.split();
  const std::vector<PolynomialStep> steps = chebyshev_first_kind(sweeps, splitting->largest_eigenvalue(), 12);
  const auto verbs = [&] {
    Iterate u{&first, &second, from_zero};
    splitting->take(steps, false, b, u);
    A.residual(*u.now, b, *u.other);
    return u;
  };
  Swept swept;
  for (int times = 0; times < 2; ++times) {  // uses all slots of a mailbox
    backend->fill(second, 0);
    fill(*backend, first, 1);
    const Iterate u = verbs();
    append_unknowns(*backend, *u.now, swept.values);
    append_unknowns(*backend, *u.other, swept.values);
  }
  swept.space = A.space();
  swept.transport = backend->transport();
  std::unique_ptr<Recording> recording;
  backend->prepare(recording, [&] { verbs(); });
  if (recording) swept.kernels = recording->kernels();
  return swept;
}

/// Returns the unknowns of a part from the result of one process.
std::vector<double> part_of(const Swept& whole, const Space& part) {
  const Box &own = part.part().unknowns(), &all = whole.space.part().unknowns();
  std::array<std::size_t, 3> n{};
  for (std::size_t d = 0; d < 3; ++d) n[d] = static_cast<std::size_t>(all.last[d] - all.first[d]);
  const auto place = [&](int i, std::size_t d) {
    return static_cast<std::size_t>(i + part.part().origin()[d] - all.first[d]);
  };
  std::vector<double> values;
  for (std::size_t field = 0; field < whole.values.size() / (n[0] * n[1] * n[2]); ++field)
    for (int k = own.first[2]; k < own.last[2]; ++k)
      for (int j = own.first[1]; j < own.last[1]; ++j)
        for (int i = own.first[0]; i < own.last[0]; ++i)
          values.push_back(whole.values[((field * n[2] + place(k, 2)) * n[1] + place(j, 1)) * n[0] + place(i, 0)]);
  return values;
}

struct Choice {
  std::string faces;
  std::size_t grid;
  Kappa kappa;
  Centering centering;
  SolvePrecision precision;
  int sweeps;
  bool from_zero;
};
const std::vector<Choice> choices{
    {"dirichlet", 0, Kappa::constant, Centering::node, SolvePrecision::double_, 5, false},
    {"mixed", 1, Kappa::constant_tensor, Centering::node, SolvePrecision::double_, 5, true},
    {"periodic_z", 0, Kappa::constant, Centering::node, SolvePrecision::single, 5, false},
    {"periodic_xz", 3, Kappa::constant, Centering::cell, SolvePrecision::double_, 4, false},
    {"neumann", 0, Kappa::constant_tensor, Centering::cell, SolvePrecision::single, 3, false},
    {"mixed_reversed", 1, Kappa::constant, Centering::node, SolvePrecision::single, 2, true},
    {"periodic_y", 2, Kappa::constant, Centering::cell, SolvePrecision::double_, 2, false},
    {"robin", 0, Kappa::random, Centering::node, SolvePrecision::double_, 3, false}};

Problem problem_of(const Choice& choice, const std::array<int, 3>& cells) {
  const std::vector<NamedFaces> faces = all_faces();
  const auto found = std::ranges::find(faces, choice.faces, &NamedFaces::name);
  return make_problem(*found, all_grids[choice.grid],
                      {.cells = cells, .kappa = choice.kappa, .centering = choice.centering});
}

void expect_sweeps_of_one(const Swept& own, const Swept& whole, const Choice& choice) {
  EXPECT_FALSE(own.values.empty());
  expect_same_values(own.values, part_of(whole, own.space), choice.precision == SolvePrecision::single ? 1e-5 : 1e-13);
}

TEST(SharedSweeps, AreThoseOfOneProcess) {
  for (const Choice& choice : choices)
    for (const int count : {2, 3}) {
      SCOPED_TRACE(testing::Message() << choice.faces << ", processes " << count);
      const Problem problem = problem_of(choice, {21, 34, 6 * count + 2});
      const Swept whole = sweep(problem, choice.precision, {}, choice.sweeps, choice.from_zero);
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        const Sharing sharing{processes, {1, 1, count}, 300};
        expect_sweeps_of_one(sweep(problem, choice.precision, sharing, choice.sweeps, choice.from_zero), whole, choice);
      });
    }
}

#ifdef POISSON_HAVE_MPI
Swept sweep_launched(const Choice& choice, const std::array<int, 3>& cells, bool by_tickets) {
  setenv("POISSON_TICKETS", by_tickets ? "1" : "0", 1);
  const Sharing sharing{launched(), {1, 1, launched()->count()}, 300};
  return sweep(problem_of(choice, cells), choice.precision, sharing, choice.sweeps, choice.from_zero);
}

/// Processes were started by mpirun. Between GPUs, or on one, kernels that take part in exchanges must give the same
/// bits.
TEST(SharedSweeps, OfLaunchedProcesses) {
  if (!under_launcher()) GTEST_SKIP() << "start it by mpirun";
  const int count = launched()->count();
  for (std::size_t c = 0; c < choices.size(); ++c) {
    const Choice& choice = choices[c];
    SCOPED_TRACE(choice.faces);
    const std::array cells = c % 4 == 0 ? std::array{130, 255, 12 * count} : std::array{70, 41, 7 * count + 3};
    const Swept with = sweep_launched(choice, cells, true), without = sweep_launched(choice, cells, false);
    EXPECT_EQ(with.values, without.values);
    const Swept whole = sweep(problem_of(choice, cells), choice.precision, {}, choice.sweeps, choice.from_zero);
    expect_sweeps_of_one(with, whole, choice);
  }
  // Parts have many planes, in two pieces each.
  const std::array cells{500, 270, 24 * count};
  EXPECT_EQ(sweep_launched(choices[2], cells, true).values, sweep_launched(choices[2], cells, false).values);
}

/// A sweep must be one kernel that includes the exchange before it.
TEST(SharedSweeps, OfLaunchedProcessesExchangeInTheirKernel) {
  if (!under_launcher()) GTEST_SKIP() << "start it by mpirun";
  const std::array cells{70, 41, 7 * launched()->count() + 3};
  const Swept with = sweep_launched(choices[0], cells, true), without = sweep_launched(choices[0], cells, false);
  if (!with.transport.starts_with("peer")) GTEST_SKIP() << "not between peers";
  if (std::getenv("POISSON_GRAPHS")) GTEST_SKIP() << "kernels one by one are not counted";
  EXPECT_EQ(with.kernels, 5u + 1);
  EXPECT_EQ(without.kernels, 2 * (5u + 1));
}
#endif

}  // namespace
}  // namespace poisson::shared_sweeps_tests
