#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grids/problem/quantity.hpp"
#include "io/config/diagnostics.hpp"

namespace poisson {

/// A value is a node of a YAML document, typed by the core schema of YAML 1.2: 1e-8 is a number, `yes` is a string.
struct Value {
  enum class Kind { null, boolean, number, string, list, map };
  struct Entry;

  Kind kind = Kind::null;
  Mark mark{};
  bool truth = false;
  double number = 0;
  bool integer = false;        ///< is written without point and exponent
  std::string text{};          ///< keeps a scalar as written, without quotes
  std::vector<Value> items{};  ///< a list's items
  std::vector<Entry> entries;  ///< a map's entries keep the order of the file

  bool given = true;  ///< is false for a default after validation
  int choice = -1;    ///< validation: Choice::value of the choice
  /// Validation sets it to the parsed expression.
  std::shared_ptr<const Quantity> quantity{};
  /// Contains the values that a program gives in place of an expression; `kind` is then string. The last axis of the
  /// array is x. Readers of the configuration set the location.
  std::shared_ptr<GridArray> array{};

  /// Returns the value of a map's key; null if the key is missing or this is not a map.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  /// Returns the value at a path "a.b.c".
  const Value* at(std::string_view path) const;

  /// Returns a value of kind null.
  static Value nothing(const Mark& mark);

  /// Returns a description for messages: `the string "abc"`, `the number 3`, `a list`, `nothing`.
  std::string description() const;
};

struct Value::Entry {
  std::string key;
  Mark mark;
  Value value;
};

/// The file name "-" means standard input.
inline bool is_standard_input(const std::filesystem::path& file) {
  return file == "-";
}

/// Reads a file with one YAML document. Adds duplicate keys to `errors` and keeps the first one. Throws ConfigError if
/// the file cannot be read or is not YAML.
Value read_yaml(const std::filesystem::path& file, Diagnostics& errors);

/// Reads one YAML value from text: a command-line override, or a default of the schema. Every mark is `source` without
/// a line. Throws ConfigError like read_yaml.
Value parse_yaml(const std::string& text, const std::string& source, Diagnostics& errors);

/// Returns the value as JSON with the keys in order. `indent` < 0 gives one line, as in nlohmann::json's dump.
std::string to_json(const Value& value, int indent);

}  // namespace poisson
