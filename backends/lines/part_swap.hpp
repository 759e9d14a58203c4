#pragma once

#include <cstddef>
#include <memory>

#include "backends/device/backend.hpp"
#include "backends/spaces/groups.hpp"

namespace poisson {

/// Exchanges parts of memory among members, all to all. Each member stores one part for every member, one after
/// another, and receives every member's part for it. All processes that share a grid call these functions together,
/// even if their groups differ, with the same number of members and of bytes.
class PartSwap {
 public:
  virtual ~PartSwap() = default;
  /// Allocates the exchange buffers; to be called before anything is recorded.
  virtual void reserve_halo_buffers() {}
  /// Sets part m of `to` to the part that member m has for this process. A part has `bytes` bytes, a multiple of
  /// part_alignment, in memory of the backend.
  virtual void swap(const void* from, void* to, std::size_t bytes) = 0;
};

inline constexpr std::size_t part_alignment = 16;

/// Makes an exchange of parts of at most `most` bytes.
std::unique_ptr<PartSwap> make_part_swap(Backend& backend, const Members& members, std::size_t most);

}  // namespace poisson
