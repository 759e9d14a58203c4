#pragma once

#include <memory>
#include <vector>

#include "backends/device/field.hpp"
#include "backends/processes/processes.hpp"
#include "backends/spaces/exchange_program.hpp"

namespace poisson::cpu {

/// Runs the steps of exchanges, from one field to another of the same precision or within one field. One step may be in
/// flight at a time.
class Mover {
 public:
  /// Starts the messages of a step, and copies what moves within this process. The messages have all values that the
  /// step reads.
  void begin(const ExchangeStep& step, const Field& from, Field& to);
  /// Completes the step: stores the messages, and adds values.
  void end(const ExchangeStep& step, Field& to);
  void run(const ExchangeStep& step, const Field& from, Field& to) {
    begin(step, from, to);
    end(step, to);
  }

 private:
  std::vector<std::vector<char>> out_, in_;      // a message a channel
  std::vector<char> added_;                      // values of this process that `end` adds
  std::unique_ptr<Processes::Transit> transit_;  // null if nothing is in flight
};

}  // namespace poisson::cpu
