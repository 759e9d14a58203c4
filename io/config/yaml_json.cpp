#include <nlohmann/json.hpp>

#include "io/config/yaml.hpp"

namespace poisson {

namespace {

nlohmann::ordered_json json(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      return nullptr;
    case Value::Kind::boolean:
      return value.truth;
    case Value::Kind::number:
      if (value.integer && std::abs(value.number) < 9e15) return static_cast<std::int64_t>(value.number);
      return value.number;
    case Value::Kind::string:
      return value.text;
    case Value::Kind::list: {
      auto list = nlohmann::ordered_json::array();
      for (const Value& item : value.items) list.push_back(json(item));
      return list;
    }
    case Value::Kind::map: {
      auto map = nlohmann::ordered_json::object();
      for (const Value::Entry& entry : value.entries) map[entry.key] = json(entry.value);
      return map;
    }
  }
  return nullptr;
}

}  // namespace

std::string to_json(const Value& value, int indent) {
  return json(value).dump(indent);
}

}  // namespace poisson
