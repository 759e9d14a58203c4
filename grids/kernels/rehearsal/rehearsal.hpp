#pragma once

#include "backends/device/rehearsal.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/operators/patched_box.hpp"
#include "grids/operators/sweep_pass.hpp"
#include "grids/sampling/kappa_summary.hpp"

namespace poisson {

/// Rehearses the set-up of a problem on a grid. Where set-up measures κ, it gets the given properties.
class GridRehearsal final : public RehearsalBackend {
 public:
  GridRehearsal(BackendKind kind, KappaSummary kappa) : RehearsalBackend(kind), kappa_(std::move(kappa)) {}

  const KappaSummary& kappa() const { return kappa_; }

 private:
  KappaSummary kappa_;
};

namespace rehearsal {

/// Is an operator whose verbs do nothing.
template <class Base>
class SilentOperator : public Base {
 public:
  using Base::Base;

 private:
  void do_apply(const Field&, Field&) const override {}
  void do_apply_everywhere(const Field&, Field&) const override {}
  void do_diagonal(Field&) const override {}
  void do_residual(const Field&, const Field&, Field&) const override {}
  void do_residual(const Field&, const Field&, Field&, const Scalar&, Scalar&) const override {}
  void do_norm(const Field&, Scalar&) const override {}
  void do_rounding(const Field&, Scalar&) const override {}
  void do_project_rhs(Field&, Scalar&) const override {}
  void do_project_solution(Field&) const override {}
};

/// Returns the kernels of a GridRehearsal. Operators, transfers and samplers allocate what those of the rehearsed
/// device allocate, and their verbs do nothing.
const GridKernels& grid_kernels();
std::unique_ptr<Functionals> make_functionals(Backend&, const Block& block);
std::unique_ptr<Sampler> make_sampler(Backend&, const SampleGrid& grid, std::span<const Quantity> data);
std::unique_ptr<Transfer> make_transfer(Backend&, const Block& fine, const CoarseBlock& coarse);
std::unique_ptr<Transfer> make_weighted_transfer(Backend&, const Block& fine, const CoarseBlock& coarse,
                                                 const Weights& weights);
/// Returns the sweep pass of rows whose coefficients are stored or constant.
std::unique_ptr<SweepPass> make_sweep_pass(Backend&, const SchemeRows& rows, Precision precision);
/// Returns the operator on patches that do not turn (kernels/stacked_operator.hpp); null if the rehearsed device has no
/// verbs on patches for it.
std::unique_ptr<Operator> make_stacked_operator(const SchemeRows& rows, Assembly assembly,
                                                const std::shared_ptr<const Operator>& box,
                                                const std::shared_ptr<const PatchedBox>& of);

}  // namespace rehearsal
}  // namespace poisson
