#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backends/memory/places.hpp"
#include "grids/levels/sharing.hpp"
#include "grids/operators/bands.hpp"
#include "grids/problem/quantity.hpp"
#include "grids/schemes/bands/matrix.hpp"
#include "solver/model.hpp"
#include "solver/plan.hpp"

namespace poisson {

/// Returns the options for a matrix. Multigrid uses Galerkin operators and smooths as for jumping coefficients. `auto`
/// is multigrid if A is symmetric and couples only neighbours, cg if A is symmetric otherwise, and jacobi if it is not.
Options resolve_options(const Options& options, const BandedMatrix& matrix);

/// Throws InputError if the matrix couples points that are too far apart across the cuts of `part`.
void check_couplings(const BandedMatrix& matrix, const Block& part);

/// Return the plan of make_solver for a matrix, without and with its bytes, as for a problem on a grid.
Plan choose_plan(const BandedMatrix& matrix, const Options& options, bool gpu);
Plan make_plan(const BandedMatrix& matrix, const Options& options, bool gpu, const Sharing& sharing = {});

/// Is the model of a matrix from a file, which must outlive it. To solve with other entries at the same offsets, change
/// and measure the matrix and call Solver::update. `sharing` describes the part of this process if several
/// processes solve together. The right-hand side is that of the matrix, or else `source` at the points; `initial` is
/// the guess.
class MatrixModel final : public Model {
 public:
  MatrixModel(Backend& backend, const BandedMatrix& matrix, const Sharing& sharing = {}, Quantity source = 0.0,
              std::optional<Quantity> initial = {});

  Backend& backend() const override { return backend_; }
  const Space& space() const override { return space_; }
  /// Throws InputError for a direct method, and for couplings that several processes do not support.
  Plan plan(const Options& options) const override;
  void count_bytes(Plan& plan) const override;
  Traits traits(const Options& options) const override;
  Hierarchy levels(const Plan& plan) const override;
  std::unique_ptr<Operator> finest(const Plan& plan, Precision precision) const override;
  /// Throws ValueErrors for values that are not finite.
  double fill(Field& b, Field& u) const override;

  /// Return the right-hand side and the ratios of u to the solver's value, x fastest, at the points that the files of
  /// this process show. The ratios are empty if no row is scaled.
  std::vector<double> rhs() const;
  std::vector<double> factors() const;
  /// Returns the ratio of u to the solver's value at (i, j, k) of this process's sub-block.
  double factor_at(int i, int j, int k) const;

 private:
  Bands bands() const;

  Backend& backend_;
  const BandedMatrix& matrix_;
  Sharing sharing_;
  Quantity source_;
  std::optional<Quantity> initial_;
  Block block_;  // the sub-block of this process
  Space space_;
  Box points_;                          // points that output files show
  mutable std::optional<Bands> bands_;  // between levels() and finest()
  mutable double scale_ = 0;            // of the bands; 0 before they were made
};

/// Returns the values of a quantity at the points of `box`, x fastest. Throws ValueErrors.
std::vector<double> sample_points(const Quantity& quantity, std::string_view name, const Block& whole, const Box& box);

/// Calls f(value, i, j, k) for each value of a field that this process owns.
template <class F>
void for_each_own(const Field& field, const F& f) {
  const HostRead read(field);
  dispatch(field.precision(), [&]<class T>(T) {
    const auto view = (*read).view<T>();
    for_each_place(field.layout().box(), [&](int i, int j, int k) { f(static_cast<double>(view(i, j, k)), i, j, k); });
  });
}

}  // namespace poisson
