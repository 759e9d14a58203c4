#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "io/config/remedies.hpp"
#include "io/config/schema.hpp"
#include "io/config/spelling.hpp"
#include "io/config/synonyms.hpp"
#include "io/config/unknown_key.hpp"
#include "io/expressions/expression.hpp"

namespace poisson {

namespace {

using Kind = Value::Kind;

class Validator {
 public:
  Validator(const Parameters& parameters, Diagnostics& errors) : parameters_(parameters), errors_(errors) {}

  /// Checks a value. Returns nothing if it is wrong.
  std::optional<Value> check(const Value& value, const Schema& schema, const std::string& path) {
    if (value.kind == Kind::null && schema.type != Type::any_of) {
      if (schema.fallback == "null") return value;
      if (schema.type != Type::map) return wrong(value, schema, path);
    }
    switch (schema.type) {
      case Type::map:
        return map(value, schema, path);
      case Type::dictionary:
        return value.kind == Kind::map ? std::optional(value) : wrong(value, schema, path);
      case Type::list:
        return list(value, schema, path);
      case Type::any_of:
        return any_of(value, schema, path);
      case Type::choice:
        return choice(value, schema, path);
      case Type::expression:
        return expression(value, schema, path);
      case Type::number:
      case Type::constant:
      case Type::integer:
        return number(value, schema, path);
      case Type::boolean:
        return value.kind == Kind::boolean ? std::optional(value) : wrong(value, schema, path);
      case Type::text:
      case Type::path:
        return text(value, schema, path);
    }
    return {};
  }

 private:
  std::nullopt_t fail(const Mark& mark, const std::string& path, const std::string& message) {
    errors_.add(mark, path, message);
    return std::nullopt;
  }

  std::nullopt_t wrong(const Value& value, const Schema& schema, const std::string& path) {
    std::string message = "expected " + expected(schema) + ", found " + value.description();
    const std::string remedy = remedy_of(value, schema, path, parameters_);
    if (!remedy.empty())
      message += "; " + remedy;
    else if (!schema.example.empty())
      message += "; for example " + std::string(schema.example);
    else if (!schema.fallback.empty() && schema.fallback != "null")
      message += "; the default is " + std::string(schema.fallback);
    return fail(value.mark, path, message);
  }

  std::optional<Value> text(Value value, const Schema& schema, const std::string& path) {
    if (value.array) return wrong(value, schema, path);
    // A title may be a number or `true`.
    if (value.kind != Kind::string && value.kind != Kind::number && value.kind != Kind::boolean)
      return wrong(value, schema, path);
    if (schema.type == Type::path && value.text.empty())
      return fail(value.mark, path, "is empty; give a path, for example " + std::string(schema.example));
    const bool wanted = schema.example == "part.msh";  // the file of an unstructured grid
    if (schema.type == Type::path && schema.key == "file" && !wanted && is_mesh(value.text))
      return fail(value.mark, path, "is a mesh; " + std::string(mesh_remedy));
    if (schema.most > 0 && std::ssize(value.text) > schema.most)
      return fail(value.mark, path,
                  "has " + std::to_string(value.text.size()) + " bytes; give at most " + std::to_string(schema.most));
    value.kind = Kind::string;
    return value;
  }

  std::optional<Value> choice(Value value, const Schema& schema, const std::string& path) {
    std::vector<std::string> names;
    for (const Choice& option : schema.choices) names.emplace_back(option.name);
    if (value.kind == Kind::map || value.kind == Kind::list || value.kind == Kind::null)
      return fail(value.mark, path, "expected one of " + join(names) + ", found " + value.description());
    const auto chosen = std::ranges::find_if(schema.choices, [&](const Choice& option) {
      return option.name == value.text || (value.kind == Kind::boolean && option.truth == value.truth);
    });
    if (chosen == schema.choices.end()) {
      const auto meant = std::ranges::find_if(schema.choices, [&](const Choice& option) {
        return std::ranges::find(option.elsewhere, value.text) != option.elsewhere.end();
      });
      std::string remedy = meant_choice(value.text, path);
      if (meant != schema.choices.end()) remedy = "did you mean '" + std::string(meant->name) + "'?";
      if (remedy.empty()) remedy = suggest(value.text, names, "choose one of");
      return fail(value.mark, path, "unknown choice \"" + value.text + "\"; " + remedy);
    }
    value.kind = Kind::string;
    value.text = chosen->name;
    value.choice = chosen->value;
    return value;
  }

  std::optional<Value> number(Value value, const Schema& schema, const std::string& path) {
    if (value.kind == Kind::string && !value.array) {
      if (schema.type != Type::constant && plain_number(value.text)) return quoted(value, schema, path);
      try {
        value.number = parse_constant(value.text, parameters_);
        value.integer = schema.type == Type::integer && value.number == std::floor(value.number);
        value.kind = Kind::number;
        value.text += " = " + shortest(value.number);
      } catch (const InputError& error) {
        if (schema.type == Type::constant || !parameters_.empty()) return fail(value.mark, path, error.what());
      }
    }
    if (value.kind != Kind::number) return wrong(value, schema, path);
    if (!std::isfinite(value.number))
      return fail(value.mark, path,
                  "expected " + expected(schema) + ", found " + value.text + "; write a finite number");
    if (schema.type == Type::integer && !value.integer) {
      const bool whole = value.number == std::floor(value.number) && std::abs(value.number) < 1e9;
      return fail(value.mark, path,
                  "expected an integer, found " + value.text + "; write " +
                      (whole ? std::to_string(static_cast<long>(value.number)) : "a whole number"));
    }
    return in_range(value, value.number, schema, path) ? std::optional(value) : std::nullopt;
  }

  std::nullopt_t quoted(const Value& value, const Schema& schema, const std::string& path) {
    return fail(value.mark, path, "expected " + expected(schema) + ", found a number in quotes; remove the quotes");
  }

  static bool plain_number(const std::string& text) {
    Diagnostics ignored;
    try {
      return parse_yaml(text, {}, ignored).kind == Kind::number;
    } catch (const InputError&) {
      return false;
    }
  }

  bool in_range(const Value& value, double number, const Schema& schema, const std::string& path) {
    if (schema.range.contains(number)) return true;
    fail(value.mark, path, "must be " + schema.range.text() + ", found " + value.text);
    return false;
  }

  std::optional<Value> expression(const Value& value, const Schema& schema, const std::string& path) {
    if (value.kind == Kind::number) {
      if (!std::isfinite(value.number))
        return fail(value.mark, path,
                    "expected a number or an expression, found " + value.text + "; write a finite number");
      return in_range(value, value.number, schema, path) ? std::optional(value) : std::nullopt;
    }
    if (value.kind != Kind::string) return wrong(value, schema, path);
    if (value.array) return value;
    try {
      Value parsed = value;
      parsed.quantity = std::make_shared<const Quantity>(parse_expression(value.text, parameters_));
      const double* constant = parsed.quantity->constant();
      return !constant || in_range(value, *constant, schema, path) ? std::optional(parsed) : std::nullopt;
    } catch (const InputError& error) {
      return fail(value.mark, path, error.what());
    }
  }

  std::optional<Value> list(const Value& value, const Schema& schema, const std::string& path) {
    if (value.kind != Kind::list) return wrong(value, schema, path);
    const auto size = static_cast<int>(value.items.size());
    if (size < schema.fewest || (schema.most > 0 && size > schema.most))
      return fail(value.mark, path,
                  "expected " + expected(schema) + ", found " + std::to_string(size) +
                      (schema.example.empty() ? "" : "; for example " + std::string(schema.example)));
    Value checked = value;
    checked.items.clear();
    std::set<std::string> seen;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const Value& item = value.items[i];
      std::optional<Value> good = check(item, schema.items.front(), path + "[" + std::to_string(i) + "]");
      if (good && schema.distinct && !seen.insert(item.text).second)
        fail(item.mark, path, "lists " + item.text + " twice; keep one of the two");
      if (good) checked.items.push_back(std::move(*good));
    }
    return checked.items.size() == value.items.size() ? std::optional(checked) : std::nullopt;
  }

  std::optional<Value> any_of(const Value& value, const Schema& schema, const std::string& path) {
    if (value.kind == Kind::null) {
      if (schema.fallback == "null") return value;
      return wrong(value, schema, path);
    }
    const Schema* form = form_of(value, schema, path);
    if (value.kind == Kind::map && value.entries.empty()) return wrong(value, schema, path);
    if (!form || (form->type == Type::choice && !resembles(value, form->choices, path)))
      return wrong(value, schema, path);
    return form->type == Type::map ? map(value, *form, path, &schema) : check(value, *form, path);
  }

  /// Counts the keys that a value shares with a map, by name or by synonym.
  struct SharedKeys {
    int named = 0, meant = 0;
  };

  static SharedKeys shared_keys(const Value& value, const Schema& map, const std::string& path) {
    const std::vector<const Schema*> known = all_keys(map);
    SharedKeys shared;
    for (const Value::Entry& entry : value.entries) {
      if (std::ranges::any_of(known, [&](const Schema* key) { return key->key == entry.key; }))
        ++shared.named;
      else if (std::ranges::any_of(known, [&](const Schema* key) { return means_within(entry.key, path, key->key); }))
        ++shared.meant;
    }
    return shared;
  }

  static bool resembles(const Value& value, const std::vector<Choice>& choices, const std::string& path) {
    std::vector<std::string> names;
    names.reserve(choices.size());
    for (const Choice& option : choices) names.emplace_back(option.name);
    if (value.kind != Kind::string) return false;
    const std::string meant = meant_choice(value.text, path);
    return meant.empty() ? !nearest(value.text, names).empty() : meant.starts_with("did you mean");
  }

  /// Returns the form for the value's kind. A boolean prefers the form of booleans. Among maps, it is the one that
  /// shares most keys with the value.
  static const Schema* form_of(const Value& value, const Schema& schema, const std::string& path) {
    const Schema* best = nullptr;
    int most = -1;
    for (const Schema& form : schema.forms) {
      const bool fits = value.kind == Kind::map    ? form.type == Type::map
                        : value.kind == Kind::list ? form.type == Type::list
                                                   : form.type != Type::map && form.type != Type::list;
      if (!fits) continue;
      const SharedKeys shared = shared_keys(value, form, path);
      const int likeness =
          shared.named + shared.meant + ((form.type == Type::boolean) == (value.kind == Kind::boolean) ? 1 : 0);
      if (likeness > most) {
        most = likeness;
        best = &form;
      }
    }
    return best;
  }

  std::optional<Value> map(Value value, const Schema& schema, const std::string& path, const Schema* forms = nullptr) {
    if (value.kind == Kind::string && !schema.shorthand.empty()) {
      Value expanded;
      expanded.kind = Kind::map;
      expanded.mark = value.mark;
      expanded.given = value.given;
      expanded.entries.push_back({std::string(schema.shorthand), value.mark, std::move(value)});
      value = std::move(expanded);
    }
    if (value.kind == Kind::null) value.kind = Kind::map;
    if (value.kind != Kind::map) return wrong(value, schema, path);
    Value checked = value;
    checked.entries.clear();
    std::vector<std::string> known;
    const std::size_t before = std::exchange(missing_, 0);
    const SharedKeys shared = forms ? shared_keys(value, schema, path) : SharedKeys();
    const bool foreign_before = std::exchange(foreign_, forms && (shared.named == 0 || shared.meant > 0));
    keys(value, schema.keys, checked, known, path);
    foreign_ = foreign_before;
    for (const Value::Entry& entry : value.entries)
      if (std::ranges::find(known, entry.key) == known.end())
        fail(entry.mark, below(path, entry.key), objection_to(entry.key, value, schema, known, path, forms));
    // A nested map that lacks a required key counts as absent; its other keys have been checked. The document itself is
    // always returned, because its sections are read one by one.
    const bool complete = std::exchange(missing_, before) == 0;
    return complete || path.empty() ? std::optional(checked) : std::nullopt;
  }

  /// Checks the given keys of a map and the keys that its choices add.
  void keys(const Value& value, const std::vector<Schema>& schemas, Value& checked, std::vector<std::string>& known,
            const std::string& path) {
    for (const Schema& schema : schemas) {
      known.emplace_back(schema.key);
      std::optional<Value> good = member(value, schema, below(path, schema.key));
      if (schema.type == Type::choice && !schema.choices.empty()) {
        const Choice* made = nullptr;
        for (const Choice& option : schema.choices) {
          if (good && option.name == good->text) made = &option;
          // If the choice is wrong, keys of all choices count as known.
          if (!good)
            for (const Schema& key : option.keys) known.emplace_back(key.key);
        }
        if (good) checked.entries.push_back({std::string(schema.key), good->mark, *good});
        if (made) keys(value, made->keys, checked, known, path);
      } else if (good) {
        checked.entries.push_back({std::string(schema.key), good->mark, std::move(*good)});
      }
    }
  }

  std::optional<Value> member(const Value& map, const Schema& schema, const std::string& path) {
    const Value* value = map.find(schema.key);
    const bool absent =
        !value || (value->kind == Kind::null &&
                   (schema.type == Type::map || schema.type == Type::dictionary || schema.fallback == "null"));
    if (!absent) {
      std::optional<Value> good = check(*value, schema, path);
      if (!good && schema.required) ++missing_;
      return good;
    }
    Value fallback;
    fallback.mark = value ? value->mark : map.mark;
    fallback.given = false;
    if (schema.required) {
      if (!schema.unless.empty() && is_given(map, schema.unless)) return fallback;
      ++missing_;
      if (foreign_ || misspelt(map, schema, path)) return {};
      return fail(fallback.mark, path,
                  "is missing; add " + std::string(schema.key) + ": " +
                      (schema.example.empty() ? expected(schema) : std::string(schema.example)) + instead(schema));
    }
    if (schema.fallback == "null") return fallback;
    if (schema.type == Type::map) return check(fallback, schema, path);
    Diagnostics none;
    Value given = parse_yaml(std::string(schema.fallback), {}, none);
    mark_as_default(given, fallback.mark);
    return check(given, schema, path);
  }

  /// Returns a single sibling key that replaces a required one.
  static std::string instead(const Schema& schema) {
    const bool sibling = !schema.unless.empty() && schema.unless.find_first_of(" .") == std::string_view::npos;
    return sibling ? ", or " + std::string(schema.unless) : "";
  }

  /// Returns true if the map has the key, or one that replaces it, under a misspelt name or a synonym. Such a key is
  /// reported only once, as unknown.
  static bool misspelt(const Value& map, const Schema& schema, const std::string& path) {
    const std::string name(schema.key);
    const std::string parent = path.substr(0, path.size() - std::min(path.size(), name.size() + 1));
    return std::ranges::any_of(map.entries, [&](const Value::Entry& entry) {
      if (entry.key == name) return false;
      return !nearest(entry.key, {&name, 1}).empty() || means(entry.key, parent, name) ||
             (!schema.unless.empty() && means(entry.key, parent, schema.unless));
    });
  }

  /// Returns true if a value exists at one of the paths, which blanks separate.
  static bool is_given(const Value& map, std::string_view paths) {
    for (std::size_t begin = 0; begin < paths.size();) {
      const std::size_t end = std::min(paths.find(' ', begin), paths.size());
      const Value* value = map.at(paths.substr(begin, end - begin));
      if (value && value->kind != Kind::null && (value->kind != Kind::map || !value->entries.empty())) return true;
      begin = end + 1;
    }
    return false;
  }

  static void mark_as_default(Value& value, const Mark& mark) {
    value.mark = mark;
    value.given = false;
    for (Value& item : value.items) mark_as_default(item, mark);
    for (Value::Entry& entry : value.entries) mark_as_default(entry.value, mark);
  }

  const Parameters& parameters_;
  Diagnostics& errors_;
  std::size_t missing_ = 0;  // required keys that are absent or wrong in the current map
  bool foreign_ = false;     // the current map shares no key with its form, or uses a synonym
};

}  // namespace

Value validate(const Value& document, const Schema& schema, const Parameters& parameters, Diagnostics& errors) {
  if (document.kind != Kind::map && document.kind != Kind::null) {
    errors.add(document.mark, {}, "expected a map with keys such as domain and grid, found " + document.description());
    return {};
  }
  return Validator(parameters, errors).check(document, schema, {}).value_or(Value{});
}

std::optional<Value> validate_part(const Value& value, const Schema& schema, const std::string& path,
                                   const Parameters& parameters, Diagnostics& errors) {
  return Validator(parameters, errors).check(value, schema, path);
}

}  // namespace poisson
