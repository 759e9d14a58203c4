#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backends/field.hpp"
#include "grids/axes/axis_transfer.hpp"
#include "grids/axes/block.hpp"
#include "grids/rows/coarse_face.hpp"
#include "grids/rows/face_means.hpp"

/// κ of cell-centred finite volumes where it varies. What couples two cells is κ on the face between them, the harmonic
/// mean of the cells weighted with their widths; a Dirichlet face takes κ of the cell behind it, over half that cell, a
/// Robin face what α and half that cell let through in series, κα/(κ + αh/2), also said as a κ over half the cell.
///
/// A field of faces across an axis has the layout of the cells: value i stands for the face below cell i, and the halo
/// behind the last cell for the last face. Behind Robin faces κ and α have to be known apart, since the half cell grows
/// from level to level: FaceRows::ends[d] holds four values along axis d, κ and α at the lower end, κ and α at the
/// upper.
namespace poisson {

/// Of the field `ends` of an axis.
Space ends_space(const Block& block, std::size_t axis);

/// κ at cells, with nothing in the halo but what lies beyond a cut, to κ at the faces across an axis, on the host.
/// `ends`: null where no face of the axis is a Robin face.
void faces_from_cells(const Block& block, std::size_t axis, const Field& cells, const Field* ends, Field& faces);

/// The weights of coarse faces (GridKernels::coarsen_faces), along each axis; row I stands at I + 1.
std::array<AxisRows, 3> blended_faces(const Block& fine, const CoarseBlock& coarse, std::size_t axis);

/// Which fine cells coarse ones are made of along an axis, and their widths, for CoarseFace.
struct CoarseFaceTables {
  static constexpr int before_begin = 1, before_width = 4;  ///< entries before that of 0
  std::vector<int> begin;
  std::vector<double> width;
  CoarseFace::Along along{};  ///< but for the tables

  CoarseFaceTables() = default;
  CoarseFaceTables(const Axis& fine, const CoarseAxis& coarse);
  /// With the tables where they are in memory.
  CoarseFace::Along with(const int* begin_at, const double* width_at) const {
    CoarseFace::Along at = along;
    at.begin = begin_at + before_begin;
    at.width = width_at + before_width;
    return at;
  }
};

}  // namespace poisson
