#pragma once

#include <stdexcept>
#include <string>

namespace poisson {

/// Names advice that a message cannot give itself. Programs word it in terms of their options.
enum class Remedy {
  none,
  fewer_values,          ///< host memory is insufficient
  fewer_values_or_host,  ///< device memory is insufficient
  other_architecture,    ///< the build has no code for the device
  other_driver,
  other_device,
  host,
  host_or_any_device,
  report,  ///< a bug: run again and, if it recurs, report it
  other_smoother_or_host,
  positive_definite,
};

/// Is the base of all errors. A message states the problem, the reason in parentheses, and what to try unless a Remedy
/// does.
struct Error : std::runtime_error {
  explicit Error(const std::string& what, Remedy help = Remedy::none) : std::runtime_error(what), remedy(help) {}

  Remedy remedy;
};

/// Reports a mistake in the user's input: the configuration, the command line, or a file that they name. Exit status 2.
struct InputError : Error {
  using Error::Error;
};

/// Reports that the run failed: a device, a file system, or a number that is not finite. Exit status 1.
struct RunError : Error {
  using Error::Error;
};

}  // namespace poisson
