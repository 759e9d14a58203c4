#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/memory/places.hpp"
#include "grids/sampling/media_cells.hpp"
#include "grids/sampling/sampler.hpp"
#include "grids/schemes/cells/body_copies.hpp"
#include "grids/schemes/cells/joined_parts.hpp"
#include "grids/schemes/cells/near_parts.hpp"

namespace poisson {

class Functionals;

/// Is a connected set of cells of floating materials. It has one value, which follows from its charge.
struct FloatingBody {
  std::vector<RegionNumber> regions;  ///< in ascending order
  std::int64_t cells = 0;             ///< of all processes
  double value = 0;                   ///< of u
  bool held = false;                  ///< a Dirichlet face touches the body and gives its value
  std::array<bool, 3> winds{};        ///< the body connects both ends of a periodic axis
};

/// Finds the connected floating bodies of a grid, across cuts and periodic faces.
class FloatingBodies {
 public:
  /// Collective.
  FloatingBodies(const MediaCells& cells, Backend& backend, Sampler& sampler, const Functionals& functionals);

  /// Returns whether some material floats.
  static bool any(const Media& media);
  const std::vector<FloatingBody>& all() const { return bodies_; }
  std::vector<FloatingBody>& all() { return bodies_; }
  /// Returns the number of the body of a stored cell, or −1.
  int at(const std::array<int, 3>& cell) const {
    const int part = parts_[cells_index(cell)];
    return part < 0 ? -1 : places_[static_cast<std::size_t>(part)].body;
  }
  /// Returns how many periods of each axis lie between the first cell of the body and a stored cell of it, along the
  /// body.
  const std::array<std::int8_t, 3>& periods(const std::array<int, 3>& cell) const {
    return places_[static_cast<std::size_t>(parts_[cells_index(cell)])].periods;
  }
  /// Is a body beside a face, and the number of periods of each axis from its first cell to its place there.
  struct Beside {
    int body = -1;
    std::array<std::int8_t, 3> periods{};
  };
  /// Returns the body for a coupling of a cell to a region at its face: that of the cell beside, or else of the nearest
  /// cell of the same copy, or else one of the copy. Returns no body if no cell belongs to the copy, and sets `thin` to
  /// it. A region that does not consist of separate copies is one copy.
  Beside beside(const MediaCells& cells, const std::array<int, 3>& cell, int axis, int side, RegionNumber region,
                BodyCopies::Copy& thin) const;
  /// Adds a body without cells for each of these copies. Collective.
  void add_thin(const Processes& processes, const std::vector<BodyCopies::Copy>& copies);
  /// Adds to count[r] the copies of each region r in the grid that contain no centre of a cell. Returns their number.
  std::size_t count_thin(std::vector<std::size_t>& count) const;

 private:
  std::size_t cells_index(const std::array<int, 3>& c) const { return number_in(box_, c); }
  /// Is a part of this process's cells before parts are joined.
  struct Part {
    std::array<int, 3> first{};
    std::int64_t cells = 0;
    std::vector<PartOfRegion> regions;
    std::vector<BodyCopies::Place> copies;  ///< of regions that consist of several
  };
  std::vector<Part> find_parts(const MediaCells& cells, Backend& backend, std::vector<int>& labels) const;
  void number(const Processes& processes, const std::vector<Part>& parts, const JoinedParts& joined);
  void store_parts(const Box& own, const std::vector<int>& labels, const JoinedParts& joined);
  int body_from(std::int64_t first) const;
  std::optional<std::array<int, 3>> nearest_of(const MediaCells& cells, const std::array<int, 3>& cell,
                                               const BodyCopies::Copy& copy, int reach) const;
  std::optional<std::array<int, 3>> joined_to(const MediaCells& cells, const std::array<int, 3>& cell,
                                              const Point& behind, RegionNumber region) const;
  Beside seen_at(const Block& block, const std::array<int, 3>& cell) const;

  /// Contains the body of a part, and the periods between both.
  struct Place {
    int body;
    std::array<std::int8_t, 3> periods{};
  };
  Box box_;
  std::vector<int> parts_;  ///< of the stored cells; −1: none
  std::vector<Place> places_;
  std::vector<FloatingBody> bodies_;
  std::vector<std::int64_t> first_;  ///< global numbers of the first cells of the bodies, in ascending order
  BodyCopies copies_;
  std::map<BodyCopies::Copy, Beside> of_copies_;  ///< the bodies of separate copies, and the periods to image 0
};

/// Returns media in which floating materials conduct `strong` times as well as the best conductor, and have their
/// charges as powers. `count` is the number of bodies of each region.
std::shared_ptr<const Media> with_strong_conductors(const Media& media, const std::vector<std::size_t>& count);

/// Returns whether a number of floating bodies must be strong conductors: there are too many, or voxels float.
bool needs_strong_conductors(const Media& media, std::size_t bodies);

/// κ of bodies that replace floating ones, relative to the largest one of the materials that conduct.
inline constexpr double strong_kappa = 1e8;
/// Bodies up to this number are exact.
inline constexpr std::size_t most_exact_bodies = 32;

}  // namespace poisson
