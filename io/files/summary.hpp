#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "grids/results/effective.hpp"
#include "grids/results/named_flows.hpp"

namespace poisson {

/// The value of a number that the run has not computed yet; null in the file.
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Contains the data of summary.json, with its order and names. Numbers that are not finite become null.
struct Summary {
  std::string title;
  std::string version;
  std::string quantity = "u", unit;  ///< of the solution, for people
  bool converged = false;
  std::string reason;  ///< explains why the iteration ended
  int iterations = 0;
  std::vector<std::string> steps;     ///< lists fallbacks; is omitted if empty
  std::vector<std::string> warnings;  ///< is omitted if empty
  std::string method;
  std::int64_t unknowns = 0;
  int levels = 0;
  double least_cell = unknown, widest_cell = unknown;  ///< over all axes
  struct {
    double initial = 0, final = 0, relative = 0;
    double rounding_floor = 0;    ///< relative residual that rounding of u leaves
    std::vector<double> history;  ///< starts with the relative residual of the guess
  } residual;
  double estimated_error = 0;  ///< relative algebraic error
  struct {
    double min = unknown, max = unknown, integral = unknown, l2 = unknown;
    std::vector<double> min_at{}, max_at{};  ///< places of the extrema; the first of equal ones
  } solution;
  struct ErrorNorms {
    double max = 0, l2 = 0;
  };
  std::optional<ErrorNorms> error;  ///< is null without `exact`
  /// Describes a matrix from a file; it is omitted without one.
  struct Matrix {
    int bands = 0;
    bool symmetric = true;
    double asymmetry = 0, dominance = 0;  ///< as in BandedMatrix
  };
  std::optional<Matrix> matrix;
  /// Describes a matrix of any sparsity; it is omitted without one.
  struct Rows {
    std::int64_t rows = 0, entries = 0;
    bool symmetric = true;
    double asymmetry = 0;  ///< as in GeneralRows
    bool singular = false;
  };
  std::optional<Rows> rows;
  struct Probe {
    std::vector<double> point;
    double u = 0;
  };
  std::vector<Probe> probes;
  /// Contains the answers for a body, the background or a material; as RegionResult (grids/results/region_results.hpp).
  struct Body {
    std::string name, material;
    std::int64_t cells = 0;
    double volume = unknown, power = unknown, flow = unknown, through_faces = unknown;
    double mean = unknown, min = unknown, max = unknown;
    std::vector<double> min_at{}, max_at{};
  };
  std::vector<Body> bodies, materials;  ///< omitted if the problem has no materials
  /// Contains the answers for a face of the domain or a part of it, named "x-" or "x-[0]"; as FaceResult
  /// (grids/results/face_results.hpp).
  struct Face {
    std::string name, condition;  ///< dirichlet, neumann, robin, or several
    std::int64_t cells = 0;
    double area = unknown, flow = unknown, mean = unknown, min = unknown, max = unknown;
    std::vector<double> min_at{}, max_at{};
  };
  std::vector<Face> faces;  ///< omitted if the unknowns are not in cells
  /// Contains the answers for a floating body, as FloatingResult (grids/results/floating_flows.hpp).
  struct FloatingBody {
    std::string name;
    std::int64_t cells = 0;
    double value = unknown, charge = unknown;
    bool held = false;  ///< a Dirichlet face gives the value
  };
  std::vector<FloatingBody> floating_bodies;  ///< omitted if no material floats
  /// Counts the cells without contact to a fixed value, and their volume.
  struct {
    std::int64_t cells = 0;
    double volume = 0;
  } floating;
  using Effective = poisson::Effective;
  std::optional<Effective> effective;
  /// Contains the matrix of conductors: entries[i][j] is the flow out of i if j is at 1 and all others at 0.
  struct Capacitance {
    std::vector<std::string> names;
    std::vector<std::vector<double>> entries;
  };
  std::optional<Capacitance> capacitance;
  NamedFlows flux;    ///< ∫ κ ∂u/∂n over the faces of a box, or over the named parts of another boundary
  int dimension = 3;  ///< of a box; 0: another geometry
  struct {
    double source = unknown, reaction = unknown, projected = unknown, residual = unknown;
    double flow = unknown;  ///< is the larger of inflow and outflow
    double relative() const { return std::abs(residual) / flow; }
    /// Is the largest residual of a cell over the largest flow through a face; omitted without the field `flux`.
    std::optional<double> in_cells;
    std::optional<double> extrapolated;  ///< is the amount of solver.extrapolate; omitted without it
  } balance;
  struct {
    double input = 0, setup = 0, solve = 0, output = 0, total = 0;  ///< seconds
  } time;
  /// Contains the seconds of a process in a solve with timed verbs; omitted without a profile.
  struct Profile {
    double computing = 0, exchanges = 0, coarse = 0, gathers = 0;
  };
  std::vector<Profile> profiles;
  std::string device;
  int ranks = 1, machines = 1;
  /// Describes a transport between processes that was measured before the run.
  struct Transport {
    std::string name;
    double latency = 0, bandwidth = 0;  ///< seconds; bytes/s each way
    std::string obstacle;               ///< is why it is unavailable; empty otherwise
  };
  std::vector<Transport> transports;  ///< the chosen one, then the others compared
  /// The first index of each sub-block along each axis, if there are several processes; omitted otherwise.
  std::vector<std::vector<int>> cuts;
  std::int64_t peak_memory_bytes = 0;
  std::string configuration;  ///< is the effective JSON, written as "config"
  struct File {
    std::string name;
    std::uintmax_t bytes = 0;
  };
  std::vector<File> files;  ///< result files, without the summary
  /// Estimates the relative error of the flux in energy, by recovered gradients; omitted without a mesh.
  std::optional<double> flux_error;
};

/// Returns the summary as indented JSON that ends with a newline.
std::string to_json(const Summary&);

/// Writes `directory/name` through a temporary file and a rename. Returns its path.
std::filesystem::path write_summary(const std::filesystem::path& directory, const Summary&,
                                    const std::string& name = "summary.json");

}  // namespace poisson
