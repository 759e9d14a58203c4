#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grids/problem/media.hpp"
#include "io/config/config.hpp"
#include "io/config/yaml.hpp"

namespace poisson {

struct ImageInput;

/// ConfigParts is the state that all readers of a configuration share. A wrong value has been reported and is absent
/// from the document, so that find returns null. A value that was not given has kind null.
struct ConfigParts {
  Value& document;  ///< validated; derived values are written back, for Config::effective
  std::filesystem::path folder;
  Diagnostics& errors;
  Config& config;
  bool dimension_known = true;                ///< false if every key that would set it is wrong
  std::shared_ptr<const ImageInput> image{};  ///< the opened image; null without one

  /// Returns the path to open. A path in the file starts at its folder; one of the command line starts at the working
  /// directory.
  std::filesystem::path path(const Value& value) const {
    return value.mark.line == 0 ? std::filesystem::path(value.text) : folder / value.text;
  }
};

inline constexpr std::string_view axis_names[]{"x", "y", "z"};

/// Returns true if there is a value to read.
inline bool given(const Value* value) {
  return value && value->kind != Value::Kind::null;
}
/// Returns the numbers of a validated list; empty if it is missing or wrong.
std::vector<double> numbers(const Value* list);

/// Reads the position of the unknowns. Cell-centred unknowns require finite volumes.
void read_centering(ConfigParts& parts);

/// Sets problem.dimension and problem.nodes. Writes grid.cells and domain to the document if they follow from nodes.
/// Returns false if an error leaves the grid unknown.
bool read_grid(ConfigParts& parts);

/// Reads the grid of `type: banded` and states the matrix without its entries. Returns false if this fails.
bool read_matrix_grid(ConfigParts& parts);
/// Checks solver and output keys against the matrix. Call it after all other keys have been read.
void check_matrix(ConfigParts& parts);

/// Reads coefficient, reaction, source, exact solution and initial guess. Checks datasets against the grid if it is
/// known.
void read_equation(ConfigParts& parts, bool grid_known);

/// Reads the six faces. Call it before read_equation, which must know the periodic axes.
void read_boundary(ConfigParts& parts);

/// Returns whether a document describes materials by a background, bodies or an image.
bool uses_media(const Value& document);
/// Reads materials and the regions that they fill. Call it after read_equation.
void read_media(ConfigParts& parts, bool grid_known);
/// Reads an image: appends its regions to `media` and returns the map of the image, or null if there is none.
std::shared_ptr<const RegionMap> read_image(ConfigParts& parts, Media& media);

/// Reads output.effective and output.capacitance, which set the faces and use the materials. Call it after read_media.
void read_answers(ConfigParts& parts, bool grid_known);

void read_solver(ConfigParts& parts);
/// Takes the CPU if hypre is asked for, and refuses a GPU. Call it after read_solver.
void keep_hypre_on_cpu(ConfigParts& parts);
/// Checks the assembly of elements on faces with several conditions.
void check_assembly(ConfigParts& parts);
/// Checks `scheme: compact4` and `solver.extrapolate` against the problem. Call it after the problem has been read.
void check_fourth_order(ConfigParts& parts);
/// Checks that the problem is separable if `direct` is requested. Call it only if there are no other errors.
void check_direct(ConfigParts& parts);
/// Reads output.quantity and the keys of pictures.
void read_picture(ConfigParts& parts, bool grid_known, const Value& output);
void read_output(ConfigParts& parts, bool grid_known, const std::filesystem::path& file);

}  // namespace poisson
