#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace poisson::lab {

namespace exit_status {
inline constexpr int success = 0, failure = 1, usage = 2;
}

/// What the command line asks for. Where `text` is not empty it is to be printed, and `status` returned.
struct Command {
  enum class Action { print, list, run, page, compare };
  Action action = Action::print;
  std::vector<std::string> studies;          ///< names, or all
  std::vector<std::filesystem::path> files;  ///< of page and compare: what runs left
  std::string device = "auto";               ///< as make_backend takes it
  std::filesystem::path output = "results/lab";
  bool quick = false;
  bool broken = false;  ///< --break: add variants that compute something wrong
  std::string text;
  int status = exit_status::success;
};

/// Throws InputError where it is wrong.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace poisson::lab
