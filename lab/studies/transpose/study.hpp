#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "backends/utilities/transpose.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// One way to transpose matrices of 4- or 8-byte elements, or to copy them in the same manner, which shows what the
/// transposition adds.
struct TransposeVariant {
  using Launch = std::function<void(Backend&, const Transposition&, const void* from, void* to)>;

  std::string name;
  bool transposes = true;  ///< else the destination is a copy of the source, padding apart
  Launch launch = {};
  /// Whether device, shape and alignment permit it; always where empty.
  std::function<bool(const Transposition&, const void* from, const void* to)> permitted = {};
};

/// The names that conclusions look for.
namespace transpose_names {
inline constexpr std::string_view naive_read = "naive (coalesced read)", naive_write = "naive (coalesced write)",
                                  copy = "copy", strided_copy = "strided copy", tiled = "tiled (bank conflicts)",
                                  in_tile_copy = "in-tile copy", padded = "padded", diagonal = "diagonal block order",
                                  padded_16 = "padded, tiles of 16 × 16", padded_48 = "padded, tiles of 48 × 48",
                                  padded_pitch = "padded, rows 64 bytes apart", swizzled = "swizzled",
                                  vectorized = "vectorized", bulk = "bulk-copy engine (TMA)",
                                  library = "library (tuned)", geam = "cuBLAS geam";
}  // namespace transpose_names

/// The ways of a CPU.
std::vector<TransposeVariant> cpu_transpose_variants();
/// A transposition that forgets the last row, to show that no such thing passes for a result.
TransposeVariant broken_transpose_variant();
/// In builds with CUDA: the ways of a GPU, and the tunings of the library's kernel that it did not choose.
std::vector<TransposeVariant> gpu_transpose_variants();
std::vector<TransposeVariant> gpu_transpose_tilings();
/// Where this device and build have them: else nothing.
std::vector<TransposeVariant> bulk_transpose_variants();
std::vector<TransposeVariant> geam_variants();

/// What a variant gets wrong, in memory of its own between poisoned neighbours, compared on the host: empty where
/// nothing. Where the variant does not permit the shape nothing is wrong either.
std::string wrong_transposition(Backend& backend, const TransposeVariant& variant, const Transposition& shape);
/// Shapes in which tiles, words and rows are not full, for matrices of such elements.
std::vector<Transposition> awkward_transpositions(std::size_t element, bool transposes);

/// Conclusions from the study's panels, told apart by the beginnings of their names: "bars-", "sweep-", "size-",
/// "shape-". The first guide of a bar panel is the device's copy at that size; in the others it is a curve.
std::vector<std::string> conclude_transpose(std::span<const Panel> panels);

}  // namespace poisson::lab
