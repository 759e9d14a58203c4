#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "backends/memory/precision.hpp"
#include "grids/axes/block.hpp"
#include "grids/levels/galerkin_relaxation.hpp"
#include "grids/operators/relaxation.hpp"

namespace poisson {

/// Names the stored data of a level's operator for reports (name_of).
enum class LevelAssembly { equidistant, tensor_product, recompute, partial, full, bands };
std::string_view name_of(LevelAssembly assembly);

/// Describes a level before it is built.
struct LevelPlan {
  Block block;
  Precision precision = Precision::fp64;  ///< applies to the corrections
  LevelAssembly assembly = LevelAssembly::equidistant;
  Relaxation relaxation;               ///< unknowns that the smoother solves for together
  std::optional<CoarseBlock> coarser;  ///< leads to the next level; empty on the coarsest level
  std::vector<LevelPlan> planes;       ///< levels of the plane problems, if planes are relaxed
  /// Lists of levels that start with this one and each keep one axis. They correct this level in addition to `coarser`.
  std::vector<std::vector<LevelPlan>> semicoarsened;

  /// Returns the relaxation for which the operator must prepare its smoother.
  Relaxation smoothed() const { return coarser ? relaxation : Relaxation{}; }
};

/// Contains the properties of a problem, besides its block, from which its levels are chosen.
struct LevelRules {
  std::array<double, 3> kappa{1, 1, 1};  ///< mean κ along each axis
  bool jumps = false;                    ///< κ differs by steep_jump or more between neighbouring cells
  RelaxationChoice allowed = RelaxationChoice::points;
  Precision precision = Precision::fp64;
  /// The assembly of the finest operator, and of the other operators unless a rule selects another one.
  LevelAssembly assembly = LevelAssembly::equidistant;
  bool galerkin = false;           ///< coarser operators are Galerkin products
  GalerkinRelaxation on_galerkin;  ///< describes Galerkin levels
  bool elements = false;           ///< rows are elements; within planes they are stored as bands
  /// Values along each axis, in ascending order, that Galerkin levels keep: layers of cells with sheets.
  std::array<std::vector<int>, 3> kept;
};

/// Returns a block whose nodes are the values of another block. Galerkin levels keep every other value, at nodes and in
/// cells alike. The cells are equal and have the same mean widths; open ends have no conditions.
Block index_block(const Block& block);

/// Returns the levels of a problem, finest first. Hierarchies are built from this list, and plans count it.
std::vector<LevelPlan> choose_levels(const Block& block, const LevelRules& rules);
/// Returns the finest level alone, for methods without coarser levels.
std::vector<LevelPlan> single_level(const Block& block, const LevelRules& rules);

}  // namespace poisson
