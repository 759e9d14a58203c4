// These tests check the verdicts of a monitor and the loop that it ends.

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "backends/device/backend.hpp"
#include "backends/device/monitor.hpp"
#include "tests/device.hpp"
#include "tests/fields.hpp"

namespace poisson::monitor_tests {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns the state after a sequence of norms that begins with the start, relative to data of norm 1.
MonitorState after(const StoppingRule& rule, std::initializer_list<double> norms) {
  MonitorState state;
  const auto* next = norms.begin();
  begin(state, rule, 1, 1, 0, *next++, 0);
  for (; next != norms.end(); ++next) observe(state, rule, *next);
  return state;
}

/// Returns a rule that converges at a squared norm of `target` for data of norm 1.
StoppingRule rule(double target) {
  StoppingRule r;
  r.tolerance = std::sqrt(target);
  return r;
}

TEST(Monitor, ConvergesAtTheTarget) {
  const MonitorState state = after(rule(1e-4), {1, 1e-2, 0.99e-4});
  EXPECT_EQ(state.verdict, Verdict::converged);
  EXPECT_EQ(state.iterations, 2);
  EXPECT_EQ(state.first, 1);
  EXPECT_EQ(state.last, 0.99e-4);
  EXPECT_EQ(state.best, 0.99e-4);
  EXPECT_EQ(state.best_iteration, 2);
  EXPECT_EQ(after(rule(1e-4), {1, 1.01e-4}).verdict, Verdict::running);
  EXPECT_EQ(after(rule(0), {1, 1e-300}).verdict, Verdict::running);
}

TEST(Monitor, TakesTheLastOfEqualNormsForTheBest) {
  const MonitorState state = after(rule(1e-4), {1, 1, 2, 3});
  EXPECT_EQ(state.best_iteration, 1);
  EXPECT_EQ(state.rose, 0);
  EXPECT_EQ(after(rule(1e-4), {1, 1, 2}).rose, 1);
}

TEST(Monitor, IsRelativeToTheLargerOfDataAndInitialResidual) {
  MonitorState state;
  begin(state, rule(0.01), 1, 4, 2, 1, 0.5);
  EXPECT_EQ(state.reference, 4);
  EXPECT_EQ(state.initial, 2);
  EXPECT_EQ(state.rounding, 0.5);
  EXPECT_EQ(state.verdict, Verdict::running);
  begin(state, rule(0.01), 1, 4, 9, 0.08, 0);
  EXPECT_EQ(state.reference, 9);
  EXPECT_EQ(state.verdict, Verdict::converged) << "before the first iteration";
  begin(state, rule(0), 1, 4, 9, 0.08, 0);
  EXPECT_EQ(state.verdict, Verdict::running);
  begin(state, rule(0), 1, 0, 0, 0, 0);
  EXPECT_EQ(state.verdict, Verdict::converged) << "there is nothing to solve";
  for (const double bad : {nan, infinity}) {
    begin(state, rule(0.01), 1, bad, 0, 1, 0);
    EXPECT_EQ(state.verdict, Verdict::not_finite);
    begin(state, rule(0.01), 1, 1, 0, bad, 0);
    EXPECT_EQ(state.verdict, Verdict::not_finite);
  }
}

TEST(Monitor, TakesTheRoundingOfAProjectionForNothing) {
  StoppingRule r = rule(1e-16);
  r.negligible = 1e-30;
  MonitorState state;
  begin(state, r, 1, 0.9e-30, 0.8e-30, 0.8e-30, 0);
  EXPECT_EQ(state.verdict, Verdict::converged);
  EXPECT_EQ(state.reference, 0);
  begin(state, r, 1, 1.1e-30, 0.8e-30, 0.8e-30, 0);
  EXPECT_EQ(state.verdict, Verdict::running);
}

TEST(Monitor, DivergesAboveAMultipleOfTheStart) {
  EXPECT_EQ(after(rule(1e-4), {2, 1.9e12}).verdict, Verdict::running);
  EXPECT_EQ(after(rule(1e-4), {2, 2.1e12}).verdict, Verdict::diverged);
  EXPECT_EQ(after(rule(0), {2, 2.1e12}).verdict, Verdict::diverged);
}

TEST(Monitor, SeesWhatIsNotFinite) {
  for (const double bad : {nan, infinity}) {
    const MonitorState state = after(rule(1e-4), {1, 0.5, bad});
    EXPECT_EQ(state.verdict, Verdict::not_finite);
    EXPECT_EQ(state.best, 0.5);
    EXPECT_EQ(state.best_iteration, 1);
    EXPECT_EQ(state.rose, std::isinf(bad) ? 1 : 0) << "no step leads back from NaN";
    EXPECT_EQ(after(rule(1e-4), {1, 0.5, 0.6, bad}).rose, 0) << "the best was kept an iteration earlier";
  }
}

/// `rose` marks the iteration after the best one: the iterate before it must be stored.
TEST(Monitor, MarksTheFirstRiseAboveTheBest) {
  EXPECT_EQ(after(rule(0), {1, 0.5}).rose, 0);
  EXPECT_EQ(after(rule(0), {1, 0.5, 0.7}).rose, 1);
  EXPECT_EQ(after(rule(0), {1, 0.5, 0.7, 0.8}).rose, 0);
  EXPECT_EQ(after(rule(0), {1, 0.5, 0.7, 0.6}).rose, 0);
  EXPECT_EQ(after(rule(0), {1, 0.5, 0.7, 0.4}).rose, 0);
  EXPECT_EQ(after(rule(0), {1, 0.5, 0.7, 0.4, 0.41}).rose, 1);
  EXPECT_EQ(after(rule(0), {1, 2}).rose, 1) << "the start was the best";
  EXPECT_EQ(after(rule(0), {1, 1}).rose, 0);
}

TEST(Monitor, StagnatesWithoutGainInAWindow) {
  StoppingRule r = rule(1e-20);
  r.stagnation_window = 3;
  r.stagnation_gain = 0.01;
  EXPECT_EQ(after(r, {1, 1, 1}).verdict, Verdict::running);
  EXPECT_EQ(after(r, {1, 1, 1, 1}).verdict, Verdict::stagnated);
  EXPECT_EQ(after(r, {1, 0.999, 0.998, 0.991}).verdict, Verdict::stagnated);
  EXPECT_EQ(after(r, {1, 0.999, 0.998, 0.98}).verdict, Verdict::running);
  EXPECT_EQ(after(r, {1, 0.9, 3, 3, 3, 3}).verdict, Verdict::running) << "the second window is not over";
  EXPECT_EQ(after(r, {1, 0.9, 3, 3, 3, 3, 0.9}).verdict, Verdict::stagnated);
  EXPECT_EQ(after(r, {1, 0.9, 3, 3, 3, 3, 0.5}).verdict, Verdict::running);
  r.tolerance = 0;
  EXPECT_EQ(after(r, {1, 1, 1, 1, 1, 1, 1, 1}).verdict, Verdict::running) << "runs all that was asked for";
}

TEST(Monitor, KeepsItsHistoryAndListens) {
  std::vector<int> heard;
  Monitor monitor(rule(1e-8), [&](const MonitorState& state) {
    heard.push_back(state.iterations);
    return state.last != 0.25;
  });
  monitor.begin(1, 1, 0, 1, 0);
  monitor.observe(0.5);
  EXPECT_EQ(monitor.state().verdict, Verdict::running);
  monitor.observe(0.25);
  EXPECT_EQ(monitor.state().verdict, Verdict::stopped);
  EXPECT_EQ(heard, (std::vector{0, 1, 2}));
  EXPECT_EQ(monitor.history(), (std::vector{1.0, 0.5, 0.25}));
  monitor.begin(1, 1, 0, 7, 0);
  EXPECT_EQ(monitor.history(), std::vector{7.0});
  EXPECT_EQ(monitor.state().verdict, Verdict::running);
  Monitor stopped_at_once(rule(0), [](const MonitorState&) { return false; });
  stopped_at_once.begin(1, 1, 0, 1, 0);
  EXPECT_EQ(stopped_at_once.state().verdict, Verdict::stopped);
  // A stop request must not hide that the iteration had converged.
  Monitor converged(rule(0.5), [](const MonitorState& state) { return state.iterations == 0; });
  converged.begin(1, 1, 0, 1, 0);
  converged.observe(0.1);
  EXPECT_EQ(converged.state().verdict, Verdict::converged);
}

TEST(Monitor, ResumesWhereTheTruthHasHalved) {
  Monitor monitor(rule(1e-8), {});
  monitor.begin(1, 1, 0, 1, 0);
  monitor.observe(1e-9);
  ASSERT_EQ(monitor.state().verdict, Verdict::converged);
  monitor.resume(1e-4);
  EXPECT_EQ(monitor.state().verdict, Verdict::running);
  EXPECT_EQ(monitor.state().last, 1e-4);
  EXPECT_EQ(monitor.history().back(), 1e-4);
  monitor.observe(1e-9);
  monitor.resume(0.5e-4);
  EXPECT_EQ(monitor.state().verdict, Verdict::stagnated) << "squares: half the residual is a quarter";
}

/// Runs a loop on the device under test as solvers do: norm → norm/divisor until the monitor ends it.
class Loop {
 public:
  explicit Loop(double divisor) : divisor_(backend->scalar(divisor)) {}

  void run(Monitor& monitor, int limit) {
    backend->run(
        recording_,
        [&] {
          backend->assign(one_, norm);
          backend->begin(monitor, one_, one_, zero_, norm, zero_);
          repeat(monitor, limit);
        },
        monitor);
  }
  void go_on(Monitor& monitor, int limit) {
    backend->run(
        resumed_, [&] { repeat(monitor, limit); }, monitor);
  }

  std::unique_ptr<Backend> backend = test_backend();
  Scalar norm = backend->scalar();
  int idle = 0;  ///< even number of extra verbs that cancel

 private:
  void repeat(Monitor& monitor, int limit) {
    backend->repeat(
        limit,
        [&] {
          for (int i = 0; i < idle; ++i) backend->negate(norm);
          backend->ratio(norm, divisor_, norm);
          backend->observe(monitor, norm);
        },
        monitor);
  }

  Scalar divisor_, one_ = backend->scalar(1), zero_ = backend->scalar(0);
  std::unique_ptr<Recording> recording_, resumed_;
};

TEST(Backend, RepeatsUntilTheVerdict) {
  Loop loop(4);
  for (int turn = 0; turn < 3; ++turn) {  // the second and third may replay the first
    SCOPED_TRACE(turn);
    Monitor monitor(rule(0.0157), {});
    loop.run(monitor, 10);
    EXPECT_EQ(monitor.state().verdict, Verdict::converged);
    EXPECT_EQ(monitor.state().iterations, 3);
    EXPECT_EQ(monitor.history(), (std::vector{1.0, 0.25, 0.0625, 0.015625}));
    EXPECT_EQ(loop.backend->value(loop.norm), 0.015625) << "runs after the verdict";
  }
}

TEST(Backend, RepeatsUntilTheLimitAndResumes) {
  Loop loop(4);
  Monitor monitor(rule(0.0157), {});
  loop.run(monitor, 2);
  EXPECT_EQ(monitor.state().verdict, Verdict::running);
  EXPECT_EQ(monitor.history(), (std::vector{1.0, 0.25, 0.0625}));
  loop.go_on(monitor, 10);
  EXPECT_EQ(monitor.state().verdict, Verdict::converged);
  EXPECT_EQ(monitor.state().iterations, 3);
  EXPECT_EQ(monitor.history(), (std::vector{1.0, 0.25, 0.0625, 0.015625}));
  loop.go_on(monitor, 10);
  EXPECT_EQ(monitor.state().iterations, 3) << "the verdict has been reached";
  EXPECT_EQ(loop.backend->value(loop.norm), 0.015625);
}

TEST(Backend, NeedsNoIterationWhereTheStartConverged) {
  Loop loop(4);
  Monitor monitor(rule(1), {});
  loop.run(monitor, 10);
  EXPECT_EQ(monitor.state().verdict, Verdict::converged);
  EXPECT_EQ(monitor.history(), std::vector{1.0});
  EXPECT_EQ(loop.backend->value(loop.norm), 1);
}

TEST(Backend, ReportsEveryNormOfALongLoop) {
  constexpr int count = 20000;
  Loop loop(1.001);
  Monitor monitor(rule(0), {});
  loop.run(monitor, count);
  EXPECT_EQ(monitor.state().iterations, count);
  ASSERT_EQ(monitor.history().size(), count + 1U);
  double norm = 1;
  for (int i = 0; i <= count; ++i) {
    ASSERT_EQ(monitor.history()[static_cast<std::size_t>(i)], norm) << i;
    norm /= 1.001;
  }
}

/// A backend that records loop bodies has a limited length for them.
TEST(Backend, RepeatsBodiesOfAnyLength) {
  for (const int idle : {20'000, 180'000, 220'000, 1'000'000}) {
    SCOPED_TRACE(idle);
    Loop loop(4);
    loop.idle = idle;
    for (int turn = 0; turn < 2; ++turn) {
      Monitor monitor(rule(0.0157), {});
      loop.run(monitor, 10);
      EXPECT_EQ(monitor.state().verdict, Verdict::converged);
      EXPECT_EQ(monitor.history(), (std::vector{1.0, 0.25, 0.0625, 0.015625}));
      EXPECT_EQ(loop.backend->value(loop.norm), 0.015625);
    }
  }
}

TEST(Backend, StopsAtTheRequestOfTheListener) {
  constexpr int limit = 100000000;  // would run for hours
  Loop loop(1);
  int heard = 0;
  Monitor monitor(rule(0), [&](const MonitorState&) { return ++heard < 5; });
  loop.run(monitor, limit);
  EXPECT_EQ(monitor.state().verdict, Verdict::stopped);
  EXPECT_LT(monitor.state().iterations, limit);
  EXPECT_EQ(monitor.history().size(), static_cast<std::size_t>(monitor.state().iterations) + 1);
  if (on_cpu()) {
    EXPECT_EQ(monitor.state().iterations, 4);
  }
}

/// A permutation rotates the field from which the norms are computed, so that the norm rises and falls.
TEST(Backend, RunsTheBodyWhenTheNormHasRisen) {
  const auto backend = test_backend();
  constexpr int n = 6;
  const std::array norms{0.5, 0.625, 0.75, 0.25, 0.375, 0.125};  // exceeds the best at 0.625 and at 0.375
  std::array<double, n * n> turn{};
  std::array<std::int64_t, n> index{};
  for (std::size_t i = 0; i < n; ++i) {
    turn[i * n + (i + 1) % n] = 1;
    index[i] = static_cast<std::int64_t>(i);
  }
  const Buffer matrix = backend->allocate(sizeof turn), offsets = backend->allocate(sizeof index);
  backend->write(turn.data(), matrix.data(), sizeof turn);
  backend->write(index.data(), offsets.data(), sizeof index);
  const Layout layout{{n, 1, 1}, {}};
  Field x(*backend, layout, Precision::fp64), y(*backend, layout, Precision::fp64);
  Field last(*backend, layout, Precision::fp64), kept(*backend, layout, Precision::fp64);
  set_values(*backend, x, Vector(norms.begin(), norms.end()));
  set_values(*backend, last, {0, 0, 0, 0, 0, 1});
  const Scalar one = backend->scalar(1), zero = backend->scalar(0);
  Scalar norm = backend->scalar(1);
  std::unique_ptr<Recording> recording;
  Monitor monitor(rule(0), {});
  backend->run(
      recording,
      [&] {
        backend->begin(monitor, one, one, zero, one, zero);
        backend->repeat(
            n,
            [&] {
              backend->dense_product(matrix, offsets, n, 1, x, y);
              backend->copy(y, x);
              backend->dot(x, last, norm);
              backend->observe(monitor, norm);
              backend->when_risen(monitor, [&] { backend->axpy(one, x, kept); });
            },
            monitor);
      },
      monitor);
  EXPECT_EQ(monitor.history(), (std::vector{1.0, 0.5, 0.625, 0.75, 0.25, 0.375, 0.125}));
  EXPECT_EQ(values(*backend, kept).back(), Real{0.625 + 0.375});
  EXPECT_EQ(monitor.state().best, 0.125);
  EXPECT_EQ(monitor.state().best_iteration, n);
}

/// Large planes have more partial sums than the preallocated buffer. The buffer grows when they are first summed, here
/// during recording; earlier recordings keep their own buffer.
TEST(Backend, RecordsSumsOfLargePlanes) {
  if (on_cpu()) GTEST_SKIP() << "room for partial sums on a device";
  const auto backend = test_backend();
  const Layout small{{64, 64, 64}, {}}, large{{1024, 1024, 100}, {}};
  Field x(*backend, small, Precision::fp32), y(*backend, large, Precision::fp32);
  backend->fill(x, 1);
  backend->fill(y, 1);
  const Scalar one = backend->scalar(1), zero = backend->scalar(0);
  Scalar of_x = backend->scalar(), of_y = backend->scalar();
  std::unique_ptr<Recording> first, second;
  const auto run = [&](std::unique_ptr<Recording>& recording, const Field& field, Scalar& sum) {
    Monitor monitor(rule(0), {});
    backend->run(
        recording,
        [&] {
          backend->begin(monitor, one, one, zero, one, zero);
          backend->repeat(
              2,
              [&] {
                backend->dot(field, field, sum);
                backend->observe(monitor, sum);
              },
              monitor);
        },
        monitor);
  };
  for (int times = 0; times < 2; ++times) {
    backend->assign(zero, of_x);
    backend->assign(zero, of_y);
    run(first, x, of_x);
    run(second, y, of_y);
    EXPECT_EQ(backend->value(of_x), static_cast<double>(small.size()));
    EXPECT_EQ(backend->value(of_y), static_cast<double>(large.size()));
  }
}

}  // namespace
}  // namespace poisson::monitor_tests
