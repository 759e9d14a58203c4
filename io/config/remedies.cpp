#include "io/config/remedies.hpp"

#include <algorithm>

#include "io/config/synonyms.hpp"
#include "io/expressions/expression.hpp"

namespace poisson {
namespace {

bool is_data(const Value& value, const Parameters& parameters) {
  if (value.kind == Value::Kind::number) return true;
  try {
    parse_expression(value.text, parameters);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

// Returns the remedy for a face that is written as a word for its kind, or as data without a kind.
std::string remedy_of_face(const Value& value, const std::string& path, const Parameters& parameters) {
  if (std::string remedy = meant_choice(value.text, path); !remedy.empty()) return remedy;
  return is_data(value, parameters) ? "write {dirichlet: " + value.text + "}" : "";
}

}  // namespace

std::string remedy_of(const Value& value, const Schema& schema, const std::string& path, const Parameters& parameters) {
  if (value.kind != Value::Kind::string && value.kind != Value::Kind::number) return {};
  if (is_mesh(value.text)) return std::string(mesh_remedy);
  if (path == "boundary") {
    if (value.text == "periodic" || choice_named(value.text, "boundary.default") == "periodic")
      return "write {default: periodic}";
    const std::string face = remedy_of_face(value, "boundary.default", parameters);
    const std::size_t map = face.find('{');
    return map == std::string::npos ? "" : "write {default: " + face.substr(map) + "}";
  }
  if (schema.type == Type::any_of && path.starts_with("boundary.")) return remedy_of_face(value, path, parameters);
  if (schema.type != Type::map) return {};
  for (const Schema& key : schema.keys) {
    const bool own = std::ranges::find(key.choices, value.text, &Choice::name) != key.choices.end();
    const std::string choice = own ? value.text : choice_named(value.text, path + "." + std::string(key.key));
    if (!choice.empty()) return "write {" + std::string(key.key) + ": " + choice + "}";
  }
  return {};
}

}  // namespace poisson
