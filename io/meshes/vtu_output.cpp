// This file writes VTK's XML unstructured grids without VTK.

#include "io/meshes/vtu_output.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>

#include "io/files/descriptor.hpp"
#include "io/files/pending_file.hpp"

namespace poisson {
namespace {

template <class T>
std::string_view bytes_of_values(const T* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}

/// States the arrays of a file, and then writes them in the same order.
class VtuWriter {
 public:
  VtuWriter(const std::filesystem::path& place, const Mesh& mesh, const std::vector<MeshField>& fields)
      : mesh_(mesh),
        fields_(fields),
        pending_(place),
        file_(open(pending_.path().c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)) {
    if (file_ < 0) pending_.fail(std::strerror(errno));
    for (const MeshCells& block : mesh.cells)
      if (facts_of(block.shape).dimension == mesh.dimension) blocks_.push_back(&block);
    for (const MeshCells* block : blocks_) {
      cells_ += block->label.size();
      nodes_ += block->corners.size();
    }
  }

  std::filesystem::path write(bool converged) {
    append(header());
    const std::int32_t flag = converged ? 1 : 0;
    block(bytes_of_values(&flag, 1));
    block(bytes_of_values(mesh_.points.data(), mesh_.points.size()));
    begin(nodes_ * sizeof(std::int32_t));
    for (const MeshCells* cells : blocks_) append(bytes_of_values(cells->corners.data(), cells->corners.size()));
    write_shapes();
    for (const bool on_cells : {false, true})
      for (const MeshField& field : fields_)
        if (field.on_cells == on_cells) block(bytes_of_values(field.values.data(), field.values.size()));
    append("\n  </AppendedData>\n</VTKFile>\n");
    if (file_.close() != 0) pending_.fail(std::strerror(errno));
    return pending_.commit();
  }

 private:
  void append(std::string_view bytes) const {
    if (const int error = write_all(file_, bytes)) pending_.fail(std::strerror(error));
  }
  void begin(std::uint64_t bytes) const { append(bytes_of_values(&bytes, 1)); }
  void block(std::string_view bytes) const {
    begin(bytes.size());
    append(bytes);
  }

  // Offsets are the ends of cells.
  void write_shapes() const {
    std::vector<std::int64_t> ends;
    std::string types;
    std::int64_t end = 0;
    for (const MeshCells* cells : blocks_)
      for (std::int64_t e = 0; e < cells->count(); ++e) {
        ends.push_back(end += facts_of(cells->shape).corners);
        types.push_back(static_cast<char>(facts_of(cells->shape).vtk));
      }
    block(bytes_of_values(ends.data(), ends.size()));
    block(types);
  }

  std::string header() const {
    std::uint64_t offset = 0;
    const auto array = [&](std::string_view type, std::string_view name, std::string_view shape, std::uint64_t bytes) {
      const std::string line = fmt::format("<DataArray type=\"{}\" Name=\"{}\" {}format=\"appended\" offset=\"{}\"/>\n",
                                           type, name, shape, offset);
      offset += sizeof(std::uint64_t) + bytes;
      return line;
    };
    std::string text =
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "  <UnstructuredGrid>\n    <FieldData>\n      ";
    text += array("Int32", "converged", "NumberOfTuples=\"1\" ", sizeof(std::int32_t));
    text += fmt::format("    </FieldData>\n    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
                        mesh_.points.size(), cells_);
    text +=
        "      <Points>\n        " + array("Float64", "points", "NumberOfComponents=\"3\" ", mesh_.points.size() * 24);
    text +=
        "      </Points>\n      <Cells>\n        " + array("Int32", "connectivity", "", nodes_ * sizeof(std::int32_t));
    text += "        " + array("Int64", "offsets", "", cells_ * sizeof(std::int64_t));
    text += "        " + array("UInt8", "types", "", cells_) + "      </Cells>\n";
    for (const bool on_cells : {false, true}) {
      const std::string_view section = on_cells ? "CellData" : "PointData";
      std::string arrays, first;
      for (const MeshField& field : fields_) {
        if (field.on_cells != on_cells) continue;
        const std::string active = field.components == 1 ? " Scalars=\"" : " Vectors=\"";
        if (first.find(active) == std::string::npos) first += active + field.name + "\"";
        arrays += "        " + array("Float64", field.name, fmt::format("NumberOfComponents=\"{}\" ", field.components),
                                     field.values.size() * sizeof(double));
      }
      text += fmt::format("      <{}{}>\n{}      </{}>\n", section, first, arrays, section);
    }
    return text + "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n   _";
  }

  const Mesh& mesh_;
  const std::vector<MeshField>& fields_;
  std::vector<const MeshCells*> blocks_;
  std::size_t cells_ = 0, nodes_ = 0;
  PendingFile pending_;
  Descriptor file_;
};

}  // namespace

std::filesystem::path write_vtu(const std::filesystem::path& directory, const Mesh& mesh,
                                const std::vector<MeshField>& fields, bool converged) {
  return VtuWriter(directory / "solution.vtu", mesh, fields).write(converged);
}

}  // namespace poisson
