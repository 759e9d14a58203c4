#include "io/config/schema_image.hpp"

#include "io/config/schema_parts.hpp"

namespace poisson::schema {
namespace {

constexpr Range positive_width{.lower = 0, .open_lower = true};

std::vector<Choice> voxel_types() {
  std::vector<Choice> types;
  for (const std::string_view name :
       {"uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"})
    types.push_back(choice(name, static_cast<int>(types.size()), {}));
  return types;
}

std::vector<Schema> file_keys() {
  return {
      {.key = "file",
       .type = Type::path,
       .doc = "The image, [z][y][x] with x fastest: `.npy`, NRRD, TIFF (a slice a page), HDF5, or raw with type and "
              "shape.",
       .required = true,
       .unless = "files",
       .example = "core.tif"},
      {.key = "files",
       .type = Type::path,
       .doc = "A file for each slice, in natural order (slice2 before slice10); null: `file`.",
       .fallback = "null",
       .example = "slices/*.tif"},
      {.key = "dataset",
       .type = Type::text,
       .doc = "Path of the dataset in an HDF5 file.",
       .fallback = "null",
       .example = "/labels"},
      {.key = "type",
       .type = Type::any_of,
       .doc = "Type of the voxels of a raw file, in the byte order of this machine; null: the file states it.",
       .fallback = "null",
       .example = "uint8",
       .forms = {{.type = Type::choice, .choices = voxel_types()}}},
      {.key = "shape",
       .type = Type::list,
       .doc = "Voxels of a raw file along x, y and z; x is the fastest index.",
       .fallback = "null",
       .example = "[500, 500, 500]",
       .items = {{.type = Type::integer, .example = "500", .range = {.lower = 1, .upper = 10'000'000}}},
       .fewest = 2,
       .most = 3},
      {.key = "offset",
       .type = Type::integer,
       .doc = "Bytes of a raw file before its first voxel.",
       .fallback = "0",
       .range = {.lower = 0, .upper = 0x1p50}}};
}

std::vector<Schema> place_keys() {
  const Schema range{.type = Type::list,
                     .example = "[0, 100]",
                     .items = {{.type = Type::integer, .example = "100", .range = {.lower = 0, .upper = 10'000'000}}},
                     .fewest = 2,
                     .most = 2};
  return {
      {.key = "voxel",
       .type = Type::any_of,
       .doc = "Width of a voxel, or one for each axis; null: the image fills the domain; without a domain, the widths "
              "that a NRRD file states, or 1.",
       .fallback = "null",
       .example = "2e-6",
       .forms = {{.type = Type::constant, .example = "2e-6", .range = positive_width},
                 {.type = Type::list,
                  .example = "[2e-6, 2e-6, 5e-6]",
                  .items = {{.type = Type::constant, .example = "2e-6", .range = positive_width}},
                  .fewest = 2,
                  .most = 3}}},
      {.key = "crop",
       .type = Type::list,
       .doc = "For each axis x, y and z the first voxel and the one past the last; null: all voxels.",
       .fallback = "null",
       .example = "[[0, 100], [0, 100], [50, 150]]",
       .items = {range},
       .fewest = 2,
       .most = 3},
      {.key = "materials",
       .type = Type::dictionary,
       .doc = "The material of each value. Other values become the background, with a warning.",
       .required = true,
       .example = "{0: pore, 255: grain}",
       .items = {{.type = Type::text, .example = "pore", .most = 200}}}};
}

}  // namespace

Schema image() {
  std::vector<Schema> keys = file_keys();
  for (Schema& key : place_keys()) keys.push_back(std::move(key));
  return {.key = "image",
          .type = Type::any_of,
          .doc =
              "An image of materials. Bodies cover it. Without domain and grid, each voxel is a cell and the domain "
              "begins at 0.",
          .fallback = "null",
          .example = "{file: core.tif, voxel: 2e-6, materials: {0: pore, 255: grain}}",
          .forms = {{.keys = std::move(keys)}}};
}

}  // namespace poisson::schema
