#include "io/config/condition_lists.hpp"

#include "io/config/schema.hpp"
#include "io/expressions/expression.hpp"

namespace poisson {

bool check_where(ConfigParts& parts, const Value& list, std::size_t item, const std::string& path) {
  const Value* where = list.items[item].find("where");  // null: it was wrong and has been reported
  const bool last = item + 1 == list.items.size();
  if (!where || last != given(where)) return true;
  parts.errors.add(
      list.items[item].mark, path + "[" + std::to_string(item) + "]",
      last ? "is the last condition and has a where (the rest has no condition); add a condition without where"
           : "hides the following conditions (it applies everywhere); add where: an expression");
  return false;
}

void read_product(ConfigParts& parts, const Value& factor, const Value& value, const std::string& path,
                  Quantity& product) {
  const auto text = [](const Value& number) {
    return "(" + (number.kind == Value::Kind::number ? shortest(number.number) : number.text) + ")";
  };
  try {
    product = parse_expression(text(factor) + " * " + text(value), parts.config.parameters);
  } catch (const InputError& error) {
    parts.errors.add(value.mark, path, error.what());
  }
}

}  // namespace poisson
