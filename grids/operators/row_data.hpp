#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/field.hpp"
#include "grids/axes/block.hpp"
#include "grids/problem/problem.hpp"

namespace poisson {

/// What an operator keeps in memory (docs/design/assembly.md). recompute: nothing, κ comes from its expression
/// wherever a row needs it. automatic: as assembly.hpp chooses.
enum class Assembly { automatic, recompute, partial, full };

/// What the rows of one level are made of, whatever the backend's kernels make of it.
struct RowData {
  Block block;
  double scale = 1;                      ///< power of two on the whole operator
  bool isotropic = true;                 ///< else one κ per direction
  std::array<double, 3> kappa{1, 1, 1};  ///< constant κ, or its mean where it varies
  double sigma = 0;                      ///< constant σ
  // On the operator's backend, in fp64:
  /// Varying κ, else null. Node-centred: on the cells, one field when isotropic. Cell-centred: for each direction on
  /// the face below each cell, that behind the last one in the halo, as grids/operators/faces.hpp says.
  std::array<std::shared_ptr<const Field>, 3> cells;
  std::shared_ptr<const Field> reaction;  ///< scale·(σ·volume + α·area) on the values; null: constant σ, and α as the
                                          ///< axes have it. Cell-centred: without α
  std::array<std::shared_ptr<const Field>, 3>
      ends;  ///< cell-centred: what stands behind Robin faces (grids/operators/faces.hpp)
  bool singular = false;
  /// Assembly `recompute` of a κ that varies: its source text, one expression when isotropic, else three. The operator
  /// computes κ from it where the backend compiles code, else it reads `cells`. Null: it reads them.
  std::shared_ptr<const std::vector<std::string>> kappa_source;
  int decoupled = -1;  ///< an axis whose couplings stay on the diagonal alone: the problem in the planes across it

  Scheme scheme = Scheme::fv;
  bool full = false;  ///< full assembly: the bands of the rows are held
  // Elements only:
  std::array<std::shared_ptr<const Field>, 3> mixed;  ///< κ_xy, κ_xz, κ_yz on the cells, else null
  std::shared_ptr<const Field> sigma_cells;  ///< σ on the cells and α in the halo, unscaled; null: constant σ
  double sigma_ratio = 0, alpha_ratio = 0;   ///< at least σ/κ of every cell and α/κ at every face's cell

  std::optional<double> bound;  ///< of rows that come as bands (bands.hpp): of the largest eigenvalue of D⁻¹A

  bool variable() const { return cells[0] != nullptr; }
  bool full_tensor() const { return mixed[0] != nullptr; }
  /// In full assembly, and where elements are coupled within planes alone.
  bool held_as_bands() const { return full || (on_elements(scheme) && decoupled >= 0); }
  bool on_faces() const { return variable() && block.centering() == Centering::cell; }
};

}  // namespace poisson
