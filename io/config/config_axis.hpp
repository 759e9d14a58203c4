#pragma once

#include <cstddef>

#include "io/config/config_parts.hpp"

namespace poisson {

/// Contains the values of the keys that describe the axes; null if they are wrong.
struct GridKeys {
  const Value *lower, *upper, *cells, *axes;

  const Value* axis(int d) const { return axes ? axes->find(axis_names[d]) : nullptr; }

  bool has_explicit_nodes(int d) const {
    const Value* spec = axis(d);
    return given(spec) && (spec->find("nodes") || spec->find("file") || spec->find("segments"));
  }

  /// Returns the entry of grid.cells for an axis; null if it is missing.
  const Value* cells_along(int d) const {
    const auto i = static_cast<std::size_t>(d);
    return given(cells) && i < cells->items.size() && given(&cells->items[i]) ? &cells->items[i] : nullptr;
  }

  bool is_layered(int d) const { return given(axis(d)) && axis(d)->find("segments"); }
};

/// Sets problem.nodes[d] from explicit nodes, layers, a stretching rule or the number of cells. `good` states whether
/// the grid's other keys are right. Returns false if they or the axis are wrong.
bool read_axis(ConfigParts& parts, const GridKeys& grid, int d, bool good);

}  // namespace poisson
