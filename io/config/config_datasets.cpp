// This file reads the dataset values that a process needs.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <utility>

#include "backends/memory/error.hpp"
#include "io/config/array_parts.hpp"
#include "io/config/config.hpp"
#include "io/config/config_parts.hpp"
#include "io/files/hdf5.hpp"

namespace poisson {
namespace {

using Place = std::array<std::int64_t, 3>;

bool is_periodic(const Problem& problem, std::size_t axis) {
  return axis < static_cast<std::size_t>(problem.dimension) && problem.boundary[axis][0].kind == BoundaryKind::periodic;
}

std::string number_text(double value) {
  Value number;
  number.kind = Value::Kind::number;
  number.number = value;
  return to_json(number, -1);
}

std::vector<std::int64_t> slowest_first(const Place& place, int dimension) {
  return {place.rend() - dimension, place.rend()};
}

// Returns a box of the values, x fastest.
std::vector<double> read(const Config::Dataset& dataset, const Place& first, const Place& count, int dimension) {
  return read_box(dataset.file, dataset.name, slowest_first(first, dimension), slowest_first(count, dimension)).values;
}

// Reads the part's values. Across the end of a periodic axis, it reads pieces from both ends of the file.
void read_part(const Config::Dataset& dataset, int dimension) {
  GridArray& array = *dataset.array;
  const GridArray::Part& part = *array.part;
  struct Piece {
    std::int64_t from, to, count;  // `from` counts in the file, `to` in the part
  };
  std::array<std::vector<Piece>, 3> pieces;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t n = part.period[d];
    for (std::int64_t to = 0; to < part.count[d];) {
      const std::int64_t from = n > 0 ? (part.first[d] + to + n) % n : part.first[d];
      const std::int64_t count = n > 0 ? std::min(part.count[d] - to, n - from) : part.count[d];
      pieces[d].push_back({from, to, count});
      to += count;
    }
  }
  array.values.resize(static_cast<std::size_t>(part.count[0] * part.count[1] * part.count[2]));
  for (const Piece& z : pieces[2])
    for (const Piece& y : pieces[1])
      for (const Piece& x : pieces[0]) {
        const auto values = read(dataset, {x.from, y.from, z.from}, {x.count, y.count, z.count}, dimension);
        auto line = values.begin();
        for (std::int64_t k = 0; k < z.count; ++k)
          for (std::int64_t j = 0; j < y.count; ++j, line += x.count)
            std::copy_n(line, x.count,
                        array.values.begin() + ((z.to + k) * part.count[1] + y.to + j) * part.count[0] + x.to);
      }
}

/// Checks that the first and the last node of a periodic axis have equal values. Values from 32-bit files may differ by
/// rounding; a field that is not periodic differs by far more. Each process checks its share of the first nodes.
void check_periodic(const Config::Dataset& dataset, const Problem& problem, const Box& cells, double largest) {
  const GridArray& array = *dataset.array;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(problem.dimension); ++axis) {
    if (!is_periodic(problem, axis) || cells.first[axis] > 0) continue;
    Place first{}, count{1, 1, 1};
    for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d) {
      if (d == axis) continue;
      first[d] = cells.first[d];
      count[d] = cells.last[d] + 1 - cells.first[d];
    }
    const auto here = read(dataset, first, count, problem.dimension);
    Place end = first;
    end[axis] = array.shape[axis] - 1;
    const auto there = read(dataset, end, count, problem.dimension);
    for (std::size_t i = 0; i < here.size(); ++i) {
      const double difference = here[i] - there[i];
      if (std::abs(difference) <= 1e-6 * largest) continue;
      const auto at = static_cast<std::int64_t>(i);
      const Place node{first[0] + at % count[0], first[1] + at / count[0] % count[1],
                       first[2] + at / (count[0] * count[1])};
      throw InputError("its values on the first and the last node of the periodic axis " +
                       std::string(axis_names[axis]) + " differ (by " + number_text(difference) + " at node (" +
                       std::to_string(node[0]) + ", " + std::to_string(node[1]) + ", " + std::to_string(node[2]) +
                       ")); make them equal, or use other boundary conditions on this axis");
    }
  }
}

// Results have no value in cells that left the system of the materials. As a guess 0 is as good as any value there.
void fill_gaps(const Problem& problem, const std::shared_ptr<GridArray>& array) {
  if (!problem.media || !problem.initial || problem.initial->array() != array.get()) return;
  for (double& value : array->values)
    if (std::isnan(value)) value = 0;
}

}  // namespace

void read_together(const Processes& processes, const std::function<void()>& read) {
  std::exception_ptr failure;
  try {
    read();
  } catch (...) {
    failure = std::current_exception();
  }
  const std::vector<char> fine = processes.gather(static_cast<char>(failure ? 0 : 1));
  const bool elsewhere = std::ranges::find(fine, 1) != fine.end();
  const std::string who =
      elsewhere ? " (process " + std::to_string(processes.rank()) + " of " + std::to_string(processes.count()) + ")"
                : "";
  together(processes, [&] {
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (const ConfigError& error) {
      std::vector<std::string> lines = error.errors;
      lines.back() += who;
      throw ConfigError(std::move(lines));
    } catch (const InputError& error) {
      throw InputError(error.what() + who, error.remedy);
    }
  });
}

void read_datasets(const Config& config, const std::optional<Box>& part, const Processes& processes) {
  const Problem& problem = config.problem;
  const int dimension = problem.dimension;
  std::vector<std::string> errors;
  const auto attempt = [&](const Config::Dataset& dataset, const auto& f) {
    try {
      f();
    } catch (const InputError& error) {
      errors.push_back(dataset.mark + ": " + error.what());
    }
  };
  const auto raise = [&] {
    if (!errors.empty()) throw ConfigError(std::move(errors));
  };
  Box cells;
  for (std::size_t d = 0; d < 3; ++d) cells.last[d] = std::max(1, static_cast<int>(problem.nodes[d].size()) - 1);
  if (part) cells = *part;
  for (const Config::Dataset& dataset : config.datasets)
    attempt(dataset, [&] {
      GridArray& array = *dataset.array;
      if (part) array.part = part_of(array, problem, cells);
      if (part)
        read_part(dataset, dimension);
      else
        array.values = read_dataset(dataset.file, dataset.name).values;
      fill_gaps(problem, dataset.array);
    });
  read_together(processes, raise);
  for (const Config::Dataset& dataset : config.datasets) {
    GridArray& array = *dataset.array;
    if (part) note_spread(array, cells, processes);
    if (array.location == Location::cell) continue;
    double largest = 0;
    for (const double value : array.values) largest = std::max(largest, std::abs(value));
    attempt(dataset, [&, of_all = processes.largest(largest)] { check_periodic(dataset, problem, cells, of_all); });
  }
  together(processes, raise);
}

}  // namespace poisson
