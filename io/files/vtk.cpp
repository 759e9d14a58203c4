// This file writes VTK's XML formats without VTK: ImageData on equidistant grids, RectilinearGrid on others. It also
// writes the files that join the pieces of several processes.

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/files/descriptor.hpp"
#include "io/files/output.hpp"
#include "io/files/pending_file.hpp"

namespace poisson {
namespace {

/// Returns the bytes of an object in memory order.
template <class T>
std::string_view bytes_in(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// Contains text elements of a file with a box of nodes. The prefix "P" belongs to files that join pieces.
struct Elements {
  std::string_view type;  // ImageData or RectilinearGrid
  std::string whole;      // attributes with the extent; equal cells also have origin and spacing

  Elements(const OutputGrid& grid, const Box& nodes) : type(grid.equidistant ? "ImageData" : "RectilinearGrid") {
    std::array<double, 3> origin{}, spacing{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto& x = grid.nodes[axis];
      origin[axis] = x.front();
      spacing[axis] = x.size() > 1 ? (x.back() - x.front()) / static_cast<double>(x.size() - 1) : 1.0;
    }
    whole = "WholeExtent=\"" + extent(nodes) + "\"";
    if (grid.equidistant)
      whole += fmt::format(" Origin=\"{}\" Spacing=\"{}\" Direction=\"1 0 0 0 1 0 0 0 1\"", fmt::join(origin, " "),
                           fmt::join(spacing, " "));
  }

  /// Returns the extent of a box of nodes.
  static std::string extent(const Box& nodes) {
    return fmt::format("{} {} {} {} {} {}", nodes.first[0], nodes.last[0] - 1, nodes.first[1], nodes.last[1] - 1,
                       nodes.first[2], nodes.last[2] - 1);
  }
  std::string opening(std::string_view kind) const {
    return fmt::format("<VTKFile type=\"{}{}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n",
                       kind, type);
  }
};

// Returns the elements PointData and CellData with a line for each field, element(field), and the active fields.
template <class F>
std::string field_elements(const std::vector<FieldHead>& fields, std::string_view indent, std::string_view kind,
                           const F& element) {
  std::array<std::string, 2> first, arrays;  // nodes, cells
  for (const FieldHead& field : fields) {
    const std::size_t at = field.location == Location::node ? 0 : 1;
    const std::string active = field.components == 1 ? " Scalars=\"" : field.components == 3 ? " Vectors=\"" : "";
    if (!active.empty() && first[at].find(active) == std::string::npos) first[at] += active + field.name + "\"";
    arrays[at] += fmt::format("{}  {}", indent, element(field));
  }
  std::string text;
  for (const std::size_t at : {0, 1}) {
    const std::string_view name = at == 0 ? "PointData" : "CellData";
    text += fmt::format("{0}<{1}{2}{3}>\n{4}{0}</{1}{2}>\n", indent, kind, name, first[at], arrays[at]);
  }
  return text;
}

// Returns the file that joins the pieces of several processes.
std::string joining_text(const OutputGrid& grid, const std::vector<FieldHead>& fields, const std::vector<Box>& pieces) {
  Box all;
  for (std::size_t axis = 0; axis < 3; ++axis) all.last[axis] = static_cast<int>(grid.nodes[axis].size());
  const Elements elements(grid, all);
  std::string text =
      elements.opening("P") + fmt::format("  <P{} {} GhostLevel=\"0\">\n", elements.type, elements.whole);
  text += field_elements(fields, "    ", "P", [](const FieldHead& field) {
    return fmt::format("<PDataArray type=\"Float64\" Name=\"{}\" NumberOfComponents=\"{}\"/>\n", field.name,
                       field.components);
  });
  if (!grid.equidistant) {
    text += "    <PCoordinates>\n";
    for (const char axis : {'x', 'y', 'z'})
      text += fmt::format("      <PDataArray type=\"Float64\" Name=\"{}\"/>\n", axis);
    text += "    </PCoordinates>\n";
  }
  for (std::size_t p = 0; p < pieces.size(); ++p)
    text += fmt::format("    <Piece Extent=\"{}\" Source=\"{}\"/>\n", Elements::extent(pieces[p]),
                        vtk_piece_name(grid, static_cast<int>(p)));
  return text + fmt::format("  </P{}>\n</VTKFile>\n", elements.type);
}

// Writes the global grid, or the sub-block of one process.
class VtkPiece {
 public:
  VtkPiece(const std::filesystem::path& place, const OutputGrid& grid, const std::vector<FieldHead>& fields,
           const OutputNote& note)
      : pending_(place, own_bytes(grid, fields)),
        file_(open(pending_.path().c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)) {
    if (file_ < 0) pending_.fail(std::strerror(errno));
    for (const FieldHead& field : fields)
      sizes_.push_back(static_cast<std::size_t>(own_count(grid, field)) * sizeof(double));
    append(header(grid, fields, note));
    const std::int32_t converged = note.converged ? 1 : 0;
    append_block({note.title.c_str(), note.title.size() + 1});
    append_block(bytes_in(std::span(&converged, 1)));
    if (!grid.equidistant)
      for (std::size_t axis = 0; axis < 3; ++axis) append_block(bytes_in(coordinates(grid, axis)));
  }

  void write(std::span<const double> values) {
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

  std::filesystem::path close() {
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

  static std::uintmax_t own_bytes(const OutputGrid& grid, const std::vector<FieldHead>& fields) {
    std::uintmax_t bytes = 0;
    for (const FieldHead& field : fields) bytes += static_cast<std::uintmax_t>(own_count(grid, field)) * sizeof(double);
    return bytes;
  }
  /// Returns the coordinates of this process's nodes.
  static std::span<const double> coordinates(const OutputGrid& grid, std::size_t axis) {
    const Box nodes = grid.places(Location::node);
    return std::span<const double>(grid.nodes[axis])
        .subspan(static_cast<std::size_t>(nodes.first[axis]),
                 static_cast<std::size_t>(nodes.last[axis] - nodes.first[axis]));
  }

  /// Returns the text before the blocks. Each block starts with its size and is found by its offset.
  static std::string header(const OutputGrid& grid, const std::vector<FieldHead>& fields, const OutputNote& note) {
    const Box nodes = grid.places(Location::node);
    const Elements elements(grid, nodes);
    std::uint64_t offset = 0;
    const auto block = [&](std::string_view element, std::string_view kind, const std::string& name,
                           const std::string& shape, std::uint64_t bytes) {
      const std::string line = fmt::format("<{} type=\"{}\" Name=\"{}\" {}format=\"appended\" offset=\"{}\"/>\n",
                                           element, kind, name, shape, offset);
      offset += sizeof(std::uint64_t) + bytes;
      return line;
    };
    std::string text =
        elements.opening("") + fmt::format("  <{} {}>\n    <FieldData>\n", elements.type, elements.whole);
    text += "      " + block("Array", "String", "title", "NumberOfTuples=\"1\" ", note.title.size() + 1);
    text += "      " + block("DataArray", "Int32", "converged", "NumberOfTuples=\"1\" ", sizeof(std::int32_t));
    text += "    </FieldData>\n    <Piece Extent=\"" + Elements::extent(nodes) + "\">\n";
    if (!grid.equidistant) {
      text += "      <Coordinates>\n";
      for (std::size_t axis = 0; axis < 3; ++axis)
        text += "        " +
                block("DataArray", "Float64", std::string(1, "xyz"[axis]), "", coordinates(grid, axis).size_bytes());
      text += "      </Coordinates>\n";
    }
    text += field_elements(fields, "      ", "", [&](const FieldHead& field) {
      return block("DataArray", "Float64", field.name, fmt::format("NumberOfComponents=\"{}\" ", field.components),
                   static_cast<std::uint64_t>(own_count(grid, field)) * sizeof(double));
    });
    return text + fmt::format("    </Piece>\n  </{}>\n  <AppendedData encoding=\"raw\">\n   _", elements.type);
  }

  PendingFile pending_;
  Descriptor file_;
  std::vector<std::size_t> sizes_;  // bytes per field
  std::size_t next_ = 0, done_ = 0;
};

class VtkFile final : public FieldFile {
 public:
  VtkFile(std::filesystem::path directory, const OutputGrid& grid, const std::vector<FieldHead>& fields,
          const OutputNote& note, const std::shared_ptr<const Processes>& processes)
      : directory_(std::move(directory)), grid_(grid), fields_(fields), processes_(processes) {
    together(*processes, [&] {
      const int own = processes->rank();
      const std::string name = processes->alone() ? vtk_names(grid, true, 1).front() : vtk_piece_name(grid, own);
      piece_.emplace(directory_ / name, grid, fields, note);
    });
  }

  void write(std::span<const double> values) override { piece_->write(values); }

  std::vector<std::filesystem::path> close() override {
    std::vector<std::filesystem::path> places;
    together(*processes_, [&] { places.push_back(piece_->close()); });
    if (processes_->alone()) return places;
    const std::vector<Box> boxes = processes_->gather(grid_.places(Location::node));
    const std::vector<std::string> names = vtk_names(grid_, true, processes_->count());
    places.clear();
    for (const std::string& name : names) places.push_back(directory_ / name);
    together(*processes_, [&] {
      if (!processes_->first()) return;
      PendingFile joining(places.front());
      joining.write(joining_text(grid_, fields_, boxes));
      joining.commit();
    });
    return places;
  }

 private:
  std::filesystem::path directory_;
  OutputGrid grid_;
  std::vector<FieldHead> fields_;
  std::shared_ptr<const Processes> processes_;
  std::optional<VtkPiece> piece_;
};

}  // namespace

std::unique_ptr<FieldFile> open_vtk(const std::filesystem::path& directory, const OutputGrid& grid,
                                    std::vector<FieldHead> fields, const OutputNote& note,
                                    const std::shared_ptr<const Processes>& processes) {
  return std::make_unique<VtkFile>(directory, grid, fields, note, processes);
}

}  // namespace poisson
