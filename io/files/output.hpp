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

#include "backends/memory/box.hpp"
#include "backends/processes/processes.hpp"
#include "grids/problem/quantity.hpp"
#include "io/pictures/picture_choice.hpp"

namespace poisson {

/// Describes the grid in output files. A periodic axis has all its nodes, including the last one.
struct OutputGrid {
  int dimension = 3;
  bool equidistant = true;                   ///< along every axis
  std::array<std::vector<double>, 3> nodes;  ///< z is {0} in two dimensions
  /// The cells of this process, if there are several; 0 ≤ k < 1 in two dimensions.
  std::optional<Box> part{};
  std::vector<PicturePlane> planes{};  ///< of pictures in three dimensions; empty: the mid-planes

  /// Returns the nodes or cells of this process. It has all nodes of its cells, so sub-blocks overlap by a layer.
  Box places(Location location) const;
  /// Returns the number of nodes or cells along each axis; 1 along z in two dimensions.
  std::array<std::int64_t, 3> shape(Location location) const;
  /// Return the same for a field, which may lie on the faces across an axis: one more than cells along it.
  Box places(const struct FieldHead& field) const;
  std::array<std::int64_t, 3> shape(const struct FieldHead& field) const;
};

/// Describes a field in a file before its values are written.
struct FieldHead {
  std::string name;  ///< as in field_choices (field_choices.hpp)
  Location location = Location::node;
  int components = 1;
  std::string title{};  ///< for people, for example "T (°C)"; empty: the name
  /// Returns, for cell-centred u, its values on a plane, also between cells (values_on_plane in
  /// cell_interpolation.hpp).
  std::function<std::vector<double>(int normal, double position)> on_plane{};
  int face_axis = -1;  ///< the field lies on the faces of cells across this axis; −1: at its location
};

/// Contains a field in the layout of files: values[((k·ny + j)·nx + i)·components + c], for one process.
struct OutputField : FieldHead {
  std::vector<double> values;
};

/// Return the number of values of a field, components included: on the global grid and on this process.
std::int64_t count(const OutputGrid&, const FieldHead&);
std::int64_t own_count(const OutputGrid&, const FieldHead&);

/// Returns the bytes of the fields' values in a file.
std::uintmax_t bytes_of(const OutputGrid&, const std::vector<FieldHead>&);

/// Throws std::invalid_argument if the number of values differs from the grid's.
void check_fits(const OutputGrid&, const OutputField&);

/// Contains the text in every file: title, convergence and configuration.
struct OutputNote {
  std::string title;
  bool converged = true;
  std::string configuration;  ///< is the effective JSON
  ColourScale colours = {};   ///< of pictures
  PictureMarks marks = {};
  MarkSource mark_source = {};  ///< a picture calls its functions when it is closed
};

/// A FieldFile receives the values of its fields piece by piece, without an array of the global grid.
/// Throws RunError if the file cannot be written, and leaves no incomplete file. Its content does not depend on the
/// clock: the same fields give the same bytes.
/// Several processes open and close a file collectively, and fail together. In between, each one writes its values
/// independently and may fail alone.
class FieldFile {
 public:
  virtual ~FieldFile() = default;
  /// Writes the next values of this process: complete planes of one field, or lines in two dimensions. Throws
  /// std::invalid_argument if there are more values than the fields have.
  virtual void write(std::span<const double> values) = 0;
  /// Completes the file after the last value. Moves it, or its pieces, to the final paths and returns them.
  virtual std::vector<std::filesystem::path> close() = 0;
};

/// Opens a file of a format in a directory that all processes can access.
using OpenFile = std::unique_ptr<FieldFile>(const std::filesystem::path& directory, const OutputGrid&,
                                            std::vector<FieldHead>, const OutputNote&,
                                            const std::shared_ptr<const Processes>&);

/// Writes `directory/solution.vti` on equidistant grids, `.vtr` on others, as appended raw binary. Each of several
/// processes writes such a piece; the first one writes `solution.pvti` or `.pvtr`, which joins the pieces.
OpenFile open_vtk;
/// Writes `directory/solution.hdf` on 3-D equidistant grids with fields at nodes. These fields use the VTKHDF ImageData
/// layout; fields in cells, axes, title and configuration are in the group `poisson`.
/// Other grids give `solution.h5` with all data at its root. The bytes do not depend on the number of processes.
OpenFile open_hdf5;
/// Writes `directory/solution.png`: the first field in a colour map with bar and title; in 3-D the three mid-planes. It
/// requires a build with VTK.
OpenFile open_picture;
/// Writes all values of a file that one process has just opened, and closes it.
std::filesystem::path write_whole(FieldFile&, const OutputGrid&, const std::vector<OutputField>&);
std::vector<FieldHead> heads(const std::vector<OutputField>&);

/// Returns true if a run may write a file of that name and replace the one of an earlier run.
bool is_result_name(std::string_view name);

/// Returns solution.vti or solution.vtr; for several processes solution.pvti or .pvtr, and the pieces solution_0.vti ….
std::vector<std::string> vtk_names(const OutputGrid&, bool nodes, int processes);
std::string vtk_piece_name(const OutputGrid&, int process);
/// Returns solution.hdf or solution.h5. `nodes` is true if a field is at nodes.
std::vector<std::string> hdf5_names(const OutputGrid&, bool nodes, int processes);
/// Returns true if an HDF5 file has the layout of a VTKHDF image.
bool is_image(const OutputGrid&, bool nodes);

}  // namespace poisson
