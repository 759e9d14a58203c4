#include "io/config/schema_parts.hpp"
#include "io/fields/field_choices.hpp"
#include "io/files/formats.hpp"
#include "io/pictures/picture_choice.hpp"

namespace poisson::schema {
namespace {

Schema effective() {
  const auto axes = [](bool all) {
    std::vector<Choice> choices{word("x"), word("y"), word("z")};
    for (std::size_t a = 0; a < 3; ++a) choices[a].value = static_cast<int>(a);
    if (all) choices.insert(choices.begin(), choice("all", 3, "Each axis of the domain."));
    return choices;
  };
  return {.key = "effective",
          .type = Type::any_of,
          .doc = "The effective coefficient of the whole domain: a solve along each axis. It sets all faces.",
          .fallback = "null",
          .example = "{axes: all, faces: fixed}",
          .forms = {
              {.keys = {{.key = "axes",
                         .type = Type::any_of,
                         .doc = "The axes.",
                         .fallback = "all",
                         .example = "all",
                         .forms = {{.type = Type::choice, .choices = axes(true)},
                                   {.type = Type::list,
                                    .doc = "Several axes.",
                                    .example = "[x, z]",
                                    .items = {{.type = Type::choice, .choices = axes(false)}},
                                    .fewest = 1,
                                    .distinct = true}}},
                        {.key = "faces",
                         .type = Type::choice,
                         .doc = "What drives the flow.",
                         .fallback = "fixed",
                         .choices = {choice("fixed", 0,
                                            "u is 1 and 0 on the faces across the axis; nothing "
                                            "flows through the others."),
                                     choice("periodic", 1, "All faces are periodic, and u has a mean gradient.")}}}}}};
}

Schema named_quantity() {
  return {.key = "quantity",
          .doc = "What u is, for the terminal, pictures and summary.json.",
          .keys = {
              {.key = "name", .type = Type::text, .doc = "The name.", .fallback = "u", .most = 40},
              {.key = "unit", .type = Type::text, .doc = "The unit.", .fallback = "null", .example = "K", .most = 40}}};
}

Schema pictures() {
  Schema plane{.key = "plane", .type = Type::choice, .doc = "The axis across the plane.", .required = true};
  for (const char* axis : {"x", "y", "z"}) plane.choices.push_back(word(axis));
  return {.key = "pictures",
          .type = Type::list,
          .doc = "Planes of the picture in three dimensions; []: the three mid-planes.",
          .fallback = "[]",
          .example = "[{plane: z, at: 0.002}]",
          .items = {{.keys = {plane,
                              {.key = "at",
                               .type = Type::constant,
                               .doc = "The position of the plane on its axis.",
                               .required = true,
                               .example = "0.5"}}}},
          .most = 6};
}

Schema colours() {
  const Schema bound{.type = Type::constant, .example = "0"};
  return {
      .key = "colours",
      .doc = "The colour scale of the picture.",
      .keys = {
          {.key = "range",
           .type = Type::list,
           .doc = "The least and the largest value; null: those of the field.",
           .fallback = "null",
           .example = "[20, 85]",
           .items = {bound},
           .fewest = 2,
           .most = 2},
          {.key = "logarithmic",
           .type = Type::boolean,
           .doc =
               "Colours by the logarithm. If values are not positive and there is no `range`, it shows three decades.",
           .fallback = "false"}}};
}

Schema outlines() {
  return {.key = "outlines",
          .type = Type::choice,
          .doc = "Outlines of materials in the picture.",
          .fallback = "auto",
          .choices = {choice("auto", Outlines::automatic, "Draws them unless they would fill the picture."),
                      meant_by(true, choice("true", Outlines::drawn, "Draws them.")),
                      meant_by(false, choice("false", Outlines::hidden, "Leaves them out."))}};
}

Schema flow_marks(std::string_view key, std::string_view doc, std::string_view count) {
  return {.key = key,
          .type = Type::any_of,
          .doc = doc,
          .fallback = "false",
          .example = "true",
          .forms = {{.type = Type::boolean, .doc = "The usual number."},
                    {.type = Type::integer, .doc = count, .example = "16", .range = {.lower = 1, .upper = 200}}}};
}

}  // namespace

Schema output() {
  Schema field{.type = Type::choice};
  for (const FieldChoice& choice : field_choices()) field.choices.push_back(word(choice.name, choice.doc));
  Schema format{.type = Type::choice};
  for (const FileFormat& choice : file_formats()) format.choices.push_back(word(choice.name, choice.doc));
  const Schema point{.type = Type::list,
                     .example = "[0.5, 0.5, 0.5]",
                     .items = {{.type = Type::constant, .example = "0.5"}},
                     .fewest = 2,
                     .most = 3};
  return {
      .key = "output",
      .doc = "Output of the run.",
      .keys = {{.key = "directory",
                .type = Type::path,
                .doc = "Output directory, relative to the configuration file's folder; null: results/NAME in the "
                       "working directory, where NAME is the configuration file's name.",
                .fallback = "null",
                .example = "results/cavity"},
               {.key = "fields",
                .type = Type::list,
                .doc = "The fields to write.",
                .fallback = "[u]",
                .items = {field},
                .fewest = 1,
                .distinct = true},
               {.key = "formats",
                .type = Type::list,
                .doc = "File formats; null: all that this build supports; [] writes only the summary.",
                .fallback = "null",
                .example = "[vtk]",
                .items = {format},
                .distinct = true},
               {.key = "bodies",
                .type = Type::boolean,
                .doc = "Writes bodies.csv and faces.csv, the answers for bodies and for faces, if there are any.",
                .fallback = "true"},
               {.key = "probes",
                .type = Type::list,
                .doc = "Points at which the summary and the terminal report u.",
                .fallback = "[]",
                .items = {point}},
               named_quantity(),
               pictures(),
               colours(),
               outlines(),
               flow_marks("arrows", "Arrows of the flux −κ∇u in the planes of the picture, their length by magnitude.",
                          "The number of arrows along the longest side; true: 24."),
               flow_marks("streamlines", "Evenly spaced lines along the flux in the planes of the picture.",
                          "The number of lines that fit across the longest side; true: 20."),
               effective(),
               {.key = "capacitance",
                .type = Type::list,
                .doc = "Names of bodies with a fixed value. Entry (i, j) of their matrix is the flow out of body i "
                       "if body j is at 1 and all other data are 0; also as capacitance.csv and as a SPICE netlist, "
                       "capacitance.cir.",
                .fallback = "[]",
                .example = "[left, right]",
                .items = {{.type = Type::text, .example = "left", .most = 200}},
                .distinct = true}}};
}

}  // namespace poisson::schema
