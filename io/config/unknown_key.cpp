#include "io/config/unknown_key.hpp"

#include <algorithm>

#include "io/config/media_words.hpp"
#include "io/config/spelling.hpp"
#include "io/config/synonyms.hpp"

namespace poisson {

namespace {

// Returns the path of a key with this name anywhere in the table, for keys in the wrong place.
std::string home_of(const Schema& schema, std::string_view key, const std::string& path) {
  if (schema.type != Type::map || !schema.shorthand.empty()) return {};
  for (const Schema& child : schema.keys) {
    if (child.key == key) return below(path, key);
    if (std::string found = home_of(child, key, below(path, child.key)); !found.empty()) return found;
  }
  return {};
}

// Tries synonyms of keys in this map first, then misspelt keys, keys of other places and their synonyms.
std::string remedy_of_key(const std::string& key, const std::string& path, const std::vector<std::string>& candidates) {
  const bool media = is_in_media(path);
  if (media || path.empty())
    if (std::string meant = meant_in_media(key, candidates); !meant.empty()) return meant;
  if (std::string meant = meant_nearby(key, path); !meant.empty()) return meant;
  if (media) return suggest(key, candidates, "the keys here are");
  if (nearest(key, candidates).empty()) {
    if (const std::string home = home_of(configuration_schema(), key, {}); !home.empty())
      return home == below(path, key) ? "it exists on boxes alone: remove it" : "did you mean '" + home + "'?";
    if (std::string meant = meant_anywhere(key, path); !meant.empty()) return meant;
  }
  return suggest(key, candidates, "the keys here are");
}

// Returns the key of a map that distinguishes its form from the others.
std::string present(const Value& map, const std::vector<std::string>& known, const Schema& forms) {
  const auto common = [&](const std::string& name) {
    return std::ranges::all_of(forms.forms, [&](const Schema& form) {
      return std::ranges::find(form.keys, name, &Schema::key) != form.keys.end();
    });
  };
  for (const Value::Entry& entry : map.entries)
    if (std::ranges::find(known, entry.key) != known.end() && !common(entry.key)) return entry.key;
  return "the other keys";
}

// Returns text such as "type: jacobi", including nested choices.
std::string choices_made(const Value& map, const std::vector<Schema>& schemas) {
  std::string all;
  for (const Schema& schema : schemas) {
    if (schema.type != Type::choice) continue;
    const Value* value = map.find(schema.key);
    const std::string name = value ? value->text : std::string(schema.fallback);
    for (const Choice& option : schema.choices) {
      if (option.name != name) continue;
      const std::string further = choices_made(map, option.keys);
      const bool decides = std::ranges::any_of(schema.choices, [](const Choice& c) { return !c.keys.empty(); });
      if (decides) all += (all.empty() ? "" : ", ") + std::string(schema.key) + ": " + name;
      if (!further.empty()) all += ", " + further;
    }
  }
  return all;
}

// Returns the choices that add a key: "type: jacobi or type: red-black".
std::string owners(const std::vector<Schema>& schemas, std::string_view key) {
  std::string all;
  for (const Schema& schema : schemas) {
    for (const Choice& option : schema.choices) {
      const std::string name = std::string(schema.key) + ": " + std::string(option.name);
      const std::string deeper = owners(option.keys, key);
      const bool here = std::ranges::find(option.keys, key, &Schema::key) != option.keys.end();
      if (here)
        all += (all.empty() ? "" : " or ") + name;
      else if (!deeper.empty())
        all += (all.empty() ? "" : " or ") + name + ", " + deeper;
    }
  }
  return all;
}

}  // namespace

std::string below(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

std::string objection_to(const std::string& name, const Value& map, const Schema& schema,
                         const std::vector<std::string>& known, const std::string& path, const Schema* forms) {
  for (const Schema* key : all_keys(schema)) {
    if (key->key != name) continue;
    return "is not valid with " + choices_made(map, schema.keys) + "; remove it, or choose " +
           owners(schema.keys, name);
  }
  std::vector<std::string> candidates = known;
  if (forms) {
    for (const Schema& form : forms->forms) {
      for (const Schema& key : form.keys) {
        if (key.key == name) {
          return "conflicts with " + present(map, known, *forms) + "; keep one of the two";
        }
        if (std::ranges::find(candidates, key.key) == candidates.end()) candidates.emplace_back(key.key);
      }
    }
  }
  return "unknown key; " + remedy_of_key(name, path, candidates);
}

}  // namespace poisson
