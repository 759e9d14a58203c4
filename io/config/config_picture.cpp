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

// Returns the count of a key that is a boolean or a count; `usual` if it is true.
int read_count(const Value& value, int usual) {
  if (value.kind == Value::Kind::boolean) return value.truth ? usual : 0;
  return static_cast<int>(value.number);
}

void read_marks(ConfigParts& parts, const Value& output) {
  PictureMarks& marks = parts.config.output.marks;
  constexpr int usual_arrows = 24, usual_streamlines = 20;
  if (const Value* outlines = output.find("outlines")) marks.outlines = static_cast<Outlines>(outlines->choice);
  if (const Value* arrows = output.find("arrows")) marks.arrows = read_count(*arrows, usual_arrows);
  if (const Value* lines = output.find("streamlines")) marks.streamlines = read_count(*lines, usual_streamlines);
  if (!parts.config.matrix) return;
  for (const char* key : {"arrows", "streamlines"})
    if (const Value* value = output.find(key); value && value->given && read_count(*value, 1) > 0)
      parts.errors.add(value->mark, "output." + std::string(key),
                       "shows a flux, which a matrix from a file does not have; remove it");
}

}  // namespace

void read_picture(ConfigParts& parts, bool grid_known, const Value& output) {
  Config::Output& wanted = parts.config.output;
  if (const Value* quantity = output.find("quantity")) {
    if (const Value* name = quantity->find("name"); name && !name->text.empty()) wanted.quantity = name->text;
    if (const Value* unit = quantity->find("unit")) wanted.unit = unit->text;
  }
  if (const Value* planes = output.find("pictures")) read_planes(parts, grid_known, *planes);
  read_marks(parts, output);
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
