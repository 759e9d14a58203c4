#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/parameters.hpp"
#include "io/config/yaml.hpp"

namespace poisson {

/// The numbers a key may take; an expression is held to it where it is constant.
struct Range {
  std::optional<double> lower{}, upper{};
  bool open_lower = false, open_upper = false;  ///< the bound itself is excluded

  bool contains(double value) const;
  std::string text() const;  ///< "> 0 and <= 1"
};

enum class Type {
  map,
  dictionary,  ///< a map with names of the user's own; `items` has the one schema of its values
  list,
  number,
  constant,  ///< a number, or arithmetic on numbers, pi and parameters
  integer,
  boolean,
  text,
  path,
  choice,
  expression,  ///< a number, or an expression in x, y, z
  any_of       ///< one of several forms
};

/// One key of the configuration: all that parsing, validation, the JSON schema, the reference page and the error
/// messages know about it.
struct Schema {
  /// One of the words a key may take.
  struct Choice {
    std::string_view name;
    int value = 0;  ///< the enumerator it stands for
    std::string_view doc{};
    std::vector<Schema> keys{};                 ///< further keys of the enclosing map, known only with this choice
    std::vector<std::string_view> elsewhere{};  ///< other names that the choice's own table has, beside synonyms.hpp
    std::optional<bool> truth{};                ///< a boolean that may stand for it
  };

  std::string_view key{};  ///< empty for the items of a list and the forms of a value
  Type type = Type::map;
  std::string_view doc{};
  std::string_view fallback{};  ///< the default as YAML; "null" where absence has a meaning, which doc gives
  bool required = false;
  std::string_view unless{};   ///< sibling paths, any of which makes a required key dispensable
  std::string_view example{};  ///< for messages, as YAML
  Range range{};
  std::vector<Choice> choices{};
  std::vector<Schema> keys{};    ///< of a map
  std::vector<Schema> items{};   ///< of a list or dictionary: the one schema of its items
  std::vector<Schema> forms{};   ///< of any_of
  int fewest = 0, most = 0;      ///< items of a list, bytes of a text; most = 0: any number
  bool distinct = false;         ///< a list whose items differ
  std::string_view shorthand{};  ///< of a map: the key that a bare word sets
};

using Choice = Schema::Choice;

/// The whole configuration. The only place where a key is declared.
const Schema& configuration_schema();

/// JSON Schema, draft 2020-12.
std::string json_schema();

/// The reference page, in Markdown.
std::string reference_page();

/// The shortest text of a number.
std::string shortest(double value);

/// Names and defaults: what a value of this schema looks like, such as "v, w or f" or "an integer >= 2".
std::string expected(const Schema& schema);

/// The keys of a map, those of every choice included, in the order of the table.
std::vector<const Schema*> all_keys(const Schema& map);

/// Checks a document against the table and returns it complete: keys in the table's order, defaults filled in (their
/// `given` is false), bare words expanded, constants evaluated. A value that is wrong is reported and left out.
Value validate(const Value& document, const Schema& schema, const Parameters& parameters, Diagnostics& errors);

/// Sets one key from "key.path=value", the value in YAML. Marks are "--set key.path=value".
void apply_override(Value& document, const Schema& schema, const std::string& assignment, Diagnostics& errors);

}  // namespace poisson
