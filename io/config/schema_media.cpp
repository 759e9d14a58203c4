#include "io/config/schema_media.hpp"

#include <algorithm>

#include "grids/problem/media.hpp"
#include "io/config/schema_parts.hpp"

namespace poisson::schema {
namespace {

constexpr Range positive{.lower = 0, .open_lower = true};

Schema point(std::string_view key, std::string_view doc, std::string_view example, std::string_view fallback = {}) {
  return {.key = key,
          .type = Type::list,
          .doc = doc,
          .fallback = fallback,
          .required = fallback.empty(),
          .example = example,
          .items = {{.type = Type::constant, .example = "0.5"}},
          .fewest = 2,
          .most = 3};
}

Schema length(std::string_view key, std::string_view doc, std::string_view example) {
  return {.key = key, .type = Type::constant, .doc = doc, .required = true, .example = example, .range = positive};
}

Schema optional_map(std::string_view key, std::string_view doc, std::string_view example, std::vector<Schema> keys) {
  return {.key = key,
          .type = Type::any_of,
          .doc = doc,
          .fallback = "null",
          .example = example,
          .forms = {{.keys = std::move(keys)}}};
}

// Shapes within shapes are checked when they are read, so that the table ends.
Schema shape_list(std::string_view key, std::string_view doc) {
  return {.key = key,
          .type = Type::any_of,
          .doc = doc,
          .fallback = "null",
          .example = "[{sphere: {center: [0, 0, 0], radius: 2}}, {layer: {axis: z, from: 0, to: 1}}]",
          .forms = {{.type = Type::list,
                     .doc = "Shapes, written as in `bodies`, without a material.",
                     .items = {{.type = Type::dictionary, .example = "{sphere: {center: [0, 0, 0], radius: 2}}"}},
                     .fewest = 1}}};
}

std::vector<Choice> axes() {
  return {choice("x", 0, "Across x."), choice("y", 1, "Across y."), choice("z", 2, "Across z.")};
}

// Returns the key of a polygon's corners.
Schema corners(std::string_view doc) {
  return {.key = "points",
          .type = Type::list,
          .doc = doc,
          .required = true,
          .example = "[[0, 0], [1, 0], [0, 1]]",
          .items = {{.type = Type::list,
                     .example = "[0, 1]",
                     .items = {{.type = Type::constant, .example = "0.5"}},
                     .fewest = 2,
                     .most = 2}},
          .fewest = 3};
}

Schema polygon() {
  const Schema outline = corners("Corners [x, y] in order; the sides must not cross.");
  const Schema extrude{.key = "extrude",
                       .type = Type::list,
                       .doc = "Lower and upper z; null: all z.",
                       .fallback = "null",
                       .example = "[0, 1]",
                       .items = {{.type = Type::constant, .example = "0"}},
                       .fewest = 2,
                       .most = 2};
  return optional_map("polygon", "A polygon in the plane of x and y, extruded along z.",
                      "{points: [[0, 0], [1, 0], [0, 1]], extrude: [0, 1]}", {outline, extrude});
}

Schema layer() {
  const auto bound = [](std::string_view key, std::string_view doc) {
    return Schema{.key = key, .type = Type::constant, .doc = doc, .fallback = "null", .example = "1.6e-3"};
  };
  return optional_map("layer", "All places between two coordinates of an axis.", "{axis: z, from: 0, to: 1.6e-3}",
                      {{.key = "axis", .type = Type::choice, .doc = "The axis.", .required = true, .choices = axes()},
                       bound("from", "Lower coordinate; null: no bound."),
                       bound("to", "Upper coordinate; null: no bound.")});
}

// An axis by its name, or as a direction.
Schema direction(std::string_view doc, bool required) {
  return {.key = "axis",
          .type = Type::any_of,
          .doc = doc,
          .fallback = required ? "" : "null",
          .required = required,
          .example = "z",
          .forms = {{.type = Type::choice,
                     .choices = {choice("x", 0, "Along x."), choice("y", 1, "Along y."), choice("z", 2, "Along z.")}},
                    {.type = Type::list,
                     .doc = "A direction.",
                     .example = "[0, 0, 1]",
                     .items = {{.type = Type::constant, .example = "1"}},
                     .fewest = 3,
                     .most = 3}}};
}

Schema radii(std::string_view doc, std::string_view example, int fewest, Range range) {
  return {.key = "radii",
          .type = Type::list,
          .doc = doc,
          .required = true,
          .example = example,
          .items = {{.type = Type::constant, .example = "0.5", .range = range}},
          .fewest = fewest,
          .most = 2};
}

std::vector<Schema> shapes_of_revolution() {
  const Schema profile =
      corners("Corners [distance from the axis, coordinate along it] in order; the sides must not cross.");
  return {optional_map(
              "cone", "A cone, or a truncated cone, between the centres of its ends.",
              "{from: [0, 0, 0], to: [0, 0, 1], radii: [0.5, 0.2]}",
              {point("from", "Centre of one end.", "[0, 0, 0]"),
               point("to", "Centre of the other end, or the tip.", "[0, 0, 1]"),
               radii("Radii at both ends, or one at `from` of a cone with a tip.", "[0.5, 0.2]", 1, {.lower = 0})}),
          optional_map("torus", "A ring with a round section; in the plane an annulus.",
                       "{center: [0, 0, 0], axis: z, radii: [1, 0.2]}",
                       {point("center", "Centre.", "[0, 0, 0]"),
                        direction("The axis of the ring: x, y, z or a direction; null: z.", false),
                        radii("Radius of the ring, to the middle of its tube, and radius of the tube.", "[1, 0.2]", 2,
                              positive)}),
          optional_map("revolve", "A polygon that turns around an axis through the origin.",
                       "{points: [[0, 0], [1, 0], [0, 1]], axis: z}",
                       {profile, direction("The axis: x, y, z or a direction; null: z.", false)})};
}

// Arrays of a program take the place of lists.
Schema mesh() {
  const auto triples = [](std::string_view key, std::string_view doc, std::string_view example, Type type) {
    return Schema{
        .key = key,
        .type = Type::any_of,
        .doc = doc,
        .required = true,
        .example = example,
        .forms = {{.type = Type::list,
                   .example = example,
                   .items = {{.type = Type::list, .items = {{.type = type, .example = "0"}}, .fewest = 3, .most = 3}}},
                  {.type = Type::expression, .doc = "An array with 3 columns, from Python."}}};
  };
  return {.key = "mesh",
          .type = Type::any_of,
          .doc = "A body inside triangles: an STL, OBJ or PLY file, relative to this file, or lists of triangles.",
          .fallback = "null",
          .example = "fin.stl",
          .forms = {{.type = Type::path, .doc = "The file.", .example = "fin.stl"},
                    {.doc = "Lists of triangles.",
                     .keys = {triples("vertices", "Points [x, y, z].", "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
                                      Type::constant),
                              triples("triangles",
                                      "Three vertices each, counted from 0, counterclockwise seen from "
                                      "outside.",
                                      "[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]", Type::integer)}}}};
}

Schema scale() {
  return {.key = "scale",
          .type = Type::any_of,
          .doc = "Scales the shape about the origin: a factor, or one for each axis.",
          .fallback = "null",
          .example = "1e-3",
          .forms = {{.type = Type::constant, .example = "1e-3", .range = positive},
                    {.type = Type::list,
                     .example = "[1, 1, 0.5]",
                     .items = {{.type = Type::constant, .example = "0.5", .range = positive}},
                     .fewest = 2,
                     .most = 3}}};
}

Schema rotate() {
  return optional_map(
      "rotate", "Rotates the shape, after `scale`.", "{angle: 30, axis: [0, 0, 1]}",
      {{.key = "angle", .type = Type::constant, .doc = "Degrees, counterclockwise.", .required = true, .example = "30"},
       point("axis", "Direction of the axis; in the plane it is z.", "[0, 0, 1]", "null"),
       point("about", "A point on the axis; null: the origin.", "[0, 0, 0]", "null")});
}

Schema repeat() {
  return optional_map("repeat", "Copies of the shape, after `move`: one body.", "{count: [10, 10, 1], step: [1, 1, 0]}",
                      {{.key = "count",
                        .type = Type::list,
                        .doc = "Copies along each axis.",
                        .required = true,
                        .example = "[10, 10, 1]",
                        .items = {{.type = Type::integer, .example = "10", .range = {.lower = 1, .upper = 1e6}}},
                        .fewest = 2,
                        .most = 3},
                       point("step", "Distances of the copies along each axis.", "[1, 1, 1]")});
}

std::vector<Schema> shape_keys() {
  Schema where{.key = "where",
               .type = Type::expression,
               .doc = "All places where the expression is not 0.",
               .fallback = "null",
               .example = "x^2 + y^2 < 0.01"};
  std::vector<Schema> keys{
      optional_map("box", "A box.", "{lower: [0, 0, 0], upper: [1, 1, 0.1]}",
                   {point("lower", "Lower corner.", "[0, 0, 0]"), point("upper", "Upper corner.", "[1, 1, 0.1]")}),
      optional_map("sphere", "A sphere; in the plane a disk.", "{center: [0, 0, 0], radius: 1}",
                   {point("center", "Centre.", "[0, 0, 0]"), length("radius", "Radius.", "1")}),
      optional_map("cylinder", "A cylinder between the centres of its ends.",
                   "{from: [0, 0, 0], to: [0, 0, 1], radius: 0.5}",
                   {point("from", "Centre of one end.", "[0, 0, 0]"),
                    point("to", "Centre of the other end.", "[0, 0, 1]"), length("radius", "Radius.", "0.5")}),
      optional_map("ellipsoid", "An ellipsoid; in the plane an ellipse.", "{center: [0, 0, 0], radii: [1, 1, 2]}",
                   {point("center", "Centre.", "[0, 0, 0]"),
                    {.key = "radii",
                     .type = Type::list,
                     .doc = "Half axes along x, y and z.",
                     .required = true,
                     .example = "[1, 1, 2]",
                     .items = {{.type = Type::constant, .example = "1", .range = positive}},
                     .fewest = 2,
                     .most = 3}}),
      polygon(),
      layer(),
      mesh(),
      where,
      shape_list("union", "All places in at least one of these shapes."),
      shape_list("intersection", "All places in all of these shapes."),
      shape_list("difference", "The first shape without the others."),
      scale(),
      rotate(),
      point("move", "Moves the shape, after `rotate`.", "[0, 0, 1]", "null"),
      repeat()};
  const std::vector<Schema> round = shapes_of_revolution();
  keys.insert(std::ranges::find(keys, "polygon", &Schema::key), round.begin(), round.end());
  return keys;
}

Schema text(std::string_view key, std::string_view doc, std::string_view example, bool required) {
  return {.key = key,
          .type = Type::text,
          .doc = doc,
          .fallback = required ? "" : "null",
          .required = required,
          .example = example,
          .most = 200};
}

}  // namespace

namespace {

Schema floating() {
  return optional_map("floating",
                      "Replaces coefficient: each connected body has one unknown value. Its cells leave the system.",
                      "{charge: 0}",
                      {{.key = "charge",
                        .type = Type::constant,
                        .doc = "The flow out of each connected body: a charge, or watts of heat.",
                        .fallback = "0",
                        .example = "0"}});
}

}  // namespace

const Schema& shape() {
  static const Schema schema{.doc = "A shape.", .keys = shape_keys()};
  return schema;
}

const Schema& material() {
  static const Schema schema{
      .type = Type::any_of,
      .doc = "A material.",
      .example = "{coefficient: 390}",
      .forms = {
          {.doc = "A conductor.",
           .keys = {{.key = "coefficient",
                     .type = Type::any_of,
                     .doc = "κ, positive: a number or an expression at cell centres, or one for each axis.",
                     .fallback = "null",
                     .example = "390",
                     .forms = {{.type = Type::expression, .example = "390", .range = positive},
                               {.type = Type::list,
                                .doc = "One for each axis.",
                                .example = "[0.8, 0.8, 0.3]",
                                .items = {{.type = Type::expression, .example = "0.8", .range = positive}},
                                .fewest = 2,
                                .most = 3}}},
                    {.key = "power",
                     .type = Type::constant,
                     .doc = "Source in each body of this material: watts of the whole body, in the plane per metre.",
                     .fallback = "null",
                     .example = "12.5"},
                    {.key = "source",
                     .type = Type::expression,
                     .doc = "Density of the source, added to equation.source.",
                     .fallback = "0",
                     .example = "1e6"},
                    {.key = "fixed",
                     .type = Type::constant,
                     .doc = "The value of u; replaces coefficient. Its cells leave the system.",
                     .fallback = "null",
                     .example = "5"},
                    floating()}},
          {.type = Type::choice, .choices = {choice("insulator", 0, "Nothing flows; its cells leave the system.")}}}};
  return schema;
}

std::vector<Schema> media() {
  std::vector<Schema> body{text("material", "Name of its material.", "copper", true),
                           text("name", "Name in results; null: that of the material.", "die", false), floating()};
  const std::vector<Schema> shapes = shape_keys();
  body.insert(body.end(), shapes.begin(), shapes.end());
  const Schema pair{.key = "between",
                    .type = Type::list,
                    .doc = "Two materials.",
                    .required = true,
                    .example = "[die, board]",
                    .items = {{.type = Type::text, .example = "die", .most = 200}},
                    .fewest = 2,
                    .most = 2};
  return {{.key = "materials",
           .type = Type::dictionary,
           .doc = "Named materials: `copper: {coefficient: 390}`, `board: {coefficient: [0.8, 0.8, 0.3]}`, `die: "
                  "{coefficient: 130, power: 12.5}`, `lead: {fixed: 5}`, `net: {floating: {charge: 0}}`, `hole: "
                  "insulator`. They need unknowns in cells.",
           .fallback = "{}",
           .example = "{copper: {coefficient: 390}}",
           .items = {material()}},
          text("background", "Material where no body is; null: equation.coefficient.", "air", false),
          {.key = "bodies",
           .type = Type::list,
           .doc = "Bodies of these materials. Later bodies cover earlier ones. Each has a material and one shape.",
           .fallback = "[]",
           .example = "[{material: copper, sphere: {center: [0, 0, 0], radius: 1}}]",
           .items = {{.doc = "A body.", .keys = body}}},
          {.key = "surfaces",
           .type = Type::choice,
           .doc = "How surfaces between the faces of cells enter the conductances.",
           .fallback = "sharp",
           .choices = {choice("sharp", Surfaces::sharp,
                              "As averaged between materials that conduct. Insulators cut faces and cells; fixed and "
                              "floating bodies couple to cells over the distance to their surface."),
                       choice("averaged", Surfaces::averaged,
                              "1/∫ds/κ along lines between cell centres, averaged over each face."),
                       choice("staircase", Surfaces::staircase, "A cell has the material of its centre.")}},
          {.key = "contacts",
           .type = Type::list,
           .doc = "Contact resistances between materials, per area of their common surface.",
           .fallback = "[]",
           .example = "[{between: [die, board], resistance: 1e-5}]",
           .items = {{.doc = "A contact.",
                      .keys = {pair, length("resistance", "Resistance times area (m² K/W).", "1e-5")}}}},
          {.key = "sheets",
           .type = Type::list,
           .doc = "Thin conducting layers on the surfaces of a material.",
           .fallback = "[]",
           .example = "[{on: copper, thickness: 35e-6, coefficient: 390}]",
           .items = {{.doc = "A sheet.",
                      .keys = {text("on", "The material.", "copper", true), length("thickness", "Thickness.", "35e-6"),
                               length("coefficient", "Its coefficient.", "390")}}}}};
}

}  // namespace poisson::schema
