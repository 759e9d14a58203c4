#include "io/config/schema_rows.hpp"

#include "io/config/schema_mesh.hpp"
#include "io/config/schema_parts.hpp"

namespace poisson {
namespace {

using schema::word;

Schema rows_grid() {
  Schema grid{.key = "grid",
              .doc = "The matrix.",
              .required = true,
              .example = "{type: matrix, file: matrix.mtx}",
              .keys = row_file_keys()};
  grid.keys.insert(grid.keys.begin(), Schema{.key = "type",
                                             .type = Type::choice,
                                             .doc = "Grid type.",
                                             .required = true,
                                             .choices = {word("matrix", "A matrix from a file.")}});
  return grid;
}

Schema rows_equation() {
  return {.key = "equation",
          .doc = "A u = b",
          .keys = {{.key = "source",
                    .type = Type::constant,
                    .doc = "The value of b in all rows if no file contains b.",
                    .fallback = "null",
                    .example = "1"}}};
}

Schema rows_output(const Schema& box) {
  Schema output = box;
  output.keys.clear();
  for (const Schema& key : box.keys)
    if (key.key == "directory" || key.key == "quantity") output.keys.push_back(key);
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
      list("fields", "The vectors to write.", "[u]", {word("u", "The solution."), word("residual", "b - A u.")}));
  output.keys.push_back(
      list("formats", "File formats; [] writes only the summary.", "[mtx]",
           {word("mtx", "Matrix Market arrays, one file for each vector."), word("npy", "NumPy arrays.")}));
  return output;
}

}  // namespace

std::vector<Schema> row_file_keys() {
  return {
      {.key = "file",
       .type = Type::path,
       .doc = "Matrix Market (coordinate; real, integer or pattern; general or symmetric), or HDF5 with the datasets "
              "`data`, `indices` and `indptr` of compressed rows.",
       .required = true,
       .example = "matrix.mtx"},
      {.key = "rhs",
       .type = Type::path,
       .doc = "The right-hand side: a Matrix Market array, or an HDF5 file with the dataset `rhs`; null: the matrix "
              "file's `rhs` if it has one, otherwise equation.source.",
       .fallback = "null",
       .example = "rhs.mtx"}};
}

const Schema& rows_schema() {
  static const Schema complete = [] {
    Schema all{.doc = "A system of linear equations, its solver and its output.", .required = true};
    for (const Schema& key : configuration_schema().keys) {
      if (key.key == "title" || key.key == "parameters" || key.key == "solver" || key.key == "backend")
        all.keys.push_back(key);
      if (key.key == "grid") all.keys.push_back(rows_grid());
      if (key.key == "equation") all.keys.push_back(rows_equation());
      if (key.key == "output") all.keys.push_back(rows_output(key));
    }
    return all;
  }();
  return complete;
}

bool describes_rows(const Value& document) {
  const Value* type = document.at("grid.type");
  return type && type->kind == Value::Kind::string && type->text == "matrix";
}

const Schema& schema_of(const Value& document) {
  return describes_mesh(document) ? mesh_schema() : describes_rows(document) ? rows_schema() : configuration_schema();
}

}  // namespace poisson
