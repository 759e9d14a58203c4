#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bench/sizes.hpp"

namespace poisson::bench {

/// How to measure.
struct Setting {
  std::string device = "auto";
  int repeat = 5;  ///< measurements, of which the median counts
};

/// What one case measured at one size. Members that do not apply are empty.
struct Measurement {
  std::string name;
  int cells = 0;  ///< per axis, of cubes
  std::int64_t unknowns = 0;
  double seconds = 0;  ///< the median
  double fastest = 0, slowest = 0;
  // Kernels.
  std::optional<double> bytes;      ///< counted traffic of one call
  std::optional<double> of_copy;    ///< its bandwidth as a fraction of a copy's, measured in the same run
  std::optional<double> predicted;  ///< seconds, from counted bytes and operations (grids/schemes/assembly.hpp)
  std::optional<int> sweeps;        ///< of a call
  // Solves.
  std::optional<int> cycles;
  std::optional<double> setup;     ///< seconds: levels, memory
  std::optional<double> first;     ///< seconds of the first solve, which was prepared in set-up
  std::optional<double> residual;  ///< of the answer, recomputed, relative
  std::optional<double> error;     ///< max |u − exact| / max |exact|
  std::optional<double> bytes_per_unknown;
  std::optional<Size> size;  ///< in place of `cells`, of other boxes
  // Solves on boxes of any size.
  std::optional<int> levels;
  std::optional<double> per_cycle_and_unknown;  ///< seconds of the whole solve
  std::optional<double> ratio;                  ///< of those to the line through the powers of two around
  std::optional<std::string> failed;            ///< why nothing was measured
};

struct KernelCase;
struct SolveCase;

/// A row of the table of cases: one of the five is set.
struct Case {
  std::string_view name, description;
  const KernelCase* kernel = nullptr;
  const SolveCase* solve = nullptr;
  Measurement (*measure)(int cells, const Setting& setting) = nullptr;
  std::span<const Case> (*members)() = nullptr;  ///< kernels that go by one name
  bool sizes = false;                            ///< solves on boxes of any size, measured only where it is named
};

std::span<const Case> kernel_cases();
std::span<const Case> solve_cases();
std::span<const Case> expression_cases();
std::span<const Case> assembly_cases();
std::span<const Case> output_cases();
std::span<const Case> jacobi_cases();

/// Takes a measurement as soon as it is there.
using Report = std::function<void(const Measurement&)>;

/// Times kernels on a box, a copy first. Throws RunError where a kernel's result is wrong.
void measure_kernels(std::span<const Case> cases, const Size& size, const Setting& setting, const Report& report);
/// Times solves. Throws RunError where the answer is wrong.
Measurement measure_solve(const Case& which, int cells, const Setting& setting);

/// Times solves on boxes of any size: all problems of size_problems.hpp, or one of them. Returns false where one
/// failed, which its measurement says.
bool measure_sizes(std::string_view problem, std::span<const Size> sizes, const Setting& setting, const Report& report);

/// Times cuFFT's real transforms there and back, and direct solutions beside them and a copy: on these sizes, or where
/// there are none on those that each kind of problem is asked for. The same returns.
bool measure_cufft(std::span<const Size> sizes, const Setting& setting, const Report& report);
bool measure_direct(std::span<const Size> sizes, const Setting& setting, const Report& report);

/// min, median and max of the seconds.
void summarize(std::span<double> seconds, Measurement& result);

}  // namespace poisson::bench
