#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "backends/memory/unset_vector.hpp"
#include "grids/axes/block.hpp"
#include "grids/problem/label_bytes.hpp"
#include "grids/problem/problem.hpp"
#include "grids/problem/shapes.hpp"
#include "grids/sampling/media_openings.hpp"

namespace poisson {

/// Contains the regions of this process's cells, and κ in them. Cells next to cuts and beyond periodic ends are
/// included: one layer, whose regions follow from the geometry without messages. With sharp surfaces, a cell whose
/// centre lies in an insulator has the conducting region that fills most of it, unless that is a sliver.
class MediaCells {
 public:
  /// Finds the regions and evaluates κ. Throws ValueError if κ of a material is not positive.
  MediaCells(const Problem& problem, const Block& block);
  /// Finds the regions of the cells of a box, which may include cells beyond cuts and periodic ends.
  MediaCells(const Problem& problem, const Block& block, const Box& box);

  const Media& media() const { return *media_; }
  const std::shared_ptr<const Media>& shared() const { return media_; }
  const Block& block() const { return block_; }
  /// Returns the cells that are stored, in local indices.
  const Box& box() const { return box_; }
  bool stores(const std::array<int, 3>& cell) const;
  std::size_t index(int i, int j, int k) const {
    return (static_cast<std::size_t>(k - box_.first[2]) * ny_ + static_cast<std::size_t>(j - box_.first[1])) * nx_ +
           static_cast<std::size_t>(i - box_.first[0]);
  }
  RegionNumber region(int i, int j, int k) const {
    return labels_ ? labels_->region[byte(i, j, k)] : regions_[index(i, j, k)];
  }
  /// Returns the bytes from which regions follow, for cells of the box; null if regions are stored.
  const LabelBytes* labels() const { return labels_ ? &*labels_ : nullptr; }
  /// Returns the regions of all cells, x fastest, if they are stored.
  std::span<const RegionNumber> regions() const { return regions_; }
  /// Returns whether κ of all materials is given by numbers.
  bool kappa_is_constant() const;
  /// Returns the region below the bodies.
  RegionNumber below(int i, int j, int k) const { return below_.empty() ? RegionNumber{0} : below_[index(i, j, k)]; }
  /// Returns κ of a region along an axis, at the centre of a cell. The region conducts.
  double kappa(RegionNumber region, std::size_t axis, int i, int j, int k) const;
  /// Returns the volume of a cell of this process.
  double volume(int i, int j, int k) const {
    return widths_[0][static_cast<std::size_t>(i)] * widths_[1][static_cast<std::size_t>(j)] *
           widths_[2][static_cast<std::size_t>(k)];
  }
  /// Returns the centre of a cell; beyond periodic ends that of the cell on the other side.
  Point centre(int i, int j, int k) const;
  bool conducts(RegionNumber region) const { return conducts_[region]; }
  /// Returns whether a region has one value, given or unknown.
  bool fixed(RegionNumber region) const { return fixed_[region]; }
  bool insulates(RegionNumber region) const { return !conducts_[region] && !fixed_[region]; }
  /// Returns whether ∇·(κ∇u) = 0 in a region: it conducts without a source and without a reaction.
  bool is_harmonic(RegionNumber region) const { return conducts_[region] == harmonic; }
  /// Returns whether surfaces of bodies are sharp.
  bool sharp() const { return sharp_; }
  /// Returns whether insulators cut cells.
  bool cut() const { return openings_ != nullptr; }
  /// Returns whether an insulator cuts a cell, or a face below it.
  bool is_cut(const std::array<int, 3>& cell) const { return openings_ && openings_->find(cell[0], cell[1], cell[2]); }
  /// Returns the share of the face below a cell across an axis that insulators leave open; 1 unless surfaces are sharp.
  double open_face(std::size_t axis, int i, int j, int k) const;
  double open_face(std::size_t axis, int i, int j, int k, const MediaOpenings& openings) const;
  /// Returns the share of a cell's volume outside insulators; 1 unless surfaces are sharp.
  double open_volume(int i, int j, int k) const;
  /// Returns whether regions below the bodies differ.
  bool varies_below() const { return !below_.empty(); }
  /// Returns a line along an axis through a point, from end to end of the grid.
  Ray ray(std::size_t axis, const Point& through) const;
  bool leaves(int i, int j, int k) const { return !conducts_[region(i, j, k)]; }

 private:
  static constexpr char harmonic = 2;
  std::uint8_t byte(int i, int j, int k) const {
    const auto along = [&](std::size_t d, int at) {
      return labels_->offset[d][static_cast<std::size_t>(at - box_.first[d])];
    };
    return labels_->first[along(0, i) + along(1, j) + along(2, k)];
  }
  bool find_labels(const std::array<std::vector<double>, 3>& nodes);
  void find_regions(const std::array<std::vector<double>, 3>& nodes);
  void check_kappa() const;
  void open_cells();
  bool shut(int i, int j, int k) const {
    return insulates(region(i, j, k)) || (!slivers_.empty() && slivers_.contains(index(i, j, k)));
  }
  /// Contains regions, with the lengths of lines in them.
  using Rest = std::vector<std::pair<RegionNumber, double>>;
  double rest_along(std::size_t axis, const std::array<int, 3>& cell, int count, Rest& rest) const;
  std::optional<RegionNumber> region_of_rest(int i, int j, int k) const;
  std::optional<RegionNumber> region_of_rest(int i, int j, int k, int count, bool only) const;

  std::shared_ptr<const Media> media_;
  Block block_;
  Box box_;
  std::size_t nx_ = 0, ny_ = 0;
  std::optional<LabelBytes> labels_;  ///< replace regions_; offsets are those of the box
  UnsetVector<RegionNumber> regions_, below_;
  std::vector<std::array<double, 3>> kappa_;   ///< of each region; 0 if it is an expression
  std::vector<char> conducts_, fixed_;         ///< of regions; conducts_ is `harmonic` without sources and reactions
  std::array<std::vector<double>, 3> widths_;  ///< of the cells of the block
  std::array<double, 3> steps_{};              ///< resolution of rays
  bool sharp_ = false;
  std::unordered_set<std::size_t> slivers_;        ///< cells whose open rest is too small to have a share
  std::shared_ptr<const MediaOpenings> openings_;  ///< null: no surface of an insulator is sharp
};

}  // namespace poisson
