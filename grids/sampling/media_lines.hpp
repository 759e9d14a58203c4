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
#include "grids/sampling/media_shares.hpp"

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

/// Returns a position within an axis: beyond its ends a periodic axis repeats itself, and others are mirrored.
double within_axis(const Axis& axis, double position);

/// Integrates along lines of cells. The conductance of a face is 1/∫ds/κ along lines between the centres, averaged over
/// the face; for staircases one line, on which each cell has the material of its centre. Only cells that a surface may
/// cross are integrated; the others have κ of their region.
class MediaLines {
 public:
  /// Only lines that compute conductances need the places of sheets.
  explicit MediaLines(const MediaCells& cells, bool conductances = true);

  /// Is a line of cells along an axis; `cell[axis]` is ignored.
  struct At {
    std::size_t axis = 0;
    std::array<int, 3> cell{};
    std::array<double, 2> across{};  ///< distance of the line from the centre of the cells
    double weight = 1;               ///< of the line among those across a face
  };
  /// Is what a face beside a contact adds to κ of the face below `cell` across the axis of its line.
  struct Given {
    std::array<int, 3> cell{};
    double kappa = 0;
  };
  /// Computes κ on the faces below the cells 0 … n of a line: the conductance per area times the distance of the
  /// centres, at open ends times half a cell. It is 0 if a cell on either side leaves the system. Adds links of the
  /// cells 0 … n − 1 to fixed neighbours, and what faces of neighbouring lines receive. `shares` gets the shares of
  /// regions in the cells 0 … n − 1, unless it is null.
  void faces(const At& line, std::vector<double>& kappa, std::vector<FixedLink>& links, std::vector<Given>& given,
             MediaShares* shares) const;
  /// Returns whether faces may give something to those of neighbouring lines.
  bool gives() const { return has_contacts_ && bodies_ != nullptr; }

  /// Returns κ over the half of the cell behind an open end of a line, as `faces` does.
  double end_kappa(const At& line, int end) const;

 private:
  /// Contains integrals over half a cell, with s from the face, and its first and last regions.
  struct Half {
    double resistance = 0;              ///< ∫ds/κ
    double conducting = 0, moment = 0;  ///< ∫κ ds, ∫κ s ds
    double at_face = 0;                 ///< κ at the face
    RegionNumber first = 0, last = 0;
    RegionNumber lowest = 0, highest = 0;
    double of_lowest = 0, of_highest = 0;  ///< κ of these regions
    bool plain = true;                     ///< only conducting pieces
    bool closed = false;                   ///< a sharp insulator covers the end at the face
  };
  struct Halves {
    Half lower, upper;
  };
  /// Contains the sums over the lines across a face (face_lines.hpp).
  using Sums = std::vector<FaceLines>;
  using Pieces = std::vector<Bodies::Piece>;
  /// Contains the lines across the faces of a line of cells; one line if no body is near.
  struct Rays {
    std::vector<Pieces> pieces;
    std::vector<std::array<double, 2>> across;  ///< their distance from the centre of the faces
    std::vector<double> weight;                 ///< the area that each stands for
    double all = 0;                             ///< the sum of the weights
    std::size_t count = 0;
    Pieces central;
  };

  Ray ray(const At& line, const std::array<double, 2>& across) const;
  /// Returns a point of a line with its own distance from the centres.
  Point through(const At& line) const;
  /// Splits the lines across the faces of a line of cells. Staircases have one line, without pieces.
  void collect(const At& line, Rays& rays) const;
  /// Is an interval across a cell, by its middle as a share of the cell, and its width relative to equal intervals.
  struct Strip {
    double middle, weight;
  };
  void divide(double lower, double upper, int count, std::vector<double>& ends, std::vector<Strip>& strips) const;
  /// Contains the regions of the cells −1 … n of a line, at i + 1, and whether a surface may cross them, or whether
  /// their neighbour on the line has another region.
  struct Line {
    std::vector<RegionNumber> regions;
    std::vector<char> mixed;
  };
  void mark(const At& line, const Rays& rays, Line& cells) const;
  void add_shares(const At& line, const Rays& rays, const Line& cells, MediaShares& shares) const;
  /// Returns the numbers of the first cell of a line and past its last one, with neighbours beyond closed ends.
  std::array<int, 2> range(std::size_t axis) const;
  /// Calls f(length, region) for the pieces of a line from `from` to `to` within cell i.
  template <class F>
  void walk(const At& line, int i, const Pieces& pieces, double from, double to, const F& f) const;
  bool uniform_half(const At& line, int i, const Pieces& pieces, double from, double to, double face, Half& h) const;
  Half half(const At& line, int i, const Pieces& pieces, double from, double to, double face) const;
  /// Returns what the sheets on two neighbours, or one cell twice, add to κ of a face across an axis, if surfaces are
  /// faces of cells.
  double sheets(std::size_t axis, const std::array<int, 3>& a, const std::array<int, 3>& b) const;
  /// Contains where sheets on surfaces of bodies cross faces. Cells are those that are stored; faces have one more
  /// index at upper ends.
  struct SheetLinks {
    Box box;
    std::array<std::vector<double>, 3> kappa;         ///< what each face below a cell gains
    std::array<std::vector<std::int8_t>, 3> towards;  ///< ±(axis + 1) of the side that conducts, or 0
    bool any = false;
    std::size_t index(const std::array<int, 3>& cell) const;
  };
  void find_sheets();
  struct SheetRow;
  void add_row(SheetRow& row);
  void add_crossing(At line, double place, const std::array<RegionNumber, 2>& regions, std::size_t side, double share,
                    SheetRow& row) const;
  bool has_links() const { return links_.any; }
  double on_sheets(const At& line, int i) const;
  /// Returns κ of a face with what sheets add to it; a face at an end has one cell.
  double with_sheets(const At& line, int face, const Pieces& central, double kappa) const;
  double beside_sheet(const At& line, int face, const Pieces& central, double kappa) const;
  RegionNumber region_of(const Bodies::Piece& piece, const std::array<int, 3>& cell) const {
    return piece.region < 0 ? cells_.below(cell[0], cell[1], cell[2]) : static_cast<RegionNumber>(piece.region);
  }
  double limited(const At& line, int i, double kappa) const;
  double uniform(const At& line, int face, RegionNumber region) const;
  void add_conductances(const At& line, const Pieces& pieces, int from, int to, bool central, Sums& sums) const;
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
  void add_edges(const At& line, std::vector<double>& kappa) const;
  double gain_at_edge(const At& line, int face, std::size_t to, int side, bool below_is_outer) const;
  double normal_part(const Point& from, std::size_t axis, int way, double within, const std::array<int, 3>& cell,
                     std::size_t other) const;
  std::optional<double> distance_to_wall(std::size_t axis, int side, const Point& from, double within,
                                         const std::array<int, 3>& cell) const;
  double gain_at_curve(const At& line, int i, int side) const;
  double contact(RegionNumber a, RegionNumber b) const;
  /// Is a surface with a contact: its slopes across the line, and the length 1/|n| with the normal n.
  struct Slope {
    std::array<double, 2> slopes{};
    double length = 1;
  };
  Slope slope(const At& line, double place, RegionNumber a, RegionNumber b) const;
  double contact(const At& line, double place, RegionNumber a, RegionNumber b) const;
  std::optional<double> crossing(const At& line, double near, double within, RegionNumber a, RegionNumber b) const;
  /// Describes the central line between two centres.
  struct Crossed {
    double resistance = 0;  ///< ∫ds/κ, without contacts; infinite if something blocks
    double contact = 0;     ///< the contacts, per area of the face
    double share = 0;       ///< of the contacts in the resistance from centre to centre, if the surface were normal
    Slope slope;            ///< of the last contact
  };
  Crossed cross(const At& line, int face, const Pieces& central) const;
  double contact_kappa(const At& line, int face, const Rays& rays, double kappa, std::vector<Given>& given) const;
  double end_contact(const At& line, int face, const Pieces& central, double kappa) const;
  double smoothed(const At& line, int face, const Crossed& crossed) const;
  void give(const At& line, int face, std::size_t across, int side, RegionNumber like, RegionNumber unlike,
            double share, std::vector<Given>& given) const;
  double lost_along(const At& line, const Slope& surface, const std::array<RegionNumber, 2>& regions,
                    double of_sheet) const;
  double resistance(RegionNumber region, std::size_t axis, const std::array<int, 3>& cell, double length) const;
  RegionNumber region(const At& line, int i) const {
    std::array cell = line.cell;
    cell[line.axis] = i;
    return cells_.region(cell[0], cell[1], cell[2]);
  }
  double width(std::size_t axis, int i) const { return places_[axis][static_cast<std::size_t>(i + 1)].width; }

  // Pieces that are shorter than this share of a cell are rounding errors.
  static constexpr double sliver = 1e-9;
  // A wall is at least this share of half a cell away from the centre.
  static constexpr double nearest_wall = 1e-3;
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  /// Contains the ends, the middle and the width of a cell along an axis.
  struct Place {
    double low, middle, high, width;
  };

  const MediaCells& cells_;
  const Bodies* bodies_;  ///< null: staircase
  bool sharp_;
  bool has_contacts_, has_edges_;
  int across_ = 1;                            ///< lines along each axis across a face
  std::array<double, 3> step_{};              ///< resolution of rays
  std::array<std::vector<double>, 3> kappa_;  ///< of each region along each axis; 0 if it is an expression
  SheetLinks links_;
  std::array<std::vector<Place>, 3> places_;  ///< of the cells −1 … n, at i + 1
};

template <class F>
void MediaLines::walk(const At& line, int i, const Pieces& pieces, double from, double to, const F& f) const {
  std::array cell = line.cell;
  cell[line.axis] = i;
  const auto [x, y, z] = cell;
  if (!bodies_) return f(to - from, cells_.region(x, y, z));
  const double least = sliver * width(line.axis, i);
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
