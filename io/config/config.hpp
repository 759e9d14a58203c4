#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/memory/box.hpp"
#include "backends/processes/processes.hpp"
#include "backends/processes/transport.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/problem/media.hpp"
#include "grids/problem/problem.hpp"
#include "grids/schemes/bands/matrix.hpp"
#include "io/config/diagnostics.hpp"
#include "io/config/parameters.hpp"
#include "io/pictures/picture_choice.hpp"
#include "solver/options.hpp"

namespace poisson {

struct GeneralRows;
struct MeshInput;
struct Value;
class ImageSource;

/// A Config is a checked configuration and the problem that it describes.
struct Config {
  std::string title;
  Parameters parameters;
  Problem problem;
  /// The matrix of grid.type: banded; null for other grids. problem.nodes are its index grid; `source` and `initial`
  /// are the only other data of the problem that it uses. read_matrix reads its entries and the right-hand side of a
  /// file.
  std::shared_ptr<BandedMatrix> matrix;
  std::filesystem::path matrix_file, rhs_file;  ///< rhs_file is empty if no file has it
  int driven_axis = -1;                         ///< u rises by driving_rise across this periodic axis; −1: none
  bool equidistant = true;                      ///< grid.type
  Assembly assembly = Assembly::automatic;
  Options options;
  double flow_tolerance = 0;    ///< ends a solve when the flows change by less than this share; 0: never
  std::string device = "auto";  ///< is passed to make_backend
  Transport transport = Transport::automatic;
  std::vector<int> blocks;  ///< parts of each axis; empty: the program chooses

  struct Output {
    std::filesystem::path directory;
    std::vector<std::string> fields;   ///< u, gradient, residual, error, coefficient, source
    std::vector<std::string> formats;  ///< vtk, hdf5, png, if they were built
    std::vector<std::vector<double>> probes;
    /// Describes the solves of output.effective, in the order of `axes`. The problem is that of the first.
    struct Effective {
      std::vector<int> axes;
      bool periodic = false;
    };
    std::optional<Effective> effective;
    std::vector<RegionNumber> conductors;  ///< of output.capacitance, in Media::regions
    std::string quantity = "u", unit;      ///< of the solution, for people
    std::vector<PicturePlane> planes;      ///< of the picture in three dimensions; empty: the mid-planes
    ColourScale colours;
    PictureMarks marks;
    bool bodies = true;  ///< writes bodies.csv if the problem has materials
  } output;

  std::vector<std::string> warnings;  ///< about keys without effect

  /// Contains the complete configuration with every default, as JSON in the order of the table. It is a valid
  /// configuration.
  std::string effective;

  /// Describes a dataset that supplies data of the problem. read_datasets fills its array, and the quantities refer to
  /// the array.
  struct Dataset {
    std::shared_ptr<GridArray> array;
    std::filesystem::path file;
    std::string name;
    std::string mark;  ///< names its place and key
  };
  std::vector<Dataset> datasets;

  /// Maps each quantity to its place, for errors found on the grid: "cube.yaml:12:13: equation.source".
  std::map<std::string, std::string, std::less<>> marks;

  /// Returns the mark of a quantity. Its names are coefficient, coefficient.x (.y, .z, .xy, .xz, .yz), reaction,
  /// source, initial, exact, boundary.x- … boundary.z+ (the face's value) and boundary.x-.alpha …
  std::string describe(std::string_view quantity) const;

  /// The problem of grid.type: unstructured; null for other grids. `problem` then has the extent of the mesh alone.
  std::shared_ptr<const MeshInput> mesh;
  /// The system of grid.type: matrix; null for other grids.
  std::shared_ptr<const GeneralRows> rows;
};

/// Reads a configuration like load_config, but without the values of datasets and matrices. Checks their shapes.
Config state_config(const std::filesystem::path& file, std::span<const std::string> overrides = {});

/// Sets the faces of a problem with output.effective for a solve along an axis.
void drive(Config& config, int axis);

/// Checks a configuration that a program gives as a tree of values, as state_config does. `name` takes the place of the
/// file's name; relative paths start at the working directory. `image` takes the place of the file that `image.file`
/// describes.
Config state_config(Value raw, const std::string& name, std::shared_ptr<const ImageSource> image = nullptr);

/// Calls `read` on each process and makes all processes fail together (`together`). If only some processes fail, the
/// message of their InputError ends with the rank.
void read_together(const Processes& processes, const std::function<void()>& read);

/// Reads the datasets. If several processes share a grid, each one reads the values on its `cells` plus a margin.
/// Collective. Throws ConfigError.
void read_datasets(const Config& config, const std::optional<Box>& cells = {},
                   const Processes& processes = *one_process());

/// Reads the matrix, if there is one and it has not been read. Each of several processes reads the rows of its `points`
/// plus two layers. Collective. Throws ConfigError, also if the method does not suit the matrix.
void read_matrix(const Config& config, const std::optional<Box>& points = {},
                 const Processes& processes = *one_process());

/// Reads and checks a configuration; the file "-" is standard input. Each override is "key.path=value".
/// A relative path in the file starts at its folder; one in an override or in standard input starts at the working
/// directory. Throws ConfigError with all errors.
Config load_config(const std::filesystem::path& file, std::span<const std::string> overrides = {});

}  // namespace poisson
