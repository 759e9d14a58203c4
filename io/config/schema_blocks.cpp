#include "io/config/schema_blocks.hpp"

#include "io/config/schema_parts.hpp"

namespace poisson {
namespace {

constexpr Range above_zero{.lower = 0, .open_lower = true};

Schema place(std::string_view key, std::string_view doc, bool required = true) {
  return {.key = key,
          .type = Type::list,
          .doc = doc,
          .fallback = required ? "" : "null",
          .required = required,
          .example = "[0, 1]",
          .items = {{.type = Type::constant, .example = "0.5"}},
          .fewest = 2,
          .most = 3};
}

Schema vertex_numbers(std::string_view key, std::string_view doc, int fewest, int most, std::string_view example,
                      bool required = true) {
  return {.key = key,
          .type = Type::list,
          .doc = doc,
          .fallback = required ? "" : "null",
          .required = required,
          .example = example,
          .items = {{.type = Type::integer, .example = "0", .range = {.lower = 0}}},
          .fewest = fewest,
          .most = most};
}

Schema radius() {
  return {.key = "radius",
          .type = Type::constant,
          .doc = "Its radius.",
          .required = true,
          .example = "0.5",
          .range = above_zero};
}

Schema grading(std::string_view key) {
  const auto number = [](std::string_view name, std::string_view doc, std::string_view example) {
    return Schema{
        .key = name, .type = Type::constant, .doc = doc, .fallback = "null", .example = example, .range = above_zero};
  };
  const Schema rule{
      .doc = "A rule: one of expansion, ratio, first_cell and strength.",
      .keys = {
          number("expansion", "Width of the largest cell over the smallest.", "1000"),
          number("ratio", "Width of a cell over the previous one, away from the small end.", "1.05"),
          number("first_cell", "Width of the cells at the small end.", "1e-3"),
          number("strength", "Strength of a hyperbolic tangent (Vinokur 1983); it also clusters with first_cell.",
                 "2.5"),
          {.key = "rule",
           .type = Type::choice,
           .doc = "How cells grow from first_cell.",
           .fallback = "geometric",
           .choices = {schema::word("geometric", "By a constant ratio."),
                       schema::word("tanh", "As a hyperbolic tangent.")}},
          {.key = "at",
           .type = Type::choice,
           .doc = "The end at which the cells are smallest.",
           .fallback = "lower",
           .choices = {schema::choice("lower", 0, "At the first corner of the axis."),
                       schema::choice("upper", 1, "At the other end."), schema::choice("both", 2, "At both ends.")}}}};
  return {.key = key,
          .type = Type::any_of,
          .doc = "Along this axis of the block.",
          .fallback = "null",
          .example = "{expansion: 1000}",
          .forms = {{.type = Type::constant, .example = "1000", .range = above_zero}, rule}};
}

Schema block() {
  return {.doc = "A block.",
          .keys = {vertex_numbers("corners",
                                  "Its vertices: x runs from the first to the second, y from the first to the fourth, "
                                  "and z from the first to the fifth, as in VTK and OpenFOAM.",
                                  4, 8, "[0, 1, 5, 4]"),
                   {.key = "cells",
                    .type = Type::list,
                    .doc = "Cells along its axes; null for an axis that takes them from a neighbour or grid.cells.",
                    .fallback = "null",
                    .example = "[32, 64]",
                    .items = {{.type = Type::integer,
                               .fallback = "null",
                               .example = "32",
                               .range = {.lower = 1, .upper = 10'000'000}}},
                    .fewest = 2,
                    .most = 3},
                   {.key = "grading",
                    .doc = "How cells grow along its axes, and along all opposite edges of neighbours.",
                    .fallback = "{}",
                    .example = "{y: {expansion: 1000}}",
                    .keys = {grading("x"), grading("y"), grading("z")}},
                   {.key = "material",
                    .type = Type::text,
                    .doc = "The name of its material (`materials`).",
                    .fallback = "null",
                    .example = "steel",
                    .most = 200}}};
}

Schema surface() {
  return {.key = "onto",
          .doc = "The surface: a cylinder or a sphere.",
          .fallback = "null",
          .example = "{cylinder: {centre: [0, 0, 0], axis: [0, 0, 1], radius: 1}}",
          .keys = {{.key = "cylinder",
                    .doc = "Around an axis.",
                    .fallback = "null",
                    .keys = {place("centre", "A place on its axis."), place("axis", "The direction of its axis."),
                             radius()}},
                   {.key = "sphere",
                    .doc = "Around a centre.",
                    .fallback = "null",
                    .keys = {place("centre", "Its centre."), radius()}}}};
}

Schema curve() {
  return {.doc = "A curved edge, or curved faces.",
          .keys = {vertex_numbers("edge", "The two vertices of an edge.", 2, 2, "[0, 1]", false),
                   place("arc", "A place on the arc of a circle between them.", false),
                   {.key = "spline",
                    .type = Type::list,
                    .doc = "Places on a smooth curve from the first vertex to the second.",
                    .fallback = "null",
                    .example = "[[0.2, 0.1], [0.6, 0.3]]",
                    .items = {place("", "")},
                    .fewest = 1},
                   {.key = "faces",
                    .type = Type::text,
                    .doc = "The name of a patch whose nodes are moved onto a surface.",
                    .fallback = "null",
                    .example = "wall",
                    .most = 200},
                   surface()}};
}

}  // namespace

Schema block_cells() {
  return {.key = "cells",
          .type = Type::integer,
          .doc = "Cells along every edge that no block gives a number.",
          .fallback = "null",
          .example = "32",
          .range = {.lower = 1, .upper = 10'000'000}};
}

const Schema& block_patch() {
  static const Schema schema{
      .type = Type::list,
      .doc = "Its edges in the plane, or its faces in space.",
      .example = "[[0, 1], [1, 2]]",
      .items = {vertex_numbers("", "The vertices of an edge or a face, in any order.", 2, 4, "[0, 1]")},
      .fewest = 1};
  return schema;
}

std::vector<Schema> block_keys() {
  return {{.key = "file",
           .type = Type::path,
           .doc = "A mesh of quadrilaterals or hexahedra (Gmsh or VTU), each of which is a block.",
           .fallback = "null",
           .example = "part.msh"},
          {.key = "scale",
           .type = Type::constant,
           .doc = "Factor of all coordinates of the file.",
           .fallback = "1",
           .example = "1e-3",
           .range = above_zero},
          {.key = "vertices",
           .type = Type::list,
           .doc = "The corners of blocks; the first one has number 0.",
           .fallback = "null",
           .example = "[[0, 0], [1, 0], [1, 1], [0, 1]]",
           .items = {place("", "A corner.")},
           .fewest = 4},
          {.key = "blocks",
           .type = Type::list,
           .doc = "The blocks: quadrilaterals in the plane, hexahedra in space.",
           .fallback = "null",
           .example = "[{corners: [0, 1, 2, 3], cells: [32, 32]}]",
           .items = {block()},
           .fewest = 1},
          {.key = "curves",
           .type = Type::list,
           .doc = "Edges that are not straight, and faces on surfaces.",
           .fallback = "[]",
           .example = "[{edge: [0, 1], arc: [0.5, 0.2]}]",
           .items = {curve()}},
          {.key = "patches",
           .type = Type::dictionary,
           .doc = "Names of edges in the plane, each [vertex, vertex], or of faces of four vertices in space. They are "
                  "the keys of `boundary`.",
           .fallback = "{}",
           .example = "{wall: [[0, 1], [1, 2]]}",
           .items = {block_patch()}},
          {.key = "periodic",
           .type = Type::list,
           .doc = "Pairs of patches that are equal but for a shift. u is the same on both.",
           .fallback = "[]",
           .example = "[[left, right]]",
           .items = {{.type = Type::list,
                      .example = "[left, right]",
                      .items = {{.type = Type::text, .example = "left", .most = 200}},
                      .fewest = 2,
                      .most = 2}}}};
}

}  // namespace poisson
