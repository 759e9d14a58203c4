#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "grids/problem/bodies.hpp"
#include "grids/sampling/face_lines.hpp"
#include "grids/sampling/media_cells.hpp"

namespace poisson {

/// Couples a cell to a body with one value, which is given or floats: a flow of conductance · (value − u) into the
/// cell.
struct FixedLink {
  std::array<int, 3> cell{};
  RegionNumber region = 0;
  double conductance = 0;  ///< κ · area / distance
  int axis = 0, side = 0;  ///< the face of the cell: side −1 is below it, 1 above
  int body = -1;           ///< number of the floating body, or −1
  /// Are the periods of each axis from the first cell of a floating body to its place as seen from the cell, with the
  /// sign of a rise of u along the axis.
  std::array<std::int8_t, 3> periods{};
};

/// Integrates along lines of cells. The conductance of a face is 1/∫ds/κ along lines between the centres, averaged over
/// the face; for staircases one line, on which each cell has the material of its centre.
class MediaLines {
 public:
  explicit MediaLines(const MediaCells& cells);

  /// Is a line of cells along an axis; `cell[axis]` is ignored.
  struct At {
    std::size_t axis = 0;
    std::array<int, 3> cell{};
    std::array<double, 2> across{};  ///< distance of the line from the centre of the cells
  };
  /// Computes κ on the faces below the cells 0 … n of a line: the conductance per area times the distance of the
  /// centres, at open ends times half a cell. It is 0 if a cell on either side leaves the system. Adds links of the
  /// cells 0 … n − 1 to fixed neighbours.
  void faces(const At& line, std::vector<double>& kappa, std::vector<FixedLink>& links) const;

  /// Returns κ over the half of the cell behind an open end of a line, as `faces` does.
  double end_kappa(const At& line, int end) const;

  /// Is the part of a cell's volume that belongs to a region.
  struct Share {
    int i = 0;
    RegionNumber region = 0;
    double fraction = 0;
  };
  /// Computes the shares of the cells 0 … n − 1 of a line along x. Their sum is 1 in each cell.
  void shares(int j, int k, std::vector<Share>& shares) const;

 private:
  /// Contains integrals over half a cell, with s from the face, and its first and last regions.
  struct Half {
    double resistance = 0;              ///< ∫ds/κ, with contacts
    double conducting = 0, moment = 0;  ///< ∫κ ds, ∫κ s ds
    RegionNumber first = 0, last = 0;
    RegionNumber lowest = 0, highest = 0;
    double of_lowest = 0, of_highest = 0;  ///< κ of these regions
    bool plain = true;                     ///< only conducting pieces, without contacts
    bool closed = false;                   ///< a sharp insulator covers the end at the face
  };
  struct Halves {
    Half lower, upper;
  };
  /// Contains the sums over the lines across a face (face_lines.hpp).
  using Sums = std::vector<FaceLines>;
  using Pieces = std::vector<Bodies::Piece>;

  Ray ray(const At& line, const std::array<double, 2>& across) const;
  /// Calls f(length, region) for the pieces of a line from `from` to `to` within cell i.
  template <class F>
  void walk(const At& line, int i, const Pieces& pieces, double from, double to, const F& f) const;
  Half half(const At& line, int i, const Pieces& pieces, double from, double to, double face) const;
  Halves halves(const At& line, int i, const Pieces& pieces) const;
  /// Returns what the sheets on two neighbours, or one cell twice, add to κ of a face across an axis.
  double sheets(std::size_t axis, const std::array<int, 3>& a, const std::array<int, 3>& b) const;
  template <class F>
  int for_each_ray(const At& line, const F& f) const;
  double limited(const At& line, int i, double kappa) const;
  void add_conductances(const At& line, const Pieces& pieces, Sums& sums) const;
  /// Is the wall that a cell meets along its central line, before the centre of its neighbour.
  struct Wall {
    RegionNumber region = 0;
    double resistance = 0;  ///< ∫ds/κ up to the wall, with contacts
  };
  std::optional<Wall> wall(const At& line, int i, int side, const Pieces& pieces) const;
  bool add_links(const At& line, int face, const Pieces& pieces, std::vector<FixedLink>& links) const;
  double substitute(const At& line, int i, const Pieces& pieces, double centre, double length) const;
  double fallback(const At& line, int face) const;
  double open(const At& line, int face) const;
  double contact(RegionNumber a, RegionNumber b) const;
  double contact(const At& line, double place, RegionNumber a, RegionNumber b) const;
  std::optional<double> crossing(const At& line, double near, double within, RegionNumber a, RegionNumber b) const;
  double resistance(RegionNumber region, std::size_t axis, const std::array<int, 3>& cell, double length) const;

  // Pieces that are shorter than this share of a cell are rounding errors.
  static constexpr double sliver = 1e-9;
  // A wall is at least this share of half a cell away from the centre.
  static constexpr double nearest_wall = 1e-3;
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  const MediaCells& cells_;
  const Bodies* bodies_;  ///< null: staircase
  bool sharp_;
  bool has_contacts_;
  int across_ = 1;                ///< lines along each axis across a face
  std::array<double, 3> step_{};  ///< resolution of rays
};

template <class F>
void MediaLines::walk(const At& line, int i, const Pieces& pieces, double from, double to, const F& f) const {
  std::array cell = line.cell;
  cell[line.axis] = i;
  const auto [x, y, z] = cell;
  if (!bodies_) return f(to - from, cells_.region(x, y, z));
  const double least = sliver * cells_.block().axes[line.axis].width(i);
  auto piece = std::upper_bound(pieces.begin(), pieces.end(), from + least,
                                [](double t, const Bodies::Piece& p) { return t < p.begin; });
  if (piece != pieces.begin()) --piece;
  for (double at = from; piece != pieces.end() && at < to; ++piece) {
    double end = std::next(piece) == pieces.end() ? to : std::min(to, std::next(piece)->begin);
    if (to - end < least) end = to;
    if (end - at < least) continue;
    f(end - at, piece->region < 0 ? cells_.below(x, y, z) : static_cast<RegionNumber>(piece->region));
    at = end;
  }
}

}  // namespace poisson
