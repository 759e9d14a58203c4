#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "backends/spaces/space.hpp"

namespace poisson {

/// Selects where mailboxes lie: on the GPU of each process, or in host memory.
enum class MailPlace { devices, host };

/// Stores the largest messages between processes on GPUs: bytes of layers across each axis, bytes of a part for one
/// process, and numbers to sum.
struct MailSizes {
  std::array<std::size_t, 3> layers{};
  std::size_t part = 0, sums = 2;

  /// Returns the sizes for halos and sums of fields of a space, with 8 bytes per value.
  static MailSizes of(const Space& space);
  /// Returns the sizes for gathering such fields.
  static MailSizes of_gathered(const Space& space);
  static MailSizes of_parts(std::size_t bytes) { return {{}, bytes, 0}; }

  void include(const MailSizes& more);
  bool operator==(const MailSizes&) const = default;
};

/// Describes a mailbox: the offsets of flags, words and values of each kind, in bytes.
struct MailboxLayout {
  static constexpr int most_processes = 8, sides = 2, slots = 2;
  /// Limits the blocks of a sending kernel. All of them run concurrently, and each waits only for its counterpart.
  static constexpr int most_blocks = 64;
  /// Flags of layers come first, by axis and side, then flags of parts, by sender.
  static constexpr std::size_t flag_count = (3 * sides + most_processes) * most_blocks;

  std::size_t flags = 0, sums = 0, parts = 0;
  std::array<std::size_t, 3> layers{}, words{};
  std::size_t part_bytes = 0, sum_room = 0;  ///< per slot; numbers per slot
  std::array<std::size_t, 3> layer_bytes{};  ///< per slot
  std::array<std::size_t, 3> word_room{};    ///< words per slot
  std::size_t bytes = 0;                     ///< mailbox size

  MailboxLayout() = default;
  MailboxLayout(const MailSizes& sizes, int processes, MailPlace place);

  /// Returns the size, in words, up to which layers are sent as words. Sending twice the bytes then costs less than a
  /// fence and a flag, which need about 2 µs over NVLink and over PCIe.
  static constexpr std::size_t few_words(MailPlace place) {
    return place == MailPlace::devices ? std::size_t{1} << 18 : std::size_t{1} << 15;
  }
};

}  // namespace poisson
