#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bench/sizes.hpp"

namespace poisson::bench {

/// Contains the settings of a measurement.
struct Setting {
  std::string device = "auto";
  int repeat = 5;  ///< measurements; the median counts
};

/// Contains the measurement of one case at one size. Members that do not apply are empty.
struct Measurement {
  std::string name;
  int cells = 0;  ///< per axis, cubes
  std::int64_t unknowns = 0;
  double seconds = 0;  ///< median
  double fastest = 0, slowest = 0;
  // The following members apply to kernels.
  std::optional<double> bytes;    ///< counted, per call
  std::optional<double> of_copy;  ///< bandwidth, which is relative to a copy in the same run
  std::optional<double>
      predicted;              ///< seconds, which follow from counted bytes and operations (grids/schemes/assembly.hpp)
  std::optional<int> sweeps;  ///< sweeps per call
  // The following members apply to solves.
  std::optional<int> cycles;
  std::optional<double> setup;     ///< seconds, which include levels and memory
  std::optional<double> first;     ///< seconds of the first solve after set-up
  std::optional<double> residual;  ///< relative, recomputed
  std::optional<double> error;     ///< max |u − exact| / max |exact|
  std::optional<double> bytes_per_unknown;
  std::optional<Size> size;  ///< other boxes than cubes
  // The following members apply to solves on boxes of any size.
  std::optional<int> levels;
  std::optional<double> per_cycle_and_unknown;  ///< seconds
  std::optional<double> ratio;                  ///< ratio to the line through the neighbouring powers of two
  std::optional<std::string> failed;            ///< why nothing was measured
};

struct KernelCase;
struct SolveCase;

/// Describes a row of the table of cases. One of the five members is set.
struct Case {
  std::string_view name, description;
  const KernelCase* kernel = nullptr;
  const SolveCase* solve = nullptr;
  Measurement (*measure)(int cells, const Setting& setting) = nullptr;
  std::span<const Case> (*members)() = nullptr;  ///< kernels with a common name
  bool sizes = false;                            ///< solves on boxes of any size, measured only on request
};

std::span<const Case> kernel_cases();
std::span<const Case> solve_cases();
std::span<const Case> expression_cases();
std::span<const Case> assembly_cases();
std::span<const Case> output_cases();
std::span<const Case> jacobi_cases();

/// Receives each measurement immediately.
using Report = std::function<void(const Measurement&)>;

/// Times kernels on a box, starting with a copy. Throws RunError if a kernel's result is wrong.
void measure_kernels(std::span<const Case> cases, const Size& size, const Setting& setting, const Report& report);
/// Times solves. Throws RunError if the answer is wrong.
Measurement measure_solve(const Case& which, int cells, const Setting& setting);

/// Times solves on boxes of any size, for all problems of size_problems.hpp or for one. Returns false if one failed;
/// its measurement gives the reason.
bool measure_sizes(std::string_view problem, std::span<const Size> sizes, const Setting& setting, const Report& report);

/// Times cuFFT's real transforms in both directions, direct solutions, and a copy. `sizes` defaults to the sizes of
/// each kind of problem. Returns false if a measurement failed.
bool measure_cufft(std::span<const Size> sizes, const Setting& setting, const Report& report);
bool measure_direct(std::span<const Size> sizes, const Setting& setting, const Report& report);

/// Stores the minimum, median and maximum of the seconds.
void summarize(std::span<double> seconds, Measurement& result);

}  // namespace poisson::bench
