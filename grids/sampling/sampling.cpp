#include "grids/sampling/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>

#include "backends/cpu/launch.hpp"

namespace poisson {
namespace {

std::string describe(const std::string& name, const std::array<double, 3>& at, double found,
                     const std::string& wanted) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), " is %g at (%g, %g, %g)", found, at[0], at[1], at[2]);
  return name + text.data() + ": it " + wanted;
}

const char* requirement(Sign sign, double value) {
  if (!std::isfinite(value)) return "must be finite on the whole grid";
  return sign == Sign::positive ? "must be greater than 0" : "must not be negative";
}

bool allowed(Sign sign, double value) {
  return std::isfinite(value) && (sign == Sign::any || value > 0 || (sign == Sign::nonnegative && value == 0));
}

double node_coordinate(const Axis& axis, int i) {
  return axis.degenerate() ? 0 : axis.nodes()[static_cast<std::size_t>(i + axis.origin())];
}

// Reads a value of a grid array at a node or cell of the block, and converts it if the array is given at the other
// location.
class ArrayReader {
 public:
  ArrayReader(const GridArray& array, const SampleGrid& grid, Location wanted)
      : array_(array), block_(grid.block), points_(grid.cells), wanted_(wanted) {}

  double operator()(int i, int j, int k) const {
    if (array_.location == wanted_) return at(i, j, k);
    double sum = 0, weight = 0;
    // A node lies between the cells i − 1 and i, a cell between the nodes i and i + 1.
    const bool nodes = wanted_ == Location::node;
    const int low = nodes ? -1 : 0;
    const std::array t{cell_fraction(block_.axes[0], points_, i), cell_fraction(block_.axes[1], points_, j),
                       cell_fraction(block_.axes[2], points_, k)};
    const auto share = [&](std::size_t d, int upper) { return upper == 1 ? t[d] : 1 - t[d]; };
    for (int c = low; c <= low + 1; ++c)
      for (int b = low; b <= low + 1; ++b)
        for (int a = low; a <= low + 1; ++a) {
          const double w = nodes ? block_.cell_volume(i + a, j + b, k + c) : share(0, a) * share(1, b) * share(2, c);
          if (w == 0) continue;
          sum += w * at(i + a, j + b, k + c);
          weight += w;
        }
    return sum / weight;
  }

 private:
  double at(int i, int j, int k) const { return array_.at({wrap(0, i), wrap(1, j), wrap(2, k)}); }
  std::int64_t wrap(std::size_t d, int i) const {
    const Axis& axis = block_.axes[d];
    if (axis.degenerate()) return 0;
    const int n = axis.all_cells(), at = i + axis.origin();
    return axis.closed() ? (at + n) % n : std::clamp(at, 0, static_cast<int>(array_.shape[d]) - 1);
  }

  const GridArray& array_;
  const Block& block_;
  CellPoints points_;
  Location wanted_;
};

// Returns the values of an array on a device that the points of a box need, on the host.
GridArray read_near(const GridArray& array, const SampleGrid& grid, const Box& box) {
  GridArray::Part part{{0, 0, 0}, array.shape, {0, 0, 0}, 0, 0, 0};
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = grid.block.axes[d];
    const std::int64_t below = box.first[d] - 1 + axis.origin(), above = box.last[d] + 1 + axis.origin();
    const std::int64_t last = array.shape[d];
    if (axis.degenerate() || (axis.closed() && (below < 0 || above > axis.all_cells()))) continue;
    part.first[d] = std::clamp<std::int64_t>(below, 0, last - 1);
    part.count[d] = std::clamp<std::int64_t>(above, part.first[d] + 1, last) - part.first[d];
  }
  std::array<std::int64_t, 3> end{};
  for (std::size_t d = 0; d < 3; ++d) end[d] = part.first[d] + part.count[d];
  GridArray host{array.location, array.shape, array.on_device->read(part.first, end), part, {}};
  return host;
}

}  // namespace

ValueError::ValueError(std::string name, std::array<double, 3> at, double found, std::string wanted)
    : InputError(describe(name, at, found, wanted)),
      quantity(std::move(name)),
      point(at),
      value(found),
      requirement(std::move(wanted)) {}

ValueErrors::ValueErrors(std::vector<ValueError> found)
    : InputError([&] {
        // If one datum affects several others, as the part of a face does, all of these report the same error.
        std::vector<ValueError> distinct;
        std::string text;
        for (const auto& e : found) {
          const std::string what = e.what();
          if (std::ranges::any_of(distinct, [&](const ValueError& other) { return other.what() == what; })) continue;
          text += (text.empty() ? "" : "\n") + what;
          distinct.push_back(e);
        }
        found = std::move(distinct);
        return text;
      }()),
      errors(std::move(found)) {}

std::vector<double> node_coordinates(const Axis& axis) {
  std::vector<double> x;
  x.reserve(static_cast<std::size_t>(axis.size()));
  for (int i = 0; i < axis.size(); ++i) x.push_back(node_coordinate(axis, i));
  return x;
}

Box face_box(const Block& block, int axis, int end) {
  Box box = block.layout().box();
  const auto d = static_cast<std::size_t>(axis);
  if (!block.axes[d].open(end)) return {};
  const int past = block.centering() == Centering::cell ? 1 : 0;
  box.first[d] = end == 0 ? -past : box.last[d] - 1 + past;
  box.last[d] = box.first[d] + 1;
  return box;
}

namespace {

using Coordinates = std::array<std::vector<double>, 3>;  // starts with the first point of a box

struct BadValue {
  double value;
  std::array<double, 3> point;
};

// Calls line(j, k) for the lines of a box on several threads. `line` returns an invalid value if there is one. Failures
// on a thread are stored until all threads have finished; then the failure of the first line is reported.
template <class Line>
void for_each_checked_line(const Box& box, std::string_view name, Sign sign, const Line& line) {
  std::exception_ptr failure;
  std::optional<BadValue> bad;
  std::array<int, 2> first{}, failed{};
  cpu::for_each_line(box, cpu::heavy_threshold, [&](int j, int k) {
    try {
      const std::optional<BadValue> found = line(j, k);
      if (!found) return;
#pragma omp critical(poisson_sampling)
      if (!bad || first > std::array{k, j}) {
        bad = found;
        first = {k, j};
      }
    } catch (...) {
#pragma omp critical(poisson_sampling)
      if (!failure || failed > std::array{k, j}) {
        failure = std::current_exception();
        failed = {k, j};
      }
    }
  });
  if (failure) std::rethrow_exception(failure);
  if (bad) throw ValueError(std::string(name), bad->point, bad->value, requirement(sign, bad->value));
}

// Computes the values along a line across y and z. Returns the first invalid value.
std::optional<BadValue> evaluate(const Quantity::Function& f, Sign sign, const std::vector<double>& x, double y,
                                 double z, std::vector<double>& values) {
  thread_local std::vector<double> ys, zs;
  values.resize(x.size());
  ys.assign(x.size(), y);
  zs.assign(x.size(), z);
  f(x, ys, zs, values);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!allowed(sign, values[i])) return BadValue{values[i], {x[i], y, z}};
  return {};
}

// Samples a function at the points of a box. An invalid value is reported at its point in `places`.
void sample_function(const Quantity::Function& f, std::string_view name, Sign sign, const Box& box,
                     const Coordinates& at, const Coordinates& places, const LineSink& sink) {
  for_each_checked_line(box, name, sign, [&](int j, int k) {
    thread_local std::vector<double> values;
    const auto row = static_cast<std::size_t>(j - box.first[1]), plane = static_cast<std::size_t>(k - box.first[2]);
    std::optional<BadValue> bad = evaluate(f, sign, at[0], at[1][row], at[2][plane], values);
    if (!bad) {
      sink(j, k, values.data());
    } else {
      const auto i = static_cast<std::size_t>(std::ranges::find(at[0], bad->point[0]) - at[0].begin());
      bad->point = {places[0][i], places[1][row], places[2][plane]};
    }
    return bad;
  });
}

// On faces and in corners a function is evaluated at the node as each adjacent cell sees it: at this distance inside
// the cell. The distance exceeds the rounding of nodes and expressions, a few ulps of the largest coordinate. Rounding
// therefore never decides on which side of a jump the point lies. Linear data are off by no more than their own
// rounding.
double offset_from_node(const Axis& axis, double width) {
  constexpr double ulps = 0x1p-47;
  const auto& nodes = axis.nodes();
  return std::min(ulps * std::max(std::abs(nodes.front()), std::abs(nodes.back())), 0.25 * width);
}

// Returns the point at a distance from the lower (0) or the upper end (1) of a cell. Beyond open ends the outermost
// cell is used.
double point_inside(const Axis& axis, int cell, int end, double distance) {
  if (axis.degenerate()) return 0;
  const int inside = std::clamp(axis.global_cell(cell), 0, axis.all_cells() - 1);
  const double width = axis.width(inside - axis.origin());
  const double offset = std::max(distance, offset_from_node(axis, width));
  const double node = axis.nodes()[static_cast<std::size_t>(inside + end)];
  return end == 0 ? node + offset : node - offset;
}

}  // namespace

// Between unequal cells the point in the wider cell is nearer to the node, so that the mean of both points, weighted by
// their parts, is the node. At open ends the point is the node itself. An offset of the mean would add a multiple of
// f′. If the points were in the middle of their parts, the row of an open end would contain h²/8 f′, which for x²y² is
// several times h²/32 Δf.
std::array<Part, 2> parts_of(const Axis& axis, int i, bool on_face) {
  if (axis.degenerate()) return {Part{0, 0}, Part{0, 1}};
  const double low = axis.width(i - 1), high = axis.width(i), least = std::min(low, high);
  const auto distance = [&](double h) { return on_face || least == 0 ? 0 : part_point * (least / h) * least; };
  return {Part{point_inside(axis, i - 1, 1, distance(low)), 0.5 * low},
          Part{point_inside(axis, i, 0, distance(high)), 0.5 * high}};
}

double corner_coordinate(const Axis& axis, int cell, int corner) {
  return point_inside(axis, cell, corner, 0);
}

void sample(const Quantity& quantity, std::string_view name, Sign sign, const SampleGrid& grid, Location location,
            const Box& box, const LineSink& sink) {
  Coordinates at, places;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = grid.block.axes[d];
    const bool cells = location == Location::cell;
    for (int i = box.first[d]; i < box.last[d]; ++i) {
      at[d].push_back(location == Location::cell ? cell_coordinate(axis, grid.cells, i) : node_coordinate(axis, i));
      places[d].push_back(cells && axis.open(0) && i < 0               ? axis.nodes().front()  // not slightly inside
                          : cells && axis.open(1) && i >= axis.cells() ? axis.nodes().back()
                                                                       : at[d].back());
    }
  }
  if (const auto* f = quantity.function()) return sample_function(*f, name, sign, box, at, places, sink);
  const double* constant = quantity.constant();
  if (!constant && quantity.array()->on_device)
    return sample(Quantity(read_near(*quantity.array(), grid, box)), name, sign, grid, location, box, sink);
  for_each_checked_line(box, name, sign, [&](int j, int k) -> std::optional<BadValue> {
    thread_local std::vector<double> values;
    values.resize(at[0].size());
    if (constant) {
      std::fill(values.begin(), values.end(), *constant);
    } else {
      const ArrayReader read(*quantity.array(), grid, location);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = read(box.first[0] + static_cast<int>(i), j, k);
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!allowed(sign, values[i]))
        return BadValue{values[i],
                        {places[0][i], places[1][static_cast<std::size_t>(j - box.first[1])],
                         places[2][static_cast<std::size_t>(k - box.first[2])]}};
    sink(j, k, values.data());
    return {};
  });
}

void sample_corners(const Quantity& quantity, std::string_view name, Sign sign, const SampleGrid& grid,
                    const Box& cells, const std::array<int, 3>& corner, int face_axis, const LineSink& sink) {
  Coordinates at;
  for (std::size_t d = 0; d < 3; ++d)
    for (int i = cells.first[d]; i < cells.last[d]; ++i)
      at[d].push_back(static_cast<int>(d) == face_axis ? cell_coordinate(grid.block.axes[d], grid.cells, i)
                                                       : corner_coordinate(grid.block.axes[d], i, corner[d]));
  sample_function(*quantity.function(), name, sign, cells, at, at, sink);
}

void integrate(const Quantity& quantity, std::string_view name, Sign sign, const Block& block, const Box& box,
               int face_axis, const LineSink& sink) {
  const auto n = static_cast<std::size_t>(box.last[0] - box.first[0]);
  const auto* const f = quantity.function();
  if (!f) {
    std::vector<double> length;
    for (int i = box.first[0]; i < box.last[0]; ++i) length.push_back(face_axis == 0 ? 1 : block.axes[0].mass(i));
    return sample(quantity, name, sign, {block}, Location::node, box, [&](int j, int k, const double* values) {
      thread_local std::vector<double> integrals;
      integrals.resize(n);
      const double area = (face_axis == 1 ? 1 : block.axes[1].mass(j)) * (face_axis == 2 ? 1 : block.axes[2].mass(k));
      for (std::size_t i = 0; i < n; ++i) integrals[i] = area * length[i] * values[i];
      sink(j, k, integrals.data());
    });
  }
  const auto parts = [&](int d, int i) {
    const Axis& axis = block.axes[d];
    return d == face_axis ? std::array{Part{0, 0}, Part{node_coordinate(axis, i), 1}}
                          : parts_of(axis, i, face_axis >= 0);
  };
  std::vector<double> x, lengths;
  std::vector<std::size_t> owner;
  for (std::size_t i = 0; i < n; ++i)
    for (const Part& part : parts(0, box.first[0] + static_cast<int>(i))) {
      if (part.length == 0) continue;
      x.push_back(part.at);
      lengths.push_back(part.length);
      owner.push_back(i);
    }
  for_each_checked_line(box, name, sign, [&](int j, int k) -> std::optional<BadValue> {
    thread_local std::vector<double> values, integrals;
    integrals.assign(n, 0);
    for (const Part& z : parts(2, k))
      for (const Part& y : parts(1, j)) {
        const double area = y.length * z.length;
        if (area == 0) continue;
        if (auto bad = evaluate(*f, sign, x, y.at, z.at, values)) return bad;
        for (std::size_t p = 0; p < x.size(); ++p) integrals[owner[p]] += area * lengths[p] * values[p];
      }
    sink(j, k, integrals.data());
    return {};
  });
}

std::vector<double> sample(const Quantity& quantity, std::string_view name, Sign sign, const SampleGrid& grid,
                           Location location, const Box& box) {
  std::vector<double> values(static_cast<std::size_t>(box.size()));
  const std::array<std::int64_t, 3> n{box.last[0] - box.first[0], box.last[1] - box.first[1],
                                      box.last[2] - box.first[2]};
  sample(quantity, name, sign, grid, location, box, [&](int j, int k, const double* line) {
    std::copy_n(line, n[0], values.begin() + ((k - box.first[2]) * n[1] + (j - box.first[1])) * n[0]);
  });
  return values;
}

}  // namespace poisson
