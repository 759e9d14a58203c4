#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace poisson::lab {

namespace exit_status {
inline constexpr int success = 0, failure = 1, usage = 2;
}

/// Contains the parsed command line. If `text` is not empty, the program prints it and returns `status`.
struct Command {
  enum class Action { print, list, run, page, compare };
  Action action = Action::print;
  std::vector<std::string> studies;          ///< names, or `all`
  std::vector<std::filesystem::path> files;  ///< lab.json files
  std::string device = "auto";               ///< as make_backend expects
  std::filesystem::path output = "results/lab";
  bool quick = false;
  bool broken = false;  ///< --break: add wrong variants
  std::string text;
  int status = exit_status::success;
};

/// Parses the command line. Throws InputError if it is wrong.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace poisson::lab
