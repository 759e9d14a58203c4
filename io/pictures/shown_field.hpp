#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "backends/processes.hpp"
#include "io/files/output.hpp"

namespace poisson {

/// A section of the grid at a right angle to an axis: the axes it shows, and where it lies.
struct Section {
  int across = 0, up = 1, normal = 2;
  double position = 0;        ///< on the normal axis
  int width = 0, height = 0;  ///< in pixels
};

/// The three mid-planes; in two dimensions the plane. Not yet with their pixels.
std::vector<Section> mid_planes(const OutputGrid& grid);

/// Where a coordinate lies among the places of an axis: between two nodes, or in a cell; on a face, between two cells.
struct Place {
  std::int64_t lower = 0, upper = 0;
  double weight = 0;  ///< of the upper one
};
Place locate(const std::vector<double>& nodes, Location location, double x);

/// What a picture needs of a field: one number for each place (the value, or the magnitude of a vector) on the layers
/// next to its sections, and the range of all values. Of u in cells the sections are stored at the nodes and half-way
/// between them instead, which lets lines and shades cross the cells. Nothing else of the field is stored.
class ShownField {
 public:
  ShownField(const OutputGrid& grid, FieldHead head);

  /// The next values of this process, as FieldFile has them: whole lines. Values after the last place are ignored.
  void add(std::span<const double> values);
  /// Gathers the sections of all processes in the first one. Collective.
  void collect(const Processes& processes);

  std::string name() const { return head_.components == 1 ? head_.name : "|" + head_.name + "|"; }
  /// Whether values vary between places, or from pixel to pixel; else one for each cell is seen.
  bool smooth() const { return refined() || fine_ || head_.location == Location::node; }
  /// Where a coordinate lies among the stored values along an axis.
  Place locate_along(int axis, double x) const;
  /// Where a section lies between its layers.
  Place depth(std::size_t section) const { return refined() ? Place{} : depths_[section]; }
  /// Of a section, on its lower or upper layer.
  double at(std::size_t section, bool deeper, std::int64_t across, std::int64_t up) const {
    const Layer& layer = layers_[refined() ? section : 2 * section + (deeper ? 1 : 0)];
    return layer.values[static_cast<std::size_t>(up * shape_[static_cast<std::size_t>(layer.across)] + across)];
  }

  double lower = std::numeric_limits<double>::infinity(), upper = -lower;
  bool complete = true;  ///< every value is finite
  bool any() const { return upper >= lower; }
  bool constant() const;
  /// Of the range.
  double share(double value) const { return constant() ? 0.5 : (value / 2 - lower / 2) / (upper / 2 - lower / 2); }

 private:
  struct Layer {
    int across, up, normal;
    double position;
    std::int64_t number;  // on the normal axis
    std::vector<double> values;
  };
  bool refined() const { return static_cast<bool>(head_.on_plane); }
  /// Extends the range by a value.
  void count(double value);
  /// f(value) for the places of the layers in a box, always in one order.
  template <class F>
  void for_each_shown(const Box& box, const F& f);

  FieldHead head_;
  bool fine_ = false;                         // u in cells about as small as pixels
  std::vector<Place> depths_;                 // of the sections
  std::array<std::vector<double>, 3> lines_;  // coordinates: of nodes, of centres where cells are fine, of both where
                                              // sections are refined
  std::array<std::int64_t, 3> shape_;         // values along each axis
  Box places_;                                // of this process
  std::vector<Layer> layers_;
  int done_ = 0;  // lines
};

/// Draws it: of the first process, which has all of it.
std::filesystem::path write_png(const std::filesystem::path& directory, const OutputGrid&, const ShownField&,
                                const OutputNote&);

}  // namespace poisson
