#pragma once

#include <cmath>
#include <cstddef>

#include <gtest/gtest.h>

#include "tests/device.hpp"
#include "tests/fields.hpp"
#include "tests/oracles/operator_case.hpp"

/// Checks of projections, and lists of all checks.
namespace poisson {

inline void OperatorCase::expect_projections() {
  if (!A->singular()) return;
  Real sum = 0, absolute = 0, volume = 0, integral = 0, absolute_integral = 0;
  for (std::size_t i = 0; i < uv.size(); ++i) {
    sum += bv[i];
    absolute += std::abs(bv[i]);
    volume += system.mass[i];
    integral += system.mass[i] * uv[i];
    absolute_integral += system.mass[i] * std::abs(uv[i]);
  }
  Field x(*backend, A->space().part().layout(), A->precision());
  set_values(*backend, x, bv);
  Scalar amount = backend->scalar(nan);
  A->project_rhs(x, amount);
  const Real double_eps = epsilon(Precision::fp64);
  EXPECT_TRUE(within(backend->value(amount), sum, 16 * double_eps * absolute)) << "amount of project_rhs";
  const auto share = [&](std::size_t i) { return system.mass[i] / volume; };
  expect(
      "project_rhs", x, [&](std::size_t i) { return bv[i] - share(i) * sum; },
      [&](std::size_t i) {
        return eps * (std::abs(bv[i]) + row_roundings * share(i) * std::abs(sum)) +
               16 * double_eps * share(i) * absolute;
      });
  expect_measured_projection(x);
  set_values(*backend, x, uv);
  A->project_solution(x);
  expect(
      "project_solution", x, [&](std::size_t i) { return uv[i] - integral / volume; },
      [&](std::size_t i) { return eps * (std::abs(uv[i]) + row_roundings * absolute_integral / volume); });
}

// Checks the projection that also measures b. `projected` is the result of the one that does not.
inline void OperatorCase::expect_measured_projection(const Field& projected) {
  Field x(*backend, A->space().part().layout(), A->precision());
  set_values(*backend, x, bv);
  Scalar amount = backend->scalar(nan), before = backend->scalar(nan), after = backend->scalar(nan);
  A->project_rhs(x, amount, before, after);
  const Vector wanted = values(*backend, projected), found = values(*backend, x);
  Real of_given = 0, of_projected = 0, removed = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_LE(std::abs(found[i] - wanted[i]), on_cpu() ? 0 : 4 * eps * (std::abs(bv[i]) + std::abs(wanted[i])))
        << "at " << i;
    of_given += bv[i] * bv[i] / system.diagonal[i];
    of_projected += wanted[i] * wanted[i] / system.diagonal[i];
    removed += (bv[i] - wanted[i]) * (bv[i] - wanted[i]) / system.diagonal[i];
  }
  const Real roundings = 16 * (row_roundings + element_roundings) * eps;
  EXPECT_LE(std::abs(backend->value(after) - of_projected), roundings * of_projected) << "norm after project_rhs";
  const Real measured = backend->value(before);
  const bool sums_parts = !on_cpu() && (A->assembly() == "equidistant" || A->assembly() == "tensor-product");
  const Real wanted_before = sums_parts ? of_projected + removed : of_given;
  EXPECT_LE(std::abs(measured - wanted_before), 16 * roundings * wanted_before) << "norm before project_rhs";
  EXPECT_GE(measured, 0.5 * of_given);
}

/// Checks the verbs that read face data in the halo of a solution over cells.
inline void check_verbs_of_solutions(const Problem& problem, Precision precision, Assembly assembly) {
  OperatorCase c(problem, precision, assembly);
  c.expect_rhs();
  c.expect_residuals();
  c.expect_polynomial_steps();
  c.expect_gauss_seidel();
  c.expect_lines();
}

inline void check_all_verbs(const Problem& problem, Precision precision, Assembly assembly = Assembly::automatic) {
  OperatorCase c(problem, precision, assembly);
  c.expect_properties();
  c.expect_products();
  c.expect_residuals();
  c.expect_norms();
  c.expect_polynomial_steps();
  c.expect_smoothers();
  c.expect_gauss_seidel();
  c.expect_lines();
  c.expect_planes();
  c.expect_projections();
}

}  // namespace poisson
