#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "grids/schemes/discretization.hpp"
#include "solver/solver.hpp"

namespace poisson {

/// Finds the values of floating bodies from their charges, by superposition: u = u₀ + Σ δⱼ uⱼ. uⱼ is the solution with
/// value 1 in body j and 0 in all other data. The flow out of each body is linear in u, so a small dense system gives
/// the δⱼ, and the flows equal the charges up to rounding whatever the tolerance of the solves. The uⱼ depend only on
/// the operator and are stored: one field a body.
class FloatingModes {
 public:
  /// Returns the number of bodies whose value no face gives; each needs a solution.
  static std::size_t count(const Discretization& d);
  /// Returns the bytes of the solutions for this number of bodies, and of the copies that their solves need.
  static std::size_t bytes(std::size_t bodies, const Field& u) { return bodies == 0 ? 0 : (bodies + 3) * u.bytes(); }

  /// Solves A u = b with the solver's data, as Solver::solve, and sets the values of the bodies. `charged`: the bodies
  /// have their charges; otherwise no charges and values that start at 0, for right-hand sides that are not the
  /// problem's. `rise`: of u along periodic axes. Throws InputError if the charges have no way out. Collective.
  Result solve(Discretization& d, Solver& solver, bool given_guess, const Solver::Listener& listener, bool charged,
               const std::array<double, 3>& rise);
  /// Returns the iterations of the solves for the uⱼ so far.
  int iterations() const { return iterations_; }

 private:
  void make(Discretization& d, Solver& solver, const std::vector<std::size_t>& free, const Solver::Listener& listener);

  std::vector<std::size_t> free_;           ///< numbers of the bodies without a given value
  std::vector<Field> modes_;                ///< of these bodies
  std::vector<std::vector<double>> flows_;  ///< out of body i of all, with mode j: flows_[j][i]
  int iterations_ = 0;
};

}  // namespace poisson
