#include "io/config/given_array.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

// Returns the axis of the face that a quantity such as "boundary.x-.alpha" belongs to, or −1.
int face_axis_of(std::string_view name) {
  constexpr std::string_view prefix = "boundary.";
  if (!name.starts_with(prefix)) return -1;
  const auto face = std::ranges::find(face_names, name.substr(prefix.size(), 2));
  return face == face_names.end() ? -1 : static_cast<int>(face - face_names.begin()) / 2;
}

// Returns the shape of an array, x last, without the axes that the problem or the face lacks.
std::vector<std::int64_t> shape_of(const GridArray& array, std::size_t axes) {
  std::vector<std::int64_t> shape(array.shape.rend() - static_cast<std::ptrdiff_t>(axes), array.shape.rend());
  if (std::any_of(array.shape.begin() + static_cast<std::ptrdiff_t>(axes), array.shape.end(),
                  [](std::int64_t n) { return n != 1; }))
    shape.assign(array.shape.rbegin(), array.shape.rend());
  return shape;
}

// Is the place of a coordinate between the values of one axis.
struct Bracket {
  std::size_t below;
  double fraction;  ///< 0 to 1, towards the next value
};

// Points of nodes may be off by the rounding of coordinates and by the offsets into adjacent cells (sampling.cpp).
constexpr double near_node = 1e-7;

Bracket bracket_of(const std::vector<double>& nodes, Location location, double x) {
  const auto above = std::upper_bound(nodes.begin(), nodes.end(), x);
  const auto cell = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(above - nodes.begin() - 1, 0, static_cast<std::ptrdiff_t>(nodes.size()) - 2));
  if (location == Location::cell) return {cell, 0};
  const double fraction = std::clamp((x - nodes[cell]) / (nodes[cell + 1] - nodes[cell]), 0.0, 1.0);
  if (fraction < near_node) return {cell, 0};
  if (fraction > 1 - near_node) return {cell + 1, 0};
  return {cell, fraction};
}

// Returns the values of a face as a function of space: those of its cells, or multilinear between its nodes.
Quantity on_face(const std::shared_ptr<GridArray>& array, int face_axis, const Problem& problem) {
  std::array<std::size_t, 2> axes{};
  std::size_t count = 0;
  for (int d = 0; d < problem.dimension; ++d)
    if (d != face_axis) axes[count++] = static_cast<std::size_t>(d);
  std::array<std::vector<double>, 2> nodes;
  for (std::size_t a = 0; a < count; ++a) nodes[a] = problem.nodes[axes[a]];
  return Quantity::Function([array, axes, count, nodes](std::span<const double> x, std::span<const double> y,
                                                        std::span<const double> z, std::span<double> values) {
    const std::array points{x, y, z};
    const auto width = static_cast<std::size_t>(array->shape[0]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::array<Bracket, 2> at{};
      for (std::size_t a = 0; a < count; ++a) at[a] = bracket_of(nodes[a], array->location, points[axes[a]][i]);
      const auto along = [&](std::size_t row) {
        const double* line = array->values.data() + row * width + at[0].below;
        return at[0].fraction == 0 ? line[0] : std::lerp(line[0], line[1], at[0].fraction);
      };
      values[i] = at[1].fraction == 0 ? along(at[1].below)
                                      : std::lerp(along(at[1].below), along(at[1].below + 1), at[1].fraction);
    }
  });
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string all;
  for (const std::int64_t count : shape) all += "[" + std::to_string(count) + "]";
  return all;
}

std::vector<std::int64_t> grid_shape(const Problem& problem, Location location, int face_axis) {
  std::vector<std::int64_t> shape;
  for (int d = problem.dimension - 1; d >= 0; --d) {
    if (d == face_axis) continue;
    const auto nodes = static_cast<std::int64_t>(problem.nodes[static_cast<std::size_t>(d)].size());
    shape.push_back(location == Location::node ? nodes : nodes - 1);
  }
  return shape;
}

Quantity given_array(const std::shared_ptr<GridArray>& array, std::string_view name, const Problem& problem) {
  const int face_axis = face_axis_of(name);
  const std::vector<std::int64_t> nodes = grid_shape(problem, Location::node, face_axis);
  const std::vector<std::int64_t> cells = grid_shape(problem, Location::cell, face_axis);
  const std::vector<std::int64_t> shape = shape_of(*array, nodes.size());
  if (shape != nodes && shape != cells)
    throw InputError("the array has the shape " + shape_text(shape) + "; give " + shape_text(nodes) + " (nodes) or " +
                     shape_text(cells) + " (cells)" + (face_axis < 0 ? ", x last" : " of the face"));
  array->location = shape == nodes ? Location::node : Location::cell;
  if (face_axis >= 0) return on_face(array, face_axis, problem);
  return std::shared_ptr<const GridArray>(array);
}

}  // namespace poisson
