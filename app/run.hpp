#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backends/processes/processes.hpp"

namespace poisson {

/// These settings of a run come from the command line.
struct Arguments {
  std::filesystem::path config;
  std::vector<std::string> overrides;  ///< each "key.path=value" of --set
  bool validate = false;               ///< stop after the checks and print one line
  bool dry_run = false;                ///< stop after the checks and print the plan
  bool profile = false;                ///< times every verb
  bool quiet = false;                  ///< print only errors
  int threads = 0;                     ///< 0 means the OpenMP default
};

/// Reads the configuration, solves the problem and writes the results. Collective: the first process prints to the
/// terminal and writes the summary. Returns the exit status 0 or 3. Every other end is an exception; it is
/// StoppedElsewhere if another process reports the reason.
int run(const Arguments& arguments, const std::shared_ptr<const Processes>& processes);

}  // namespace poisson
