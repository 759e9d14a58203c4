// A grid that is cut into patches must be solved with the bits of the whole grid if planes are not cut, and otherwise
// to rounding, on any number of processes.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "tests/patched_solve.hpp"
#include "tests/smoothing.hpp"

namespace poisson::patched_model_tests {
namespace {

using namespace poisson::patched;

const std::vector<std::vector<int>> splits{{56, 56}, {38, 37, 37}, {17, 64, 31}, {16, 16, 16, 16, 16, 16, 16}};

TEST(PatchedModel, HasTheBitsOfTheWholeGrid) {
  for (const Centering centering : {Centering::node, Centering::cell})
    for (const bool varying : {false, true}) {
      const Problem problem = problem_of({Scheme::fv, centering, varying});
      const Solution whole = solve_whole(problem);
      for (const std::vector<int>& widths : splits)
        for (const int count : {1, 2, 3, 4}) {
          const bool shares = count == 1 || varying == (centering == Centering::cell);  // half of the kinds
          if (std::ssize(widths) < count || !shares) continue;
          SCOPED_TRACE(testing::Message() << widths.size() << " patches on " << count << " processes, cells "
                                          << (centering == Centering::cell) << ", varying " << varying);
          const Solution cut = solve_patches(problem, {{{}, {}, widths}}, count);
          EXPECT_EQ(cut.levels, whole.levels);
          EXPECT_EQ(cut.history, whole.history);
          EXPECT_EQ(cut.u, whole.u);
        }
    }
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

const PatchedModel::Widths across_all{{{10, 14}, {7, 8, 6}, {62, 50}}};

// Returns an orientation for each of 2 × 3 × 2 patches.
std::vector<Orientation> random_turns() {
  std::mt19937 random(5);
  std::vector<Orientation> turns;
  for (int p = 0; p < 12; ++p) turns.push_back(Orientation::number(static_cast<int>(random() % Orientation::count)));
  return turns;
}

TEST(PatchedModel, AgreesForCutsAcrossAllAxes) {
  for (const Kind& kind : {Kind{Scheme::fv, Centering::node, true}, Kind{Scheme::q1, Centering::node, true},
                           Kind{Scheme::fv, Centering::cell, false}}) {
    const Problem problem = problem_of(kind);
    const Solution whole = solve_whole(problem);
    double size = 0;
    for (const double value : whole.u) size = std::max(size, std::abs(value));
    for (const std::vector<Orientation>& turns : {std::vector<Orientation>{}, random_turns()})
      for (const int count : {1, 2, 6}) {
        const Solution cut = solve_patches(problem, across_all, count, turns);
        EXPECT_NEAR(cut.iterations, whole.iterations, 1);
        EXPECT_EQ(cut.levels, whole.levels);
        EXPECT_LE(largest_difference(cut.u, whole.u), 1e-8 * size) << count << " processes, turned " << !turns.empty();
      }
  }
}

// Compares verbs on patches with those on the grid, in one precision.
class VerbsOnPatches {
 public:
  VerbsOnPatches(const PatchedModel& model, Precision precision)
      : model_(model),
        backend_(model.backend()),
        of_(*model.patches()),
        precision_(precision),
        A_(model.part().finest(plan(), precision)),
        P_(model.finest(plan(), precision)) {
    for (unsigned f = 0; f < 3; ++f) {
      whole_.emplace_back(backend_, of_.box, precision);
      Random random(f + 1);
      set_values(backend_, whole_.back(), random.vector(static_cast<std::size_t>(of_.box.size())));
      patches_.emplace_back(backend_, of_.patches, precision);
      backend_.run_exchange(of_.to_patches, whole_.back(), patches_.back());
    }
  }

  void run() {
    both("apply", 2, [](const Operator& A, std::vector<Field>& f) { A.apply(f[0], f[2]); });
    both("everywhere", 2, [](const Operator& A, std::vector<Field>& f) { A.apply_everywhere(f[0], f[2]); });
    both("diagonal", 2, [](const Operator& A, std::vector<Field>& f) { A.diagonal(f[2]); });
    both("residual", 2, [](const Operator& A, std::vector<Field>& f) { A.residual(f[0], f[1], f[2]); });
    Scalar scale = backend_.scalar(0.3), sums[2] = {backend_.scalar(), backend_.scalar()};
    int at = 0;
    const auto sum_of = [&](const char* verb, const auto& f) {
      both(verb, 2, [&](const Operator& A, std::vector<Field>& fields) { f(A, fields, sums[at++ % 2]); });
      const double whole = backend_.value(sums[0]);
      EXPECT_NEAR(backend_.value(sums[1]), whole, 1e-14 * whole) << verb;
    };
    sum_of("scaled residual",
           [&](const Operator& A, auto& f, Scalar& sum) { A.residual(f[0], f[1], f[2], scale, sum); });
    sum_of("norm", [](const Operator& A, auto& f, Scalar& sum) { A.norm(f[1], sum); });
    sum_of("rounding", [](const Operator& A, auto& f, Scalar& sum) { A.rounding(f[0], sum); });
    const std::array<PolynomialStep, 3> steps{PolynomialStep{0.7, 0}, {0.9, 0.2}, {1.1, 0.1}};
    for (const bool zero : {false, true})
      for (const bool reversed : {false, true}) {
        both(zero ? "steps from zero" : "steps", 0, [&](const Operator& A, std::vector<Field>& f) {
          Iterate u{&f[0], &f[2], zero};
          if (zero) backend_.fill(f[0], 0);
          A.split()->take(std::span(steps).first(2), reversed, f[1], u);  // two steps end in the first field
          if (u.now != &f[0]) backend_.copy(*u.now, f[0]);
        });
        both(zero ? "colours from zero" : "colours", 0, [&](const Operator& A, std::vector<Field>& f) {
          Iterate u{&f[0], nullptr, zero};
          A.split_by_colours()->take(std::span(steps).first(2), reversed, f[1], u);
        });
      }
  }

 private:
  Plan plan() const { return model_.plan(options_of_tests()); }
  // Runs a verb on both, and compares a field.
  template <class Verb>
  void both(const char* name, std::size_t result, const Verb& verb) {
    verb(*A_, whole_);
    verb(*P_, patches_);
    Field back(backend_, of_.box, precision_);
    backend_.run_exchange(of_.to_box, patches_[result], back);
    std::int64_t others = 0;
    const HostRead of_patches(back), of_whole(whole_[result]);
    dispatch(precision_, [&]<class T>(T) {
      const View<const T> a = (*of_patches).view<T>(), b = (*of_whole).view<T>();
      for_each_value(a, false, [&](int i, int j, int k) { others += same_bits(a(i, j, k), b(i, j, k)) ? 0 : 1; });
    });
    EXPECT_EQ(others, 0) << name << ", " << (precision_ == Precision::fp32 ? "fp32" : "fp64");
  }

  const PatchedModel& model_;
  Backend& backend_;
  const PatchedBox& of_;
  Precision precision_;
  std::unique_ptr<Operator> A_, P_;
  std::vector<Field> whole_, patches_;
};

TEST(PatchedModel, VerbsHaveTheBitsOfTheGrid) {
  const auto backend = test_backend();
  for (const Kind& kind : {Kind{Scheme::fv, Centering::node, false}, Kind{Scheme::fv, Centering::node, true},
                           Kind{Scheme::fv, Centering::cell, false}, Kind{Scheme::fv, Centering::cell, true},
                           Kind{Scheme::q1, Centering::node, true}})
    for (const bool equal : {false, true})
      for (const bool turned : {false, true})
        for (const Precision precision : {Precision::fp32, Precision::fp64}) {
          SCOPED_TRACE(testing::Message() << "cells " << (kind.centering == Centering::cell) << ", varying "
                                          << kind.varying << ", equal " << equal << ", turned " << turned);
          const PatchedModel model(*backend, problem_of(kind, {}, equal), across_all, one_process(),
                                   turned ? random_turns() : std::vector<Orientation>{});
          EXPECT_EQ(model.space().halo().program().size(), 1u);
          VerbsOnPatches(model, precision).run();
        }
}

TEST(PatchedModel, SolvesPeriodicAndSingularProblems) {
  Problem problem = problem_of({Scheme::fv, Centering::cell, true}, {false, false, true});
  for (std::size_t d = 0; d < 2; ++d) problem.boundary[d][0] = problem.boundary[d][1] = {BoundaryKind::neumann, 0.0};
  const Solution whole = solve_whole(problem), cut = solve_patches(problem, {{{}, {}, {17, 64, 31}}}, 1);
  EXPECT_EQ(cut.history, whole.history);
  EXPECT_EQ(cut.u, whole.u);
}

/// The levels of the part must be used as they are: lines and planes of flat boxes, clusters of cells where κ jumps,
/// and cycles that visit levels twice.
TEST(PatchedModel, UsesTheLevelsOfThePart) {
  const PatchedModel::Widths slabs{{{}, {}, {17, 64, 31}}};
  const auto expect_same = [&](const Problem& problem, const Options& options, const char* what) {
    SCOPED_TRACE(what);
    const Solution whole = solve_whole(problem, options), cut = solve_patches(problem, slabs, 1, {}, options);
    EXPECT_EQ(cut.levels, whole.levels);
    EXPECT_EQ(cut.history, whole.history);
    EXPECT_EQ(cut.u, whole.u);
  };
  Problem flat = problem_of({Scheme::fv, Centering::node, false});
  for (double& x : flat.nodes[0]) x *= 0.01;
  expect_same(flat, options_of_tests(), "flat");
  for (double& z : flat.nodes[2]) z *= 0.01;
  Options planes = options_of_tests();
  choose(planes.smoother, "plane");
  expect_same(flat, planes, "planes");
  Problem jumps = problem_of({Scheme::fv, Centering::cell, false});
  jumps.coefficient[0] = [](double x, double y, double z) {
    return (static_cast<int>(x / 3) + static_cast<int>(y / 4) + static_cast<int>(z / 5)) % 3 == 0 ? 1e-4 : 1.0;
  };
  expect_same(jumps, options_of_tests(), "jumps");
  Options twice = options_of_tests();
  twice.krylov = Krylov::cg;
  twice.cycle = Cycle::w;
  expect_same(jumps, twice, "W-cycles");
  twice.cycle = Cycle::f;
  twice.krylov = Krylov::none;
  expect_same(problem_of({Scheme::fv, Centering::node, true}), twice, "F-cycles");
  Options plain = options_of_tests();
  plain.full_multigrid = false;
  plain.precision = SolvePrecision::double_;
  expect_same(problem_of({Scheme::fv, Centering::cell, true}), plain, "double precision");
}

/// A verb on equal patches must be one launch, and its exchange another one.
TEST(PatchedModel, LaunchesOnceAVerbAndExchange) {
  if (on_cpu()) GTEST_SKIP() << "nothing is launched";
  const auto backend = test_backend();
  const PatchedModel model(*backend, problem_of({Scheme::fv, Centering::node, true}),
                           {{{12, 12}, {7, 7, 7}, {28, 28, 28, 28}}});
  ASSERT_EQ(model.space().groups().size(), 1u);
  const auto A = model.finest(model.plan(options_of_tests()), Precision::fp64);
  Field b(*backend, A->space(), A->precision()), u(*backend, A->space(), A->precision()),
      other = Field(*backend, A->space(), A->precision());
  const auto splitting = A->split();
  for (const int sweeps : {1, 2, 5}) {
    const std::vector<PolynomialStep> steps(static_cast<std::size_t>(sweeps), PolynomialStep{0.5, 0.1});
    std::unique_ptr<Recording> recording;
    backend->prepare(recording, [&] {
      Iterate iterate{&u, &other, false};
      splitting->take(steps, false, b, iterate);
      A->residual(*iterate.now, b, *iterate.other);
    });
    if (!recording || recording->kernels() == 0) GTEST_SKIP() << "kernels are not counted";
    EXPECT_EQ(recording->kernels(), static_cast<std::size_t>(2 * (sweeps + 1)));
  }
}

/// A cycle copies its right-hand side to the part and the correction back. The residual needs an exchange, and its norm
/// a kernel that adds up the planes of all patches. Each is one launch.
TEST(PatchedModel, AddsFewLaunchesToAnIteration) {
  if (on_cpu()) GTEST_SKIP() << "nothing is launched";
  const auto backend = test_backend();
  const Problem problem = problem_of({Scheme::fv, Centering::node, false});
  const GridModel whole(*backend, problem);
  const PatchedModel cut(*backend, problem, {{{12, 12}, {7, 7, 7}, {28, 28, 28, 28}}});
  std::array<std::size_t, 2> kernels{};
  for (const std::size_t of : {0u, 1u}) {
    const auto solver = make_solver(of == 0 ? static_cast<const Model&>(whole) : cut, options_of_tests());
    solver->prepare(false);
    kernels[of] = solver->kernels_per_iteration();
  }
  if (kernels[0] == 0) GTEST_SKIP() << "kernels are not counted";
  std::printf("kernels an iteration: %zu on the grid, %zu on patches\n", kernels[0], kernels[1]);
  EXPECT_EQ(kernels[1], kernels[0] + 4);
}

TEST(PatchedModel, SolvesInThePlane) {
  for (const Kind& kind : {Kind{Scheme::fv, Centering::node, true}, Kind{Scheme::fv, Centering::node, false},
                           Kind{Scheme::fv, Centering::cell, true}, Kind{Scheme::fv, Centering::cell, false}})
    for (const bool across_x : {false, true}) {
      SCOPED_TRACE(testing::Message() << "cells " << (kind.centering == Centering::cell) << ", varying " << kind.varying
                                      << ", across x " << across_x);
      Problem problem = problem_of(kind);
      problem.dimension = 2;
      problem.nodes[2].clear();
      const auto backend = test_backend();
      const GridModel whole(*backend, problem);
      const std::vector<int> narrow = across_x ? std::vector{9, 15} : std::vector<int>{};
      const PatchedModel cut(*backend, problem, {{narrow, {9, 12}, {}}});
      Field part(*backend, whole.space(), Precision::fp64);
      std::array<int, 2> iterations{};
      std::array<Vector, 2> u;
      for (const std::size_t of : {0u, 1u}) {
        const Model& model = of == 0 ? static_cast<const Model&>(whole) : cut;
        const auto solver = make_solver(model, options_of_tests());
        model.fill(solver->rhs(), solver->solution());
        iterations[of] = solver->solve(false).iterations;
        if (of == 1) backend->run_exchange(cut.patches()->to_box, solver->solution(), part);
        u[of] = poisson::values(*backend, of == 0 ? solver->solution() : part);
      }
      EXPECT_NEAR(iterations[0], iterations[1], across_x ? 1 : 0);
      double size = 0, largest = 0;
      for (std::size_t i = 0; i < u[0].size(); ++i) {
        size = std::max(size, static_cast<double>(std::abs(u[0][i])));
        largest = std::max(largest, static_cast<double>(std::abs(u[1][i] - u[0][i])));
      }
      EXPECT_LE(largest, across_x ? 1e-8 * size : 0);
    }
}

TEST(PatchedModel, RefusesWhatPatchesDoNotSupport) {
  const auto backend = test_backend();
  const Problem problem = problem_of({Scheme::fv, Centering::node, false});
  const auto message = [&](const auto& f) -> std::string {
    try {
      f();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message([&] {
              PatchedModel(*backend, problem, {{{}, {}, {60, 50}}});
            }),
            "the parts along z have 110 values, and the grid has 112: give widths that add up to it");
  EXPECT_EQ(message([&] {
              PatchedModel(*backend, problem, {{{}, {}, {3, 109}}});
            }),
            "the parts along z have as few as 3 values: give each at least 4");
  const PatchedModel model(*backend, problem, {{{}, {}, {60, 52}}});
  EXPECT_EQ(message([&] { make_solver(model, Options{.method = Method::direct}); }),
            "several patches have no direct solution: use multigrid");
}

}  // namespace
}  // namespace poisson::patched_model_tests
