#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grids/problem/quantity.hpp"
#include "io/config/diagnostics.hpp"

namespace poisson {

/// A node of a YAML document, typed by the core schema of YAML 1.2: 1e-8 is a number, `yes` is a string.
struct Value {
  enum class Kind { null, boolean, number, string, list, map };
  struct Entry;

  Kind kind = Kind::null;
  Mark mark{};
  bool truth = false;
  double number = 0;
  bool integer = false;        ///< a number written without point and exponent
  std::string text{};          ///< a scalar as it was written, without quotes
  std::vector<Value> items{};  ///< of a list
  std::vector<Entry> entries;  ///< of a map, in the order of the file

  bool given = true;  ///< validation: the user wrote it; it is not a default
  int choice = -1;    ///< validation: Choice::value of the choice that was made
  /// Validation: what an expression says.
  std::shared_ptr<const Quantity> quantity{};

  /// The value of a map's key, or null where there is none or this is no map.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  /// find() along "a.b.c".
  const Value* at(std::string_view path) const;

  /// A value of kind null.
  static Value nothing(const Mark& mark);

  /// What stands here, for messages: `the string "abc"`, `the number 3`, `a list`, `nothing`.
  std::string description() const;
};

struct Value::Entry {
  std::string key;
  Mark mark;
  Value value;
};

/// "-" stands for standard input.
inline bool is_standard_input(const std::filesystem::path& file) {
  return file == "-";
}

/// Reads a file of one YAML document. Duplicate keys are added to `errors` and the first is kept.
/// Throws ConfigError where the file cannot be read or is not YAML.
Value read_yaml(const std::filesystem::path& file, Diagnostics& errors);

/// Reads one YAML value from text: a command-line override, or a default of the schema. Every mark is `source` alone.
/// Throws ConfigError as read_yaml does.
Value parse_yaml(const std::string& text, const std::string& source, Diagnostics& errors);

/// The value as JSON, keys in their order. Depth and separators as nlohmann::json's dump: indent < 0 is one line.
std::string to_json(const Value& value, int indent);

}  // namespace poisson
