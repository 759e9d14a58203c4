#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/error.hpp"

namespace poisson {

/// Where a value of the configuration was written: in a file, or on the command line (line 0).
struct Mark {
  std::shared_ptr<const std::string> source;  ///< the file's name, or "--set key=value"
  int line = 0;                               ///< from 1
  int column = 0;                             ///< from 1

  /// "file:line:column", or the source alone where there is no line.
  std::string text() const;
};

/// Everything that is wrong with a configuration, one line each:
/// `file:line:column: full.key.name: what is wrong; what to write instead`. Control characters become escapes.
struct ConfigError : InputError {
  explicit ConfigError(std::vector<std::string> lines);
  std::vector<std::string> errors;
};

/// Collects errors, so that one run reports all of them.
class Diagnostics {
 public:
  /// An empty key is left out of the line.
  void add(const Mark& mark, std::string_view key, std::string_view message);
  bool empty() const { return entries_.empty(); }
  /// Throws ConfigError with every entry, in the order of the file, the command line's last; nothing where none is.
  void raise() const;

 private:
  struct Entry {
    int line, column;
    std::string text;
  };
  std::vector<Entry> entries_;
};

}  // namespace poisson
