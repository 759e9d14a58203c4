#pragma once

#include <array>
#include <memory>
#include <type_traits>
#include <variant>

#include "backends/field.hpp"
#include "grids/axes/block.hpp"
#include "grids/rows/element_mass.hpp"
#include "grids/sampling/cell_points.hpp"

namespace poisson {

/// What an operator keeps in memory (docs/design/assembly.md). recompute: nothing, κ comes from its expression
/// wherever a row needs it. automatic: as assembly.hpp chooses.
enum class Assembly { automatic, recompute, partial, full };

/// A field for each direction, on the operator's backend in fp64; null where there is none.
using FieldPerAxis = std::array<std::shared_ptr<const Field>, 3>;

inline std::size_t bytes_of(const std::shared_ptr<const Field>& field) {
  return field ? field->bytes() : 0;
}
inline std::size_t bytes_of(const FieldPerAxis& fields) {
  return bytes_of(fields[0]) + bytes_of(fields[1]) + bytes_of(fields[2]);
}

/// What the rows of one level are made of, whatever the scheme. Constants need nothing else.
struct LevelRows {
  Block block;
  double scale = 1;                      ///< power of two on the whole operator
  std::array<double, 3> kappa{1, 1, 1};  ///< constant κ, or its mean where it varies
  double sigma = 0;                      ///< constant σ
  bool singular = false;
  int decoupled = -1;  ///< an axis whose couplings stay on the diagonal alone: the problem in the planes across it
  std::shared_ptr<const KappaSource> kappa_source;  ///< of a κ that varies, where the operator may compute it
};

/// Finite volumes around nodes. In two dimensions the third direction has nothing.
struct NodeRows : LevelRows {
  FieldPerAxis cells;  ///< κ that varies, on the cells: of all directions when isotropic, else one for each
  std::shared_ptr<const Field> reaction;  ///< scale·(σ·volume + α·area) at the nodes; null: constant σ without α

  bool variable() const { return cells[0] != nullptr; }
  bool isotropic() const { return !cells[1]; }
  std::size_t bytes() const { return bytes_of(cells) + bytes_of(reaction); }
};

/// Finite volumes that are the cells (faces.hpp).
struct FaceRows : LevelRows {
  FieldPerAxis faces;  ///< κ that varies, on the face below each cell; that behind the last one is in the halo
  FieldPerAxis ends;   ///< what stands behind Robin faces
  std::shared_ptr<const Field> reaction;  ///< scale·σ·volume; null: constant σ

  bool variable() const { return faces[0] != nullptr; }
  /// κ across an axis; across the third of two dimensions, where it counts nothing, that across the first.
  const Field& across(std::size_t axis) const { return *(faces[axis] ? faces[axis] : faces[0]); }
  std::size_t bytes() const { return bytes_of(faces) + bytes_of(ends) + bytes_of(reaction); }
};

/// Bilinear and trilinear elements.
struct ElementRows : LevelRows {
  ElementMass mass = element_mass(Scheme::q1);
  FieldPerAxis cells;                        ///< κ as NodeRows have it
  FieldPerAxis mixed;                        ///< κ_xy, κ_xz, κ_yz on the cells of a full tensor
  std::shared_ptr<const Field> sigma_cells;  ///< σ on the cells and α in the halo, unscaled; null: constant σ
  double sigma_ratio = 0, alpha_ratio = 0;   ///< at least σ/κ of every cell and α/κ at every face's cell

  bool variable() const { return cells[0] != nullptr; }
  bool isotropic() const { return !cells[1]; }
  bool full_tensor() const { return mixed[0] != nullptr; }
  /// Whether the cells hold more than one number of κ.
  bool tensor() const { return full_tensor() || (variable() && !isotropic()); }
  std::size_t bytes() const { return bytes_of(cells) + bytes_of(mixed) + bytes_of(sigma_cells); }
};

/// f<dimension, rows.tensor()>().
template <class F>
auto with_box_kind(const ElementRows& rows, const F& f) {
  const bool plane = rows.block.dimension() == 2;
  if (rows.tensor()) return plane ? f.template operator()<2, true>() : f.template operator()<3, true>();
  return plane ? f.template operator()<2, false>() : f.template operator()<3, false>();
}

/// The rows of a level; those of matrices and of Galerkin products are Bands (bands.hpp).
using SchemeRows = std::variant<NodeRows, FaceRows, ElementRows>;
inline const LevelRows& level_rows(const SchemeRows& rows) {
  return std::visit([](const LevelRows& level) -> const LevelRows& { return level; }, rows);
}
inline LevelRows& level_rows(SchemeRows& rows) {
  return std::visit([](LevelRows& level) -> LevelRows& { return level; }, rows);
}

/// Calls f(T(), rows) with the precision and the scheme's own rows. Constants of volumes live on the axes, whatever the
/// volumes are: they are LevelRows.
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
