#pragma once

#include <cstdint>
#include <vector>

#include "backends/memory/box.hpp"
#include "backends/spaces/orientation.hpp"

namespace poisson {

/// Copies a box of values of a patch to a box of another patch, or adds the values there. In exchanges the patches are
/// numbered on their process. The extents of the boxes agree after the turn.
struct Move {
  int patch = 0;     ///< owner of the values
  Box from;          ///< in its indices
  int to_patch = 0;  ///< receives the values
  Box to;            ///< in its indices
  Orientation turn{};
  bool adds = false;
  bool clears = false;  ///< sets the values to zero where they were, within one field

  /// Returns the transposed move: it adds values to the origin of those that this one has overwritten, or added.
  Move transposed() const { return {to_patch, to, patch, from, turn.inverse(), true, !adds}; }
};

/// Lists what two processes exchange in a step: one message each way. Both list the moves in one order.
struct Channel {
  int process = 0;                            ///< the partner
  int number = 0;                             ///< equal on both processes, and unique between them in a step
  std::vector<Move> sent{}, received{};       ///< the patches that send and receive are those of this process
  std::vector<std::int64_t> sent_rows{};      ///< values of a space of rows that follow, by number
  std::vector<std::int64_t> received_rows{};  ///< where the partner's rows are stored
  bool transposed = false;                    ///< rows are added where they arrive, and cleared where they were
};

/// Is a step of an exchange. All messages of a step may be in flight at once, and its moves have no order, except that
/// values are added in the order of this list: moves of this process first, then channel by channel.
struct ExchangeStep {
  std::vector<Move> own{};  ///< within this process
  std::vector<Channel> channels{};
};

using ExchangeProgram = std::vector<ExchangeStep>;

/// Lists the rows that a process sends to another one, and the numbers under which it stores those that it receives.
struct RowList {
  int process = 0;
  std::vector<std::int64_t> sent{}, received{};
};

}  // namespace poisson
