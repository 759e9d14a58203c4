#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/parameters.hpp"
#include "io/config/yaml.hpp"

namespace poisson {

/// Describes the range of a key's numbers. Expressions are checked against it if they are constant.
struct Range {
  std::optional<double> lower{}, upper{};
  bool open_lower = false, open_upper = false;  ///< the bound is excluded

  bool contains(double value) const;
  std::string text() const;  ///< "> 0 and <= 1"
};

enum class Type {
  map,
  dictionary,  ///< a map with names chosen by the user; `items` has the schema of its values
  list,
  number,
  constant,  ///< may be arithmetic on numbers, pi and parameters
  integer,
  boolean,
  text,
  path,
  choice,
  expression,  ///< may be a number, or depend on x, y and z
  any_of       ///< has several forms
};

/// Describes one key of the configuration for parsing, validation, the JSON schema, the reference page and error
/// messages.
struct Schema {
  /// Describes a word that a key accepts.
  struct Choice {
    std::string_view name;
    int value = 0;  ///< its enumerator
    std::string_view doc{};
    std::vector<Schema> keys{};                 ///< keys of the enclosing map that are valid only with this choice
    std::vector<std::string_view> elsewhere{};  ///< aliases from the choice's own table, in addition to synonyms.hpp
    std::optional<bool> truth{};                ///< an equivalent boolean
  };

  std::string_view key{};  ///< items and forms have none
  Type type = Type::map;
  std::string_view doc{};
  std::string_view fallback{};  ///< the default as YAML; `doc` explains "null"
  bool required = false;
  std::string_view unless{};   ///< sibling paths that replace a required key
  std::string_view example{};  ///< YAML for messages
  Range range{};
  std::vector<Choice> choices{};
  std::vector<Schema> keys{};    ///< a map's keys
  std::vector<Schema> items{};   ///< has one schema, for lists and dictionaries
  std::vector<Schema> forms{};   ///< alternatives of any_of
  int fewest = 0, most = 0;      ///< items of a list, bytes of a text; most = 0: any number
  bool distinct = false;         ///< all items differ
  std::string_view shorthand{};  ///< a bare word sets this key of a map
};

using Choice = Schema::Choice;

/// Returns the schema of the complete configuration. Every key is declared here and nowhere else.
const Schema& configuration_schema();

/// Returns the JSON Schema, draft 2020-12.
std::string json_schema();

/// Returns the reference page in Markdown.
std::string reference_page();

/// Returns the shortest text of a number.
std::string shortest(double value);

/// Returns a description of valid values, such as "v | w | f" or "an integer >= 2".
std::string expected(const Schema& schema);

/// Returns the keys of a map in the order of the table, including the keys of every choice.
std::vector<const Schema*> all_keys(const Schema& map);

/// Checks a document against the table and returns it complete. Keys are in the table's order, defaults are filled in
/// with `given` = false, bare words are expanded and constants evaluated. Reports wrong values and leaves them out.
Value validate(const Value& document, const Schema& schema, const Parameters& parameters, Diagnostics& errors);

/// Checks a value below a path of the document against its schema, like validate. Returns nothing if it is wrong.
std::optional<Value> validate_part(const Value& value, const Schema& schema, const std::string& path,
                                   const Parameters& parameters, Diagnostics& errors);

/// Sets one key from "key.path=value" with the value in YAML. Its marks are "--set key.path=value".
void apply_override(Value& document, const Schema& schema, const std::string& assignment, Diagnostics& errors);

}  // namespace poisson
