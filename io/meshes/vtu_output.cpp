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

// Returns the elements of the mesh's own dimension that a process writes, a range of their numbers, with the points
// that they use, and the values of fields on both.
Mesh piece_of(const Mesh& mesh, const std::vector<MeshField>& fields, int process, int count,
              std::vector<MeshField>& own) {
  Mesh piece;
  piece.dimension = mesh.dimension;
  piece.source = mesh.source;
  const std::int64_t all = mesh.count(mesh.dimension), first = all * process / count,
                     last = all * (process + 1) / count;
  std::vector<int> place(mesh.points.size(), -1), used;
  std::int64_t number = 0;
  for (const MeshCells& block : mesh.cells) {
    if (facts_of(block.shape).dimension != mesh.dimension) continue;
    for (std::int64_t e = 0; e < block.count(); ++e, ++number) {
      if (number < first || number >= last) continue;
      MeshCells& to = piece.of_shape(block.shape);
      for (const int p : block.of(e)) {
        int& at = place[static_cast<std::size_t>(p)];
        if (at < 0) {
          at = static_cast<int>(used.size());
          used.push_back(p);
          piece.points.push_back(mesh.points[static_cast<std::size_t>(p)]);
        }
        to.corners.push_back(at);
      }
      to.label.push_back(0);
    }
  }
  for (const MeshField& field : fields) {
    MeshField part{field.name, field.on_cells, field.components, {}};
    const auto n = static_cast<std::size_t>(field.components);
    const auto take = [&](std::size_t at) {
      part.values.insert(part.values.end(), field.values.begin() + static_cast<std::ptrdiff_t>(at * n),
                         field.values.begin() + static_cast<std::ptrdiff_t>((at + 1) * n));
    };
    if (field.on_cells)
      for (std::int64_t e = first; e < last; ++e) take(static_cast<std::size_t>(e));
    else
      for (const int p : used) take(static_cast<std::size_t>(p));
    own.push_back(std::move(part));
  }
  return piece;
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

std::string vtu_piece_name(int process) {
  return fmt::format("solution_{}.vtu", process);
}

std::filesystem::path write_vtu_piece(const std::filesystem::path& directory, const Mesh& mesh,
                                      const std::vector<MeshField>& fields, bool converged, int process, int count) {
  std::vector<MeshField> own;
  const Mesh piece = piece_of(mesh, fields, process, count, own);
  return VtuWriter(directory / vtu_piece_name(process), piece, own).write(converged);
}

std::filesystem::path write_pvtu(const std::filesystem::path& directory, const std::vector<MeshField>& fields,
                                 int count) {
  std::string text =
      "<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "  <PUnstructuredGrid GhostLevel=\"0\">\n"
      "    <PPoints>\n      <PDataArray type=\"Float64\" Name=\"points\" NumberOfComponents=\"3\"/>\n"
      "    </PPoints>\n";
  for (const bool on_cells : {false, true}) {
    const std::string_view section = on_cells ? "PCellData" : "PPointData";
    text += fmt::format("    <{}>\n", section);
    for (const MeshField& field : fields)
      if (field.on_cells == on_cells)
        text += fmt::format("      <PDataArray type=\"Float64\" Name=\"{}\" NumberOfComponents=\"{}\"/>\n", field.name,
                            field.components);
    text += fmt::format("    </{}>\n", section);
  }
  for (int p = 0; p < count; ++p) text += fmt::format("    <Piece Source=\"{}\"/>\n", vtu_piece_name(p));
  PendingFile pending(directory / "solution.pvtu");
  pending.write(text + "  </PUnstructuredGrid>\n</VTKFile>\n");
  return pending.commit();
}

}  // namespace poisson
