#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device/field.hpp"
#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

// The study uses a 9-band matrix on a two-dimensional grid, whose entries are stored or recomputed. Row p has the
// entries e_b(p) = w_b g(p) g(p + o_b), with o_b the offset of band b in the order of the grid's lines. The coefficient
// g costs `steps` fused multiply-adds. Beyond the grid u is zero.

inline constexpr int band_count = 9, centre_band = 4;
inline constexpr std::array<double, band_count> recompute_weights{0.0625, 0.125,  0.0625, 0.125, 0.25,
                                                                  0.125,  0.0625, 0.125,  0.0625};
constexpr int offset_x(int band) {
  return band % 3 - 1;
}
constexpr int offset_y(int band) {
  return band / 3 - 1;
}

/// g(i, j) starts from (1 + (x + y)/2)/2 in the unit square and applies g ← factor·g + shift `steps` times. It
/// approaches 1/4 so slowly that one step more or less is visible even after hundreds.
inline constexpr double coefficient_factor = 1 - 0x1p-8, coefficient_shift = 0x1p-10;
template <class T>
struct CoefficientStart {
  T of_i, of_j, constant;
  constexpr CoefficientStart(int n0, int n1)
      : of_i(static_cast<T>(0.25 / (n0 + 1))),
        of_j(static_cast<T>(0.25 / (n1 + 1))),
        constant(static_cast<T>(0.5 + 0.25 / (n0 + 1) + 0.25 / (n1 + 1))) {}
  constexpr T operator()(T i, T j) const { return of_i * i + (of_j * j + constant); }
};
template <class T>
constexpr T coefficient(const CoefficientStart<T>& start, int i, int j, int steps) {
  T g = start(static_cast<T>(i), static_cast<T>(j));
  for (int step = 0; step < steps; ++step)
    g = static_cast<T>(coefficient_factor) * g + static_cast<T>(coefficient_shift);
  return g;
}

/// Selects y = A u, or the Jacobi sweep y = u + ω (f − A u)/diagonal.
enum class RecomputeVerb { product, jacobi };
inline constexpr double jacobi_relaxation = 0.8;

/// Selects the source of the entries.
enum class EntrySource { full, full_tiled, half, partial, fly, once };
struct EntryMode {
  EntrySource source;
  std::string_view name;
  int words;           ///< are read and written once per point of a product: entries or coefficients, u, y
  int evaluations;     ///< per point
  int multiply_adds;   ///< are issued per point besides those of g; a product alone counts as one
  bool on_cpu = true;  ///< only GPUs have tiles in shared memory
};
/// `half` stores a band and its mirror image once. `once` keeps the coefficients of a tile (on a CPU of three lines)
/// while its points need them.
inline constexpr std::array entry_modes{
    EntryMode{EntrySource::full, "full", 11, 0, 9},
    EntryMode{EntrySource::full_tiled, "full, u in a tile", 11, 0, 9, false},
    EntryMode{EntrySource::half, "half (symmetric)", 7, 0, 9},
    EntryMode{EntrySource::partial, "partial", 3, 0, 27},
    EntryMode{EntrySource::fly, "on the fly", 2, 9, 27},
    EntryMode{EntrySource::once, "on the fly, once per point", 2, 1, 27},
};

/// Returns the multiply-adds of one evaluation of g, including its start: the x of all panels.
constexpr int entry_cost(int steps) {
  return steps + 2;
}
/// Returns the floating-point operations per point, two for every multiply-add. A Jacobi sweep needs a few more,
/// including a division.
constexpr double recompute_operations(const EntryMode& mode, RecomputeVerb verb, int steps) {
  return 2.0 * (mode.multiply_adds + mode.evaluations * entry_cost(steps) + (verb == RecomputeVerb::jacobi ? 12 : 0));
}
/// Returns the bytes per point if every value moves once.
constexpr double recompute_bytes(const EntryMode& mode, RecomputeVerb verb, Precision precision) {
  return (mode.words + (verb == RecomputeVerb::jacobi ? 1.0 : 0.0)) * static_cast<double>(bytes_of(precision));
}

/// Owns the operands on a grid of one precision: u and f random in [0, 1), g, and all nine bands.
struct RecomputeData {
  Field u, f, y, g;
  std::array<Field, band_count> bands;
  int steps = 0;

  /// Allocates without setting values. fill_vectors sets u and f; fill_entries sets g and the bands.
  RecomputeData(Backend&, std::array<int, 2> n, Precision);
  Precision precision() const { return u.precision(); }
  std::array<int, 2> n() const { return {u.layout().n[0], u.layout().n[1]}; }
};

/// Returns u (which = 0) and f (1).
constexpr float recompute_value(int n0, int which, int i, int j) {
  return noise_float(
      2 * (static_cast<std::uint64_t>(j) * static_cast<std::uint64_t>(n0) + static_cast<std::uint64_t>(i)) +
      static_cast<std::uint64_t>(which));
}
void fill_vectors(RecomputeData& data);
void fill_entries(RecomputeData& data, int steps);
/// Computes data.y by the verb, with the entries of data.steps from that source.
void recompute(RecomputeData& data, EntrySource source, RecomputeVerb verb);
/// Returns the floating-point operations per second of multiply-adds alone, on the session's device.
double multiply_add_peak(Session& session, Precision precision, std::string_view study);

/// The oracle computes the same directly, in double arithmetic.
double recomputed(std::array<int, 2> n, int i, int j, int steps, RecomputeVerb verb);
/// Returns whether row j of data.y is right in every stride-th column.
bool row_is_right(const RecomputeData& data, int j, RecomputeVerb verb, int stride);

/// Concludes where each mode wins, and whether the model predicted that. The panels "product-fp32", … contain million
/// points/s over the multiply-adds of an entry and a guide "predicted, NAME" for each mode.
std::vector<std::string> conclude_recompute(std::span<const Panel> panels);

namespace cpu_recompute {
void fill_vectors(RecomputeData& data);
void fill_entries(RecomputeData& data);
void apply(RecomputeData& data, EntrySource source, RecomputeVerb verb);
double multiply_add_peak(Session& session, Precision precision);
}  // namespace cpu_recompute
namespace gpu_recompute {  // exists in builds with CUDA
void fill_vectors(RecomputeData& data);
void fill_entries(RecomputeData& data);
void apply(RecomputeData& data, EntrySource source, RecomputeVerb verb);
}  // namespace gpu_recompute

}  // namespace poisson::lab
