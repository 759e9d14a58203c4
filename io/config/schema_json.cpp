#include <nlohmann/json.hpp>

#include "io/config/schema.hpp"

namespace poisson {

namespace {

using Json = nlohmann::ordered_json;

Json json(const Schema& schema);

/// A variant is a valid combination of keys of a map, with some keys restricted to certain choices.
struct Variant {
  Json properties = Json::object();
  Json required = Json::array();
};

/// Items without a schema of their own, such as bodies inside bodies, may be anything here.
Json items_of(const Schema& schema) {
  return schema.items.empty() ? Json::object() : json(schema.items.front());
}

std::string describe_choices(const Schema& schema) {
  std::string text(schema.doc);
  for (const Choice& option : schema.choices) {
    if (!option.doc.empty())
      text += (text.empty() ? "" : " ") + std::string(option.name) + ": " + std::string(option.doc);
  }
  return text;
}

/// Returns the valid combinations of keys: one for all choices without keys, and one for each choice that adds keys.
std::vector<Variant> variants(const std::vector<Schema>& keys, std::vector<Variant> all) {
  for (const Schema& key : keys) {
    const bool decides = std::ranges::any_of(key.choices, [](const Choice& option) { return !option.keys.empty(); });
    std::vector<Variant> next;
    if (!decides) {
      for (Variant& variant : all) {
        variant.properties[key.key] = json(key);
        if (key.required && key.unless.empty()) variant.required.push_back(key.key);
      }
      continue;
    }
    const auto add = [&](const Json& names, bool by_default, const std::vector<Schema>& brought) {
      std::vector<Variant> fixed = all;
      for (Variant& variant : fixed) {
        variant.properties[key.key] = {{"description", describe_choices(key)}, {"enum", names}};
        if (!key.fallback.empty()) variant.properties[key.key]["default"] = key.fallback;
        if (!by_default) variant.required.push_back(key.key);
      }
      for (Variant& variant : variants(brought, std::move(fixed))) next.push_back(std::move(variant));
    };
    Json plain = Json::array();
    bool plain_default = false;
    for (const Choice& option : key.choices) {
      if (!option.keys.empty()) continue;
      plain.push_back(option.name);
      plain_default = plain_default || option.name == key.fallback;
    }
    if (!plain.empty()) add(plain, plain_default, {});
    for (const Choice& option : key.choices)
      if (!option.keys.empty()) add(Json::array({option.name}), option.name == key.fallback, option.keys);
    all = std::move(next);
  }
  return all;
}

/// Returns a schema that requires the nested keys of a path.
Json requires_path(std::string_view path) {
  const std::size_t dot = path.find('.');
  Json schema{{"required", {path.substr(0, dot)}}};
  if (dot != std::string_view::npos)
    schema["properties"] = {{std::string(path.substr(0, dot)), requires_path(path.substr(dot + 1))}};
  return schema;
}

Json object(const Schema& schema) {
  Json options = Json::array();
  for (const Variant& variant : variants(schema.keys, {Variant{}})) {
    Json option{{"type", "object"}, {"properties", variant.properties}, {"additionalProperties", false}};
    if (!variant.required.empty()) option["required"] = variant.required;
    options.push_back(option);
  }
  Json result = options.size() == 1 ? options[0] : Json{{"oneOf", options}};
  for (const Schema& key : schema.keys)
    if (key.required && !key.unless.empty()) {
      Json either = Json::array({requires_path(key.key)});
      for (std::size_t begin = 0; begin < key.unless.size();) {
        const std::size_t end = std::min(key.unless.find(' ', begin), key.unless.size());
        either.push_back(requires_path(key.unless.substr(begin, end - begin)));
        begin = end + 1;
      }
      result["allOf"].push_back({{"anyOf", either}});
    }
  for (const Schema& key : schema.keys)
    if (key.key == schema.shorthand) return {{"anyOf", {json(key), result}}};
  return result;
}

Json with_range(Json types, const Range& range) {
  Json result{{"type", std::move(types)}};
  if (range.lower) result[range.open_lower ? "exclusiveMinimum" : "minimum"] = *range.lower;
  if (range.upper) result[range.open_upper ? "exclusiveMaximum" : "maximum"] = *range.upper;
  return result;
}

Json shape(const Schema& schema) {
  switch (schema.type) {
    case Type::map:
      return object(schema);
    case Type::dictionary:
      return {{"type", "object"},
              {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}},
              {"additionalProperties", items_of(schema)}};
    case Type::number:
      return with_range({"number", "string"}, schema.range);
    case Type::integer:
      return with_range({"integer", "string"}, schema.range);
    case Type::constant:
    case Type::expression:
      return with_range({"number", "string"}, schema.range);
    case Type::boolean:
      return {{"type", "boolean"}};
    case Type::text: {
      Json result{{"type", {"string", "number", "boolean"}}};
      if (schema.most > 0) result["maxLength"] = schema.most;
      return result;
    }
    case Type::path:
      return {{"type", "string"}, {"minLength", 1}};
    case Type::choice: {
      Json names = Json::array();
      for (const Choice& option : schema.choices) names.push_back(option.name);
      for (const Choice& option : schema.choices)
        if (option.truth) names.push_back(*option.truth);
      return {{"enum", names}};
    }
    case Type::list: {
      Json result{{"type", "array"}, {"items", items_of(schema)}};
      if (schema.fewest > 0) result["minItems"] = schema.fewest;
      if (schema.most > 0) result["maxItems"] = schema.most;
      if (schema.distinct) result["uniqueItems"] = true;
      return result;
    }
    case Type::any_of: {
      Json options = Json::array();
      for (const Schema& form : schema.forms) options.push_back(json(form));
      return {{"anyOf", options}};
    }
  }
  return {};
}

/// Converts a default from YAML to JSON.
Json default_of(const Schema& schema) {
  Diagnostics none;
  return Json::parse(to_json(parse_yaml(std::string(schema.fallback), {}, none), -1));
}

Json json(const Schema& schema) {
  Json result = Json::object();
  if (const std::string text = describe_choices(schema); !text.empty()) result["description"] = text;
  if (!schema.fallback.empty()) result["default"] = default_of(schema);
  Json form = shape(schema);
  const bool nullable =
      schema.fallback == "null" || ((schema.type == Type::map || schema.type == Type::dictionary) && !schema.required);
  if (nullable) form = Json{{"anyOf", {form, {{"type", "null"}}}}};
  result.update(form);
  return result;
}

}  // namespace

std::string json_schema() {
  Json document{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "poisson configuration"}};
  document.update(json(configuration_schema()));
  return document.dump(2) + "\n";
}

}  // namespace poisson
