#include "io/config/face_choices.hpp"

#include <array>

#include "io/config/schema_parts.hpp"

namespace poisson {
namespace {

Schema datum(std::string_view key, std::string_view doc, std::string_view example = "0", Range range = {}) {
  return {.key = key, .type = Type::expression, .doc = doc, .required = true, .example = example, .range = range};
}

// Returns one of the two keys that set the right-hand side of a Robin face.
Schema right_hand_side() {
  Schema value = datum("value", "Right-hand side g; null: a * ambient.");
  value.fallback = "null";
  value.unless = "ambient";
  return value;
}
Schema ambient() {
  Schema value = datum("ambient", "Value of u outside, which sets g = a * ambient; null: value gives g.", "20");
  value.required = false;
  value.fallback = "null";
  return value;
}

// Returns the schema of a kind with data, as a map with one key.
Schema face_form(const FaceChoice& kind) {
  if (kind.keys.empty()) return datum(kind.name, kind.doc, kind.example);
  return {.key = kind.name, .doc = kind.doc, .required = true, .example = kind.example, .keys = kind.keys};
}

}  // namespace

std::span<const FaceChoice> face_choices() {
  static const std::array table{
      FaceChoice{
          .name = "periodic", .doc = "The two faces of the axis are identified.", .kind = BoundaryKind::periodic},
      FaceChoice{.name = "dirichlet",
                 .doc = "u = g",
                 .kind = BoundaryKind::dirichlet,
                 .data = {{"", "", &Boundary::value}},
                 .example = "0"},
      FaceChoice{.name = "neumann",
                 .doc = "coefficient du/dn = q, n the outward normal",
                 .kind = BoundaryKind::neumann,
                 .data = {{"", "", &Boundary::value}},
                 .example = "0"},
      FaceChoice{.name = "robin",
                 .doc = "coefficient du/dn + a u = g",
                 .kind = BoundaryKind::robin,
                 .data = {{"value", "", &Boundary::value},
                          {"alpha", ".alpha", &Boundary::alpha},
                          {"ambient", "", &Boundary::value, "alpha"}},
                 .keys = {datum("alpha", "Transfer coefficient a, not negative.", "10", {.lower = 0}),
                          right_hand_side(), ambient()},
                 .example = "{alpha: 10, value: 0}"}};
  return table;
}

std::vector<Schema> face_forms() {
  std::vector<Schema> forms{{.type = Type::choice}};
  for (const FaceChoice& kind : face_choices()) {
    if (kind.data.empty())
      forms.front().choices.push_back(schema::word(kind.name, kind.doc));
    else
      forms.push_back({.keys = {face_form(kind)}});
  }
  Schema part{.type = Type::any_of};
  for (const FaceChoice& kind : face_choices()) {
    if (kind.data.empty()) continue;
    const Schema where{.key = "where",
                       .type = Type::expression,
                       .doc = "Expression that is not 0 on the part; the last part, without where, covers the rest.",
                       .fallback = "null",
                       .example = "y > 0.2 && y < 0.4"};
    part.forms.push_back({.keys = {where, face_form(kind)}});
  }
  forms.push_back({.type = Type::list,
                   .doc = "Several conditions on one face: each cell of the face uses the first one whose `where` is "
                          "not 0 at its centre.",
                   .example = "[{where: y < 0.5, dirichlet: 1}, {neumann: 0}]",
                   .items = {part},
                   .fewest = 2});
  return forms;
}

}  // namespace poisson
