#include <algorithm>

#include "io/config/schema.hpp"
#include "io/config/yaml_scalar.hpp"

namespace poisson {

namespace {

/// Returns the table's entry for a key of a map in any of its forms, or null.
const Schema* child_of(const Schema* schema, std::string_view key) {
  if (!schema) return nullptr;
  for (const Schema* known : all_keys(*schema))
    if (known->key == key) return known;
  for (const Schema& form : schema->forms)
    if (const Schema* known = child_of(&form, key)) return known;
  return nullptr;
}

/// Turns a value into a map. A bare word is kept under its shorthand key.
void become_map(Value& value, const Schema* schema, const Mark& mark) {
  if (value.kind == Value::Kind::map) return;
  Value map;
  map.kind = Value::Kind::map;
  map.mark = mark;
  if (value.kind == Value::Kind::string && schema && !schema->shorthand.empty())
    map.entries.push_back({std::string(schema->shorthand), value.mark, value});
  value = std::move(map);
}

}  // namespace

void apply_override(Value& document, const Schema& schema, const std::string& assignment, Diagnostics& errors) {
  const std::string name = "--set " + assignment;
  const Mark mark{std::make_shared<const std::string>(name), 0, 0};
  const std::size_t equals = assignment.find('=');
  const std::string path = assignment.substr(0, equals);
  const bool gap = path.empty() || path.starts_with('.') || path.ends_with('.') || path.find("..") != std::string::npos;
  if (equals == std::string::npos || gap) {
    errors.add(mark, {}, "is not an assignment; write --set key.path=value, for example --set solver.tolerance=1e-10");
    return;
  }
  const std::string text = assignment.substr(equals + 1);
  // YAML reads `x > 0 ? 1 : 2` as a map. On the command line, an expression should not need a second pair of quotes.
  const bool expression = text.find('?') != std::string::npos && text.find_first_of("{['\"") != 0;
  Value value;
  try {
    value = expression ? plain_scalar(text) : parse_yaml(text, name, errors);
    value.mark = mark;
  } catch (const ConfigError& error) {
    const std::string_view line = error.errors.front();
    errors.add(mark, path, line.substr(std::min(line.size(), name.size() + 2)));
    return;
  }
  Value* here = &document;
  const Schema* known = &schema;
  become_map(*here, known, mark);
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    const std::string key = path.substr(start, dot - start);
    start = dot + 1;
    Value* next = here->find(key);
    if (!next) {
      here->entries.push_back({key, mark, Value::nothing(mark)});
      next = &here->entries.back().value;
    }
    known = child_of(known, key);
    if (start < path.size()) become_map(*next, known, mark);
    here = next;
  }
  *here = std::move(value);
}

}  // namespace poisson
