// Several solvers of one problem must share coefficients, with the bits of a solver of its own.

#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "backends/device/shared_fields.hpp"
#include "tests/patched_solve.hpp"

namespace poisson::shared_fields_tests {
namespace {

using namespace poisson::patched;

// Is a solver with a backend of its own.
struct Lane {
  Lane(const Problem& problem, const Lane* like) : backend(test_backend()) {
    share_fields(backend, like ? like->backend.get() : nullptr);
    const std::size_t before = backend->memory().now();
    model = std::make_unique<GridModel>(*backend, problem);
    solver = make_solver(*model, options_of_tests());
    bytes = backend->memory().now() - before;
  }
  Vector solve() {
    model->fill(solver->rhs(), solver->solution());
    EXPECT_TRUE(solver->solve(false).converged());
    return poisson::values(*backend, solver->solution());
  }

  std::shared_ptr<Backend> backend;
  std::unique_ptr<GridModel> model;
  std::unique_ptr<Solver> solver;
  std::size_t bytes = 0;
};

TEST(SharedFields, HaveTheBitsOfOwnFields) {
  for (const Kind& kind : {Kind{Scheme::fv, Centering::node, true}, Kind{Scheme::fv, Centering::cell, true},
                           Kind{Scheme::q1, Centering::node, true}}) {
    SCOPED_TRACE(testing::Message() << "cells " << (kind.centering == Centering::cell) << ", elements "
                                    << (kind.scheme == Scheme::q1));
    const Problem problem = problem_of(kind, {}, false, {23, 30, 41});
    auto first = std::make_unique<Lane>(problem, nullptr);
    Lane second(problem, first.get()), third(problem, first.get()), alone(problem, nullptr);
    // At least κ of the finest level in single precision is shared. Elements store rows on all levels.
    EXPECT_LE(second.bytes + (kind.scheme == Scheme::q1 ? 0 : 4 * values_of(problem)), alone.bytes);
    EXPECT_EQ(second.bytes, third.bytes);
    EXPECT_EQ(first->bytes, alone.bytes);
    const Vector expected = alone.solve();
    EXPECT_EQ(first->solve(), expected);
    EXPECT_EQ(second.solve(), expected);
    first.reset();  // its backend lives on
    EXPECT_EQ(second.solve(), expected);
    EXPECT_EQ(third.solve(), expected);
  }
}

TEST(SharedFields, AreEqual) {
  const auto field_of = [](const std::shared_ptr<Backend>& backend, double value, double halo) {
    auto field = std::make_shared<Field>(*backend, Space(Layout{{5, 6, 7}}), Precision::fp64);
    backend->fill(*field, value);
    Image<double> image(*backend, *field);
    image.view(-1, 0, 0) = halo;
    image.store(*backend);
    return std::shared_ptr<const Field>(std::move(field));
  };
  const std::shared_ptr<Backend> first = test_backend(), second = test_backend(), other = test_backend();
  share_fields(first);
  share_fields(second, first.get());
  share_fields(other);
  const auto known = shared_field(*first, field_of(first, 1, 2));
  const auto same_backend = field_of(first, 1, 2);
  EXPECT_EQ(shared_field(*first, same_backend), same_backend);
  EXPECT_EQ(shared_field(*second, field_of(second, 1, 2)).get(), known.get());
  EXPECT_NE(shared_field(*second, field_of(second, 1.5, 2)).get(), known.get());
  EXPECT_NE(shared_field(*second, field_of(second, 1, 3)).get(), known.get());
  EXPECT_NE(shared_field(*other, field_of(other, 1, 2)).get(), known.get());
}

}  // namespace
}  // namespace poisson::shared_fields_tests
