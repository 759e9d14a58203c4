#pragma once

#include <memory>
#include <string>
#include <vector>

namespace poisson {

/// A library that is loaded when it is needed, and stays loaded. Empty where none was found.
class SharedLibrary {
 public:
  SharedLibrary() = default;
  /// The first of the names that can be loaded, or, where the environment variable names one, that.
  SharedLibrary(const char* variable, const std::vector<std::string>& names);

  explicit operator bool() const { return library_ != nullptr; }
  /// Why there is none: what the loader said of the first name.
  const std::string& reason() const { return reason_; }
  /// Null where it has no such function.
  void* find(const char* name) const;

 private:
  void* library_ = nullptr;
  std::string reason_;
};

}  // namespace poisson
