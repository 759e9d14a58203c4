#include "io/pictures/flow_sections.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace poisson {

FlowSections::FlowSections(const OutputGrid& grid)
    : dimension_(grid.dimension),
      part_(grid.places(Location::cell)),
      nodes_{grid.nodes},
      shape_{grid.shape(Location::cell)} {
  const std::vector<Section> sections = shown_planes(grid);
  for (std::size_t number = 0; number < sections.size(); ++number) {
    const Section& s = sections[number];
    const Place depth = locate(grid.nodes[static_cast<std::size_t>(s.normal)], Location::cell, s.position);
    const auto values = static_cast<std::size_t>(2 * shape_[s.across] * shape_[s.up]);
    layers_.push_back({s, number, depth.lower, std::vector<double>(values)});
    if (depth.upper != depth.lower) layers_.push_back({s, number, depth.upper, std::vector<double>(values)});
  }
}

/// Calls f(layer, index in its values, cell) for the cells of a box in the layers.
template <class F>
void FlowSections::for_each_cell(const Box& box, const F& f) {
  for (Layer& layer : layers_) {
    const auto a = static_cast<std::size_t>(layer.section.across), u = static_cast<std::size_t>(layer.section.up),
               n = static_cast<std::size_t>(layer.section.normal);
    if (layer.normal < box.first[n] || layer.normal >= box.last[n]) continue;
    std::array<int, 3> cell{};
    cell[n] = static_cast<int>(layer.normal);
    for (cell[u] = box.first[u]; cell[u] < box.last[u]; ++cell[u])
      for (cell[a] = box.first[a]; cell[a] < box.last[a]; ++cell[a])
        f(layer, static_cast<std::size_t>(2 * (cell[u] * shape_[a] + cell[a])), cell);
  }
}

void FlowSections::add_plane(int k, const std::vector<double>& values) {
  Box plane = part_;
  plane.first[2] = part_.first[2] + k;
  plane.last[2] = plane.first[2] + 1;
  const int nx = part_.last[0] - part_.first[0];
  for_each_cell(plane, [&](Layer& layer, std::size_t to, const std::array<int, 3>& cell) {
    const auto from = static_cast<std::size_t>(
        ((cell[1] - part_.first[1]) * static_cast<std::int64_t>(nx) + cell[0] - part_.first[0]) * dimension_);
    layer.values[to] = values[from + static_cast<std::size_t>(layer.section.across)];
    layer.values[to + 1] = values[from + static_cast<std::size_t>(layer.section.up)];
  });
}

void FlowSections::collect(const CellVectors& flux, const Processes& processes) {
  together(processes, [&] {
    const auto per_plane = static_cast<std::size_t>(part_.last[0] - part_.first[0]) *
                           static_cast<std::size_t>(part_.last[1] - part_.first[1]);
    std::vector<double> values(per_plane * static_cast<std::size_t>(dimension_));
    for (int k = 0; k < part_.last[2] - part_.first[2]; ++k) {
      const bool needed = std::ranges::any_of(
          layers_, [&](const Layer& layer) { return layer.section.normal != 2 || layer.normal == part_.first[2] + k; });
      if (!needed) continue;
      flux(k, k + 1, values);
      add_plane(k, values);
    }
  });
  if (!processes.alone()) {
    const std::vector<Box> boxes = processes.gather(part_);
    std::vector<std::vector<double>> parts(boxes.size());
    std::vector<Processes::Message> sent, received;
    for (int p = 1; p < processes.count(); ++p) {
      if (!processes.first() && p != processes.rank()) continue;
      std::vector<double>& part = parts[static_cast<std::size_t>(p)];
      for_each_cell(boxes[static_cast<std::size_t>(p)], [&](Layer& layer, std::size_t at, const auto&) {
        part.insert(part.end(), {layer.values[at], layer.values[at + 1]});
      });
      if (part.empty()) continue;
      (processes.first() ? received : sent)
          .push_back({processes.first() ? p : 0, 0, part.data(), part.size() * sizeof(double)});
    }
    processes.start(sent, received)->finish();
    for (const Processes::Message& m : received) {
      auto value = parts[static_cast<std::size_t>(m.partner)].begin();
      for_each_cell(boxes[static_cast<std::size_t>(m.partner)], [&](Layer& layer, std::size_t at, const auto&) {
        layer.values[at] = *value++;
        layer.values[at + 1] = *value++;
      });
    }
  }
  join_layers();
}

void FlowSections::join_layers() {
  std::vector<Layer> joined;
  for (Layer& layer : layers_) {
    if (joined.empty() || joined.back().number != layer.number) {
      joined.push_back(std::move(layer));
      continue;
    }
    std::vector<double>& values = joined.back().values;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::isfinite(values[i]) && std::isfinite(layer.values[i]))
        values[i] = 0.5 * (values[i] + layer.values[i]);
      else if (!std::isfinite(values[i]))
        values[i] = layer.values[i];
  }
  layers_ = std::move(joined);
}

FlowSections::Neighbours FlowSections::neighbours(int axis, double x) const {
  const std::vector<double>& nodes = nodes_[axis];
  const auto centre = [&](std::int64_t cell) {
    const auto i = static_cast<std::size_t>(cell);
    return 0.5 * (nodes[i] + nodes[i + 1]);
  };
  const std::int64_t own = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, x) - nodes.begin() - 1;
  const std::int64_t other = std::clamp<std::int64_t>(own + (x < centre(own) ? -1 : 1), 0, std::ssize(nodes) - 2);
  if (other == own) return {{own, own}, 0};
  return {{own, other}, std::clamp((x - centre(own)) / (centre(other) - centre(own)), 0.0, 1.0)};
}

std::optional<std::array<double, 2>> FlowSections::at(std::size_t section, double across, double up) const {
  const Layer& layer = layers_[section];
  const Neighbours columns = neighbours(layer.section.across, across), rows = neighbours(layer.section.up, up);
  const std::int64_t width = shape_[layer.section.across];
  std::array<double, 2> sum{};
  double weights = 0;
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t c = 0; c < 2; ++c) {
      const double weight = (r == 0 ? 1 - rows.weight : rows.weight) * (c == 0 ? 1 - columns.weight : columns.weight);
      const double* value = &layer.values[static_cast<std::size_t>(2 * (rows.cells[r] * width + columns.cells[c]))];
      const bool finite = std::isfinite(value[0]) && std::isfinite(value[1]);
      if (r == 0 && c == 0 && !finite) return {};
      if (!finite) continue;
      sum[0] += weight * value[0];
      sum[1] += weight * value[1];
      weights += weight;
    }
  if (!(weights > 0)) return {};
  return std::array{sum[0] / weights, sum[1] / weights};
}

double FlowSections::largest() const {
  double most = 0;
  for (const Layer& layer : layers_)
    for (std::size_t i = 0; i + 1 < layer.values.size(); i += 2)
      if (const double size = std::hypot(layer.values[i], layer.values[i + 1]); std::isfinite(size))
        most = std::max(most, size);
  return most;
}

}  // namespace poisson
