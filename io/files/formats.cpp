#include "io/files/formats.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace poisson {
namespace {

#ifdef POISSON_HAVE_VTK
// Takes the first field, and draws it in the end.
class PictureFile final : public FieldFile {
 public:
  PictureFile(std::filesystem::path directory, OutputGrid grid, const FieldHead& head, OutputNote note)
      : directory_(std::move(directory)), grid_(std::move(grid)), field_{head, {}}, note_(std::move(note)) {}

  void write(std::span<const double> values) override {
    if (std::ssize(field_.values) < count(grid_, field_))
      field_.values.insert(field_.values.end(), values.begin(), values.end());
  }
  std::filesystem::path close() override { return write_png(directory_, grid_, field_, note_); }

 private:
  std::filesystem::path directory_;
  OutputGrid grid_;
  OutputField field_;
  OutputNote note_;
};

std::unique_ptr<FieldFile> open_picture(const std::filesystem::path& directory, const OutputGrid& grid,
                                        std::vector<FieldHead> fields, const OutputNote& note) {
  return std::make_unique<PictureFile>(directory, grid, fields.front(), note);
}
#else
constexpr std::nullptr_t open_picture = nullptr;
#endif

constexpr std::array table{
    FileFormat{.name = "vtk",
               .doc = "VTK XML: .vti, or .vtr on stretched grids.",
               .file = [](const OutputGrid& grid, bool) { return vtk_name(grid); },
               .open = open_vtk},
    FileFormat{.name = "hdf5",
               .doc = "HDF5: .hdf (VTKHDF) on 3-D equidistant grids with fields at nodes, else .h5.",
               .file = hdf5_name,
               .open = open_hdf5},
    FileFormat{.name = "png",
               .doc = "A picture of the first field.",
               .picture = true,
               .file = [](const OutputGrid&, bool) { return std::string("solution.png"); },
               .open = open_picture}};

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
