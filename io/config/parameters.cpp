#include "io/config/parameters.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

#include "io/config/spelling.hpp"
#include "io/config/yaml.hpp"
#include "io/expressions/expression.hpp"
#include "io/expressions/expression_parser.hpp"

namespace poisson {
namespace {

using Kind = Value::Kind;

bool in_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Returns why a parameter cannot have this name, and the remedy; empty if it can.
std::string objection(const std::string& name) {
  const bool plain = !name.empty() && std::ranges::all_of(name, in_a_name) && !(name[0] >= '0' && name[0] <= '9');
  if (!plain) return "is not a valid name; use letters, digits and _, starting with a letter";
  if (std::ranges::find(expression_symbols(), name) != expression_symbols().end())
    return std::string(name.size() == 1 ? "is a coordinate" : "is a constant") + " of expressions; use another name";
  if (std::ranges::find(expression_functions(), name) != expression_functions().end())
    return "is a function of expressions; use another name";
  return {};
}

/// Returns true if the text would be valid with all parameters, including later ones.
bool right_with(const std::string& text, const Parameters& all) {
  try {
    parse_constant(text, all);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

bool mentions(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_a_name(text[at - 1])) && (end == text.size() || !in_a_name(text[end]))) return true;
  }
  return false;
}

/// Returns true if a text uses another parameter that is defined later.
bool uses_later(const std::string& text, const std::string& own, const Parameters& all, const Parameters& known) {
  return std::ranges::any_of(all, [&](const auto& parameter) {
    return parameter.first != own && !known.contains(parameter.first) && mentions(text, parameter.first);
  });
}

/// Returns true if a text in the document uses a parameter. Evaluated parameters keep their original text.
bool mentions(const Value& value, const std::string& name) {
  if (value.kind == Kind::list)
    return std::ranges::any_of(value.items, [&](const Value& item) { return mentions(item, name); });
  if (value.kind == Kind::map)
    return std::ranges::any_of(value.entries, [&](const Value::Entry& entry) { return mentions(entry.value, name); });
  return mentions(value.text, name);
}

}  // namespace

Parameters read_parameters(Value& document, Diagnostics& errors) {
  Parameters known;
  Value* map = document.find("parameters");
  if (!map || map->kind != Kind::map) return known;  // validate() reports another kind
  Parameters all;
  for (const Value::Entry& entry : map->entries)
    if (objection(entry.key).empty()) all[entry.key] = 1;
  std::erase_if(map->entries, [&](Value::Entry& entry) {
    const std::string path = "parameters." + entry.key;
    Value& value = entry.value;
    const auto fail = [&](const Mark& mark, const std::string& message) {
      errors.add(mark, path, message);
      known[entry.key] = 1;  // prevents further errors about its uses
      return true;
    };
    if (const std::string why = objection(entry.key); !why.empty()) {
      errors.add(entry.mark, path, why);
      return true;
    }
    if (value.kind == Kind::string) try {
        value.number = parse_constant(value.text, known);
        value.kind = Kind::number;
      } catch (const InputError& error) {
        const bool early = uses_later(value.text, entry.key, all, known) && right_with(value.text, all);
        return fail(value.mark,
                    early ? "\"" + value.text + "\" uses a parameter that is defined below; define that one first"
                          : error.what());
      }
    if (value.kind != Kind::number || !std::isfinite(value.number))
      return fail(value.mark,
                  "expected a number, found " + value.description() + "; for example " + entry.key + ": 25");
    known[entry.key] = value.number;
    return false;
  });
  return known;
}

void check_overridden_parameters(const Value& document, const Parameters& parameters, Diagnostics& errors) {
  const Value* map = document.find("parameters");
  if (!map) return;
  for (const Value::Entry& entry : map->entries) {
    if (entry.mark.line > 0 || mentions(document, entry.key)) continue;
    std::vector<std::string> others;
    for (const auto& [name, number] : parameters)
      if (name != entry.key) others.push_back(name);
    errors.add(entry.mark, "parameters." + entry.key,
               "is not used by any expression; " +
                   (others.empty() ? "the file has no parameters" : suggest(entry.key, others, "the parameters are")));
  }
}

}  // namespace poisson
