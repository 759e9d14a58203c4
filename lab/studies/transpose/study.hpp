#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "backends/utilities/transpose.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Defines a way to transpose matrices of 4- or 8-byte elements, or to copy them by the same access pattern, which
/// isolates the cost of the transposition.
struct TransposeVariant {
  using Launch = std::function<void(Backend&, const Transposition&, const void* from, void* to)>;

  std::string name;
  bool transposes = true;  ///< if false, the destination is a copy, padding excluded
  Launch launch = {};
  /// Returns whether device, shape and alignment permit the variant. Empty means always.
  std::function<bool(const Transposition&, const void* from, const void* to)> permitted = {};
};

/// Conclusions look up these names.
namespace transpose_names {
inline constexpr std::string_view naive_read = "naive (coalesced read)", naive_write = "naive (coalesced write)",
                                  copy = "copy", strided_copy = "strided copy", tiled = "tiled (bank conflicts)",
                                  in_tile_copy = "in-tile copy", padded = "padded", diagonal = "diagonal block order",
                                  padded_16 = "padded, tiles of 16 × 16", padded_48 = "padded, tiles of 48 × 48",
                                  threads_4 = "padded, 32 × 4 threads", threads_16 = "padded, 32 × 16 threads",
                                  threads_32 = "padded, 32 × 32 threads", padded_pitch = "padded, rows 64 bytes apart",
                                  swizzled = "swizzled", vectorized = "vectorized", bulk = "bulk-copy engine (TMA)",
                                  library = "library (tuned)", geam = "cuBLAS geam";
}  // namespace transpose_names

/// Returns the ways of a CPU.
std::vector<TransposeVariant> cpu_transpose_variants();
/// Returns a transposition that omits the last row, to prove that the checks reject a wrong one.
TransposeVariant broken_transpose_variant();
/// Return the ways of a GPU, and the tunings of the library's kernel that it did not choose. Both exist in builds with
/// CUDA only.
std::vector<TransposeVariant> gpu_transpose_variants();
std::vector<TransposeVariant> gpu_transpose_tilings();
/// Return these variants if the device and the build have them, otherwise none.
std::vector<TransposeVariant> bulk_transpose_variants();
std::vector<TransposeVariant> geam_variants();

/// Describes the error of a variant in its own memory between poisoned neighbours, compared on the host. Empty if there
/// is none, or if the variant does not permit the shape.
std::string wrong_transposition(Backend& backend, const TransposeVariant& variant, const Transposition& shape);
/// Returns shapes with partial tiles, words and rows, for matrices of such elements.
std::vector<Transposition> awkward_transpositions(std::size_t element, bool transposes);

/// Derives conclusions from the study's panels, whose names begin with "bars-", "sweep-", "size-" or "shape-". The
/// first guide of a bar panel is the device's copy at that size; in the others it is a curve.
std::vector<std::string> conclude_transpose(std::span<const Panel> panels);

}  // namespace poisson::lab
