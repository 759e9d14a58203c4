#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "grids/schemes/discretization.hpp"
#include "solver/floating_modes.hpp"
#include "solver/model.hpp"

namespace poisson {

/// Names the data of a problem to replace. Data that are not given stay.
struct GridData {
  /// Contains data of a face: axis 0 to 2, end 0 lower, 1 upper.
  struct Face {
    int axis = 0, end = 0;
    std::optional<Quantity> value = {};  ///< g, q or the right-hand side of Robin's condition
    std::optional<Quantity> alpha = {};  ///< of a Robin face
  };
  std::vector<Quantity> coefficient = {};  ///< κ, or its first components, as in Problem
  std::optional<Quantity> reaction = {};
  std::optional<Quantity> source = {};
  std::vector<Face> faces = {};
  std::shared_ptr<const Media> media = {};  ///< other values of the same materials (Discretization::set_media)
  std::optional<Quantity> initial = {};
  std::optional<Quantity> exact = {};
};

/// Is the model of a problem on a grid.
class GridModel final : public Model {
 public:
  /// Discretizes the problem (Discretization).
  GridModel(Backend& backend, Problem problem, Assembly assembly = Assembly::automatic,
            Sampling sampling = Sampling::automatic, const Sharing& sharing = {});
  /// Uses a discretization, which must outlive the model and its solvers.
  explicit GridModel(const Discretization& discretization);

  /// Returns the discretization, until the next update of κ or σ.
  const Discretization& discretization() const { return *discretization_; }
  /// Replaces data of a model that discretized its problem itself. A new κ, σ or α defines another operator: call
  /// Solver::update before the next solve. Fill the right-hand side again after every update. Throws ValueErrors and
  /// changes nothing if κ, σ or α are invalid, and std::invalid_argument as Discretization::set_boundary_value, or if a
  /// face has an α and is no Robin face of one condition.
  /// Collective.
  void update(GridData data);
  /// Returns the properties of the sampled κ.
  KappaSummary kappa() const { return {discretization_->rows().kappa, discretization_->jumps()}; }

  Backend& backend() const override { return discretization_->backend(); }
  const Space& space() const override { return space_; }
  Plan plan(const Options& options) const override;
  void count_bytes(Plan& plan) const override;
  std::size_t bytes() const override { return discretization_->bytes(); }
  Traits traits(const Options& options) const override;
  Hierarchy levels(const Plan& plan) const override;
  std::unique_ptr<Operator> finest(const Plan& plan, Precision precision) const override;
  std::unique_ptr<FastDiagonalization> direct(const Operator& A, const Options& options, bool requested,
                                              Profile* profile) const override;
  std::unique_ptr<SweepPass> sweep_pass(Precision precision) const override;
  std::unique_ptr<Extrapolation> extrapolation(Precision precision) const override;
  double fill(Field& b, Field& u) const override;
  /// Solves, with the values of floating bodies. Throws std::logic_error if there are some and the caller owns the
  /// discretization.
  Result solve(Solver& solver, bool given_guess, const Solver::Listener& listener = {},
               Data data = Data::of_problem) override;
  /// Sets u(x + L) − u(x) along periodic axes for later solves.
  void set_rise(const std::array<double, 3>& rise) { rise_ = rise; }
  /// Sets the values of floating bodies to those of an earlier solve, in the order of FloatingBodies::all.
  void set_floating(const std::vector<double>& values) { own_->set_floating(values); }
  /// Counts rows as those of a problem with media, for a plan: in single precision they are in fp32.
  void count_as_media() { narrow_ = own_ != nullptr; }
  /// Returns the solutions of floating bodies.
  const FloatingModes& floating_modes() const { return floating_modes_; }

 private:
  // Functions of solvers share it, so that a former one exists as long as they need it.
  std::shared_ptr<const Discretization> discretization_;
  std::shared_ptr<Discretization> own_;  // discretization_, or null if the caller owns it
  Sampling sampling_ = Sampling::automatic;
  Space space_;
  FloatingModes floating_modes_;
  std::array<double, 3> rise_{};
  bool narrow_ = false;
};

/// Makes a solver for a discretization, which must outlive it. The solver owns the model.
std::unique_ptr<Solver> make_solver(const Discretization& discretization, const Options& options,
                                    Profile* profile = nullptr);

}  // namespace poisson
