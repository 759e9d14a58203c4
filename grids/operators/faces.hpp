#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backends/device/field.hpp"
#include "grids/axes/axis_transfer.hpp"
#include "grids/axes/block.hpp"
#include "grids/rows/face_means.hpp"

/// Cell-centred finite volumes with varying κ couple two cells by κ on the face between them: the harmonic mean of the
/// cells, weighted by their widths. A Dirichlet face uses κ of the cell behind it over half that cell. A Robin face
/// uses α and half that cell in series, κα/(κ + αh/2), which is also expressed as a κ over half the cell.
///
/// A field of faces across an axis has the layout of the cells. Value i belongs to the face below cell i, and the halo
/// behind the last cell contains the last face. Behind Robin faces κ and α must be stored separately, because the half
/// cell grows from level to level. FaceRows::ends[d] contains four values along axis d: κ and α at the lower end, κ and
/// α at the upper end.
namespace poisson {

/// Returns the space of the field `ends` of an axis.
Space ends_space(const Block& block, std::size_t axis);

/// Computes κ at the faces across an axis from κ ≥ 0 at cells, on the host. The halo of `cells` needs values only
/// beyond cuts. `ends` is null if no face of the axis is a Robin face.
void faces_from_cells(const Block& block, std::size_t axis, const Field& cells, const Field* ends, Field& faces);

/// Returns the faces for which CoarseFace::shared_gain() is stored. `faces` contains the coarse faces across an axis.
Box box_of_gains(const CoarseBlock& coarse, std::size_t axis, Box faces);

/// Returns the weights of the fine faces across an axis in the coarse ones. Row I is stored at I + 1.
AxisRows face_rows(const Axis& fine, const CoarseAxis& coarse);

}  // namespace poisson
