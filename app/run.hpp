#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backends/processes.hpp"

namespace poisson {

/// What the command line asks of a run.
struct Arguments {
  std::filesystem::path config;
  std::vector<std::string> overrides;  ///< of --set, each "key.path=value"
  bool validate = false;               ///< stop after the checks, with one line
  bool dry_run = false;                ///< stop after the checks, with the plan
  bool profile = false;                ///< time every verb of the solve
  bool quiet = false;                  ///< print nothing but errors
  int threads = 0;                     ///< of the host; 0: as OpenMP chooses
};

/// Reads the configuration, solves, writes: all processes together, of which the first has the terminal and writes the
/// files. Returns the exit status 0 or 3; every other end is an exception, StoppedElsewhere where another process says
/// why.
int run(const Arguments& arguments, const std::shared_ptr<const Processes>& processes);

}  // namespace poisson
