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

#include "backends/box.hpp"
#include "backends/processes.hpp"
#include "backends/transport.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/problem/problem.hpp"
#include "grids/schemes/bands/matrix.hpp"
#include "io/config/diagnostics.hpp"
#include "io/config/parameters.hpp"
#include "solver/options.hpp"

namespace poisson {

/// A configuration that has been checked, and the problem it states.
struct Config {
  std::string title;
  Parameters parameters;
  Problem problem;
  /// grid.type banded: the matrix, whose index grid problem.nodes are; of the problem's data, source and initial count.
  /// It has its entries, and the right-hand side of a file, once read_matrix has read them.
  std::shared_ptr<BandedMatrix> matrix;
  std::filesystem::path matrix_file, rhs_file;  ///< the second one empty where no file has it
  bool equidistant = true;                      ///< grid.type
  Assembly assembly = Assembly::automatic;
  Options options;
  std::string device = "auto";  ///< as make_backend takes it
  Transport transport = Transport::automatic;
  std::vector<int> blocks;  ///< into how many parts each axis is cut for several processes; empty: as suits

  struct Output {
    std::filesystem::path directory;
    std::vector<std::string> fields;   ///< u, gradient, residual, error, coefficient, source
    std::vector<std::string> formats;  ///< vtk, hdf5, png: only what was built
    std::vector<std::vector<double>> probes;
  } output;

  /// The whole configuration with every default, as JSON in the order of the table. It is itself a configuration.
  std::string effective;

  /// A dataset that is a datum of the problem: quantities have its values once read_datasets has read them.
  struct Dataset {
    std::shared_ptr<GridArray> array;
    std::filesystem::path file;
    std::string name;
    std::string mark;  ///< where it was written, and its key
  };
  std::vector<Dataset> datasets;

  /// Where each quantity was written, for errors found on the grid: "cube.yaml:12:13: equation.source".
  std::map<std::string, std::string, std::less<>> marks;

  /// The mark of a quantity, which is one of: coefficient, coefficient.x (.y, .z, .xy, .xz, .yz), reaction, source,
  /// initial, exact, boundary.x- … boundary.z+ (the face's value), boundary.x-.alpha …
  std::string describe(std::string_view quantity) const;
};

/// load_config() without the values of datasets and matrices, whose shapes are checked.
Config state_config(const std::filesystem::path& file, std::span<const std::string> overrides = {});

/// together() of what each process reads by itself: where others find nothing wrong, the message of a ConfigError, or
/// another InputError, ends with which one has.
void read_together(const Processes& processes, const std::function<void()>& read);

/// Reads the datasets: of processes that share a grid, each the values on its cells and some beside them, together.
/// Throws ConfigError.
void read_datasets(const Config& config, const std::optional<Box>& cells = {},
                   const Processes& processes = *one_process());

/// Reads the matrix, where there is one and it has not been read: of several processes each the rows of its points and
/// of two layers beside them, together. Throws ConfigError, also where the method does not suit the matrix.
void read_matrix(const Config& config, const std::optional<Box>& points = {},
                 const Processes& processes = *one_process());

/// Reads and checks a configuration, from standard input where the file is "-"; each override is "key.path=value".
/// Relative paths in the file start at its folder, those of overrides at the working directory, as do all paths from
/// standard input. Throws ConfigError with everything that is wrong.
Config load_config(const std::filesystem::path& file, std::span<const std::string> overrides = {});

}  // namespace poisson
