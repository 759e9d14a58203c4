#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grids/problem/quantity.hpp"

namespace poisson {

/// The grid as files show it. A periodic axis has all its nodes here, the last one too.
struct OutputGrid {
  int dimension = 3;
  bool equidistant = true;                   ///< along every axis
  std::array<std::vector<double>, 3> nodes;  ///< the third holds the one value 0 in two dimensions

  /// Number of nodes or cells along each axis; 1 along z in two dimensions.
  std::array<std::int64_t, 3> shape(Location location) const;
};

/// What a file says of a field before its values come.
struct FieldHead {
  std::string name;  ///< u, gradient, residual, error, coefficient, source
  Location location = Location::node;
  int components = 1;
};

/// A field as files show it: values[((k·ny + j)·nx + i)·components + c].
struct OutputField : FieldHead {
  std::vector<double> values;
};

/// Values of a field on its grid, components counted.
std::int64_t count(const OutputGrid&, const FieldHead&);

/// What the values of fields take in a file.
std::uintmax_t bytes_of(const OutputGrid&, const std::vector<FieldHead>&);

/// Throws std::invalid_argument where the number of values is not the grid's.
void check_fits(const OutputGrid&, const OutputField&);

/// Text that goes into every file: the title, and whether the solve converged.
struct OutputNote {
  std::string title;
  bool converged = true;
  std::string configuration;  ///< the effective configuration as JSON
};

/// A file that takes the values of its fields as they come: nothing of a whole grid is held for it. Throws RunError
/// where the file cannot be written: no half-written file stays behind. Nothing in a file depends on the clock: the
/// same fields give the same bytes.
class FieldFile {
 public:
  virtual ~FieldFile() = default;
  /// The next values, of one field: whole planes, or in two dimensions lines. Throws std::invalid_argument for more
  /// than the fields have.
  virtual void write(std::span<const double> values) = 0;
  /// After the last value: puts the file into its place and returns that.
  virtual std::filesystem::path close() = 0;
};

/// `directory/solution.vti` on equidistant grids, `.vtr` on the others; appended raw binary.
std::unique_ptr<FieldFile> open_vtk(const std::filesystem::path& directory, const OutputGrid&, std::vector<FieldHead>,
                                    const OutputNote&);
/// On 3-D equidistant grids with fields at nodes `directory/solution.hdf`: these in the VTKHDF ImageData layout, fields
/// in cells, axes, title and configuration in the group `poisson`. Otherwise `solution.h5` with all of these at its
/// root.
std::unique_ptr<FieldFile> open_hdf5(const std::filesystem::path& directory, const OutputGrid&, std::vector<FieldHead>,
                                     const OutputNote&);
/// All values of a file that has just been opened, and its end.
std::filesystem::path write_whole(FieldFile&, const OutputGrid&, const std::vector<OutputField>&);
std::vector<FieldHead> heads(const std::vector<OutputField>&);
/// `directory/solution.png`: the first field in a colour map with bar and title; in 3-D the three mid-planes. Where
/// this build has VTK.
std::filesystem::path write_png(const std::filesystem::path& directory, const OutputGrid&, const OutputField&,
                                const OutputNote&);

/// The files of a run, of which each replaces that of an earlier one.
inline constexpr std::array<std::string_view, 6> result_names{"summary.json", "solution.vti", "solution.vtr",
                                                              "solution.hdf", "solution.h5",  "solution.png"};

/// solution.vti or solution.vtr.
std::string vtk_name(const OutputGrid&);
/// solution.hdf or solution.h5; `nodes`: whether one of the fields lies there.
std::string hdf5_name(const OutputGrid&, bool nodes);
/// Whether an HDF5 file has the layout of a VTKHDF image.
bool is_image(const OutputGrid&, bool nodes);

}  // namespace poisson
