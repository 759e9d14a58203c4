#pragma once

#include <string>

#include "backends/memory/error.hpp"

namespace poisson {

/// Reports what is wrong with a body as a whole. The message begins with its name, which a program may replace by the
/// place where the body is described.
struct BodyError : InputError {
  BodyError(const std::string& body, std::string why)
      : InputError(key(body) + ": " + why), name(body), reason(std::move(why)) {}

  /// Returns the key under which a configuration keeps the place of a body.
  static std::string key(const std::string& name) { return "body " + name; }

  std::string name, reason;
};

}  // namespace poisson
