// This file writes VTK's XML multiblock files without VTK.

#include "io/meshes/blocks_output.hpp"

#include <fmt/format.h>

#include "io/files/pending_file.hpp"

namespace poisson {
namespace {

constexpr std::string_view head = "<?xml version=\"1.0\"?>\n";
constexpr std::string_view attributes = "version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\"";

/// Collects arrays of a file: their tags, and their bytes behind the tags.
class AppendedArrays {
 public:
  template <class T>
  std::string add(std::string_view type, std::string_view name, std::string_view shape, const std::vector<T>& values) {
    const std::string tag = fmt::format("<DataArray type=\"{}\" Name=\"{}\" {}format=\"appended\" offset=\"{}\"/>\n",
                                        type, name, shape, bytes_.size());
    const std::uint64_t size = values.size() * sizeof(T);
    append(&size, sizeof size);
    append(values.data(), size);
    return tag;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string bytes_;
};

// Calls f(point) for the nodes of a block, x fastest.
template <class F>
void for_each_point(const BlockNumbers& numbers, int block, const F& f) {
  const std::array<int, 3> n = numbers.cells_of(block);
  for (int k = 0; k <= n[2]; ++k)
    for (int j = 0; j <= n[1]; ++j)
      for (int i = 0; i <= n[0]; ++i) f(static_cast<std::size_t>(numbers.number(block, {i, j, k})));
}

std::vector<double> values_of_block(const BlockMesh& mesh, int block, const MeshField& field) {
  std::vector<double> values;
  const auto width = static_cast<std::size_t>(field.components);
  const auto take = [&](std::size_t place) {
    for (std::size_t c = 0; c < width; ++c) values.push_back(field.values[place * width + c]);
  };
  if (!field.on_cells) {
    for_each_point(*mesh.numbers, block, take);
    return values;
  }
  const auto b = static_cast<std::size_t>(block);
  for (std::int64_t e = mesh.first_cell[b]; e < mesh.first_cell[b + 1]; ++e) take(static_cast<std::size_t>(e));
  return values;
}

std::string structured_grid(const BlockMesh& mesh, int block, const std::vector<MeshField>& fields, bool converged) {
  AppendedArrays arrays;
  const std::array<int, 3> n = mesh.numbers->cells_of(block);
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", n[0], n[1], n[2]);
  std::string text = fmt::format("{}<VTKFile type=\"StructuredGrid\" {}>\n  <StructuredGrid WholeExtent=\"{}\">\n",
                                 head, attributes, extent);
  text += "    <FieldData>\n      " +
          arrays.add("Int32", "converged", "NumberOfTuples=\"1\" ", std::vector<std::int32_t>{converged ? 1 : 0}) +
          "    </FieldData>\n";
  text += fmt::format("    <Piece Extent=\"{}\">\n", extent);
  for (const bool on_cells : {false, true}) {
    const std::string_view section = on_cells ? "CellData" : "PointData";
    std::string tags, first;
    for (const MeshField& field : fields) {
      if (field.on_cells != on_cells) continue;
      const std::string active = field.components == 1 ? " Scalars=\"" : " Vectors=\"";
      if (first.find(active) == std::string::npos) first += active + field.name + "\"";
      tags +=
          "        " + arrays.add("Float64", field.name, fmt::format("NumberOfComponents=\"{}\" ", field.components),
                                  values_of_block(mesh, block, field));
    }
    text += fmt::format("      <{}{}>\n{}      </{}>\n", section, first, tags, section);
  }
  std::vector<Place3> points;
  for_each_point(*mesh.numbers, block, [&](std::size_t p) { points.push_back(mesh.mesh->points[p]); });
  text += "      <Points>\n        " + arrays.add("Float64", "points", "NumberOfComponents=\"3\" ", points) +
          "      </Points>\n    </Piece>\n  </StructuredGrid>\n  <AppendedData encoding=\"raw\">\n   _";
  return text + arrays.bytes() + "\n  </AppendedData>\n</VTKFile>\n";
}

std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
  return text;
}

std::filesystem::path write_file(const std::filesystem::path& place, const std::string& text) {
  PendingFile file(place, text.size());
  file.write(text);
  return file.commit();
}

}  // namespace

std::vector<std::vector<int>> block_edges(const BlockMesh& mesh) {
  std::vector<std::vector<int>> edges;
  if (mesh.numbers->topology().dimension() != 2) return edges;
  for (int b = 0; b < mesh.numbers->topology().blocks(); ++b) {
    const std::array<int, 3> n = mesh.numbers->cells_of(b);
    for (std::size_t axis = 0; axis < 2; ++axis)
      for (const bool end : {false, true}) {
        std::vector<int>& edge = edges.emplace_back();
        std::array<int, 3> node{};
        node[1 - axis] = end ? n[1 - axis] : 0;
        for (; node[axis] <= n[axis]; ++node[axis]) edge.push_back(static_cast<int>(mesh.numbers->number(b, node)));
      }
  }
  return edges;
}

std::vector<std::string> block_file_names(int blocks) {
  std::vector<std::string> names{"solution.vtm"};
  for (int b = 0; b < blocks; ++b) names.push_back("solution_" + std::to_string(b) + ".vts");
  return names;
}

std::vector<std::filesystem::path> write_block_files(const std::filesystem::path& directory, const BlockMesh& mesh,
                                                     const std::vector<MeshField>& fields, bool converged) {
  const MacroMesh& macro = mesh.numbers->topology().mesh();
  const std::vector<std::string> names = block_file_names(static_cast<int>(macro.blocks.size()));
  std::vector<std::filesystem::path> paths;
  std::string text =
      fmt::format("{}<VTKFile type=\"vtkMultiBlockDataSet\" {}>\n  <vtkMultiBlockDataSet>\n", head, attributes);
  for (std::size_t b = 0; b < macro.blocks.size(); ++b) {
    paths.push_back(
        write_file(directory / names[b + 1], structured_grid(mesh, static_cast<int>(b), fields, converged)));
    text += fmt::format("    <DataSet index=\"{}\" name=\"{}\" file=\"{}\"/>\n", b, escaped(macro.blocks[b].name),
                        names[b + 1]);
  }
  paths.insert(paths.begin(), write_file(directory / names[0], text + "  </vtkMultiBlockDataSet>\n</VTKFile>\n"));
  return paths;
}

}  // namespace poisson
