#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/config.hpp"
#include "io/config/yaml.hpp"

namespace poisson {

/// What the parts of a configuration share while they are read. Values that are wrong are absent from the document
/// (find returns null) and have been reported; values that were not given are of kind null.
struct ConfigParts {
  Value& document;  ///< validated; what follows from other keys is written back, for Config::effective
  std::filesystem::path folder;
  Diagnostics& errors;
  Config& config;
  bool dimension_known = true;  ///< false where everything that would set it is wrong

  /// Where a path leads: one in the file starts at its folder, one of the command line at the working directory.
  std::filesystem::path path(const Value& value) const {
    return value.mark.line == 0 ? std::filesystem::path(value.text) : folder / value.text;
  }
};

inline constexpr std::string_view axis_names[]{"x", "y", "z"};

/// Whether there is a value to be read.
inline bool given(const Value* value) {
  return value && value->kind != Value::Kind::null;
}
/// The numbers of a validated list; empty where it was not given or is wrong.
std::vector<double> numbers(const Value* list);

/// Where the unknowns sit; cells are for finite volumes.
void read_centering(ConfigParts& parts);

/// Sets problem.dimension and problem.nodes, and grid.cells and domain in the document where they follow from nodes.
/// False where an error keeps the grid from being known.
bool read_grid(ConfigParts& parts);

/// read_grid of `type: banded`: the matrix without its entries. False where it cannot be had.
bool read_matrix_grid(ConfigParts& parts);
/// Holds solver and output against the matrix, after all else has been read.
void check_matrix(ConfigParts& parts);

/// Coefficient, reaction, source, exact solution, initial guess. Datasets are held against the grid if it is known.
void read_equation(ConfigParts& parts, bool grid_known);

/// The six faces; also before read_equation, which needs to know the periodic axes.
void read_boundary(ConfigParts& parts);

void read_solver(ConfigParts& parts);
/// What elements hold where a face has parts of several kinds.
void check_assembly(ConfigParts& parts);
/// Holds `scheme: compact4` and `solver.extrapolate` against the problem, after all of it has been read.
void check_fourth_order(ConfigParts& parts);
/// method: direct takes separable problems. Of a configuration without other errors.
void check_direct(ConfigParts& parts);
void read_output(ConfigParts& parts, bool grid_known, const std::filesystem::path& file);

}  // namespace poisson
