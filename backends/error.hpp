#pragma once

#include <stdexcept>
#include <string>

namespace poisson {

/// What may help beside what a message says. A program words it in the terms of its own options.
enum class Remedy {
  none,
  fewer_values,          ///< of memory on the host
  fewer_values_or_host,  ///< of memory on a device
  other_architecture,    ///< the build has no code for the device
  other_driver,
  other_device,
  host,
  host_or_any_device,
  report,  ///< should not happen: again, and if it does tell the authors
  other_smoother_or_host,
  positive_definite,
};

/// What every message says, in this order: the problem, why (in parentheses), what to try, where it is no Remedy.
struct Error : std::runtime_error {
  explicit Error(const std::string& what, Remedy help = Remedy::none) : std::runtime_error(what), remedy(help) {}

  Remedy remedy;
};

/// The user's input is wrong: configuration, command line, or a file it names. Exit status 2.
struct InputError : Error {
  using Error::Error;
};

/// The run failed: a device, a file system, a number that is not finite. Exit status 1.
struct RunError : Error {
  using Error::Error;
};

}  // namespace poisson
