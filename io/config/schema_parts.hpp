#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "io/config/schema.hpp"

/// These helpers build the sections of the schema.
namespace poisson::schema {

template <class Enumerator>
inline Choice choice(std::string_view name, Enumerator value, std::string_view doc, std::vector<Schema> keys = {}) {
  return {.name = name, .value = static_cast<int>(value), .doc = doc, .keys = std::move(keys)};
}

inline Choice word(std::string_view name, std::string_view doc = {}) {
  return {.name = name, .doc = doc};
}

/// Adds a boolean that is equivalent to a choice.
inline Choice meant_by(bool truth, Choice choice) {
  choice.truth = truth;
  return choice;
}

inline Schema dataset_form() {
  return {.doc =
              "Values at the nodes or cells, depending on its shape: [nz][ny][nx], in two dimensions [ny][nx], x "
              "fastest, like numpy's array[k, j, i]. A periodic axis has all its nodes, the last equal to the first.",
          .keys = {{.key = "file",
                    .type = Type::path,
                    .doc = "HDF5 file, relative to the configuration file's folder.",
                    .required = true,
                    .example = "fields.h5"},
                   {.key = "dataset",
                    .type = Type::text,
                    .doc = "Path of the dataset in the file.",
                    .required = true,
                    .example = "/kappa"}}};
}

/// Returns the schema of a number, an expression or a dataset.
inline Schema quantity(std::string_view key, std::string_view doc, std::string_view fallback, Range range = {}) {
  return {.key = key,
          .type = Type::any_of,
          .doc = doc,
          .fallback = fallback,
          .forms = {{.type = Type::expression, .example = "1 + x*y", .range = range}, dataset_form()}};
}

/// Return the schemas of the sections `solver`, `backend` and `output`.
Schema solver();
Schema backend();
Schema output();

}  // namespace poisson::schema
