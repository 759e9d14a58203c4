#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "io/config/schema.hpp"
#include "io/config/spelling.hpp"

namespace poisson {

namespace {

std::string with_range(const char* what, const Range& range) {
  const std::string bounds = range.text();
  return bounds.empty() ? what : std::string(what) + " " + bounds;
}

std::string braces(const Schema& map) {
  std::vector<std::string> names;
  for (const Schema& key : map.keys) {
    std::string name(key.key);
    if (key.type == Type::map) name += ": " + braces(key);
    names.push_back(name);
  }
  return "{" + join(names) + "}";
}

void collect(const std::vector<Schema>& keys, std::vector<const Schema*>& found) {
  for (const Schema& key : keys) {
    found.push_back(&key);
    for (const Choice& option : key.choices) collect(option.keys, found);
  }
}

}  // namespace

std::string shortest(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return std::to_string(static_cast<long long>(value));
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

bool Range::contains(double value) const {
  const bool above = !lower || (open_lower ? value > *lower : value >= *lower);
  const bool under = !upper || (open_upper ? value < *upper : value <= *upper);
  return above && under;
}

std::string Range::text() const {
  std::string all;
  if (lower) all = (open_lower ? "> " : ">= ") + shortest(*lower);
  if (upper) all += (lower ? " and " : "") + std::string(open_upper ? "< " : "<= ") + shortest(*upper);
  return all;
}

std::vector<const Schema*> all_keys(const Schema& map) {
  std::vector<const Schema*> found;
  collect(map.keys, found);
  return found;
}

std::string expected(const Schema& schema) {
  switch (schema.type) {
    case Type::map:
      return braces(schema);
    case Type::dictionary:
      return "a map of names and numbers";
    case Type::number:
    case Type::constant:
      return with_range("a number", schema.range);
    case Type::integer:
      return with_range("an integer", schema.range);
    case Type::boolean:
      return "true or false";
    case Type::text:
      return "text";
    case Type::path:
      return "a path";
    case Type::expression:
      return with_range("a number or an expression", schema.range);
    case Type::choice: {
      std::string all;
      for (const Choice& option : schema.choices) all += (all.empty() ? "" : " | ") + std::string(option.name);
      return all;
    }
    case Type::list: {
      if (schema.fewest == 0) return "a list";
      const std::string count = std::to_string(schema.fewest);
      if (schema.most == 0) return "a list of at least " + count + (schema.fewest == 1 ? " item" : " items");
      if (schema.fewest == schema.most) return "a list of " + count + " items";
      return "a list of " + count + (schema.most - schema.fewest > 1 ? " to " : " or ") + std::to_string(schema.most) +
             " items";
    }
    case Type::any_of: {
      std::string all;
      for (const Schema& form : schema.forms) all += (all.empty() ? "" : " | ") + expected(form);
      return all;
    }
  }
  return {};
}

}  // namespace poisson
