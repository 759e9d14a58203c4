#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/field.hpp"
#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

// A 9-band matrix on a two-dimensional grid whose entries are held in memory or worked out anew: row p has the entries
// e_b(p) = w_b g(p) g(p + o_b), with o_b the offset of band b, in the order of the grid's lines, and g a coefficient
// that takes `steps` fused multiply-adds. Beyond the grid u is zero.

inline constexpr int band_count = 9, centre_band = 4;
inline constexpr std::array<double, band_count> recompute_weights{0.0625, 0.125,  0.0625, 0.125, 0.25,
                                                                  0.125,  0.0625, 0.125,  0.0625};
constexpr int offset_x(int band) {
  return band % 3 - 1;
}
constexpr int offset_y(int band) {
  return band / 3 - 1;
}

/// g(i, j): from (1 + (x + y)/2)/2 in the unit square, `steps` times g ← factor·g + shift. It goes so slowly towards
/// 1/4 that one step more or less shows even after hundreds.
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

/// y = A u, or the Jacobi sweep y = u + ω (f − A u)/diagonal.
enum class RecomputeVerb { product, jacobi };
inline constexpr double jacobi_relaxation = 0.8;

/// Where entries come from.
enum class EntrySource { full, full_tiled, half, partial, fly, once };
struct EntryMode {
  EntrySource source;
  std::string_view name;
  int words;           ///< of a product, read and written once per point: entries or coefficients, u, y
  int evaluations;     ///< of g in a point
  int multiply_adds;   ///< issued for a point beside those of g; a product alone counts as one
  bool on_cpu = true;  ///< a tile in shared memory is the GPU's
};
/// `half` holds a band and its mirror image once; `once` keeps the coefficients of a tile (on a CPU of three lines)
/// while its points need them.
inline constexpr std::array entry_modes{
    EntryMode{EntrySource::full, "full", 11, 0, 9},
    EntryMode{EntrySource::full_tiled, "full, u in a tile", 11, 0, 9, false},
    EntryMode{EntrySource::half, "half (symmetric)", 7, 0, 9},
    EntryMode{EntrySource::partial, "partial", 3, 0, 27},
    EntryMode{EntrySource::fly, "on the fly", 2, 9, 27},
    EntryMode{EntrySource::once, "on the fly, once per point", 2, 1, 27},
};

/// Multiply-adds of one evaluation of g, its start included: the x of all panels.
constexpr int entry_cost(int steps) {
  return steps + 2;
}
/// Floating-point operations of a point, two for every multiply-add. A Jacobi sweep has a few more, with its division.
constexpr double recompute_operations(const EntryMode& mode, RecomputeVerb verb, int steps) {
  return 2.0 * (mode.multiply_adds + mode.evaluations * entry_cost(steps) + (verb == RecomputeVerb::jacobi ? 12 : 0));
}
/// Bytes of a point, every value moved once.
constexpr double recompute_bytes(const EntryMode& mode, RecomputeVerb verb, Precision precision) {
  return (mode.words + (verb == RecomputeVerb::jacobi ? 1.0 : 0.0)) * static_cast<double>(bytes_of(precision));
}

/// Operands on a grid of one precision: u and f random in [0, 1), g, and all nine bands.
struct RecomputeData {
  Field u, f, y, g;
  std::array<Field, band_count> bands;
  int steps = 0;

  /// Without values; those of u and f are set by fill_vectors, those of g and the bands by fill_entries.
  RecomputeData(Backend&, std::array<int, 2> n, Precision);
  Precision precision() const { return u.precision(); }
  std::array<int, 2> n() const { return {u.layout().n[0], u.layout().n[1]}; }
};

/// u (which = 0) and f (1).
constexpr float recompute_value(int n0, int which, int i, int j) {
  return noise_float(
      2 * (static_cast<std::uint64_t>(j) * static_cast<std::uint64_t>(n0) + static_cast<std::uint64_t>(i)) +
      static_cast<std::uint64_t>(which));
}
void fill_vectors(RecomputeData& data);
void fill_entries(RecomputeData& data, int steps);
/// data.y = the verb with the entries of data.steps from that source.
void recompute(RecomputeData& data, EntrySource source, RecomputeVerb verb);
/// Floating-point operations per second of multiply-adds alone, on the session's device.
double multiply_add_peak(Session& session, Precision precision, std::string_view study);

/// The oracle in double arithmetic, in the plainest way.
double recomputed(std::array<int, 2> n, int i, int j, int steps, RecomputeVerb verb);
/// Whether row j of data.y is right in every stride-th column.
bool row_is_right(const RecomputeData& data, int j, RecomputeVerb verb, int stride);

/// Of panels "product-fp32", … (million points/s over the multiply-adds of an entry, a guide "predicted, NAME" for each
/// mode): where each mode wins, and whether that was to be expected.
std::vector<std::string> conclude_recompute(std::span<const Panel> panels);

namespace cpu_recompute {
void fill_vectors(RecomputeData& data);
void fill_entries(RecomputeData& data);
void apply(RecomputeData& data, EntrySource source, RecomputeVerb verb);
double multiply_add_peak(Session& session, Precision precision);
}  // namespace cpu_recompute
namespace gpu_recompute {  // defined in builds with CUDA
void fill_vectors(RecomputeData& data);
void fill_entries(RecomputeData& data);
void apply(RecomputeData& data, EntrySource source, RecomputeVerb verb);
}  // namespace gpu_recompute

}  // namespace poisson::lab
