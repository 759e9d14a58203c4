#pragma once

#include <array>
#include <memory>

#include "grids/block.hpp"
#include "grids/galerkin_formulas.hpp"
#include "grids/operator.hpp"

/// What each backend brings to the set-up of Galerkin coarse operators: loops over the formulas.
namespace poisson {

/// Prolongation by columns, in one precision (see Collapse).
using Weights = std::array<std::shared_ptr<const Field>, 27>;

/// unit = the unit vector of the probe's colour.
void paint_colour(Backend&, const Probe& probe, Field& unit);
void gather_couplings(Backend&, const Probe& probe);
/// The weights of fine values between coarse ones along so many axes.
void weigh(Backend&, const Collapse& collapse, int stage);
void collapse_rows(Backend&, const Collapse& collapse);

/// The positions of coarse values on the fine axes, in the backend's memory; `centre` refers to `memory`.
struct Centres {
  Buffer memory;
  std::array<const int*, 3> centre{};
};
Centres make_centres(Backend&, const CoarseBlock& coarse);

/// The transfer that the weights describe; `interpolate` is the prolongation itself.
std::unique_ptr<Transfer> make_weighted_transfer(Backend&, const Block& fine, const CoarseBlock& coarse,
                                                 const Weights& weights);

}  // namespace poisson
