#pragma once

#include <optional>

#include "app/run.hpp"

namespace poisson {

/// These are the exit statuses of the program.
namespace exit_status {
inline constexpr int success = 0;  ///< converged
inline constexpr int failure = 1;
inline constexpr int usage = 2;       ///< the command line or the configuration is wrong
inline constexpr int incomplete = 3;  ///< stopped before the tolerance; the best iterate is written
}  // namespace exit_status

/// Contains the result of parsing: either arguments for a run, or a text for standard output with an exit status.
struct Command {
  std::optional<Arguments> arguments;
  std::string text;
  int status = exit_status::success;
};

/// Parses the command line. Throws InputError if it is wrong.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace poisson
