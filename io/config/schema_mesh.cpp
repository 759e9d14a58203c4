#include "io/config/schema_mesh.hpp"

#include <algorithm>

#include "io/config/face_choices.hpp"
#include "io/config/schema_blocks.hpp"
#include "io/config/schema_media.hpp"
#include "io/config/schema_parts.hpp"

namespace poisson {
namespace schema {
namespace {

constexpr Range above_zero{.lower = 0, .open_lower = true};

Schema mesh_grid() {
  Choice file = word("unstructured", "A mesh from a file."), blocks = word("blocks", "Blocks of cells.");
  file.keys = mesh_file_keys();
  blocks.keys = block_keys();
  blocks.keys.push_back(block_cells());
  return {.key = "grid",
          .doc = "The mesh.",
          .required = true,
          .example = "{type: unstructured, file: part.msh}",
          .keys = {
              {.key = "type", .type = Type::choice, .doc = "Grid type.", .required = true, .choices = {file, blocks}}}};
}

Schema mesh_expression(std::string_view key, std::string_view doc, std::string_view fallback, Range range = {}) {
  return {.key = key, .type = Type::expression, .doc = doc, .fallback = fallback, .example = "1 + x*y", .range = range};
}

Schema mesh_coefficient(std::string_view fallback, std::string_view doc) {
  Schema coefficient{
      .key = "coefficient",
      .type = Type::any_of,
      .doc = doc,
      .fallback = fallback,
      .example = "390",
      .forms = {
          {.type = Type::expression, .example = "390", .range = above_zero},
          {.doc = "A tensor.",
           .keys = {
               mesh_expression("x", "Along x.", "1", above_zero), mesh_expression("y", "Along y.", "1", above_zero),
               mesh_expression("z", "Along z.", "1", above_zero), mesh_expression("xy", "Off-diagonal entry.", "0"),
               mesh_expression("xz", "Off-diagonal entry.", "0"), mesh_expression("yz", "Off-diagonal entry.", "0")}}}};
  return coefficient;
}

Schema mesh_equation() {
  return {.key = "equation",
          .doc = "-div(coefficient grad u) + reaction u = source",
          .keys = {mesh_coefficient("1", "Coefficient at the centres of elements, positive."),
                   mesh_expression("reaction", "The reaction coefficient, not negative.", "0", {.lower = 0}),
                   mesh_expression("source", "The right-hand side.", "0"),
                   mesh_expression("exact", "Exact solution, if known; the run reports errors against it.", "null")}};
}

Schema mesh_boundary() {
  Schema condition{.type = Type::any_of, .doc = "A condition.", .example = "{dirichlet: 0}"};
  for (const Schema& form : face_forms())
    if (form.type != Type::choice) condition.forms.push_back(form);
  return {
      .key = "boundary",
      .type = Type::dictionary,
      .doc =
          "Conditions by the name or number of a group of sides, also inside the mesh: `inlet: {dirichlet: 1}`. "
          "`default` applies to the rest of the boundary; without it that is `{dirichlet: 0}`. Where conditions "
          "meet, the first one applies. A Dirichlet condition may name a group of any dimension. A list has conditions "
          "for parts of a group, as on boxes: `wall: [{where: y < 0.5, dirichlet: 1}, {neumann: 0}]`. Each side uses "
          "the first one whose expression `where` is not 0 at its centre, and the last one if there is none.",
      .fallback = "{}",
      .example = "{inlet: {dirichlet: 1}, default: {neumann: 0}}",
      .items = {condition}};
}

Schema mesh_materials() {
  return {.key = "materials",
          .type = Type::dictionary,
          .doc = "Data by the name or number of a group of elements: `steel: {coefficient: 50, power: 10}`.",
          .fallback = "{}",
          .example = "{steel: {coefficient: 50}}",
          .items = {{.doc = "A material.",
                     .keys = {mesh_coefficient("null", "Replaces equation.coefficient."),
                              mesh_expression("source", "Density of the source, added to equation.source.", "null"),
                              {.key = "power",
                               .type = Type::constant,
                               .doc = "Total source of the group; in the plane per unit of length.",
                               .fallback = "null",
                               .example = "12.5"},
                              {.key = "fixed",
                               .type = Type::constant,
                               .doc = "The value of u in the whole group.",
                               .fallback = "null",
                               .example = "5"}}}}};
}

Schema mesh_bodies() {
  Schema body{.doc = "A body.",
              .keys = {{.key = "material",
                        .type = Type::text,
                        .doc = "Name of its material.",
                        .required = true,
                        .example = "copper",
                        .most = 200}}};
  body.keys.insert(body.keys.end(), shape().keys.begin(), shape().keys.end());
  return {.key = "bodies",
          .type = Type::list,
          .doc = "Shapes: elements whose centres lie in one have its material. Later bodies cover earlier ones.",
          .fallback = "[]",
          .example = "[{material: copper, sphere: {center: [0, 0, 0], radius: 1}}]",
          .items = {body}};
}

Schema mesh_output(const Schema& box) {
  Schema output = box;
  output.keys.clear();
  for (const Schema& key : box.keys)
    if (key.key == "directory" || key.key == "probes" || key.key == "quantity") output.keys.push_back(key);
  const auto list = [](std::string_view key, std::string_view doc, std::string_view fallback,
                       std::vector<Choice> choices) {
    return Schema{.key = key,
                  .type = Type::list,
                  .doc = doc,
                  .fallback = fallback,
                  .items = {{.type = Type::choice, .choices = std::move(choices)}},
                  .distinct = true};
  };
  output.keys.push_back(
      list("fields", "The fields to write.", "[u, flux, group]",
           {word("u", "The solution at points."), word("flux", "-coefficient grad u of each element."),
            word("group", "The number of the first group of each element; 0: none."),
            word("coefficient", "The coefficient of each element; of a tensor its entry along x."),
            word("error", "u minus equation.exact at points.")}));
  std::vector<Choice> formats{word("vtk", "VTK XML: .vtu, of blocks .vtm; of several processes .pvtu and its pieces."),
                              word("hdf5", "VTKHDF: .hdf.")};
#ifdef POISSON_HAVE_VTK
  formats.push_back(word("png", "A picture: the mesh in the plane; in space its surface and a section."));
#endif
  output.keys.push_back(list("formats", "File formats; [] writes only the summary.", "[vtk]", std::move(formats)));
  return output;
}

}  // namespace
}  // namespace schema

std::vector<Schema> mesh_file_keys() {
  return {{.key = "file",
           .type = Type::path,
           .doc = "MSH 2.2 or 4.1 of Gmsh, ASCII or binary, or VTU, relative to the configuration file's folder.",
           .required = true,
           .example = "part.msh"},
          {.key = "scale",
           .type = Type::constant,
           .doc = "Factor of all coordinates, such as 1e-3 for a mesh in millimetres.",
           .fallback = "1",
           .example = "1e-3",
           .range = {.lower = 0, .open_lower = true}},
          {.key = "groups",
           .type = Type::text,
           .doc = "Name of the cell array of a VTU file that numbers groups; null: a known name, or none.",
           .fallback = "null",
           .example = "material",
           .most = 200}};
}

const Schema& mesh_schema() {
  static const Schema complete = [] {
    Schema all{.doc = "A Poisson problem on a mesh, its solver and its output.", .required = true};
    for (const Schema& key : configuration_schema().keys) {
      if (key.key == "title" || key.key == "parameters" || key.key == "solver" || key.key == "backend")
        all.keys.push_back(key);
      if (key.key == "grid") all.keys.push_back(schema::mesh_grid());
      if (key.key == "equation") all.keys.push_back(schema::mesh_equation());
      if (key.key == "boundary") all.keys.push_back(schema::mesh_boundary());
      if (key.key == "materials") all.keys.push_back(schema::mesh_materials());
      if (key.key == "bodies") all.keys.push_back(schema::mesh_bodies());
      if (key.key == "output") all.keys.push_back(schema::mesh_output(key));
    }
    return all;
  }();
  return complete;
}

bool describes_mesh(const Value& document) {
  const Value* type = document.at("grid.type");
  return type && type->kind == Value::Kind::string && (type->text == "unstructured" || type->text == "blocks");
}

}  // namespace poisson
