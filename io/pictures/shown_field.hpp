#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "backends/memory/per_axis.hpp"
#include "backends/processes/processes.hpp"
#include "io/files/output.hpp"

namespace poisson {

/// A section is a plane of the grid perpendicular to an axis, with the axes that it shows and its position.
struct Section {
  int across = 0, up = 1, normal = 2;
  double position = 0;        ///< normal coordinate
  int width = 0, height = 0;  ///< in pixels
};

/// Returns the planes of OutputGrid::planes or the three mid-planes, or the plane in two dimensions. Their sizes in
/// pixels are not set.
std::vector<Section> shown_planes(const OutputGrid& grid);

/// Describes the position of a coordinate on an axis: between two nodes, in a cell, or, on a face, between two cells.
struct Place {
  std::int64_t lower = 0, upper = 0;
  double weight = 0;  ///< weight of `upper`
};
Place locate(const std::vector<double>& nodes, Location location, double x);

/// Stores the data that a picture needs from a field: the range of all values, and the layers next to its sections with
/// one number for each place. The number is the value or the magnitude of a vector.
/// For cell-centred u, it stores the sections themselves at the nodes and half-way between them, so that isolines and
/// shades can cross cells. Nothing else of the field is stored.
class ShownField {
 public:
  ShownField(const OutputGrid& grid, FieldHead head);

  /// Adds the next values of this process in the order of FieldFile, as complete lines. Ignores values after the last
  /// one.
  void add(std::span<const double> values);
  /// Gathers the sections of all processes on the first one. Collective.
  void collect(const Processes& processes);

  std::string name() const {
    if (!head_.title.empty()) return head_.title;
    return head_.components == 1 ? head_.name : "|" + head_.name + "|";
  }
  /// Replaces the range of the values by that of a scale. If the range is not positive, a logarithmic scale shows the
  /// three decades below its upper end; without positive values it is linear. Call it after collect.
  void use(const ColourScale& scale);
  /// Returns true if values vary between places or from pixel to pixel; otherwise each cell has one visible value.
  bool smooth() const { return refined() || fine_ || head_.location == Location::node; }
  /// Returns the position of a coordinate among the stored values of an axis.
  Place locate_along(int axis, double x) const;
  /// Returns the position of a section between its layers.
  Place depth(std::size_t section) const { return refined() ? Place{} : depths_[section]; }
  /// Returns a value of a section on its lower or upper layer.
  double at(std::size_t section, bool deeper, std::int64_t across, std::int64_t up) const {
    const Layer& layer = layers_[refined() ? section : 2 * section + (deeper ? 1 : 0)];
    return layer.values[static_cast<std::size_t>(up * shape_[static_cast<std::size_t>(layer.across)] + across)];
  }

  double lower = std::numeric_limits<double>::infinity(), upper = -lower;
  bool complete = true;  ///< every value is finite
  bool any() const { return upper >= lower; }
  bool constant() const;
  /// Returns the position of a value in the range, from 0 to 1.
  double share(double value) const {
    if (constant()) return 0.5;
    if (logarithmic_) return value > 0 ? std::log(value / lower) / std::log(upper / lower) : 0;
    return (value / 2 - lower / 2) / (upper / 2 - lower / 2);
  }
  bool logarithmic() const { return logarithmic_; }

 private:
  struct Layer {
    int across, up, normal;
    double position;
    std::int64_t number;  // index on the normal axis
    std::vector<double> values;
  };
  bool refined() const { return static_cast<bool>(head_.on_plane); }
  /// Extends the range to include a value.
  void count(double value);
  /// Calls f(value) for the layers' places in a box, always in the same order.
  template <class F>
  void for_each_shown(const Box& box, const F& f);

  FieldHead head_;
  bool logarithmic_ = false;
  bool fine_ = false;                   // cells are about as small as pixels
  std::vector<Place> depths_;           // for each section
  PerAxis<std::vector<double>> lines_;  // coordinates: nodes, centres (fine cells) or both (refined)
  PerAxis<std::int64_t> shape_;         // values per axis
  Box places_;                          // this process's places
  std::vector<Layer> layers_;
  int done_ = 0;  // finished lines
};

}  // namespace poisson
