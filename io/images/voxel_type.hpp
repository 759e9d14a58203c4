#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace poisson {

/// Describes how a file stores a voxel.
struct VoxelType {
  enum class Kind { unsigned_integer, signed_integer, floating };
  Kind kind = Kind::unsigned_integer;
  int bytes = 1;
  bool swapped = false;  ///< stored in the other byte order than that of this machine

  std::string text() const;  ///< such as "uint8"
  bool operator==(const VoxelType&) const = default;
};

/// Returns the type with a name such as "uint16" or "float32", of 1 to 8 bytes, or nothing.
std::optional<VoxelType> voxel_type_named(std::string_view name);

/// Is the value of a stored number that is no whole number, or is beyond 64 bits.
inline constexpr std::int64_t no_label = INT64_MIN;

/// Converts stored voxels to whole numbers; the source needs no alignment. Numbers that are not whole become no_label.
void read_labels(const VoxelType& type, const std::byte* from, std::span<std::int64_t> labels);

}  // namespace poisson
