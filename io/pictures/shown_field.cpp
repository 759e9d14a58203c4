#include "io/pictures/shown_field.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace poisson {

std::vector<Section> shown_planes(const OutputGrid& grid) {
  if (grid.dimension == 2) return {{0, 1, 2, 0.0}};
  std::vector<Section> list;
  const auto add = [&](int normal, double position) {
    list.push_back({normal == 0 ? 1 : 0, normal == 2 ? 1 : 2, normal, position});
  };
  for (const PicturePlane& plane : grid.planes) add(plane.normal, plane.position);
  if (!list.empty()) return list;
  for (int normal = 0; normal < 3; ++normal) {
    const auto& nodes = grid.nodes[normal];
    add(normal, nodes.front() / 2 + nodes.back() / 2);
  }
  return list;
}

Place locate(const std::vector<double>& nodes, Location location, double x) {
  if (nodes.size() < 2) return {};
  const auto after = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, x);
  const std::int64_t cell = after - nodes.begin() - 1;
  if (location == Location::node) return {cell, cell + 1, (x - nodes[cell]) / (nodes[cell + 1] - nodes[cell])};
  const double tolerance = 1e-9 * (nodes[cell + 1] - nodes[cell]);
  if (cell > 0 && x - nodes[cell] < tolerance) return {cell - 1, cell, 0.5};
  if (cell + 2 < std::ssize(nodes) && nodes[cell + 1] - x < tolerance) return {cell, cell + 1, 0.5};
  return {cell, cell, 0};
}

namespace {

std::vector<double> centres(const std::vector<double>& nodes) {
  std::vector<double> lines;
  for (std::size_t i = 1; i < nodes.size(); ++i) lines.push_back(nodes[i - 1] / 2 + nodes[i] / 2);
  return lines;
}

std::vector<double> with_centres(const std::vector<double>& nodes) {
  std::vector<double> lines = centres(nodes);
  lines.insert(lines.end(), nodes.begin(), nodes.end());
  std::ranges::sort(lines);
  return lines;
}

// Sections with at most this many cells are refined. In larger sections cells are about as small as pixels, so u is
// interpolated between their centres, which is cheaper.
constexpr std::int64_t most_refined = 400'000;

}  // namespace

ShownField::ShownField(const OutputGrid& grid, FieldHead head)
    : head_(std::move(head)),
      lines_{grid.nodes},
      shape_{grid.shape(head_.location)},
      places_(grid.places(head_.location)) {
  const auto sections = shown_planes(grid);
  const auto along = [&](int axis) { return shape_[axis]; };
  if (std::ranges::any_of(sections, [&](const Section& s) { return along(s.across) * along(s.up) > most_refined; })) {
    fine_ = refined();
    head_.on_plane = nullptr;
  }
  if (fine_)
    for (int d = 0; d < grid.dimension; ++d) lines_[d] = centres(grid.nodes[d]);
  if (refined())
    for (std::size_t d = 0; d < 3; ++d) {
      lines_[d] = with_centres(grid.nodes[d]);
      shape_[d] = std::ssize(lines_[d]);
    }
  for (const Section& s : sections) {
    const auto values = static_cast<std::size_t>(shape_[s.across] * shape_[s.up]);
    const Place depth = locate(grid.nodes[s.normal], refined() ? Location::node : head_.location, s.position);
    depths_.push_back(depth);
    layers_.push_back({s.across, s.up, s.normal, s.position, depth.lower, std::vector<double>(values)});
    if (!refined()) layers_.push_back({s.across, s.up, s.normal, s.position, depth.upper, std::vector<double>(values)});
  }
}

void ShownField::use(const ColourScale& scale) {
  if (scale.range && any()) {
    lower = (*scale.range)[0];
    upper = (*scale.range)[1];
  }
  if (!scale.logarithmic || !any() || !(upper > 0) || constant()) return;
  constexpr double decades = 1e-3;
  if (!(lower > 0)) lower = decades * upper;
  logarithmic_ = true;
}

Place ShownField::locate_along(int axis, double x) const {
  const auto& lines = lines_[axis];
  if (fine_) return locate(lines, Location::node, std::clamp(x, lines.front(), lines.back()));
  return locate(lines, refined() ? Location::node : head_.location, x);
}

void ShownField::count(double value) {
  complete = complete && std::isfinite(value);
  if (!std::isfinite(value)) return;
  lower = std::min(lower, value);
  upper = std::max(upper, value);
}

bool ShownField::constant() const {
  return !(upper / 2 - lower / 2 > 0.5e-9 * std::max(std::abs(lower), std::abs(upper)));
}

// Values arrive in complete lines.
void ShownField::add(std::span<const double> values) {
  const auto components = static_cast<std::size_t>(head_.components);
  const std::array<int, 3>&first = places_.first, &last = places_.last;
  const auto n = static_cast<std::size_t>(last[0] - first[0]);
  const int rows = last[1] - first[1], all = rows * (last[2] - first[2]);
  std::vector<double> line(n);
  for (; values.size() >= n * components && done_ < all; values = values.subspan(n * components), ++done_) {
    for (std::size_t i = 0; i < n; ++i) {
      double value = values[i * components];
      for (std::size_t c = 1; c < components; ++c) value = std::hypot(value, values[i * components + c]);
      line[i] = value;
      count(value);
    }
    if (refined()) continue;
    const std::array<int, 3> at{first[0], first[1] + done_ % rows, first[2] + done_ / rows};
    for (Layer& layer : layers_) {
      const auto u = static_cast<std::size_t>(layer.up), d = static_cast<std::size_t>(layer.normal);
      const auto place = layer.values.begin() + at[u] * shape_[layer.across];
      if (d == 0 && layer.number >= first[0] && layer.number < last[0])
        place[at[1]] = line[static_cast<std::size_t>(layer.number - first[0])];
      else if (d > 0 && at[d] == layer.number)
        std::ranges::copy(line, place + first[0]);
    }
  }
}

template <class F>
void ShownField::for_each_shown(const Box& box, const F& f) {
  for (Layer& layer : layers_) {
    const auto a = static_cast<std::size_t>(layer.across), u = static_cast<std::size_t>(layer.up),
               n = static_cast<std::size_t>(layer.normal);
    if (layer.number < box.first[n] || layer.number >= box.last[n]) continue;
    // A refined layer has the nodes and the centres of its cells; any other has the values themselves.
    const std::int64_t fine = refined() ? 2 : 1, more = refined() ? 1 : 0;
    for (std::int64_t up = fine * box.first[u]; up < fine * box.last[u] + more; ++up)
      for (std::int64_t across = fine * box.first[a]; across < fine * box.last[a] + more; ++across)
        f(layer.values[static_cast<std::size_t>(up * shape_[a] + across)]);
  }
}

void ShownField::collect(const Processes& processes) {
  if (refined())
    together(processes, [&] {
      std::vector<double> own;
      for (const Layer& layer : layers_)
        std::ranges::copy(head_.on_plane(layer.normal, layer.position), std::back_inserter(own));
      auto value = own.begin();
      for_each_shown(places_, [&](double& shown) { count(shown = *value++); });
    });
  if (processes.alone()) return;
  lower = processes.least(lower);
  upper = processes.largest(upper);
  complete = !processes.any(!complete);
  const std::vector<Box> boxes = processes.gather(places_);
  std::vector<std::vector<double>> parts(boxes.size());
  std::vector<Processes::Message> sent, received;
  const auto part_of = [&](int p) -> std::vector<double>& { return parts[static_cast<std::size_t>(p)]; };
  const auto message = [&](int partner, std::vector<double>& part) {
    return Processes::Message{partner, 0, part.data(), part.size() * sizeof(double)};
  };
  if (!processes.first()) {
    std::vector<double>& own = part_of(processes.rank());
    for_each_shown(places_, [&](double value) { own.push_back(value); });
    if (!own.empty()) sent.push_back(message(0, own));
  } else {
    for (int p = 1; p < processes.count(); ++p) {
      std::size_t size = 0;
      for_each_shown(boxes[static_cast<std::size_t>(p)], [&](double) { ++size; });
      part_of(p).resize(size);
      if (size > 0) received.push_back(message(p, part_of(p)));
    }
  }
  processes.start(sent, received)->finish();
  for (const Processes::Message& m : received) {
    auto value = part_of(m.partner).begin();
    for_each_shown(boxes[static_cast<std::size_t>(m.partner)], [&](double& shown) { shown = *value++; });
  }
}

}  // namespace poisson
