#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "backends/memory/unset_vector.hpp"
#include "grids/kernels/cell_codes.hpp"
#include "grids/kernels/functionals.hpp"
#include "grids/sampling/media_cells.hpp"
#include "grids/sampling/media_lines.hpp"
#include "grids/sampling/sampler.hpp"
#include "grids/schemes/cells/floating_bodies.hpp"

namespace poisson {

/// Says whether a cell belongs to the system, or why it left.
enum class CellState : std::uint8_t { solved, fixed, insulator, floating };

/// Is the system of the materials of a cell-centred problem: conductances on faces, cells that leave, couplings to
/// fixed bodies, and the volumes that receive sources. It belongs to this process's cells.
class MediaSystem {
 public:
  /// Exchanges the halo of a field between processes. Only called if several processes share the block.
  struct Tools {
    Backend& backend;
    Sampler& sampler;
    const Functionals& functionals;
  };
  /// Integrates along all lines and finds the cells without contact to a fixed value. Collective. Throws ValueError if
  /// no cell receives a power. `floating`: the floating bodies, or null if no material floats.
  MediaSystem(const Problem& problem, MediaCells cells, const Block& block, const Tools& tools,
              std::unique_ptr<FloatingBodies> floating);

  const MediaCells& cells() const { return cells_; }
  const Media& media() const { return *media_; }
  /// Replaces values of materials: fixed values, powers and sources. The regions and their kinds must stay.
  void set_media(std::shared_ptr<const Media> media);

  CellState state(int i, int j, int k) const {
    if (!states_.empty()) return states_[own(i, j, k)];
    return floats(own(i, j, k)) ? CellState::floating : state_of_region_[cells_.region(i, j, k)];
  }
  bool solved(int i, int j, int k) const { return state(i, j, k) == CellState::solved; }
  /// Returns whether some cell of the grid left the system.
  bool has_gaps() const { return gaps_; }
  /// Returns whether no value is fixed anywhere. If cells left the system, each part that stays has an anchor.
  bool singular() const { return singular_; }
  const std::vector<FixedLink>& links() const { return links_; }
  /// Returns the value of u in the body of a link. `rise`: u(x + L) − u(x) along periodic axes.
  double value_of(const FixedLink& link, const std::array<double, 3>& rise = {}) const;
  /// Returns the value of u in a cell whose state is fixed.
  double fixed_value(int i, int j, int k) const;
  /// Returns the floating bodies, or null if no material floats.
  const FloatingBodies* floating() const { return floating_.get(); }
  /// Returns the sum of the charges of a floating body's regions.
  double charge_of(const FloatingBody& body) const;
  /// Sets the values of the floating bodies, in their order.
  void set_floating(const std::vector<double>& values);
  /// Gives bodies at Dirichlet faces the value of these faces. Collective. Throws InputError if a body connects faces
  /// with different values, or both ends of a periodic axis along which u rises.
  void hold_bodies(const Problem& problem);
  /// Returns the share of a cell's volume outside insulators, with the slivers that joined the cell.
  double open_volume(int i, int j, int k) const {
    const double own = cells_.open_volume(i, j, k);
    const auto more = joined_.empty() ? joined_.end() : joined_.find(this->own(i, j, k));
    return more == joined_.end() ? own : own + more->second;
  }
  /// Returns κ on the face below cell (i, j, k) across an axis; index n is the last face.
  double face(std::size_t axis, int i, int j, int k) const {
    return codes_ ? face_of_voxels(axis, i, j, k) : faces_[axis][face_index(axis, i, j, k)];
  }
  /// Returns κ on the faces of a line along x across an axis, of a system without codes.
  std::span<const double> faces(std::size_t axis, int j, int k) const {
    return {&faces_[axis][face_index(axis, 0, j, k)], static_cast<std::size_t>(n_[0] + (axis == 0 ? 1 : 0))};
  }
  /// Returns the regions of the cells in the backend's memory, if the system follows from them and from one number for
  /// each region: the voxels of an image, or staircases without contacts and sheets. Otherwise returns null.
  const CellCodes* codes() const { return codes_.get(); }
  /// Returns a table for CellCodes::look_up, with f(region) for the cells of each region and `floating` for cells
  /// without contact to a fixed value.
  template <class F>
  std::vector<double> table(const F& f, double floating) const {
    std::vector<double> values;
    for (std::size_t r = 0; r < media_->regions.size(); ++r) values.push_back(f(static_cast<RegionNumber>(r)));
    values.push_back(floating);
    return values;
  }
  /// Returns whether conducting cells connect both ends of an axis, if that is known. Across a closed axis the faces
  /// between its last and its first cells are not crossed.
  const std::optional<bool>& percolates(std::size_t axis) const { return percolates_[axis]; }
  /// Returns κ over the half cell behind an open end, of the cells behind the face, x fastest; 0 in cells that left.
  const std::vector<double>& end_kappa(int axis, int end) const {
    return ends_[static_cast<std::size_t>(axis)][static_cast<std::size_t>(end)];
  }
  /// Returns the integrated volume of each region; over cells of the system if it has a source and surfaces are not
  /// sharp.
  const std::vector<double>& volumes() const { return volumes_; }
  /// Returns the number of cells of each state, and their volumes, over all processes.
  const std::array<std::int64_t, 4>& counts() const { return counts_; }
  const std::array<double, 4>& state_volumes() const { return state_volumes_; }

  /// Return the number of cells of each region, and of those in the system, over all processes.
  const std::vector<double>& cells_of_regions() const { return cells_of_regions_; }
  const std::vector<double>& solved_of_regions() const { return solved_of_regions_; }
  /// Returns the source of a region's material on this process, in W: exactly its power, over all processes.
  double power(RegionNumber region) const;
  /// Returns, for each region, its source in cells of other regions less the sources of others in its cells, on this
  /// process. Averaged surfaces share cells.
  std::vector<double> sources_elsewhere() const;
  /// Returns whether some cell of this process receives a source of its material.
  bool has_sources() const { return !shares_.empty(); }
  /// Returns the source of the materials in each cell, in W, x fastest.
  std::vector<double> sources() const;
  /// Returns Σ conductance and Σ conductance · value of the links of each cell, x fastest.
  struct Linked {
    std::vector<double> conductance, flow;
  };
  Linked linked() const;
  /// Returns the number of this process's cell (i, j, k), x fastest.
  std::size_t own(int i, int j, int k) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(n_[1]) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(n_[0]) +
           static_cast<std::size_t>(i);
  }
  /// Returns this process's anchors in local indices: one cell of each part of the grid whose values are free.
  const std::vector<std::array<int, 3>>& anchors() const { return anchors_; }

 private:
  struct Share {
    std::size_t cell;
    RegionNumber region;
    double volume;
  };
  double density(const Share& share) const;
  std::size_t face_index(std::size_t axis, int i, int j, int k) const;
  CellState state_of(RegionNumber region) const;
  void find_states();
  void integrate_faces(MediaShares& shares);
  void name_bodies_of_links();
  void find_volumes(const MediaShares& shares);
  void join_slivers();
  void scale_shares(const std::vector<MediaShares::Share>& line, std::vector<double>& scales) const;
  std::optional<std::array<int, 3>> largest_neighbour(const std::array<int, 3>& cell) const;
  void find_floating(const Problem& problem, const Tools& tools);
  void find_floating_of_several(const std::vector<std::array<int, 3>>& contacts, bool winding, const Tools& tools);
  std::int64_t largest_part(const JoinedParts& joined, const std::vector<std::int64_t>& sizes) const;
  std::size_t spread(std::vector<std::array<int, 3>>& front, std::vector<char>& reached, bool around,
                     std::vector<std::size_t>* cells = nullptr) const;
  bool driven_by_gradients(const Problem& problem) const;
  std::vector<std::array<int, 3>> contacts(const Problem& problem) const;
  void let_float(const std::vector<char>& reached);

  // These functions replace integrals along lines for voxels (media_voxels.cpp).
  bool are_voxels() const;
  bool floats(const std::array<int, 3>& cell) const;
  bool floats(std::size_t cell) const {
    return !floating_cells_.empty() && (floating_cells_[cell / 32] >> cell % 32 & 1U) != 0;
  }
  bool equal_voxels() const;
  void count_voxels();
  double face_of_voxels(std::size_t axis, int i, int j, int k) const;
  void link_voxels();
  void find_volumes_of_voxels();
  void set_ends_of_voxels(const Problem& problem, bool contacts);
  std::unique_ptr<CellCodes> make_codes(Backend& backend) const;
  void find_floating_voxels(const Problem& problem);
  bool parts_join_ends(std::size_t axis, std::vector<CellCodes::Cell>* joining = nullptr) const;
  void keep_parts(std::vector<CellCodes::Cell> kept, const std::vector<CellCodes::Cell>& winding);

  void count();
  void add_counts(const std::vector<std::int64_t>& of_region, const std::vector<std::int64_t>& solved);
  void check_sources() const;

  std::shared_ptr<const Media> media_;
  MediaCells cells_;
  Block block_;
  std::array<int, 3> n_{};
  std::vector<CellState> state_of_region_;
  UnsetVector<CellState> states_;              ///< empty if regions and floating cells give them
  std::vector<std::uint32_t> floating_cells_;  ///< bits of cells without contact; empty if there is none
  std::array<std::vector<double>, 3> faces_;
  std::array<std::array<std::vector<double>, 2>, 3> ends_;
  std::vector<FixedLink> links_;
  std::vector<Share> shares_;
  std::unordered_map<std::size_t, double> joined_;  ///< shares of slivers, relative to the cell that they joined
  std::vector<double> volumes_, receiving_, cells_of_regions_, solved_of_regions_;
  std::array<std::int64_t, 4> counts_{};
  std::array<double, 4> state_volumes_{};
  std::vector<std::array<int, 3>> anchors_;
  std::unique_ptr<CellCodes> codes_;
  std::unique_ptr<FloatingBodies> floating_;
  std::array<std::optional<bool>, 3> percolates_;
  bool gaps_ = false, singular_ = false;
};

/// Makes the system of a problem with media. Invalid values on any process make all processes throw ValueErrors. If the
/// problem has more floating bodies than are exact, or voxels float, its media become those with strong conductors.
std::shared_ptr<MediaSystem> make_media_system(Problem& problem, const Block& block, const MediaSystem::Tools& tools);

}  // namespace poisson
