#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/box.hpp"
#include "backends/processes.hpp"
#include "grids/problem/quantity.hpp"

namespace poisson {

/// The grid as files show it. A periodic axis has all its nodes here, the last one too.
struct OutputGrid {
  int dimension = 3;
  bool equidistant = true;                   ///< along every axis
  std::array<std::vector<double>, 3> nodes;  ///< the third holds the one value 0 in two dimensions
  /// Of several processes: which cells this one has, 0 ≤ k < 1 in two dimensions.
  std::optional<Box> part{};

  /// The nodes or cells that this process has: its nodes are all those of its cells, so that parts overlap by a layer.
  Box places(Location location) const;
  /// Number of nodes or cells along each axis; 1 along z in two dimensions.
  std::array<std::int64_t, 3> shape(Location location) const;
};

/// What a file says of a field before its values come.
struct FieldHead {
  std::string name;  ///< u, gradient, residual, error, coefficient, source
  Location location = Location::node;
  int components = 1;
  /// Of u in cells: its values on a plane, between the cells as well (values_on_plane in cell_interpolation.hpp).
  std::function<std::vector<double>(int normal, double position)> on_plane{};
};

/// A field as files show it: values[((k·ny + j)·nx + i)·components + c], of one process.
struct OutputField : FieldHead {
  std::vector<double> values;
};

/// Values of a field on its grid, components counted; and what this process has of them.
std::int64_t count(const OutputGrid&, const FieldHead&);
std::int64_t own_count(const OutputGrid&, const FieldHead&);

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
///
/// Several processes open and close a file together, and fail together; between that each writes what it has, and may
/// fail by itself.
class FieldFile {
 public:
  virtual ~FieldFile() = default;
  /// The next values of this process, of one field: whole planes, or in two dimensions lines. Throws
  /// std::invalid_argument for more than the fields have.
  virtual void write(std::span<const double> values) = 0;
  /// After the last value: puts the file, or its pieces, into place and returns these places.
  virtual std::vector<std::filesystem::path> close() = 0;
};

/// How a file of a format is opened: in a directory that all processes see.
using OpenFile = std::unique_ptr<FieldFile>(const std::filesystem::path& directory, const OutputGrid&,
                                            std::vector<FieldHead>, const OutputNote&,
                                            const std::shared_ptr<const Processes>&);

/// `directory/solution.vti` on equidistant grids, `.vtr` on the others; appended raw binary. Of several processes each
/// writes such a piece, and the first `solution.pvti` or `.pvtr`, which joins them.
OpenFile open_vtk;
/// On 3-D equidistant grids with fields at nodes `directory/solution.hdf`: these in the VTKHDF ImageData layout, fields
/// in cells, axes, title and configuration in the group `poisson`. Otherwise `solution.h5` with all of these at its
/// root. The same bytes whatever the number of processes.
OpenFile open_hdf5;
/// `directory/solution.png`: the first field in a colour map with bar and title; in 3-D the three mid-planes. Where
/// this build has VTK.
OpenFile open_picture;
/// All values of a file of one process that has just been opened, and its end.
std::filesystem::path write_whole(FieldFile&, const OutputGrid&, const std::vector<OutputField>&);
std::vector<FieldHead> heads(const std::vector<OutputField>&);

/// Whether a run may leave a file of that name, which replaces that of an earlier one.
bool is_result_name(std::string_view name);

/// solution.vti or solution.vtr, and of several processes solution.pvti or .pvtr with the pieces solution_0.vti ….
std::vector<std::string> vtk_names(const OutputGrid&, bool nodes, int processes);
std::string vtk_piece_name(const OutputGrid&, int process);
/// solution.hdf or solution.h5; `nodes`: whether one of the fields lies there.
std::vector<std::string> hdf5_names(const OutputGrid&, bool nodes, int processes);
/// Whether an HDF5 file has the layout of a VTKHDF image.
bool is_image(const OutputGrid&, bool nodes);

}  // namespace poisson
