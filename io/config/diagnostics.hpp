#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/memory/error.hpp"

namespace poisson {

/// A mark is the place of a configuration value: in a file, or on the command line (line 0).
struct Mark {
  std::shared_ptr<const std::string> source;  ///< the file's name, or "--set key=value"
  int line = 0;                               ///< from 1
  int column = 0;                             ///< from 1

  /// Returns "file:line:column", or only the source if there is no line.
  std::string text() const;
};

/// Reports all errors of a configuration, one line each:
/// `file:line:column: full.key.name: what is wrong; what to write instead`. Control characters become escapes.
struct ConfigError : InputError {
  explicit ConfigError(std::vector<std::string> lines);
  std::vector<std::string> errors;
};

/// Collects errors, so that one run reports all of them.
class Diagnostics {
 public:
  /// Adds an error. An empty key is omitted from the line.
  void add(const Mark& mark, std::string_view key, std::string_view message);
  bool empty() const { return entries_.empty(); }
  /// Throws ConfigError with all entries, if there are any. Entries follow the order of the file, then the command
  /// line.
  void raise() const;

 private:
  struct Entry {
    int line, column;
    std::string text;
  };
  std::vector<Entry> entries_;
};

}  // namespace poisson
