#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "backends/space.hpp"

namespace poisson {

/// Where mailboxes lie: each on the GPU of its process, or in memory of the host.
enum class MailPlace { devices, host };

/// What processes on GPUs send each other at a time, at most: bytes of layers across each axis, of a part for one of
/// them, and numbers that are summed up.
struct MailSizes {
  std::array<std::size_t, 3> layers{};
  std::size_t part = 0, sums = 2;

  /// Of halos and sums of fields of a space, of 8 bytes a value.
  static MailSizes of(const Space& space);
  /// Of what is gathered of them.
  static MailSizes of_gathered(const Space& space);
  static MailSizes of_parts(std::size_t bytes) { return {{}, bytes, 0}; }

  void include(const MailSizes& more);
  bool operator==(const MailSizes&) const = default;
};

/// A mailbox: where flags, words and values of each kind begin, in bytes from its begin.
struct MailboxLayout {
  static constexpr int most_processes = 8, sides = 2, slots = 2;
  /// Blocks of a kernel that sends, at most: all of them run at once, and each waits for its counterpart alone.
  static constexpr int most_blocks = 64;
  /// Of layers by axis and side, then of parts by who has sent.
  static constexpr std::size_t flag_count = (3 * sides + most_processes) * most_blocks;

  std::size_t flags = 0, sums = 0, parts = 0;
  std::array<std::size_t, 3> layers{}, words{};
  std::size_t part_bytes = 0, sum_room = 0;  ///< of a slot; numbers of one
  std::array<std::size_t, 3> layer_bytes{};  ///< of a slot
  std::array<std::size_t, 3> word_room{};    ///< words of a slot
  std::size_t bytes = 0;                     ///< of the mailbox

  MailboxLayout() = default;
  MailboxLayout(const MailSizes& sizes, int processes, MailPlace place);

  /// Layers of so many words come as such: what twice the bytes take is less than a fence and a flag do, some two
  /// microseconds over NVLink, and over PCIe.
  static constexpr std::size_t few_words(MailPlace place) {
    return place == MailPlace::devices ? std::size_t{1} << 18 : std::size_t{1} << 15;
  }
};

}  // namespace poisson
