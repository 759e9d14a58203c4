#include "io/files/formats.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace poisson {
namespace {

#ifdef POISSON_HAVE_VTK
constexpr OpenFile* picture = open_picture;
#else
constexpr OpenFile* picture = nullptr;
#endif

constexpr std::array table{
    FileFormat{.name = "vtk",
               .doc = "VTK XML: .vti, or .vtr on stretched grids; with several processes .pvti or .pvtr.",
               .files = vtk_names,
               .open = open_vtk},
    FileFormat{.name = "hdf5",
               .doc = "HDF5: .hdf (VTKHDF) on 3-D equidistant grids with fields at nodes, otherwise .h5.",
               .faces = true,
               .files = hdf5_names,
               .open = open_hdf5},
    FileFormat{.name = "png",
               .doc = "A picture of the first field.",
               .picture = true,
               .files = [](const OutputGrid&, bool, int) { return std::vector<std::string>{"solution.png"}; },
               .open = picture}};

}  // namespace

std::span<const FileFormat> file_formats() {
  return table;
}

const FileFormat& file_format(std::string_view name) {
  const auto found = std::ranges::find(table, name, &FileFormat::name);
  if (found == table.end()) throw std::out_of_range("there is no format " + std::string(name));
  return *found;
}

std::vector<std::string> available_formats() {
  std::vector<std::string> names;
  for (const FileFormat& format : table)
    if (format.open) names.emplace_back(format.name);
  return names;
}

}  // namespace poisson
