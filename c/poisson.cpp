#include "poisson.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "app/describe.hpp"
#include "app/reasons.hpp"
#include "app/session.hpp"
#include "backends/memory/error.hpp"
#include "io/config/yaml.hpp"
#include "io/expressions/expression.hpp"

struct poisson_solver {
  explicit poisson_solver(poisson::Config config)
      : session(std::make_shared<const poisson::Config>(std::move(config))), device(session.backend().device()) {}

  poisson::Session session;
  std::string device, method;
  poisson::Course course;
};

namespace {

using namespace poisson;

thread_local std::string last_error;

// Calls f and turns its exception into a status with a message.
template <class F>
int guarded(const F& f) noexcept {
  try {
    f();
    return POISSON_OK;
  } catch (const InputError& error) {
    last_error = describe_error(error);
    return POISSON_USAGE;
  } catch (const std::invalid_argument& error) {
    last_error = error.what();
    return POISSON_USAGE;
  } catch (const std::out_of_range&) {
    last_error = "unknown name of a field: choose from u, gradient, residual, error, coefficient, source";
    return POISSON_USAGE;
  } catch (const std::bad_alloc&) {
    last_error = "not enough memory (an allocation failed): use fewer cells";
    return POISSON_FAILED;
  } catch (const std::exception& error) {
    last_error = describe_error(error);
    return POISSON_FAILED;
  }
}

template <class... Pointers>
void require(const Pointers*... pointers) {
  if (((pointers == nullptr) || ...))
    throw std::invalid_argument("an argument is a null pointer: only the guess of poisson_solve may be null");
}

int finish(poisson_solver& solver, Course course) {
  solver.course = std::move(course);
  const bool counted = solver.session.config().options.tolerance == 0;
  if (solver.course.result.converged() || (counted && solver.course.result.verdict == Verdict::running))
    return POISSON_OK;
  last_error = "the solve did not converge: " + solver.course.reason;
  return POISSON_NOT_CONVERGED;
}

template <class F>
int solve(poisson_solver* solver, const F& f) {
  int status = POISSON_OK;
  const int failed = guarded([&] {
    require(solver);
    status = finish(*solver, f());
  });
  return failed ? failed : status;
}

int replace(poisson_solver* solver, const char* name, const Quantity& quantity) {
  solver->session.update({{name, quantity}});
  return POISSON_OK;
}

}  // namespace

const char* poisson_version(void) {
  return POISSON_VERSION;
}

const char* poisson_last_error(void) {
  return last_error.c_str();
}

int poisson_open(const char* file, poisson_solver** solver) {
  return guarded([&] {
    require(file, solver);
    *solver = nullptr;
    *solver = new poisson_solver(state_config(std::filesystem::path(file)));
  });
}

int poisson_parse(const char* yaml, poisson_solver** solver) {
  return guarded([&] {
    require(yaml, solver);
    *solver = nullptr;
    Diagnostics errors;
    Value document = parse_yaml(yaml, "configuration", errors);
    errors.raise();
    *solver = new poisson_solver(state_config(std::move(document), "configuration"));
  });
}

void poisson_free(poisson_solver* solver) {
  delete solver;
}

int poisson_shape(const poisson_solver* solver, int shape[3]) {
  return guarded([&] {
    require(solver, shape);
    std::ranges::copy(solver->session.shape(), shape);
  });
}

int poisson_dimension(const poisson_solver* solver, int* dimension) {
  return guarded([&] {
    require(solver, dimension);
    *dimension = solver->session.config().problem.dimension;
  });
}

const char* poisson_device(const poisson_solver* solver) {
  return solver ? solver->device.c_str() : "";
}

const char* poisson_method(const poisson_solver* solver) {
  if (!solver) return "";
  auto& method = const_cast<poisson_solver*>(solver)->method;
  guarded([&] { method = method_name(solver->session.solver().options()); });
  return method.c_str();
}

int poisson_set_number(poisson_solver* solver, const char* name, double value) {
  return guarded([&] {
    require(solver, name);
    replace(solver, name, value);
  });
}

int poisson_set_expression(poisson_solver* solver, const char* name, const char* expression) {
  return guarded([&] {
    require(solver, name, expression);
    replace(solver, name, parse_expression(expression, solver->session.config().parameters));
  });
}

int poisson_set_values(poisson_solver* solver, const char* name, const double* values, const int shape[3]) {
  return guarded([&] {
    require(solver, name, values, shape);
    if (std::any_of(shape, shape + 3, [](int n) { return n < 1; }))
      throw std::invalid_argument("the shape of values has a number below 1: give 1 for missing axes");
    auto array = std::make_shared<GridArray>();
    std::copy_n(shape, 3, array->shape.begin());
    array->values.assign(values, values + std::size_t(1) * shape[0] * shape[1] * shape[2]);
    replace(solver, name, solver->session.quantity(array, name));
  });
}

int poisson_use_source(poisson_solver* solver, const double* values) {
  int shape[3];
  const int status = guarded([&] {
    require(solver, values);
    std::ranges::copy(solver->session.shape(), shape);
  });
  if (status || solver->session.lend_source(values)) return status;
  return poisson_set_values(solver, "source", values, shape);
}

int poisson_solve(poisson_solver* solver, const double* guess) {
  return solve(solver, [&] {
    const Values start = solver->session.on_host(guess);
    return solver->session.solve(guess ? &start : nullptr, {}, {});
  });
}

int poisson_solve_rhs(poisson_solver* solver, const double* b) {
  return solve(solver, [&] {
    require(b);
    return solver->session.solve_rhs(solver->session.on_host(b), {});
  });
}

int poisson_apply(poisson_solver* solver, const double* u, double* product) {
  return guarded([&] {
    require(solver, u, product);
    solver->session.apply(solver->session.on_host(u), solver->session.on_host(product));
  });
}

int poisson_rhs(poisson_solver* solver, double* b) {
  return guarded([&] {
    require(solver, b);
    solver->session.rhs(solver->session.on_host(b));
  });
}

int poisson_solution(poisson_solver* solver, double* u) {
  return poisson_field(solver, "u", u);
}

int poisson_field_shape(poisson_solver* solver, const char* name, int shape[4]) {
  return guarded([&] {
    require(solver, name, shape);
    std::ranges::copy(solver->session.field_shape(name), shape);
  });
}

int poisson_field(poisson_solver* solver, const char* name, double* values) {
  return guarded([&] {
    require(solver, name, values);
    solver->session.field(name, values);
  });
}

int poisson_flow(poisson_solver* solver, const char* face, double* flow) {
  return guarded([&] {
    require(solver, face, flow);
    *flow = solver->session.observe().flux.at(face);
  });
}

int poisson_statistics(const poisson_solver* solver, int* iterations, double* residual, double* seconds) {
  return guarded([&] {
    require(solver, iterations, residual, seconds);
    *iterations = solver->course.result.iterations;
    *residual = solver->course.result.relative();
    *seconds = solver->course.seconds;
  });
}

int poisson_save(poisson_solver* solver, const char* folder) {
  return guarded([&] {
    require(solver, folder);
    solver->session.save(folder, POISSON_VERSION);
  });
}
