#include "solver/equation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solver/norms.hpp"

namespace poisson {

Equation::Equation(std::shared_ptr<const Operator> of, const Options& how, Traits problem, bool restores)
    : A(std::move(of)),
      backend(A->backend()),
      options(how),
      traits(std::move(problem)),
      count(static_cast<double>(A->space().unknown_count())),
      epsilon(unit_roundoff(A->precision())),
      u(field()),
      b(field()),
      best(restores ? field() : Field()),
      norm(backend.scalar()),
      scale(backend.scalar(1)),
      inverse(backend.scalar(1)),
      applied(backend.scalar(1)),
      alpha(backend.scalar()),
      beta(backend.scalar()),
      pq(backend.scalar()),
      work(backend.scalar()),
      one(backend.scalar(1)),
      zero(backend.scalar(0)) {}

void Equation::replace(std::shared_ptr<const Operator> of, const Options& how, Traits problem, bool restores) {
  A = std::move(of);
  options = how;
  traits = std::move(problem);
  if (restores && !best) best = field();
}

void Equation::allocate_directions() {
  for (Field* f : {&r, &p, &q})
    if (!*f) *f = field();
}

double Equation::true_norm() {
  allocate_directions();
  backend.fill(r, 0);
  A->residual(u, b, r, one, norm);
  return backend.value(norm);
}

double Equation::size_of(const Field& x) {
  backend.dot(x, x, work);
  return std::max(std::sqrt(backend.value(work)), guess_size);
}

// If unknowns are constrained, they are zero during a solve, and u drops to zero within a cell.
std::optional<double> Equation::energy() {
  if (traits.constrained) return {};
  if (traits.energy) return traits.energy(*A, u, q, work);
  A->apply_everywhere(u, q);
  backend.dot(u, q, work);
  return backend.value(work);
}

}  // namespace poisson
