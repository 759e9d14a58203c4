// Reads what pictures show, and the name of u.

#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "io/config/config_parts.hpp"

namespace poisson {
namespace {

void read_planes(ConfigParts& parts, bool grid_known, const Value& list) {
  const Problem& problem = parts.config.problem;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Value &item = list.items[i], &plane = *item.find("plane"), &at = *item.find("at");
    const std::string path = "output.pictures[" + std::to_string(i) + "]";
    const auto axis = static_cast<std::size_t>(plane.text[0] - 'x');
    if (problem.dimension == 2) {
      parts.errors.add(item.mark, path, "planes are for three dimensions; remove output.pictures");
      return;
    }
    if (!grid_known) continue;
    const double first = problem.nodes[axis].front(), last = problem.nodes[axis].back();
    if (!(at.number >= first && at.number <= last))
      parts.errors.add(at.mark, path + ".at",
                       fmt::format("is outside the domain, where {} is {:g} to {:g}", plane.text, first, last));
    parts.config.output.planes.push_back({static_cast<int>(axis), at.number});
  }
}

}  // namespace

void read_picture(ConfigParts& parts, bool grid_known, const Value& output) {
  Config::Output& wanted = parts.config.output;
  if (const Value* quantity = output.find("quantity")) {
    if (const Value* name = quantity->find("name"); name && !name->text.empty()) wanted.quantity = name->text;
    if (const Value* unit = quantity->find("unit")) wanted.unit = unit->text;
  }
  if (const Value* planes = output.find("pictures")) read_planes(parts, grid_known, *planes);
  const Value* colours = output.find("colours");
  if (!colours) return;
  if (const Value* logarithmic = colours->find("logarithmic")) wanted.colours.logarithmic = logarithmic->truth;
  const Value* range = colours->find("range");
  if (!range || range->items.size() != 2) return;
  const double lower = range->items[0].number, upper = range->items[1].number;
  if (!(lower < upper)) parts.errors.add(range->mark, "output.colours.range", "must rise; give the least value first");
  if (wanted.colours.logarithmic && !(lower > 0))
    parts.errors.add(range->mark, "output.colours.range", "must be positive with logarithmic: true");
  wanted.colours.range = {lower, upper};
}

}  // namespace poisson
