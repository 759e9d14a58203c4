#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "io/config/spelling.hpp"
#include "io/meshes/gmsh.hpp"
#include "io/meshes/mesh_builder.hpp"
#include "io/meshes/vtk_arrays.hpp"

namespace poisson {
namespace {

// Returns the type with a number in VTK; nothing for types that are not read.
std::optional<ElementType> vtk_type(std::int64_t number) {
  using enum CellShape;
  static const std::map<std::int64_t, ElementType> types{
      {1, {vertex, 1}},         {3, {line, 2}},           {21, {line, 3}},         {5, {triangle, 3}},
      {22, {triangle, 6}},      {34, {triangle, 7}},      {9, {quadrilateral, 4}}, {8, {quadrilateral, 4}},
      {23, {quadrilateral, 8}}, {28, {quadrilateral, 9}}, {10, {tetrahedron, 4}},  {24, {tetrahedron, 10}},
      {12, {hexahedron, 8}},    {11, {hexahedron, 8}},    {25, {hexahedron, 20}},  {29, {hexahedron, 27}},
      {13, {prism, 6}},         {26, {prism, 15}},        {32, {prism, 18}},       {14, {pyramid, 5}},
      {27, {pyramid, 13}}};
  const auto found = types.find(number);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

// Pixels and voxels number their corners by coordinates.
constexpr std::array<std::size_t, 8> by_coordinates{0, 1, 3, 2, 4, 5, 7, 6};

// Names of arrays in which programs number groups, in the order of preference.
constexpr std::array<std::string_view, 14> known_groups{
    "gmsh:physical", "group",    "groups",      "CellEntityIds", "medit:ref", "cell_tags", "physical",
    "material",      "Material", "MaterialIds", "material_id",   "region",    "RegionId",  "Region"};

/// Reads the pieces of a file.
class VtuReader {
 public:
  VtuReader(const std::string& name, std::string_view bytes, std::string groups)
      : in_(name, bytes), wanted_(std::move(groups)), groups_(mesh_) {}

  Mesh read() {
    read_root();
    bool grid = false;
    while (true) {
      const XmlTag tag = next_tag(in_);
      if (tag.name == "VTKFile" && tag.closes) break;
      if (tag.name == "UnstructuredGrid") grid = true;
      if (tag.name == "Piece" && !tag.closes && !tag.empty) state_piece(tag);
      if (tag.name == "AppendedData" && !tag.closes) {
        find_appended(tag);
        break;
      }
    }
    if (!grid) in_.fail("the file has no UnstructuredGrid; save the mesh as a .vtu file");
    for (const Piece& piece : pieces_) read_piece(piece);
    return std::move(mesh_);
  }

 private:
  struct Piece {
    std::int64_t points = 0, cells = 0;
    std::optional<VtkArray> coordinates, connectivity, offsets, types;
    std::vector<VtkArray> data;
  };

  void read_root() {
    const XmlTag root = next_tag(in_);
    if (root.name != "VTKFile") in_.fail("is not a file of VTK (its root is <" + printable(root.name) + ">)");
    if (root.attribute("type") != "UnstructuredGrid")
      in_.fail("contains " + printable(root.attribute("type")) + "; only UnstructuredGrid (.vtu) is read");
    encoding_.swapped = root.attribute("byte_order") == "BigEndian";
    encoding_.wide_header = root.attribute("header_type") == "UInt64";
    const std::string_view compressor = root.attribute("compressor");
    encoding_.compressed = !compressor.empty();
    if (encoding_.compressed && compressor != "vtkZLibDataCompressor")
      in_.fail("the data are compressed by " + printable(compressor) +
               ", but only zlib is read; save with zlib or without compression");
  }

  std::int64_t count_of(const XmlTag& tag, const char* key) {
    const std::string_view text = tag.attribute(key);
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > 2'000'000'000)
      in_.fail(std::string("the piece has no valid ") + key + " (\"" + printable(text.substr(0, 40)) +
               "\"); save the mesh again");
    return value;
  }

  void state_piece(const XmlTag& tag) {
    Piece piece;
    piece.points = count_of(tag, "NumberOfPoints");
    piece.cells = count_of(tag, "NumberOfCells");
    std::string section;
    while (true) {
      const XmlTag next = next_tag(in_);
      if (next.name == "Piece" && next.closes) break;
      if (next.name == "AppendedData" || next.name == "VTKFile") in_.fail("a piece has no end: the file is damaged");
      if (next.name != "DataArray") {
        section = next.closes || next.empty ? "" : next.name;
        continue;
      }
      if (next.closes) continue;
      VtkArray array = state_array(in_, next);
      if (section == "Points" && !piece.coordinates) piece.coordinates = array;
      if (section == "Cells" && array.name == "connectivity") piece.connectivity = array;
      if (section == "Cells" && array.name == "offsets") piece.offsets = array;
      if (section == "Cells" && array.name == "types") piece.types = array;
      if (section == "CellData") piece.data.push_back(array);
    }
    if (!piece.coordinates || !piece.connectivity || !piece.offsets || !piece.types)
      in_.fail("a piece lacks its points, connectivity, offsets or types; save the mesh again");
    pieces_.push_back(std::move(piece));
  }

  void find_appended(const XmlTag& tag) {
    encoding_.appended_raw = tag.attribute("encoding") != "base64";
    const std::size_t mark = in_.bytes().find('_', in_.at());
    if (mark == std::string_view::npos) in_.fail("AppendedData do not begin with _: the file is damaged");
    encoding_.appended = mark + 1;
  }

  // Returns the array that numbers groups; null if there is none.
  const VtkArray* group_array(const Piece& piece) {
    if (!wanted_.empty()) {
      const auto found = std::ranges::find(piece.data, wanted_, &VtkArray::name);
      if (found != piece.data.end() && found->components == 1) return &*found;
      std::vector<std::string> names;
      for (const VtkArray& array : piece.data) names.push_back(printable(array.name));
      in_.fail("there is no cell array \"" + printable(wanted_) + "\" with one component; " +
               (names.empty() ? "remove grid.groups" : suggest(wanted_, names, "choose one of")));
    }
    for (const std::string_view name : known_groups)
      for (const VtkArray& array : piece.data)
        if (array.name == name && array.components == 1) return &array;
    return nullptr;
  }

  void read_piece(const Piece& piece) {
    const auto first_point = static_cast<std::int64_t>(mesh_.points.size());
    if (piece.coordinates->components != 3)
      in_.fail("points have " + std::to_string(piece.coordinates->components) +
               " components instead of 3; save the mesh again");
    const std::vector<double> x = read_numbers(in_, *piece.coordinates, encoding_, 3 * piece.points);
    for (std::size_t p = 0; p < x.size(); p += 3) {
      if (!std::isfinite(x[p]) || !std::isfinite(x[p + 1]) || !std::isfinite(x[p + 2]))
        in_.fail("a coordinate of point " + std::to_string(p / 3) + " is not finite; mesh the geometry again");
      mesh_.points.push_back({x[p], x[p + 1], x[p + 2]});
    }
    const std::vector<std::int64_t> types = read_integers(in_, *piece.types, encoding_, piece.cells),
                                    offsets = read_integers(in_, *piece.offsets, encoding_, piece.cells);
    const std::int64_t nodes = offsets.empty() ? 0 : offsets.back();
    if (nodes < 0 || nodes > 64 * (piece.cells + 1))
      in_.fail("the offsets of cells are damaged (the last one is " + std::to_string(nodes) + "); save the mesh again");
    const std::vector<std::int64_t> connectivity = read_integers(in_, *piece.connectivity, encoding_, nodes);
    std::vector<std::int64_t> numbers;
    if (const VtkArray* array = group_array(piece)) numbers = read_integers(in_, *array, encoding_, piece.cells);
    std::int64_t begin = 0;
    for (std::size_t c = 0; c < types.size(); ++c) {
      const std::int64_t end = offsets[c];
      add_cell(c, types[c], begin, end, connectivity, first_point, piece.points, numbers);
      begin = end;
    }
  }

  void add_cell(std::size_t cell, std::int64_t number, std::int64_t begin, std::int64_t end,
                const std::vector<std::int64_t>& connectivity, std::int64_t first, std::int64_t points,
                const std::vector<std::int64_t>& numbers) {
    const auto type = vtk_type(number);
    if (!type)
      in_.fail("cell " + std::to_string(cell) + " has VTK's type " + std::to_string(number) +
               ", which is not read: use vertices, lines, triangles, quadrilaterals, tetrahedra, hexahedra, wedges or "
               "pyramids of "
               "first or second order");
    if (end - begin != type->nodes || end > static_cast<std::int64_t>(connectivity.size()))
      in_.fail("cell " + std::to_string(cell) + " has " + std::to_string(end - begin) + " nodes instead of the " +
               std::to_string(type->nodes) + " of its type: the file is damaged");
    MeshCells& block = mesh_.of_shape(type->shape);
    const auto corners = static_cast<std::size_t>(facts_of(type->shape).corners);
    for (std::size_t k = 0; k < corners; ++k) {
      const std::size_t from = number == 8 || number == 11 ? by_coordinates[k] : k;
      const std::int64_t point = connectivity[static_cast<std::size_t>(begin) + from];
      if (point < 0 || point >= points)
        in_.fail("cell " + std::to_string(cell) + " uses point " + std::to_string(point) + ", but there are " +
                 std::to_string(points) + ": the file is damaged");
      block.corners.push_back(static_cast<int>(first + point));
    }
    if (static_cast<std::size_t>(type->nodes) > corners) ++mesh_.second_order;
    add_middles(mesh_, *type, NodeOrder::vtk, [&](std::size_t n) {
      const std::int64_t point = connectivity[static_cast<std::size_t>(begin) + n];
      return point < 0 || point >= points ? -1 : static_cast<int>(first + point);
    });
    int label = 0;
    if (!numbers.empty() && std::abs(numbers[cell]) < 2'000'000'000 && numbers[cell] >= 0) {
      const std::array group{static_cast<int>(numbers[cell])};
      label = groups_.label(facts_of(type->shape).dimension, group);
    }
    block.label.push_back(label);
  }

  MeshBytes in_;
  std::string wanted_;
  Mesh mesh_;
  GroupNumbers groups_;
  VtkEncoding encoding_;
  std::vector<Piece> pieces_;
};

}  // namespace

Mesh read_vtu(const std::string& name, std::string_view bytes, const std::string& groups) {
  return VtuReader(name, bytes, groups).read();
}

}  // namespace poisson
