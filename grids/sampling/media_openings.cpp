#include "grids/sampling/media_openings.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "grids/sampling/media_cells.hpp"

namespace poisson {
namespace {

// A face in space has lines along its edges and between them, this many intervals in all. In the plane it is one line.
constexpr std::size_t intervals_of_face = 8;
// Lines along each axis across a cell.
constexpr int sublines_in_space = 4, sublines_in_plane = 16;
// The lines of a face lie this share of a cell beside it, on both sides: bodies may end at the face.
constexpr double beside_face = 1e-6;
constexpr std::size_t of_volume = 3;
// Shares below this one are rounding errors.
constexpr float least_share = 1e-6F;
// The interval between two lines is halved until it is `fine` or `finest`, if one of them alone is cut or if their
// shares differ by more than `much`. Small rests of a face need the relative precision of `least_fine`.
constexpr double fine = 1.0 / 64, finest = 1.0 / 1024, least_fine = 1.0 / 512, much = 0.1, small_rest = 0.15;

// Integrates the closed shares of the lines across a face. Between its kinks the share is smooth; on a plane it is
// linear.
template <class Share>
double integral_of(const Share& share_at, double from, double at_from, double to, double at_to, double fine_here) {
  const auto whole = [](double x) { return x <= 0 || x >= 1; };
  const double change = std::abs(at_to - at_from), width = to - from;
  const bool smooth = whole(at_from) == whole(at_to) && change <= (whole(at_from) ? 0 : 3 * much);
  if (smooth || (width <= fine_here && change <= much) || width <= finest) return 0.5 * (at_from + at_to) * width;
  const double middle = 0.5 * (from + to), at_middle = share_at(middle);
  return integral_of(share_at, from, at_from, middle, at_middle, fine_here) +
         integral_of(share_at, middle, at_middle, to, at_to, fine_here);
}

}  // namespace

// Sums up the closed shares of one plane of cells.
class MediaOpenings::Plane {
 public:
  Plane(const MediaCells& cells, const Box& box, int k)
      : cells_(cells),
        block_(cells.block()),
        box_(box),
        k_(k),
        flat_(block_.dimension() == 2),
        across_(flat_ ? sublines_in_plane : sublines_in_space) {
    for (std::size_t e = 0; e < 2; ++e) n_[e] = static_cast<std::size_t>(box.last[e] - box.first[e]);
    for (auto& values : closed_) values.assign(n_[0] * n_[1], 0);
    for (std::size_t d = 0; d < 3; ++d)
      for (int i = box.first[d]; i < std::max(box.last[d], box.first[d] + 1); ++i)
        ends_[d].push_back({block_.axes[d].point_in_cell(i, 0), block_.axes[d].point_in_cell(i, 1)});
    const bool within = k < cells.box().last[2];
    if (within) {
      close_faces_across_x();
      close_faces_across_y();
      close_volumes();
    }
    if (!flat_) close_faces_across_z();
  }

  void store(int j, std::vector<Cut>& line) const {
    const bool within = j < cells_.box().last[1] && k_ < cells_.box().last[2];
    for (int i = box_.first[0]; i < box_.last[0]; ++i) {
      Cut cut{i, {}, 0};
      bool open = true, shut = true;
      for (std::size_t what = 0; what < closed_.size(); ++what) {
        const float value = closed_[what][at(i, j)];
        float& share = what == of_volume ? cut.volume : cut.faces[what];
        share = value < least_share ? 0 : value > 1 - least_share ? 1 : value;
        open = open && share == 0;
        shut = shut && (share == 1 || (what == 2 && flat_));
      }
      const bool leaves = within && i < cells_.box().last[0] && cells_.insulates(cells_.region(i, j, k_));
      if (leaves ? !shut : !open) line.push_back(cut);
    }
  }

 private:
  std::size_t at(int i, int j) const {
    return static_cast<std::size_t>(j - box_.first[1]) * n_[0] + static_cast<std::size_t>(i - box_.first[0]);
  }
  int subdivisions(std::size_t axis) const { return block_.axes[axis].degenerate() ? 1 : across_; }

  // Calls f(cell, share) for the cells along an axis that a ray finds closed. `insulates(cell)` says so of what lies
  // below the bodies.
  template <class Insulates, class F>
  void close(std::size_t along, const Point& origin, const Insulates& insulates, const F& f) {
    const Axis& axis = block_.axes[along];
    const bool met = cells_.media().bodies->split(cells_.ray(along, origin), pieces_);
    if (!met && !cells_.varies_below() && !cells_.insulates(0)) return;
    const int first = box_.first[along], last = std::min(box_.last[along], cells_.box().last[along]);
    const std::vector<double>& nodes = axis.nodes();
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      const int region = pieces_[p].region;
      if (region >= 0 && !cells_.insulates(static_cast<RegionNumber>(region))) continue;
      if (region < 0 && !cells_.varies_below() && !cells_.insulates(0)) continue;
      const double begin = pieces_[p].begin, end = p + 1 < pieces_.size() ? pieces_[p + 1].begin : nodes.back();
      const auto one = [&](int i) {
        const auto& [low, high] = ends_[along][static_cast<std::size_t>(i - box_.first[along])];
        const double length = std::min(high, end) - std::max(low, begin);
        if (length > 0 && (region >= 0 || insulates(i))) f(i, low >= begin && high <= end ? 1 : length / (high - low));
      };
      // Cells beyond periodic ends lie at the other end of the line.
      for (int i = first; i < std::min(last, 0); ++i) one(i);
      const auto from = std::upper_bound(nodes.begin(), nodes.end(), begin) - nodes.begin() - 1 - axis.origin();
      for (int i = std::max(std::max(first, 0), static_cast<int>(from)); i < std::min(last, axis.size()); ++i) {
        if (ends_[along][static_cast<std::size_t>(i - box_.first[along])][0] >= end) break;
        one(i);
      }
      for (int i = std::max(first, axis.size()); i < last; ++i) one(i);
    }
  }

  // Returns whether a body or an insulating background may lie in a row of cells along an axis, or beside it. Cells
  // beyond periodic ends lie at two places.
  bool near(std::size_t along, const std::array<int, 3>& cell) const {
    if (cells_.varies_below() || cells_.insulates(0)) return true;
    Point lower{}, upper{};
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = block_.axes[d];
      if (axis.degenerate()) continue;
      if (d != along && !axis.open(0) && (cell[d] <= 0 || cell[d] >= axis.size())) return true;
      const double width = std::max(axis.width(cell[d]), axis.width(cell[d] - 1));
      lower[d] = d == along ? axis.nodes().front() : axis.point_in_cell(cell[d], 0) - width;
      upper[d] = d == along ? axis.nodes().back() : axis.point_in_cell(cell[d], 1) + width;
    }
    return cells_.media().bodies->near(along, lower, upper);
  }

  // Finds the closed shares of a row of faces across `normal` at index f, whose lines run along `along`. Lines lie on
  // both sides of the faces, inside the grid; the larger one of the two closed shares counts.
  template <class Cell, class Place>
  void close_row(std::size_t normal, std::size_t along, std::size_t other, int f, int other_cell, const Cell& cell,
                 const Place& place) {
    const int first = box_.first[along], last = std::min(box_.last[along], cells_.box().last[along]);
    std::array<int, 3> in{};
    in[normal] = f;
    in[other] = other_cell;
    if (!near(along, in)) return;
    const Axis& x = block_.axes[normal];
    const std::size_t lines = block_.axes[other].degenerate() ? 1 : intervals_of_face + 1;
    const auto cells = static_cast<std::size_t>(last - first);
    for (auto& row : rows_) row.resize(cells);
    shares_.assign(lines * cells, 0);
    const auto behind = [&](std::size_t side) { return side == 0 ? f - 1 : f; };
    const auto exists = [&](std::size_t side) {
      return side == 0 ? f > (x.open(0) ? 0 : cells_.box().first[normal]) : f < cells_.box().last[normal];
    };
    const auto beside = [&](std::size_t side) {
      Point origin{};
      origin[normal] = x.point_in_cell(behind(side), side == 0 ? 1 - beside_face : beside_face);
      return origin;
    };
    const auto insulates = [&](std::size_t side, int c) {
      const auto [i, j, k] = cell(behind(side), c);
      return cells_.insulates(cells_.below(i, j, k));
    };
    int row_least = last, row_most = first - 1;
    for (std::size_t s = 0; s < lines; ++s) {
      int least = last, most = first - 1;
      for (const std::size_t side : {0U, 1U}) {
        if (!exists(side)) continue;
        Point origin = beside(side);
        if (lines > 1) origin[other] = block_.axes[other].point_in_cell(other_cell, place_of(s));
        close(
            along, origin, [&](int c) { return insulates(side, c); },
            [&](int c, double share) {
              rows_[side][static_cast<std::size_t>(c - first)] += static_cast<float>(share);
              least = std::min(least, c);
              most = std::max(most, c);
            });
      }
      for (int c = least; c <= most; ++c) {
        const auto at = static_cast<std::size_t>(c - first);
        shares_[at * lines + s] = std::max(std::exchange(rows_[0][at], 0), std::exchange(rows_[1][at], 0));
      }
      row_least = std::min(row_least, least);
      row_most = std::max(row_most, most);
    }
    for (int c = row_least; c <= row_most; ++c) {
      const float* shares = &shares_[static_cast<std::size_t>(c - first) * lines];
      // Other lines are asked for one cell alone.
      const auto share_at = [&](double s) {
        double closed = 0;
        for (const std::size_t side : {0U, 1U}) {
          if (!exists(side)) continue;
          Point origin = beside(side);
          origin[other] = block_.axes[other].point_in_cell(other_cell, s);
          closed = std::max(closed, closed_share(along, origin, c, insulates(side, c)));
        }
        return closed;
      };
      const auto mean = [&](double fine_here) {
        // The first and the last line stand for what lies beyond them.
        double sum = beside_face * (shares[0] + shares[lines - 1]);
        for (std::size_t s = 0; s + 1 < lines; ++s)
          sum += integral_of(share_at, place_of(s), shares[s], place_of(s + 1), shares[s + 1], fine_here);
        return sum;
      };
      double share = lines == 1 ? shares[0] : mean(fine);
      if (share < 1 && share > 1 - small_rest && lines > 1) share = mean(least_fine);
      closed_[normal][place(c)] += static_cast<float>(share);
    }
  }

  static double place_of(std::size_t line) {
    return std::clamp(static_cast<double>(line) / intervals_of_face, beside_face, 1 - beside_face);
  }

  // Returns the closed share of a line through a cell.
  double closed_share(std::size_t along, const Point& origin, int cell, bool insulates_below) {
    cells_.media().bodies->split(cells_.ray(along, origin), pieces_);
    const Axis& axis = block_.axes[along];
    const double low = axis.point_in_cell(cell, 0), high = axis.point_in_cell(cell, 1);
    double sum = 0;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      const int region = pieces_[p].region;
      if (region < 0 ? !insulates_below : !cells_.insulates(static_cast<RegionNumber>(region))) continue;
      const double end = p + 1 < pieces_.size() ? pieces_[p + 1].begin : high;
      sum += std::max(0.0, std::min(high, end) - std::max(low, pieces_[p].begin));
    }
    return sum / (high - low);
  }

  void close_faces_across_x() {
    for (int i = box_.first[0]; i < box_.last[0]; ++i)
      close_row(
          0, 1, 2, i, k_,
          [&](int behind, int j) {
            return std::array{behind, j, k_};
          },
          [&](int j) { return at(i, j); });
  }
  void close_faces_across_y() {
    for (int j = box_.first[1]; j < box_.last[1]; ++j)
      close_row(
          1, 0, 2, j, k_,
          [&](int behind, int i) {
            return std::array{i, behind, k_};
          },
          [&](int i) { return at(i, j); });
  }
  void close_faces_across_z() {
    for (int j = box_.first[1]; j < cells_.box().last[1]; ++j)
      close_row(
          2, 0, 1, k_, j,
          [&](int behind, int i) {
            return std::array{i, j, behind};
          },
          [&](int i) { return at(i, j); });
  }

  void close_volumes() {
    const int sub_y = subdivisions(1), sub_z = subdivisions(2);
    for (int j = box_.first[1]; j < cells_.box().last[1]; ++j) {
      if (!near(0, {0, j, k_})) continue;
      for (int t = 0; t < sub_z; ++t)
        for (int s = 0; s < sub_y; ++s) {
          Point origin{0, block_.axes[1].point_in_cell(j, (s + 0.5) / sub_y), 0};
          if (!flat_) origin[2] = block_.axes[2].point_in_cell(k_, (t + 0.5) / sub_z);
          close(
              0, origin, [&](int i) { return cells_.insulates(cells_.below(i, j, k_)); },
              [&](int i, double share) {
                closed_[of_volume][at(i, j)] += static_cast<float>(share / (sub_y * sub_z));
              });
        }
    }
  }

  const MediaCells& cells_;
  const Block& block_;
  const Box& box_;
  int k_;
  bool flat_;
  int across_;
  std::array<std::size_t, 2> n_{};
  std::array<std::vector<std::array<double, 2>>, 3> ends_;  ///< of the cells of the box along each axis
  std::array<std::vector<float>, 4> closed_;
  std::array<std::vector<float>, 2> rows_;
  std::vector<float> shares_;  ///< of the lines across each face of a row
  std::vector<Bodies::Piece> pieces_;
};

namespace {

// Returns the closed share of a cell's volume, from lines along an axis within the cell.
float closed_volume(const MediaCells& cells, std::size_t axis, const std::array<int, 3>& cell) {
  const Block& block = cells.block();
  const std::size_t e = (axis + 1) % 3, f = (axis + 2) % 3;
  const int across = block.dimension() == 2 ? sublines_in_plane : sublines_in_space;
  const auto lines = [&](std::size_t d) { return block.axes[d].degenerate() ? 1 : across; };
  const bool insulates_below = cells.insulates(cells.below(cell[0], cell[1], cell[2]));
  const double low = block.axes[axis].point_in_cell(cell[axis], 0),
               high = block.axes[axis].point_in_cell(cell[axis], 1);
  thread_local std::vector<Bodies::Piece> pieces;
  double sum = 0;
  for (int t = 0; t < lines(f); ++t)
    for (int s = 0; s < lines(e); ++s) {
      Point origin{};
      if (!block.axes[e].degenerate()) origin[e] = block.axes[e].point_in_cell(cell[e], (s + 0.5) / lines(e));
      if (!block.axes[f].degenerate()) origin[f] = block.axes[f].point_in_cell(cell[f], (t + 0.5) / lines(f));
      cells.media().bodies->split(cells.ray(axis, origin), pieces);
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        const int region = pieces[p].region;
        if (region < 0 ? !insulates_below : !cells.insulates(static_cast<RegionNumber>(region))) continue;
        const double end = p + 1 < pieces.size() ? pieces[p + 1].begin : high;
        sum += std::max(0.0, std::min(high, end) - std::max(low, pieces[p].begin));
      }
    }
  return static_cast<float>(sum / ((high - low) * lines(e) * lines(f)));
}

}  // namespace

// Lines along the normal integrate a surface best. The integral of the normal over the surface is the difference of the
// closed shares of opposite faces. Both sides of a thin plate cancel there, and its own plane closes the other faces.
std::size_t MediaOpenings::axis_across(const MediaCells& cells, const Cut& cut, int j, int k) const {
  constexpr float least_difference = 0.05F;
  const std::array cell{cut.i, j, k};
  std::size_t most = 0, least = 0;
  std::array<float, 3> difference{}, sum{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(cells.block().dimension()); ++d) {
    std::array next = cell;
    ++next[d];
    const float upper = 1 - static_cast<float>(cells.open_face(d, next[0], next[1], next[2], *this));
    difference[d] = std::abs(upper - cut.faces[d]);
    sum[d] = upper + cut.faces[d];
    if (difference[d] > difference[most]) most = d;
    if (sum[d] < sum[least]) least = d;
  }
  return difference[most] > least_difference ? most : least;
}

MediaOpenings::MediaOpenings(const MediaCells& cells) : box_(cells.box()) {
  const Block& block = cells.block();
  for (std::size_t d = 0; d < 3; ++d)
    if (!block.axes[d].degenerate()) ++box_.last[d];
  const auto lines = static_cast<std::size_t>(box_.last[1] - box_.first[1]);
  lines_.resize(lines * static_cast<std::size_t>(box_.last[2] - box_.first[2]));
#pragma omp parallel for schedule(dynamic)
  for (int k = box_.first[2]; k < box_.last[2]; ++k) {
    const Plane plane(cells, box_, k);
    for (int j = box_.first[1]; j < box_.last[1]; ++j) plane.store(j, lines_[number(j, k)]);
  }
#pragma omp parallel for schedule(dynamic)
  for (int k = cells.box().first[2]; k < cells.box().last[2]; ++k)
    for (int j = cells.box().first[1]; j < cells.box().last[1]; ++j)
      for (Cut& cut : lines_[number(j, k)]) {
        if (cut.i >= cells.box().last[0]) continue;
        if (const std::size_t axis = axis_across(cells, cut, j, k); axis != 0)
          cut.volume = closed_volume(cells, axis, {cut.i, j, k});
      }
}

const MediaOpenings::Cut* MediaOpenings::find(int i, int j, int k) const {
  const std::vector<Cut>& cuts = line(j, k);
  const auto found = std::ranges::lower_bound(cuts, i, {}, &Cut::i);
  return found != cuts.end() && found->i == i ? &*found : nullptr;
}

}  // namespace poisson
