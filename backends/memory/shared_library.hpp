#pragma once

#include <memory>
#include <string>
#include <vector>

namespace poisson {

/// Loads a shared library, which stays loaded. Converts to false if none was found.
class SharedLibrary {
 public:
  SharedLibrary() = default;
  /// Loads the library that the environment variable names, or the first of `names` that can be loaded.
  SharedLibrary(const char* variable, const std::vector<std::string>& names);

  explicit operator bool() const { return library_ != nullptr; }
  /// Returns the loader's error message for the first name.
  const std::string& reason() const { return reason_; }
  /// Returns null if the library has no such function.
  void* find(const char* name) const;

 private:
  void* library_ = nullptr;
  std::string reason_;
};

}  // namespace poisson
