#include "grids/sampling/media_openings.hpp"

#include <algorithm>
#include <cmath>

#include "grids/sampling/media_cells.hpp"

namespace poisson {
namespace {

// Lines along each axis across a cell, in space and in the plane, and across a face in space: areas of cut faces need
// more of them than volumes. In the plane a face is one line.
constexpr int sublines_of_face = 16;
constexpr int sublines_in_space = 4, sublines_in_plane = 16;
// The lines of a face lie this share of a cell beside it, on both sides: bodies may end at the face.
constexpr double beside_face = 1e-6;
constexpr std::size_t of_volume = 3;
// Shares below this one are rounding errors.
constexpr float least_share = 1e-6F;

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

  // Sums the closed shares of a row of faces across `normal` at index f, whose lines run along `along`. Lines lie on
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
    const int lines = block_.axes[other].degenerate() ? 1 : sublines_of_face;
    for (auto& row : rows_) row.resize(static_cast<std::size_t>(last - first));
    for (int s = 0; s < lines; ++s) {
      int least = last, most = first - 1;
      for (const std::size_t side : {0U, 1U}) {
        const bool exists =
            side == 0 ? f > (x.open(0) ? 0 : cells_.box().first[normal]) : f < cells_.box().last[normal];
        if (!exists) continue;
        const int behind = side == 0 ? f - 1 : f;
        Point origin{};
        origin[normal] = x.point_in_cell(behind, side == 0 ? 1 - beside_face : beside_face);
        if (!block_.axes[other].degenerate())
          origin[other] = block_.axes[other].point_in_cell(other_cell, (s + 0.5) / lines);
        close(
            along, origin,
            [&](int c) {
              const auto [i, j, k] = cell(behind, c);
              return cells_.insulates(cells_.below(i, j, k));
            },
            [&](int c, double share) {
              rows_[side][static_cast<std::size_t>(c - first)] += static_cast<float>(share);
              least = std::min(least, c);
              most = std::max(most, c);
            });
      }
      for (int c = least; c <= most; ++c) {
        float &lower = rows_[0][static_cast<std::size_t>(c - first)],
              &upper = rows_[1][static_cast<std::size_t>(c - first)];
        closed_[normal][place(c)] += std::max(lower, upper) / static_cast<float>(lines);
        lower = upper = 0;
      }
    }
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
  std::vector<Bodies::Piece> pieces_;
};

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
}

const MediaOpenings::Cut* MediaOpenings::find(int i, int j, int k) const {
  const std::vector<Cut>& cuts = line(j, k);
  const auto found = std::ranges::lower_bound(cuts, i, {}, &Cut::i);
  return found != cuts.end() && found->i == i ? &*found : nullptr;
}

}  // namespace poisson
