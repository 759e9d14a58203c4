#include "solver/extrapolation.hpp"

#include <array>
#include <string>

#include "backends/memory/error.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/sampling/sampling.hpp"
#include "grids/schemes/elements/fourth_order.hpp"

namespace poisson {
namespace {

CoarseBlock every_second_node(const Block& block) {
  std::array<bool, 3> coarsened{};
  for (std::size_t d = 0; d < 3; ++d) coarsened[d] = !block.axes[d].degenerate();
  return coarsen(block, coarsened);
}

const Discretization& checked(const Discretization& discretization) {
  const Problem& p = discretization.problem();
  const std::string subject = "extrapolation";
  if (p.scheme != Scheme::fv) throw InputError(subject + " requires finite volumes");
  require_fourth_order(p, false, subject);
  if (const auto axis = odd_axis(p))
    throw InputError(subject + " requires an even number of cells along each axis, at least 4, but axis " +
                     std::to_string(*axis) + " has " +
                     std::to_string(p.nodes[static_cast<std::size_t>(*axis)].size() - 1));
  return discretization;
}

}  // namespace

std::optional<int> odd_axis(const Problem& p) {
  for (int d = 0; d < p.dimension; ++d) {
    const std::size_t nodes = p.nodes[static_cast<std::size_t>(d)].size();
    if (nodes % 2 == 0 || nodes < 5) return d;
  }
  return std::nullopt;
}

Extrapolation::Extrapolation(const Discretization& discretization, Precision precision)
    : backend_(checked(discretization).backend()) {
  const Block& block = discretization.block();
  const CoarseBlock coarse = part_of(every_second_node(block.global()), block);
  const double volume = static_cast<double>(1 << block.dimension());
  integrated_ = discretization.problem().source.function() != nullptr;
  volume_ = backend_.scalar(volume);
  constexpr double restricted = 6 * part_point * part_point;
  at_nodes_ = backend_.scalar((1 - restricted) * volume);
  restricted_ = backend_.scalar(restricted);
  weight_ = backend_.scalar(-1 / (3 * volume));
  one_ = backend_.scalar(1);
  to_coarser_ = grid_kernels(backend_).make_transfer(backend_, block, coarse);
  SchemeRows rows = discretization.coarsen_rows(discretization.scheme_rows(), coarse, *to_coarser_);
  auto& nodes = std::get<NodeRows>(rows);
  if (nodes.reaction) {  // σ at the nodes; multigrid's coarse levels use means
    auto reaction = std::make_shared<Field>(backend_, coarse.block.space(), Precision::fp64);
    Field work(backend_, coarse.block.space(), Precision::fp64);
    at_every_second_node(*std::get<NodeRows>(discretization.scheme_rows()).reaction,
                         discretization.problem().reaction.function(), work, *reaction);
    nodes.reaction = std::move(reaction);
  }
  A_ = grid_kernels(backend_).make_operator(backend_, rows, precision).A;
  u_ = Field(backend_, coarse.block.space(), precision);
  b_ = Field(backend_, coarse.block.space(), precision);
}

void Extrapolation::correct(const Field& u, Field& b, Field& correction) {
  at_every_second_node(b, integrated_, u_, b_);
  to_coarser_->inject(u, u_);
  A_->residual(u_, b_, b_);
  backend_.fill(u_, 0);
  backend_.axpy(weight_, b_, u_);
  grid_kernels(backend_).continue_outwards(backend_, A_->space().part().unknowns(), u_);
  backend_.fill(correction, 0);
  to_coarser_->prolong(u_, correction);
  backend_.axpy(one_, correction, b);
}

// Samples `fine` on the coarse grid. `integrated` values become integrals over the coarse control volumes.
void Extrapolation::at_every_second_node(const Field& fine, bool integrated, Field& work, Field& coarse) {
  if (!integrated) return to_coarser_->inject(fine, coarse, &volume_);
  to_coarser_->inject(fine, coarse, &at_nodes_);
  to_coarser_->restrict_to(fine, work, &restricted_);
  backend_.axpy(one_, work, coarse);
}

}  // namespace poisson
