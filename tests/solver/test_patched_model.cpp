// A grid that is cut into patches must be solved with the bits of the whole grid if planes are not cut, and otherwise
// to rounding, on any number of processes.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/error.hpp"
#include "solver/patched_model.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/processes.hpp"

namespace poisson::patched_model_tests {
namespace {

struct Kind {
  Scheme scheme;
  Centering centering;
  bool varying;
};

constexpr std::array<int, 3> sizes{24, 21, 112};

// Returns a problem with `sizes` values: boxes of different widths, and κ over two orders of magnitude if it varies.
Problem problem_of(const Kind& kind, bool periodic = false, bool equal = false) {
  Problem p;
  p.scheme = kind.scheme;
  p.centering = kind.centering;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool closed = periodic && d == 2;
    const int cells = kind.centering == Centering::cell || closed ? sizes[d] : sizes[d] - 1;
    for (int i = 0; i <= cells; ++i) p.nodes[d].push_back(i + (d == 1 && !equal ? 0.1 * std::sin(i) : 0));
    if (closed) p.boundary[d][0].kind = p.boundary[d][1].kind = BoundaryKind::periodic;
  }
  p.boundary[0][1] = {BoundaryKind::neumann, 0.3};
  p.boundary[1][0] = {BoundaryKind::dirichlet, 0.5};
  p.source = [](double x, double y, double z) { return std::cos(0.3 * x + 0.2 * y) + std::sin(0.17 * z); };
  if (kind.varying)
    p.coefficient[0] = [](double x, double y, double z) {
      return std::exp(2 * std::sin(0.15 * x) * std::cos(0.1 * y) + std::sin(0.1 * z));
    };
  return p;
}

struct Solution {
  std::vector<double> u;
  std::vector<double> history;
  int iterations = 0;
};

Options options_of_tests() {
  Options options{.method = Method::multigrid};
  options.fallback = Fallback::never;
  options.tolerance = 1e-9;
  return options;
}

// Solves a model, and stores the values of this process's part of the grid. `part` returns the solution on the part.
template <class Part>
Solution solve(const Model& model, const Part& part, std::vector<double>& u) {
  const auto solver = make_solver(model, options_of_tests());
  model.fill(solver->rhs(), solver->solution());
  const Result result = solver->solve(false);
  EXPECT_TRUE(result.converged()) << result.relative();
  const Field& of_part = part(solver->solution());
  const HostRead read(of_part);
  const auto& origin = of_part.space().part().origin();
  const View<const double> v = (*read).view<double>();
  for_each_value(v, false, [&](int i, int j, int k) {
    u[static_cast<std::size_t>(((k + origin[2]) * sizes[1] + j + origin[1]) * sizes[0] + i + origin[0])] = v(i, j, k);
  });
  return {{}, result.history, result.iterations};
}

Solution solve_whole(const Problem& problem) {
  const auto backend = test_backend();
  std::vector<double> u(std::size_t{24} * 21 * 112);
  Solution found = solve(
      GridModel(*backend, problem), [](const Field& solution) -> const Field& { return solution; }, u);
  found.u = u;
  return found;
}

// Solves the problem on patches of these widths, on several processes.
Solution solve_patches(const Problem& problem, const PatchedModel::Widths& widths, int count,
                       const std::vector<Orientation>& turns = {}) {
  std::vector<double> u(std::size_t{24} * 21 * 112);
  Solution found;
  as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
    const auto backend = test_backend();
    const PatchedModel model(*backend, problem, widths, processes, turns);
    Field part(*backend, model.part().space(), Precision::fp64);
    const auto gather = [&](const Field& solution) -> const Field& {
      backend->run_exchange(model.patches()->to_box, solution, part);
      return part;
    };
    Solution own = solve(model, gather, u);
    if (processes->first()) found = own;
  });
  found.u = u;
  return found;
}

const std::vector<std::vector<int>> splits{{56, 56}, {38, 37, 37}, {17, 64, 31}, {16, 16, 16, 16, 16, 16, 16}};

TEST(PatchedModel, HasTheBitsOfTheWholeGrid) {
  for (const Centering centering : {Centering::node, Centering::cell})
    for (const bool varying : {false, true}) {
      const Problem problem = problem_of({Scheme::fv, centering, varying});
      const Solution whole = solve_whole(problem);
      for (const std::vector<int>& widths : splits)
        for (const int count : {1, 2, 4}) {
          const bool shares = count == 1 || varying == (centering == Centering::cell);  // half of the kinds
          if (std::ssize(widths) < count || !shares) continue;
          SCOPED_TRACE(testing::Message() << widths.size() << " patches on " << count << " processes, cells "
                                          << (centering == Centering::cell) << ", varying " << varying);
          const Solution cut = solve_patches(problem, {{{}, {}, widths}}, count);
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
          const PatchedModel model(*backend, problem_of(kind, false, equal), across_all, one_process(),
                                   turned ? random_turns() : std::vector<Orientation>{});
          EXPECT_EQ(model.space().halo().program().size(), 1u);
          VerbsOnPatches(model, precision).run();
        }
}

TEST(PatchedModel, SolvesPeriodicAndSingularProblems) {
  Problem problem = problem_of({Scheme::fv, Centering::cell, true}, true);
  for (std::size_t d = 0; d < 2; ++d) problem.boundary[d][0] = problem.boundary[d][1] = {BoundaryKind::neumann, 0.0};
  const Solution whole = solve_whole(problem), cut = solve_patches(problem, {{{}, {}, {17, 64, 31}}}, 1);
  EXPECT_EQ(cut.history, whole.history);
  EXPECT_EQ(cut.u, whole.u);
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
