#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "backends/precision.hpp"
#include "grids/axes/block.hpp"
#include "grids/levels/galerkin_relaxation.hpp"
#include "grids/operators/relaxation.hpp"

namespace poisson {

/// What the operator of a level holds, as reports name it (name_of).
enum class LevelAssembly { equidistant, tensor_product, recompute, partial, full, bands };
std::string_view name_of(LevelAssembly assembly);

/// A level before it is built: all that is chosen for it.
struct LevelPlan {
  Block block;
  Precision precision = Precision::fp64;  ///< of the corrections
  LevelAssembly assembly = LevelAssembly::equidistant;
  Relaxation relaxation;               ///< what the smoother solves for at once
  std::optional<CoarseBlock> coarser;  ///< how the next level comes from this one; none on the coarsest
  std::vector<LevelPlan> planes;       ///< the levels of the problems in planes, where planes are relaxed
  /// Lists of levels, this one first, that each keep one axis: they correct this level beside `coarser`.
  std::vector<std::vector<LevelPlan>> semicoarsened;

  /// What the operator has to hold ready for its smoother.
  Relaxation smoothed() const { return coarser ? relaxation : Relaxation{}; }
};

/// What the levels of a problem are chosen by, beside its block.
struct LevelRules {
  std::array<double, 3> kappa{1, 1, 1};  ///< mean κ along the axes
  bool jumps = false;                    ///< κ differs by steep_jump or more between neighbouring cells
  RelaxationChoice allowed = RelaxationChoice::points;
  Precision precision = Precision::fp64;
  /// What the finest operator holds, and the others where no rule says otherwise.
  LevelAssembly assembly = LevelAssembly::equidistant;
  bool galerkin = false;           ///< coarser operators are Galerkin products
  GalerkinRelaxation on_galerkin;  ///< what levels relax where these are
  bool elements = false;           ///< rows of elements, which are held as bands within planes
};

/// The values of a block as the nodes of another one: Galerkin levels keep every other value, wherever values sit.
/// Equal cells of the same mean widths, open ends without conditions.
Block index_block(const Block& block);

/// The levels of a problem, finest first: the one list that hierarchies are built from and that plans count.
std::vector<LevelPlan> choose_levels(const Block& block, const LevelRules& rules);
/// The finest level alone, for methods without coarser ones.
std::vector<LevelPlan> single_level(const Block& block, const LevelRules& rules);

}  // namespace poisson
