#pragma once

// Combines a problem, its levels and its solver in one object for the numerical tests.

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "grids/operators/relaxation.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/grid_model.hpp"
#include "tests/device.hpp"

namespace poisson {

class Solve {
 public:
  Solve(const Problem& problem, const Options& options,
        Discretization::Assembly assembly = Discretization::Assembly::automatic,
        std::unique_ptr<Backend> backend = test_backend())
      : backend_(std::move(backend)),
        discretization_(std::make_unique<Discretization>(*backend_, problem, assembly)),
        solver_(make_solver(*discretization_, options)) {
    reset();
  }

  /// Sets the right-hand side, Dirichlet data and initial guess of the problem.
  void reset() {
    discretization_->assemble_rhs(solver_->rhs());
    discretization_->initialize(solver_->solution());
  }
  Result run(bool given_guess = false, const Solver::Listener& listener = {}) {
    return solver_->solve(given_guess, listener);
  }

  Backend& backend() { return *backend_; }
  const Discretization& discretization() const { return *discretization_; }
  const Block& block() const { return discretization_->block(); }
  Solver& solver() { return *solver_; }
  Field& solution() { return solver_->solution(); }
  Field& rhs() { return solver_->rhs(); }

 private:
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Discretization> discretization_;
  std::unique_ptr<Solver> solver_;
};

/// Calls f(i, j, k) for every index of the box.
template <class F>
void for_each(const Box& box, const F& f) {
  for (int k = box.first[2]; k < box.last[2]; ++k)
    for (int j = box.first[1]; j < box.last[1]; ++j)
      for (int i = box.first[0]; i < box.last[0]; ++i) f(i, j, k);
}

/// Returns all values of a field without its halo, x fastest.
inline std::vector<double> values(const Field& u) {
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(u.layout().size()));
  const HostRead host(u);
  dispatch(u.precision(), [&]<class T>(T) {
    const auto view = (*host).view<T>();
    for_each(u.layout().box(), [&](int i, int j, int k) { all.push_back(static_cast<double>(view(i, j, k))); });
  });
  return all;
}

/// Returns the next level for point smoothers, or nothing for the coarsest level.
inline std::optional<CoarseBlock> coarser(const Block& block, Coarsening rule = Coarsening::even) {
  const LevelChoice choice = choose_relaxation(block, {1, 1, 1}, RelaxationChoice::points);
  if (choice.coarsest()) return std::nullopt;
  return coarsen(block, choice.coarsened, rule);
}

/// Calls f with a copy of u on the host, and copies the result back to u.
template <class F>
void edit(Field& u, const F& f) {
  const auto host = make_cpu_backend();
  Field copy(*host, u.space(), u.precision());
  transfer(u, copy);
  f(copy);
  transfer(copy, u);
}

/// Sets random numbers in [−1, 1) on the box; they are the same on every machine.
inline void randomize(Field& u, const Box& box, std::uint32_t seed = 1) {
  std::mt19937 engine(seed);
  edit(u, [&](Field& host) {
    dispatch(u.precision(), [&]<class T>(T) {
      const auto view = host.view<T>();
      for_each(box, [&](int i, int j, int k) { view(i, j, k) = static_cast<T>(std::ldexp(engine(), -31) - 1); });
    });
  });
}

}  // namespace poisson
