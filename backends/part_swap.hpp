#pragma once

#include <cstddef>
#include <memory>

#include "backends/backend.hpp"
#include "backends/groups.hpp"

namespace poisson {

/// Each of some processes has a part of memory for each of them, one behind the other, and gets what they have for it.
/// All processes that share a grid call these together, whoever their members are, with as many of them and as many
/// bytes.
class PartSwap {
 public:
  virtual ~PartSwap() = default;
  /// Makes room for what is on its way, before anything is recorded.
  virtual void join() {}
  /// Part m of `to` = what member m has for this process: parts of so many bytes, a multiple of part_alignment, in
  /// memory of the backend.
  virtual void swap(const void* from, void* to, std::size_t bytes) = 0;
};

inline constexpr std::size_t part_alignment = 16;

/// Of parts of at most so many bytes.
std::unique_ptr<PartSwap> make_part_swap(Backend& backend, const Members& members, std::size_t most);

}  // namespace poisson
