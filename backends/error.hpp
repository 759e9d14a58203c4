#pragma once

#include <stdexcept>

namespace poisson {

/// What every message says, in this order: the problem, why (in parentheses), what to try.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
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
