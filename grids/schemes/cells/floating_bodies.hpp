#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "grids/sampling/media_cells.hpp"
#include "grids/sampling/sampler.hpp"

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
  int at(const std::array<int, 3>& cell) const { return numbers_[cells_index(cell)]; }
  /// Returns how many periods of each axis lie between the first cell of the body and a stored cell, along the body.
  const std::array<std::int8_t, 3>& periods(const std::array<int, 3>& cell) const {
    return periods_[cells_index(cell)];
  }
  /// Returns the body for a coupling of a cell to a region at its face: that of the cell beside, or else one of the
  /// region. Returns −1 if no cell belongs to the region.
  int beside(const MediaCells& cells, const std::array<int, 3>& cell, int axis, int side, RegionNumber region) const;
  /// Adds a body without cells for each of these regions. Collective.
  void add_thin(const Processes& processes, const std::vector<char>& regions);

 private:
  std::size_t cells_index(const std::array<int, 3>& c) const {
    return (static_cast<std::size_t>(c[2] - box_.first[2]) * n_[1] + static_cast<std::size_t>(c[1] - box_.first[1])) *
               n_[0] +
           static_cast<std::size_t>(c[0] - box_.first[0]);
  }
  void label(const MediaCells& cells);
  void join(const MediaCells& cells, Backend& backend, Sampler& sampler, const Functionals& functionals);
  std::vector<std::size_t> number(const Processes& processes, std::vector<std::size_t>& parent,
                                  const std::vector<std::int64_t>& firsts, std::size_t offset);
  void fill_neighbours(const Box& own, const std::vector<double>& around, const std::vector<std::size_t>& body_of);

  Box box_;
  std::array<std::size_t, 3> n_{};
  std::vector<int> numbers_;  ///< of the stored cells
  std::vector<std::array<std::int8_t, 3>> periods_;
  std::vector<FloatingBody> local_, bodies_;
  std::vector<std::int64_t> first_;  ///< global number of the first cell of each local part
};

/// Returns media in which floating materials conduct `strong` times as well as the best conductor, and have their
/// charges as powers. `count` is the number of bodies of each region.
std::shared_ptr<const Media> with_strong_conductors(const Media& media, const std::vector<std::size_t>& count);

/// Returns whether the floating bodies of media must be strong conductors: there are too many, or voxels float.
bool needs_strong_conductors(const Media& media, const FloatingBodies& floating);

/// κ of bodies that replace floating ones, relative to the largest one of the materials that conduct.
inline constexpr double strong_kappa = 1e8;
/// Bodies up to this number are exact.
inline constexpr std::size_t most_exact_bodies = 32;

}  // namespace poisson
