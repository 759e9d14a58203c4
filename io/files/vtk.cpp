// VTK's XML files, written without VTK: ImageData on equidistant grids, RectilinearGrid on the others.

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/files/descriptor.hpp"
#include "io/files/output.hpp"
#include "io/files/pending_file.hpp"

namespace poisson {
namespace {

/// The bytes of an object as they lie in memory.
template <class T>
std::string_view bytes_in(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

class VtkFile final : public FieldFile {
 public:
  VtkFile(const std::filesystem::path& directory, const OutputGrid& grid, std::vector<FieldHead> fields,
          const OutputNote& note)
      : pending_(directory / vtk_name(grid), bytes_of(grid, fields)),
        file_(open(pending_.path().c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)) {
    if (file_ < 0) pending_.fail(std::strerror(errno));
    for (const FieldHead& field : fields)
      sizes_.push_back(static_cast<std::size_t>(count(grid, field)) * sizeof(double));
    append(header(grid, fields, note));
    const std::int32_t converged = note.converged ? 1 : 0;
    append_block({note.title.c_str(), note.title.size() + 1});
    append_block(bytes_in(std::span(&converged, 1)));
    if (!grid.equidistant)
      for (const auto& x : grid.nodes) append_block(bytes_in(std::span<const double>(x)));
  }

  void write(std::span<const double> values) override {
    if (next_ == sizes_.size()) throw std::invalid_argument("the file has all its values");
    const std::size_t size = sizes_[next_];
    if (done_ + values.size_bytes() > size) throw std::invalid_argument("a field has fewer values");
    if (done_ == 0) append_size(size);
    append(bytes_in(values));
    done_ += values.size_bytes();
    if (done_ < size) return;
    done_ = 0;
    ++next_;
  }

  std::filesystem::path close() override {
    if (next_ < sizes_.size()) throw std::invalid_argument("the file lacks values");
    append("\n  </AppendedData>\n</VTKFile>\n");
    if (file_.close() != 0) pending_.fail(std::strerror(errno));
    return pending_.commit();
  }

 private:
  void append(std::string_view bytes) const {
    if (const int error = write_all(file_, bytes)) pending_.fail(std::strerror(error));
  }
  void append_size(std::uint64_t size) const { append(bytes_in(std::span(&std::as_const(size), 1))); }
  void append_block(std::string_view bytes) const {
    append_size(bytes.size());
    append(bytes);
  }

  /// Everything before the blocks, each of which has its size in front and is found by its offset.
  static std::string header(const OutputGrid& grid, const std::vector<FieldHead>& fields, const OutputNote& note) {
    const std::string_view type = grid.equidistant ? "ImageData" : "RectilinearGrid";
    std::uint64_t offset = 0;
    const auto block = [&](std::string_view element, std::string_view kind, const std::string& name,
                           const std::string& shape, std::uint64_t bytes) {
      const std::string line = fmt::format("<{} type=\"{}\" Name=\"{}\" {}format=\"appended\" offset=\"{}\"/>\n",
                                           element, kind, name, shape, offset);
      offset += sizeof(std::uint64_t) + bytes;
      return line;
    };
    std::array<std::size_t, 3> cells{};
    std::array<double, 3> origin{}, spacing{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto& x = grid.nodes[axis];
      cells[axis] = x.size() - 1;
      origin[axis] = x.front();
      spacing[axis] = x.size() > 1 ? (x.back() - x.front()) / static_cast<double>(x.size() - 1) : 1.0;
    }
    const std::string extent = fmt::format("0 {} 0 {} 0 {}", cells[0], cells[1], cells[2]);
    std::string text = fmt::format(
        "<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n  <{} WholeExtent=\"{}\"",
        type, type, extent);
    if (grid.equidistant)
      text += fmt::format(" Origin=\"{}\" Spacing=\"{}\" Direction=\"1 0 0 0 1 0 0 0 1\"", fmt::join(origin, " "),
                          fmt::join(spacing, " "));
    text += ">\n    <FieldData>\n";
    text += "      " + block("Array", "String", "title", "NumberOfTuples=\"1\" ", note.title.size() + 1);
    text += "      " + block("DataArray", "Int32", "converged", "NumberOfTuples=\"1\" ", sizeof(std::int32_t));
    text += "    </FieldData>\n    <Piece Extent=\"" + extent + "\">\n";
    if (!grid.equidistant) {
      text += "      <Coordinates>\n";
      for (std::size_t axis = 0; axis < 3; ++axis)
        text += "        " + block("DataArray", "Float64", std::string(1, "xyz"[axis]), "",
                                   grid.nodes[axis].size() * sizeof(double));
      text += "      </Coordinates>\n";
    }
    std::array<std::string, 2> first, arrays;  // of nodes and of cells: what is active, and all
    for (const FieldHead& field : fields) {
      const std::size_t at = field.location == Location::node ? 0 : 1;
      const std::string active = field.components == 1 ? " Scalars=\"" : field.components == 3 ? " Vectors=\"" : "";
      if (!active.empty() && first[at].find(active) == std::string::npos) first[at] += active + field.name + "\"";
      arrays[at] += "        " + block("DataArray", "Float64", field.name,
                                       fmt::format("NumberOfComponents=\"{}\" ", field.components),
                                       static_cast<std::uint64_t>(count(grid, field)) * sizeof(double));
    }
    for (const std::size_t at : {0, 1}) {
      const std::string_view name = at == 0 ? "PointData" : "CellData";
      text += fmt::format("      <{}{}>\n{}      </{}>\n", name, first[at], arrays[at], name);
    }
    return text + fmt::format("    </Piece>\n  </{}>\n  <AppendedData encoding=\"raw\">\n   _", type);
  }

  PendingFile pending_;
  Descriptor file_;
  std::vector<std::size_t> sizes_;  // bytes of the fields
  std::size_t next_ = 0, done_ = 0;
};

}  // namespace

std::unique_ptr<FieldFile> open_vtk(const std::filesystem::path& directory, const OutputGrid& grid,
                                    std::vector<FieldHead> fields, const OutputNote& note) {
  return std::make_unique<VtkFile>(directory, grid, std::move(fields), note);
}

}  // namespace poisson
