#include "io/config/schema.hpp"

#include "grids/axes/stretching.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/problem/problem.hpp"
#include "io/config/face_choices.hpp"
#include "io/config/schema_blocks.hpp"
#include "io/config/schema_image.hpp"
#include "io/config/schema_media.hpp"
#include "io/config/schema_mesh.hpp"
#include "io/config/schema_parts.hpp"
#include "io/config/schema_rows.hpp"

namespace poisson {
namespace schema {
namespace {

Schema title() {
  return {.key = "title",
          .type = Type::text,
          .doc = "Title in the output files and above the picture; at most 1000 bytes.",
          .fallback = "\"\"",
          .most = 1000};
}

Schema parameters() {
  return {.key = "parameters",
          .type = Type::dictionary,
          .doc =
              "Named numbers such as `h: 25`, which every expression and number may use. Each is a number or "
              "arithmetic on those above it. `--set parameters.h=30` changes one.",
          .fallback = "{}",
          .example = "{h: 25}",
          .items = {{.type = Type::constant, .example = "25"}}};
}

Schema corner(std::string_view key, std::string_view doc, std::string_view example) {
  return {.key = key,
          .type = Type::list,
          .doc = doc,
          .required = true,
          .example = example,
          .items = {{.type = Type::constant, .example = "0.5"}},
          .fewest = 2,
          .most = 3};
}

Schema domain() {
  return {.key = "domain",
          .doc =
              "The box. Two or three numbers set the dimension. Optional if every axis has explicit nodes or segments; "
              "not allowed for matrices.",
          .required = true,
          .unless = "grid.axes grid.file image",
          .example = "{lower: [0, 0, 0], upper: [1, 1, 1]}",
          .keys = {corner("lower", "Lower corner.", "[0, 0, 0]"), corner("upper", "Upper corner.", "[1, 1, 1]")}};
}

std::vector<Choice> ends() {
  return {choice("lower", StretchedEnd::lower, "Small cells at the lower end."),
          choice("upper", StretchedEnd::upper, "Small cells at the upper end."),
          choice("both", StretchedEnd::both, "Small cells at both ends.")};
}

Schema stretching() {
  const Range positive{.lower = 0, .open_lower = true};
  const auto at = [](std::string_view fallback) {
    return Schema{.key = "at",
                  .type = Type::choice,
                  .doc = "The end at which the cells are smallest.",
                  .fallback = fallback,
                  .choices = ends()};
  };
  const Schema first{
      .key = "first_cell",
      .type = Type::constant,
      .doc = "Width of the first cell at that end, or at both ends; replaces the other parameters of the rule.",
      .fallback = "null",
      .example = "1e-3",
      .range = positive};
  return {.key = "stretching",
          .type = Type::choice,
          .doc = "The rule by which the cells grow.",
          .required = true,
          .choices = {choice("tanh", 0, "Hyperbolic tangent (Vinokur 1983). Needs strength or first_cell.",
                             {{.key = "strength",
                               .type = Type::constant,
                               .doc = "Larger values give more different cells; 0 would be uniform.",
                               .fallback = "null",
                               .example = "2.5",
                               .range = positive},
                              first,
                              at("both")}),
                      choice("geometric", 1, "Cells grow by a constant ratio. Needs ratio, expansion or first_cell.",
                             {{.key = "ratio",
                               .type = Type::constant,
                               .doc = "Width of a cell over the previous one, away from the small end.",
                               .fallback = "null",
                               .example = "1.05",
                               .range = positive},
                              {.key = "expansion",
                               .type = Type::constant,
                               .doc = "Width of the largest cell over the smallest.",
                               .fallback = "null",
                               .example = "1000",
                               .range = positive},
                              first,
                              at("lower")})}};
}

Schema axis(std::string_view key) {
  const Schema nodes{.key = "nodes",
                     .type = Type::list,
                     .doc = "Coordinates of the nodes, increasing.",
                     .required = true,
                     .example = "[0, 0.1, 0.3, 1]",
                     .items = {{.type = Type::constant, .example = "0.1"}},
                     .fewest = 3};
  const Schema layer{.type = Type::list,
                     .example = "[1.6e-3, 8]",
                     .items = {{.type = Type::constant, .example = "8"}},
                     .fewest = 2,
                     .most = 2};
  const Schema segments{.key = "segments",
                        .type = Type::list,
                        .doc =
                            "Layers of equal cells, each [thickness, cells], from the lower end of the domain (0 "
                            "without one) to the upper end.",
                        .required = true,
                        .example = "[[1.6e-3, 8], [1e-4, 2]]",
                        .items = {layer},
                        .fewest = 1};
  Schema file = dataset_form();
  file.doc = "Coordinates of the nodes from a one-dimensional dataset.";
  return {.key = key,
          .type = Type::any_of,
          .doc = "Nodes of this axis; uniform if absent.",
          .fallback = "null",
          .forms = {{.doc = "A stretching rule.", .keys = {stretching()}},
                    {.doc = "Explicit nodes.", .keys = {nodes}},
                    file,
                    {.doc = "Layers.", .keys = {segments}}}};
}

Choice banded() {
  return {.name = "banded",
          .doc = "A matrix from a file, on its index grid.",
          .keys = {{.key = "file",
                    .type = Type::path,
                    .doc = "Matrix Market (coordinate, real or integer, general or symmetric), or HDF5 with the "
                           "datasets `offsets` [bands][x, y, z] and `bands` [bands][nz][ny][nx]: the entry of row i "
                           "and column i + offset; 0 outside the grid.",
                    .required = true,
                    .example = "matrix.mtx"},
                   {.key = "shape",
                    .type = Type::list,
                    .doc = "Points along x, y and z; x is the fastest index of the matrix. HDF5 files determine it.",
                    .fallback = "null",
                    .example = "[64, 64, 64]",
                    .items = {{.type = Type::integer, .example = "64", .range = {.lower = 1, .upper = 100'000'000}}},
                    .fewest = 1,
                    .most = 3},
                   {.key = "rhs",
                    .type = Type::path,
                    .doc = "The right-hand side: a Matrix Market array, or an HDF5 file with the dataset `rhs`; null: "
                           "the matrix file's `rhs` if it has one, otherwise equation.source.",
                    .fallback = "null",
                    .example = "rhs.mtx"}}};
}

Choice unstructured() {
  return {.name = "unstructured",
          .doc =
              "A mesh from a file. Names of its groups are then the keys of `boundary` and `materials`, and some keys "
              "of boxes do not apply ([meshes](meshes.md)).",
          .keys = mesh_file_keys()};
}

Choice blocks() {
  return {.name = "blocks",
          .doc =
              "Blocks of cells, joined as a macro mesh ([blocks](blocks.md)). `cells` is then one number, for edges "
              "without a number of their own. The keys of `boundary` and `materials` are names of patches and "
              "materials of blocks.",
          .keys = block_keys()};
}

Choice matrix() {
  return {.name = "matrix",
          .doc = "A sparse matrix of any pattern from a file, on no grid ([matrices](matrices.md)).",
          .keys = row_file_keys()};
}

Schema grid() {
  return {.key = "grid",
          .doc = "The cells.",
          .required = true,
          .example = "{cells: [64, 64, 64]}",
          .keys = {{.key = "type",
                    .type = Type::choice,
                    .doc = "Grid type; `axes` implies tensor-product.",
                    .fallback = "equidistant",
                    .choices = {word("equidistant", "Equal cells along each axis; axes may differ."),
                                word("tensor-product", "Axes as described by `axes`."), banded(), matrix(),
                                unstructured(), blocks()}},
                   {.key = "cells",
                    .type = Type::list,
                    .doc = "Cells along each axis; null for an axis with nodes or segments. The last axes may be "
                           "omitted if they have nodes or segments, and the whole list if all have.",
                    .required = true,
                    .unless = "axes file",
                    .example = "[64, 64, 64]",
                    .items = {{.type = Type::integer,
                               .fallback = "null",
                               .example = "64",
                               .range = {.lower = 2, .upper = 10'000'000}}},
                    .fewest = 2,
                    .most = 3},
                   {.key = "axes",
                    .doc = "Stretched axes of a tensor-product grid.",
                    .example = "{z: {stretching: tanh, strength: 2.5}}",
                    .keys = {axis("x"), axis("y"), axis("z")}}}};
}

Schema equation() {
  const Range positive{.lower = 0, .open_lower = true};
  const Range not_negative{.lower = 0};
  Schema coefficient = quantity(
      "coefficient", "Coefficient, positive; one value per cell. An expression is evaluated at the cell centre.", "1",
      positive);
  coefficient.forms.push_back(
      {.doc = "A diagonal tensor, or a full tensor with xy, xz, yz.",
       .keys = {
           quantity("x", "Along x.", "1", positive), quantity("y", "Along y.", "1", positive),
           quantity("z", "Along z (three dimensions).", "1", positive),
           quantity("xy", "Off-diagonal entry of a full tensor (scheme q1), which must be positive definite.", "0"),
           quantity("xz", "Off-diagonal entry (three dimensions).", "0"),
           quantity("yz", "Off-diagonal entry (three dimensions).", "0")}});
  return {.key = "equation",
          .doc = "-div(coefficient grad u) + reaction u = source",
          .keys = {coefficient,
                   quantity("reaction", "The reaction coefficient, not negative.", "0", not_negative),
                   quantity("source", "The right-hand side.", "0"),
                   {.key = "exact",
                    .type = Type::expression,
                    .doc = "Exact solution, if known; the run reports errors against it.",
                    .fallback = "null",
                    .example = "sin(pi*x)*sin(pi*y)"}}};
}

Schema face(std::string_view key, std::string_view doc, std::string_view fallback) {
  return {.key = key, .type = Type::any_of, .doc = doc, .fallback = fallback, .forms = face_forms()};
}

Schema boundary() {
  Schema schema{.key = "boundary",
                .doc =
                    "Boundary conditions on the faces of the box. A face may have several conditions, such as "
                    "`[{where: y < 0.5, dirichlet: 1}, {neumann: 0}]`: each cell of the face uses the first one whose "
                    "expression `where` is not 0 at its centre, and the last one if there is none.",
                .keys = {face("default", "All faces that are not listed.", "{dirichlet: 0}")}};
  for (const std::string_view name : face_names) schema.keys.push_back(face(name, "This face.", "null"));
  return schema;
}

Schema discretization() {
  return {.key = "discretization",
          .doc = "How the equation is discretized.",
          .keys = {
              {.key = "scheme",
               .type = Type::choice,
               .doc = "The scheme.",
               .fallback = "fv",
               .choices = {choice("fv", Scheme::fv, "Finite volumes: 5 or 7 points."),
                           choice("q1", Scheme::q1, "Bilinear or trilinear elements: 9 or 27 points."),
                           choice("compact4", Scheme::compact4,
                                  "Fourth order on 9 or 27 points: equal cells, constant coefficient and reaction, "
                                  "Dirichlet and periodic faces.")}},
              {.key = "centering",
               .type = Type::choice,
               .doc = "Position of the unknowns.",
               .fallback = "node",
               .choices = {choice("node", Centering::node, "At the nodes."),
                           choice("cell", Centering::cell, "At the cell centres; finite volumes only.")}},
              {.key = "assembly",
               .type = Type::choice,
               .doc = "What the operator stores.",
               .fallback = "auto",
               .choices = {
                   choice("auto", Assembly::automatic,
                          "recompute if coefficient, reaction and alpha are constant (trilinear elements on a GPU: "
                          "partial); otherwise the mode that is predicted to be faster from its bytes and operations."),
                   choice("recompute", Assembly::recompute,
                          "Nothing. Entries are computed from coordinates and, on a GPU, from the coefficient's "
                          "expression, which is compiled into the stencil of the finest level. If that is impossible, "
                          "partial is used, with a note."),
                   choice("partial", Assembly::partial, "The coefficient and one-dimensional arrays."),
                   choice("full", Assembly::full, "One half of the bands of the symmetric matrix.")}}}};
}

}  // namespace
}  // namespace schema

const Schema& configuration_schema() {
  static const Schema schema{.doc = "A Poisson problem, its solver and its output.",
                             .required = true,
                             .keys = {schema::title(), schema::parameters(), schema::domain(), schema::grid(),
                                      schema::equation(), schema::boundary()}};
  static const Schema complete = [] {
    Schema all = schema;
    for (Schema& key : schema::media()) all.keys.push_back(std::move(key));
    all.keys.push_back(schema::image());
    for (Schema key : {schema::discretization(), schema::solver(), schema::backend(), schema::output()})
      all.keys.push_back(std::move(key));
    return all;
  }();
  return complete;
}

}  // namespace poisson
