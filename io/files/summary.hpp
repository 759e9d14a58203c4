#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace poisson {

/// What a number is before the run has found it; null in the file.
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Everything summary.json says about a run, in its order and with its names. Numbers that are not finite become null.
struct Summary {
  std::string title;
  std::string version;
  bool converged = false;
  std::string reason;  ///< why the iteration ended
  int iterations = 0;
  std::vector<std::string> steps;     ///< what the iteration went on with where it failed; without any, left out
  std::vector<std::string> warnings;  ///< what the run warned of; without any, left out
  std::string method;
  std::int64_t unknowns = 0;
  int levels = 0;
  double least_cell = unknown, widest_cell = unknown;  ///< widths along whatever axis
  struct {
    double initial = 0, final = 0, relative = 0;
    std::vector<double> history;  ///< relative residual after each iteration, the start first
  } residual;
  double estimated_error = 0;  ///< estimated relative algebraic error
  struct {
    double min = unknown, max = unknown, integral = unknown, l2 = unknown;
    std::vector<double> min_at{}, max_at{};  ///< where the extrema are; the first of equal ones
  } solution;
  struct ErrorNorms {
    double max = 0, l2 = 0;
  };
  std::optional<ErrorNorms> error;  ///< against `exact`; without one, "error" is null
  /// Of a matrix from a file; without one, left out.
  struct Matrix {
    int bands = 0;
    bool symmetric = true;
    double asymmetry = 0, dominance = 0;  ///< as BandedMatrix has them
  };
  std::optional<Matrix> matrix;
  struct Probe {
    std::vector<double> point;
    double u = 0;
  };
  std::vector<Probe> probes;
  std::array<double, 6> flux{unknown, unknown, unknown,
                             unknown, unknown, unknown};  ///< ∫ κ ∂u/∂n over the faces, in the order of face_names
  int dimension = 3;                                      ///< 2: the flux of the z faces is left out
  struct {
    double source = unknown, reaction = unknown, projected = unknown, residual = unknown;
    double flow = unknown;  ///< what flows into the box or out of it, whichever is more
    double relative() const { return std::abs(residual) / flow; }
    std::optional<double> extrapolated;  ///< what solver.extrapolate added to the source; without it, left out
  } balance;
  struct {
    double input = 0, setup = 0, solve = 0, output = 0, total = 0;  ///< seconds
  } time;
  /// Seconds of a solve whose verbs were timed, of each process; without any, left out.
  struct Profile {
    double computing = 0, exchanges = 0, coarse = 0, gathers = 0;
  };
  std::vector<Profile> profiles;
  std::string device;
  int ranks = 1, machines = 1;
  /// A way between several processes, as measured before the run.
  struct Transport {
    std::string name;
    double latency = 0, bandwidth = 0;  ///< seconds; bytes a second each way
    std::string obstacle;               ///< why it could not be had, and has no speed; else empty
  };
  std::vector<Transport> transports;  ///< of several processes the one taken, then those that it was compared with
  /// Of several processes: where along each axis the values of each part begin; of one left out.
  std::vector<std::vector<int>> cuts;
  std::int64_t peak_memory_bytes = 0;
  std::string configuration;  ///< the effective configuration as JSON; stands under "config"
  struct File {
    std::string name;
    std::uintmax_t bytes = 0;
  };
  std::vector<File> files;  ///< what the run leaves in its directory beside the summary
};

/// The summary as indented JSON, ending with a newline.
std::string to_json(const Summary&);

/// Writes `directory/name` (through a temporary file and a rename) and returns its path.
std::filesystem::path write_summary(const std::filesystem::path& directory, const Summary&,
                                    const std::string& name = "summary.json");

}  // namespace poisson
