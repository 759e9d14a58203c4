#pragma once

#include <array>
#include <memory>
#include <type_traits>
#include <variant>

#include "backends/device/field.hpp"
#include "grids/axes/block.hpp"
#include "grids/rows/element_mass.hpp"
#include "grids/sampling/cell_points.hpp"

namespace poisson {

/// Selects the coefficients that an operator stores (docs/design/assembly.md). `recompute` stores none: κ is evaluated
/// from its expression wherever a row needs it. `automatic` follows the rules of assembly.hpp.
enum class Assembly { automatic, recompute, partial, full };

/// Contains one field for each direction, on the operator's backend in fp64; missing fields are null.
using FieldPerAxis = std::array<std::shared_ptr<const Field>, 3>;

inline std::size_t bytes_of(const std::shared_ptr<const Field>& field) {
  return field ? field->bytes() : 0;
}
inline std::size_t bytes_of(const FieldPerAxis& fields) {
  return bytes_of(fields[0]) + bytes_of(fields[1]) + bytes_of(fields[2]);
}

/// Contains the data of a level's rows that all schemes share. Problems with constants need nothing else.
struct LevelRows {
  Block block;
  double scale = 1;                      ///< is a power of two that multiplies the operator
  std::array<double, 3> kappa{1, 1, 1};  ///< constant κ, or the mean of varying κ
  double sigma = 0;                      ///< constant σ
  bool singular = false;
  /// The couplings of this axis remain only on the diagonal, as in the problems in planes across the axis.
  int decoupled = -1;
  std::shared_ptr<const KappaSource> kappa_source;  ///< source of a varying κ that the operator may compute
};

/// Contains the rows of finite volumes around nodes. In two dimensions the third direction is empty.
struct NodeRows : LevelRows {
  FieldPerAxis cells;  ///< varying κ on cells: an isotropic κ has one field, other κ have one for each direction
  /// This is scale·(σ·volume + α·area) at the nodes; null if σ is constant and α is absent.
  std::shared_ptr<const Field> reaction;

  bool variable() const { return cells[0] != nullptr; }
  bool isotropic() const { return !cells[1]; }
  std::size_t bytes() const { return bytes_of(cells) + bytes_of(reaction); }
};

/// Contains the rows of finite volumes that are the cells (faces.hpp).
struct FaceRows : LevelRows {
  FieldPerAxis faces;                     ///< varying κ on the face below each cell; the last face is in the halo
  FieldPerAxis ends;                      ///< contain κ and α behind Robin faces
  std::shared_ptr<const Field> reaction;  ///< is scale·σ·volume; null if σ is constant

  bool variable() const { return faces[0] != nullptr; }
  /// Returns κ across an axis. In two dimensions the third axis has no effect and gets κ across the first.
  const Field& across(std::size_t axis) const { return *(faces[axis] ? faces[axis] : faces[0]); }
  std::size_t bytes() const { return bytes_of(faces) + bytes_of(ends) + bytes_of(reaction); }
};

/// Contains the rows of bilinear and trilinear elements.
struct ElementRows : LevelRows {
  ElementMass mass = element_mass(Scheme::q1);
  FieldPerAxis cells;        ///< κ as in NodeRows
  FieldPerAxis offdiagonal;  ///< contains κ_xy, κ_xz, κ_yz of a full tensor on the cells
  /// Contains σ on the cells and α in the halo, unscaled; null if σ is constant.
  std::shared_ptr<const Field> sigma_cells;
  double sigma_ratio = 0, alpha_ratio = 0;  ///< bound σ/κ of every cell and α/κ of every face's cell from above

  bool variable() const { return cells[0] != nullptr; }
  bool isotropic() const { return !cells[1]; }
  bool full_tensor() const { return offdiagonal[0] != nullptr; }
  /// Returns whether a cell has more than one component of κ.
  bool tensor() const { return full_tensor() || (variable() && !isotropic()); }
  std::size_t bytes() const { return bytes_of(cells) + bytes_of(offdiagonal) + bytes_of(sigma_cells); }
};

/// Calls f<dimension, rows.tensor()>().
template <class F>
auto with_box_kind(const ElementRows& rows, const F& f) {
  const bool plane = rows.block.dimension() == 2;
  if (rows.tensor()) return plane ? f.template operator()<2, true>() : f.template operator()<3, true>();
  return plane ? f.template operator()<2, false>() : f.template operator()<3, false>();
}

/// Contains the rows of a level. Matrices and Galerkin products have Bands instead (bands.hpp).
using SchemeRows = std::variant<NodeRows, FaceRows, ElementRows>;
inline const LevelRows& level_rows(const SchemeRows& rows) {
  return std::visit([](const LevelRows& level) -> const LevelRows& { return level; }, rows);
}
inline LevelRows& level_rows(SchemeRows& rows) {
  return std::visit([](LevelRows& level) -> LevelRows& { return level; }, rows);
}

/// Calls f(T(), rows) with the precision and the scheme's rows. Constant coefficients of finite volumes are stored on
/// the axes in LevelRows, for both kinds of volumes.
template <class F>
auto with_own_rows(const SchemeRows& rows, Precision precision, const F& f) {
  return dispatch(precision, [&]<class T>(T number) {
    return std::visit(
        [&]<class Own>(const Own& own) {
          if constexpr (!std::is_same_v<Own, ElementRows>)
            if (!own.variable()) return f(number, static_cast<const LevelRows&>(own));
          return f(number, own);
        },
        rows);
  });
}

}  // namespace poisson
