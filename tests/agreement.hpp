#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "solver/smoothers/smoother.hpp"
#include "tests/problems.hpp"
#include "tests/solve.hpp"

/// These functions compare the device under test with the CPU: the same problems and options run for a fixed number of
/// cycles. Bounds are in units of the largest value of the solution.
namespace poisson {

[[maybe_unused]] inline const int chosen = setenv("POISSON_TEST_DEVICE", "cuda", 0);  // default device

struct Outcome {
  Result result;
  std::vector<double> u;
  double largest = 0;
};

inline Outcome outcome(Solve& s) {
  Outcome o{s.run(), values(s.solution()), 0};
  for (const double u : o.u) o.largest = std::max(o.largest, std::abs(u));
  return o;
}

inline Outcome on_host(const Problem& problem, const Options& options, Assembly assembly = Assembly::automatic) {
  Solve s(problem, options, assembly, make_cpu_backend());
  return outcome(s);
}
inline Outcome on_device(const Problem& problem, const Options& options, Assembly assembly = Assembly::automatic) {
  Solve s(problem, options, assembly);
  return outcome(s);
}

/// Returns the largest difference of two solutions, in units of the largest value.
inline double distance(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.u.size(), b.u.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.u.size(); ++i) {
    const double d = std::abs(a.u[i] - b.u[i]);
    largest = d <= largest ? largest : d;  // NaN is kept
  }
  return a.largest > 0 ? largest / a.largest : largest;
}

/// Returns the difference that the precision allows. In fp64 it is the rounding of the solution, which conjugate
/// gradients and axes stretched by 10³ amplify, the more so the farther they are from convergence. In mixed precision
/// it also contains the fp32 rounding of the last correction, whose size is the estimated error. In fp32 it is the
/// rounding of the solution.
inline double bound(const Options& options, const Result& result, bool very_stretched) {
  const bool amplified = very_stretched || options.krylov == Krylov::cg || options.method == Method::cg;
  const double error = std::isfinite(result.estimated_error) ? std::min(result.estimated_error, 1.0) : 1;
  switch (options.precision) {
    case SolvePrecision::double_:
      return amplified ? 1e-10 + (options.krylov == Krylov::cg ? 1e-6 * error : 0) : 1e-12;
    case SolvePrecision::mixed:
      return 1e-9 + 0.05 * error;
    case SolvePrecision::single:
      break;
  }
  return 1e-3;
}

/// Returns the relative residual below which rounding dominates, so that devices may differ.
inline double rounding_level(SolvePrecision precision) {
  return precision == SolvePrecision::single ? 3e-4 : 1e-10;
}

/// Expects residual reductions that agree to two digits, or to a few per cent with fp32 corrections. Differences below
/// `noise` are rounding: the iteration had ended, or a correction was rounded, which axes stretched by 10³ amplify.
inline void expect_contraction(const Result& host, const Result& device, SolvePrecision precision,
                               bool very_stretched) {
  ASSERT_EQ(host.history.size(), device.history.size());
  const bool in_double = precision == SolvePrecision::double_;
  const double digits = in_double ? 0.005 : 0.03, noise = in_double ? 1e-9 : very_stretched ? 0.15 : 1e-4;
  for (std::size_t i = 1; i < host.history.size() && host.history[i] > rounding_level(precision); ++i) {
    const double a = host.history[i] / host.history[i - 1], b = device.history[i] / device.history[i - 1];
    ASSERT_NEAR(a, b, digits * a + noise)
        << "contraction of iteration " << i << ", from a relative residual of " << host.history[i - 1];
  }
}

/// Returns the number of comparable iterations: those before the residual reaches rounding, at most the requested
/// number. If full multigrid starts from more than the residual of zero, the cycle diverges, and conjugate gradients
/// amplify rounding a thousandfold per iteration; then the limit is three.
inline int comparable_iterations(const Result& result, const Options& options) {
  const bool diverges = options.krylov == Krylov::cg && result.history.front() > 1.5;
  const int most = diverges ? std::min(result.iterations, 3) : result.iterations;
  int count = 0;
  while (count < most &&
         (count == 0 || result.history[static_cast<std::size_t>(count)] > rounding_level(options.precision)))
    ++count;
  return count;
}

/// Returns the distance of the two solutions.
inline double expect_agreement(const Problem& problem, Options options, bool very_stretched = false,
                               Assembly assembly = Assembly::automatic) {
  Outcome host = on_host(problem, options, assembly);
  const int count = comparable_iterations(host.result, options);
  if (count < options.max_iterations) {  // more iterations would compare noise
    options.max_iterations = count;
    host = on_host(problem, options, assembly);
  }
  const Outcome device = on_device(problem, options, assembly);
  const double d = distance(host, device);
  EXPECT_LE(d, bound(options, host.result, very_stretched))
      << "after " << count << " iterations; relative residuals: host " << host.result.history.back() << ", device "
      << device.result.history.back() << "; estimated error " << host.result.estimated_error << "; largest |u| "
      << host.largest;
  EXPECT_EQ(host.result.verdict, device.result.verdict);
  EXPECT_EQ(host.result.iterations, device.result.iterations);
  EXPECT_NEAR(host.result.projected, device.result.projected,
              (options.precision == SolvePrecision::single ? 1e-5 : 1e-12) * (1 + host.result.reference));
  expect_contraction(host.result, device.result, options.precision, very_stretched);
  return d;
}

/// Combines settings drawn from a random number.
struct Choice {
  ProblemChoice problem;
  Options options{.method = Method::multigrid};
};

inline std::string describe(const Choice& c) {
  const auto& [dimension, cells, kappa, sigma, centering, scheme] = c.problem;
  const Options& o = c.options;
  std::string text = std::to_string(dimension) + "-D";
  for (int d = 0; d < dimension; ++d) text += (d ? " x " : " ") + std::to_string(cells[static_cast<std::size_t>(d)]);
  const auto add = [&](const char* name, int value) { text += std::string(", ") + name + " " + std::to_string(value); };
  add("scheme", static_cast<int>(scheme));
  add("kappa", static_cast<int>(kappa));
  add("sigma", static_cast<int>(sigma));
  add("centering", static_cast<int>(centering));
  add("method", static_cast<int>(o.method));
  add("cycle", static_cast<int>(o.cycle));
  add("full multigrid", o.full_multigrid);
  if (o.smoother.kind) text += ", " + o.smoother.kind->describe(o.smoother);
  add("pre", o.smoother.pre.value_or(-1));
  add("post", o.smoother.post.value_or(-1));
  add("krylov", static_cast<int>(o.krylov));
  add("coarse operator", static_cast<int>(o.coarse_operator));
  add("precision", static_cast<int>(o.precision));
  return text;
}

inline const NamedFaces& faces_named(const std::string& name) {
  static const std::vector<NamedFaces> all = all_faces();
  return *std::find_if(all.begin(), all.end(), [&](const NamedFaces& f) { return f.name == name; });
}

}  // namespace poisson
