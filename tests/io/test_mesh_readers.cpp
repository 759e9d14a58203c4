// Readers of meshes: formats, groups, and hostile files.

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "backends/memory/error.hpp"
#include "io/meshes/mesh_file.hpp"
#include "io/meshes/mesh_input.hpp"
#include "io/meshes/vtu_output.hpp"
#include "tests/damage.hpp"
#include "tests/meshes.hpp"

namespace poisson::test::mesh_readers_tests {
namespace {

constexpr int gmsh_numbers[] = {15, 1, 2, 3, 4, 7, 6, 5};

/// Writes a mesh as Gmsh does, in text or binary.
class MshWriter {
 public:
  MshWriter(const Mesh& mesh, bool modern, bool binary) : mesh_(mesh), modern_(modern), binary_(binary) {}

  std::string write() {
    text_ = std::string("$MeshFormat\n") + (modern_ ? "4.1 " : "2.2 ") + (binary_ ? "1" : "0") + " 8\n";
    if (binary_) {
      add(1);
      text_ += "\n";
    }
    text_ += "$EndMeshFormat\n$PhysicalNames\n" + std::to_string(mesh_.groups.size()) + "\n";
    for (const MeshGroup& g : mesh_.groups)
      text_ += std::to_string(g.dimension) + " " + std::to_string(g.number) + " \"" + g.name + "\"\n";
    text_ += "$EndPhysicalNames\n";
    modern_ ? write_modern() : write_old();
    return text_;
  }

 private:
  template <class T>
  void add(T value) {
    if (binary_) {
      char bytes[sizeof(T)];
      std::memcpy(bytes, &value, sizeof value);
      text_.append(bytes, sizeof value);
    } else {
      std::ostringstream out;
      out.precision(17);
      out << value << " ";
      text_ += out.str();
    }
  }
  void end_line() {
    if (!binary_) text_ += "\n";
  }
  const MeshGroup* group_of(const MeshCells& block, std::int64_t e) const {
    const auto& groups = mesh_.labels[static_cast<std::size_t>(block.label[static_cast<std::size_t>(e)])];
    return groups.empty() ? nullptr : &mesh_.groups[static_cast<std::size_t>(groups[0])];
  }

  void write_modern() {
    text_ += "$Entities\n";
    std::array<std::size_t, 4> counts{};
    for (const MeshGroup& g : mesh_.groups) ++counts[static_cast<std::size_t>(g.dimension)];
    for (const std::size_t c : counts) add(c);
    end_line();
    for (int dimension = 0; dimension < 4; ++dimension)
      for (const MeshGroup& g : mesh_.groups) {
        if (g.dimension != dimension) continue;
        add(g.number);
        for (int x = 0; x < (dimension == 0 ? 3 : 6); ++x) add(0.5);
        add(std::size_t{1});
        add(g.number);
        if (dimension > 0) add(std::size_t{0});
        end_line();
      }
    text_ += "\n$EndEntities\n$Nodes\n";
    const std::size_t n = mesh_.points.size();
    for (const std::size_t v : {std::size_t{1}, n, std::size_t{11}, n + 10}) add(v);
    end_line();
    for (const int v : {mesh_.dimension, 1, 0}) add(v);
    add(n);
    end_line();
    for (std::size_t p = 0; p < n; ++p) add(p + 11);
    end_line();
    for (const auto& x : mesh_.points) {
      for (const double c : x) add(c);
      end_line();
    }
    text_ += "\n$EndNodes\n$Elements\n";
    std::size_t blocks = 0, all = 0;
    for (const MeshCells& block : mesh_.cells) {
      blocks += static_cast<std::size_t>(block.count());
      all += static_cast<std::size_t>(block.count());
    }
    for (const std::size_t v : {blocks, all, std::size_t{1}, all}) add(v);
    end_line();
    std::size_t number = 0;
    for (const MeshCells& block : mesh_.cells)
      for (std::int64_t e = 0; e < block.count(); ++e) {  // a block of one element each
        const MeshGroup* group = group_of(block, e);
        for (const int v : {facts_of(block.shape).dimension, group ? group->number : 99,
                            gmsh_numbers[static_cast<std::size_t>(block.shape)]})
          add(v);
        add(std::size_t{1});
        end_line();
        add(++number);
        for (const int p : block.of(e)) add(static_cast<std::size_t>(p) + 11);
        end_line();
      }
    text_ += "\n$EndElements\n";
  }

  void write_old() {
    text_ += "$Nodes\n" + std::to_string(mesh_.points.size()) + "\n";
    for (std::size_t p = 0; p < mesh_.points.size(); ++p) {
      add(static_cast<int>(p) + 11);
      for (const double c : mesh_.points[p]) add(c);
      end_line();
    }
    std::int64_t all = 0;
    for (const MeshCells& block : mesh_.cells) all += block.count();
    text_ += "\n$EndNodes\n$Elements\n" + std::to_string(all) + "\n";
    int number = 0;
    for (const MeshCells& block : mesh_.cells) {
      if (binary_)
        for (const int v : {gmsh_numbers[static_cast<std::size_t>(block.shape)], static_cast<int>(block.count()), 2})
          add(v);
      for (std::int64_t e = 0; e < block.count(); ++e) {
        const MeshGroup* group = group_of(block, e);
        add(++number);
        if (!binary_) {
          add(gmsh_numbers[static_cast<std::size_t>(block.shape)]);
          add(2);
        }
        add(group ? group->number : 0);
        add(1);
        for (const int p : block.of(e)) add(p + 11);
        end_line();
      }
    }
    text_ += "\n$EndElements\n";
  }

  const Mesh& mesh_;
  bool modern_, binary_;
  std::string text_;
};

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
  }
  return text;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

enum class Encoding { ascii, base64, zlib, appended_raw, appended_base64, appended_zlib };
constexpr std::array encodings{Encoding::ascii,        Encoding::base64,          Encoding::zlib,
                               Encoding::appended_raw, Encoding::appended_base64, Encoding::appended_zlib};

constexpr bool compressed(Encoding encoding) {
  return encoding == Encoding::zlib || encoding == Encoding::appended_zlib;
}

/// Returns the header and the bytes of an array, as they are encoded.
std::pair<std::string, std::string> pack(const std::string& bytes, bool compress_it) {
  if (!compress_it) return {raw(std::vector{static_cast<std::uint32_t>(bytes.size())}), bytes};
  std::vector<std::uint32_t> header{0, 1000, 0};
  std::string packed;
  for (std::size_t at = 0; at < bytes.size(); at += 1000) {
    const std::size_t size = std::min<std::size_t>(1000, bytes.size() - at);
    uLongf room = compressBound(static_cast<uLong>(size));
    std::string block(room, '\0');
    compress(reinterpret_cast<Bytef*>(block.data()), &room, reinterpret_cast<const Bytef*>(bytes.data()) + at,
             static_cast<uLong>(size));
    packed += block.substr(0, room);
    header[0]++;
    header[2] = size == 1000 ? 0 : static_cast<std::uint32_t>(size);
    header.push_back(static_cast<std::uint32_t>(room));
  }
  return {raw(header), packed};
}

/// Writes a mesh as VTU with inline or appended arrays; `material` numbers groups.
std::string vtu_text(const Mesh& mesh, Encoding encoding) {
  std::string appended;
  const auto array = [&]<class T>(const char* type, const char* name, const std::vector<T>& values,
                                  const char* more = "") {
    std::string text = std::string("<DataArray type=\"") + type + "\" Name=\"" + name + "\" " + more;
    if (encoding == Encoding::ascii) {
      std::ostringstream out;
      out.precision(17);
      for (const T value : values) out << +value << ' ';
      return text + " format=\"ascii\">\n" + out.str() + "\n</DataArray>\n";
    }
    const auto [header, data] = pack(raw(values), compressed(encoding));
    const std::string coded = compressed(encoding) ? base64(header) + base64(data) : base64(header + data);
    if (encoding == Encoding::base64 || encoding == Encoding::zlib)
      return text + " format=\"binary\">\n" + coded + "\n</DataArray>\n";
    text += " format=\"appended\" offset=\"" + std::to_string(appended.size()) + "\"/>\n";
    appended += encoding == Encoding::appended_raw ? header + data : coded;
    return text;
  };
  std::vector<float> x;
  for (const auto& point : mesh.points)
    for (const double c : point) x.push_back(static_cast<float>(c));
  std::vector<std::int32_t> connectivity, offsets, material;
  std::vector<std::uint8_t> types;
  for (const MeshCells& block : mesh.cells)
    for (std::int64_t e = 0; e < block.count(); ++e) {
      connectivity.insert(connectivity.end(), block.of(e).begin(), block.of(e).end());
      offsets.push_back(static_cast<std::int32_t>(connectivity.size()));
      types.push_back(static_cast<std::uint8_t>(facts_of(block.shape).vtk));
      material.push_back(
          mesh.groups[static_cast<std::size_t>(
                          mesh.labels[static_cast<std::size_t>(block.label[static_cast<std::size_t>(e)])][0])]
              .number);
    }
  std::string text = std::string(
                         "<?xml version=\"1.0\"?>\n<!-- made --><VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
                         "byte_order=\"LittleEndian\"") +
                     (compressed(encoding) ? " compressor=\"vtkZLibDataCompressor\"" : "") +
                     ">\n<UnstructuredGrid><Piece NumberOfPoints=\"" + std::to_string(mesh.points.size()) +
                     "\" NumberOfCells=\"" + std::to_string(types.size()) + "\"><Points>" +
                     array("Float32", "Points", x, "NumberOfComponents=\"3\"") + "</Points><Cells>" +
                     array("Int32", "connectivity", connectivity) + array("Int32", "offsets", offsets) +
                     array("UInt8", "types", types) + "</Cells><CellData>" + array("Int32", "material", material) +
                     "</CellData></Piece></UnstructuredGrid>";
  if (!appended.empty())
    text += std::string("<AppendedData encoding=\"") + (encoding == Encoding::appended_raw ? "raw" : "base64") +
            "\">_" + appended + "</AppendedData>";
  return text + "</VTKFile>\n";
}

class MeshFiles : public ::testing::Test {
 protected:
  MeshFiles() : folder_(std::filesystem::temp_directory_path() / ("poisson-mesh-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~MeshFiles() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path save(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  Mesh read(const std::string& content) { return read_mesh(save("mesh.msh", content)); }
  std::string error_of_reading(const std::string& content) {
    try {
      read(content);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
  std::filesystem::path folder_;
};

void expect_same(const Mesh& made, const Mesh& read, bool names, double tolerance) {
  ASSERT_EQ(read.dimension, made.dimension);
  ASSERT_EQ(read.points.size(), made.points.size());
  for (std::size_t p = 0; p < made.points.size(); ++p)
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(read.points[p][d], made.points[p][d], tolerance);
  ASSERT_EQ(read.cells.size(), made.cells.size());
  for (std::size_t b = 0; b < made.cells.size(); ++b) {
    EXPECT_EQ(read.cells[b].shape, made.cells[b].shape);
    EXPECT_EQ(read.cells[b].corners, made.cells[b].corners);
    for (std::int64_t e = 0; e < made.cells[b].count(); ++e) {
      const auto group = [&](const Mesh& mesh) -> const MeshGroup& {
        const auto& groups = mesh.labels[static_cast<std::size_t>(mesh.cells[b].label[static_cast<std::size_t>(e)])];
        return mesh.groups.at(static_cast<std::size_t>(groups.at(0)));
      };
      EXPECT_EQ(group(read).number, group(made).number);
      if (names) {
        EXPECT_EQ(group(read).name, group(made).name);
      }
    }
  }
}

TEST_F(MeshFiles, RoundTripInAllFormats) {
  for (const CellShape shape : {CellShape::triangle, CellShape::quadrilateral, CellShape::tetrahedron,
                                CellShape::pyramid, CellShape::prism, CellShape::hexahedron}) {
    const Mesh made = make_mesh(shape, 3);
    for (const bool modern : {false, true})
      for (const bool binary : {false, true}) {
        SCOPED_TRACE(std::string(facts_of(shape).name) + (modern ? " 4.1" : " 2.2") + (binary ? " binary" : ""));
        expect_same(made, read(MshWriter(made, modern, binary).write()), true, 0);
      }
    for (const Encoding encoding : encodings) {
      SCOPED_TRACE(facts_of(shape).name);
      expect_same(made, read(vtu_text(made, encoding)), false, 1e-7);
    }
  }
}

TEST_F(MeshFiles, ReadTheirOwnOutput) {
  Mesh made = make_mesh(CellShape::prism, 3);
  std::erase_if(made.cells, [](const MeshCells& block) { return facts_of(block.shape).dimension < 3; });
  MeshField field{"group", true, 1, std::vector<double>(static_cast<std::size_t>(made.count(3)))};
  for (std::size_t e = 0; e < field.values.size(); ++e)
    field.values[e] =
        made.groups[static_cast<std::size_t>(made.labels[static_cast<std::size_t>(made.cells[0].label[e])][0])].number;
  expect_same(made, read_mesh(write_vtu(folder_, made, {field}, true)), false, 0);
}

TEST_F(MeshFiles, ScaleAndMeasureGroups) {
  const Mesh made = make_mesh(CellShape::tetrahedron, 2);
  const Mesh mesh = read_mesh(save("a.msh", MshWriter(made, true, true).write()), 1e-3);
  const auto measures = measure_groups(mesh);
  double volume = 0;
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
    if (mesh.groups[g].dimension == 3) volume += measures[g].measure;
    if (mesh.groups[g].name == "x+") {
      EXPECT_NEAR(measures[g].measure, 1e-6, 1e-18);
      EXPECT_EQ(measures[g].elements, 8);
      EXPECT_NEAR(measures[g].lower[0], 1e-3, 1e-15);
    }
  }
  EXPECT_NEAR(volume, 1e-9, 1e-21);
  const auto lines = describe_groups(mesh, std::vector<bool>(mesh.groups.size(), false));
  EXPECT_EQ(lines.size(), mesh.groups.size() + 2);
}

TEST_F(MeshFiles, ReadSecondOrderByCorners) {
  const Mesh mesh = read(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 .5 0 0\n5 .5 .5 0\n6 0 .5 0\n"
      "$EndNodes\n$Elements\n1\n1 9 2 7 1 1 2 3 4 5 6\n$EndElements\n");
  EXPECT_EQ(mesh.second_order, 1);
  EXPECT_EQ(mesh.find(CellShape::triangle)->corners, (UnsetVector<int>{0, 1, 2}));
  EXPECT_EQ(mesh.groups.at(0).key(), "7");
  EXPECT_EQ(describe_faults(mesh, {}).size(), 1U);
}

struct Hostile {
  const char* what;
  const char* from;  ///< text to replace in a valid file; empty: the whole file
  const char* to;
  const char* message;
};

TEST_F(MeshFiles, ExplainWhatIsWrong) {
  const Hostile cases[] = {
      {"empty", "", "", "is empty"},
      {"another format", "", "solid cube\nfacet\n", "neither an MSH file"},
      {"version 4.0", "4.1 0 8", "4 0 8", ":2: MSH version 4 is not read"},
      {"future version", "4.1 0 8", "5.0 0 8", "MshFileVersion"},
      {"numbers of 4 bytes", "4.1 0 8", "4.1 0 4", "4 bytes"},
      {"file type", "4.1 0 8", "4.1 7 8", "neither 0"},
      {"no nodes", "$Nodes", "$Points", "has no end"},
      {"name without quotes", "\"x-\"", "x-", "not in quotes"},
      {"dimension of a group", "1 1 \"x-\"", "5 1 \"x-\"", "dimension 5"},
      {"a word for a number", "0.5 0.5 0", "0.5 oops 0", "\"oops\""},
      {"not finite", "0.5 0.5 0 ", "0.5 nan 0 ", "not finite"},
      {"huge count", "1 9 11 19", "1 999999999999 11 19", "999999999999"},
      {"negative count", "1 9 11 19", "1 -9 11 19", "expected a number"},
      {"repeated node", "11 \n12 \n", "11 \n11 \n", "two nodes"},
      {"partitions", "$Entities", "$PartitionedEntities", "partitioned"},
      {"end of a section", "$EndNodes", "$EndNode", "expected $EndNodes"},
      {"two sections", "$Elements", "$Nodes", "two sections $Nodes"},
  };
  const std::string valid = MshWriter(make_mesh(CellShape::triangle, 2), true, false).write();
  ASSERT_EQ(error_of_reading(valid), "no error");
  for (const Hostile& hostile : cases) {
    std::string content = valid;
    if (*hostile.from == '\0') {
      content = hostile.to;
    } else {
      const std::size_t place = valid.find(hostile.from);
      if (place == std::string::npos) continue;
      content.replace(place, std::strlen(hostile.from), hostile.to);
    }
    EXPECT_NE(error_of_reading(content).find(hostile.message), std::string::npos)
        << hostile.what << ": " << error_of_reading(content);
  }
  EXPECT_NE(error_of_reading(valid.substr(0, valid.size() / 2)).find("mesh.msh:"), std::string::npos);
  EXPECT_THROW(read_mesh(folder_), InputError);
  EXPECT_THROW(read_mesh(folder_ / "missing.msh"), InputError);
}

TEST_F(MeshFiles, ExplainWhatIsWrongInVtu) {
  const Hostile cases[] = {
      {"type", "type=\"UnstructuredGrid\"", "type=\"PolyData\"", "only UnstructuredGrid"},
      {"compressor", "byte_order=\"LittleEndian\"", "byte_order=\"LittleEndian\" compressor=\"vtkLZ4DataCompressor\"",
       "zlib"},
      {"points", "NumberOfPoints=\"9\"", "NumberOfPoints=\"99\"", "fewer than"},
      {"negative", "NumberOfPoints=\"9\"", "NumberOfPoints=\"-9\"", "NumberOfPoints"},
      {"cells", "NumberOfCells=\"16\"", "NumberOfCells=\"17\"", "fewer than"},
      {"type of numbers", "type=\"Int32\" Name=\"connectivity\"", "type=\"Int31\" Name=\"connectivity\"", "Int31"},
      {"missing", "Name=\"types\"", "Name=\"kinds\"", "lacks"},
      {"no end", "</Piece>", "", "no end"},
      {"quotes", "version=\"0.1\"", "version=0.1", "quotes"},
  };
  const std::string valid = vtu_text(make_mesh(CellShape::triangle, 2), Encoding::ascii);
  ASSERT_EQ(error_of_reading(valid), "no error");
  for (const Hostile& hostile : cases) {
    std::string content = valid;
    const std::size_t place = valid.find(hostile.from);
    ASSERT_NE(place, std::string::npos) << hostile.what;
    content.replace(place, std::strlen(hostile.from), hostile.to);
    EXPECT_NE(error_of_reading(content).find(hostile.message), std::string::npos)
        << hostile.what << ": " << error_of_reading(content);
  }
  EXPECT_THROW(read_mesh(save("a.vtu", valid), 1, "materials"), InputError);
}

// Damaged files either are read or explain themselves.
TEST_F(MeshFiles, SurviveDamage) {
  const Mesh made = make_mesh(CellShape::tetrahedron, 2);
  std::vector<std::string> files;
  for (const bool modern : {false, true})
    for (const bool binary : {false, true}) files.push_back(MshWriter(made, modern, binary).write());
  for (const Encoding encoding : encodings) files.push_back(vtu_text(made, encoding));
  std::mt19937 random(1);
  DamageCount count;
  for (const std::string& valid : files)
    read_damaged(valid, 60, random, count, [&](const std::string& content) {
      Mesh mesh = read(content);
      check_mesh(mesh);
    });
  EXPECT_EQ(count.refused + count.accepted, 600);
  EXPECT_GT(count.refused, 400);
}

}  // namespace
}  // namespace poisson::test::mesh_readers_tests
