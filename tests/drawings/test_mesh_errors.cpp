// Damaged and hostile meshes end with an error that names the file, a line or a byte, and a remedy. Nothing crashes,
// and no memory is allocated for what a header promises.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "backends/memory/error.hpp"
#include "tests/damage.hpp"
#include "tests/drawings/mesh_files.hpp"

namespace poisson::mesh_errors_tests {
namespace {

struct HostileMesh {
  std::string name, bytes, why, where;
};

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN(),
                infinite_value = std::numeric_limits<float>::infinity();

// Returns a binary STL file of a box with one float replaced.
std::string stl_with(std::size_t at, float value) {
  std::string bytes = binary_stl(mesh_box({0, 0, 0}, {1, 1, 1}));
  bytes.replace(at, 4, reinterpret_cast<const char*>(&value), 4);
  return bytes;
}
std::string stl_counting(std::uint32_t count, const std::string& comment = "poisson") {
  std::string bytes = binary_stl(mesh_box({0, 0, 0}, {1, 1, 1}), comment);
  bytes.replace(80, 4, reinterpret_cast<const char*>(&count), 4);
  return bytes;
}
std::string stl_facet(const std::string& inside) {
  return "solid a\nfacet normal 0 0 1\nouter loop\n" + inside;
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

const std::string good_stl = ascii_stl(mesh_box({0, 0, 0}, {1, 1, 1}));
const std::string good_binary = binary_stl(mesh_box({0, 0, 0}, {1, 1, 1}));
const std::string three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

std::vector<HostileMesh> hostile_stl() {
  const std::string zeros(200, '\0');
  return {
      {"empty.stl", "", "it is empty", ""},
      {"one.stl", "s", "ends within the 84 bytes", "byte 1"},
      {"short.stl", std::string(83, '\0'), "ends within the 84 bytes", "byte 83"},
      {"none.stl", std::string(84, '\0'), "no triangle", ""},
      {"cut.stl", good_binary.substr(0, good_binary.size() - 1), "counts 12 triangles, which need 684 bytes",
       "byte 80"},
      {"cut2.stl", good_binary.substr(0, 300), "but the file has 300", "byte 80"},
      {"long.stl", good_binary + "xx", "but the file has 686", "byte 80"},
      {"more.stl", stl_counting(13), "counts 13 triangles", "byte 80"},
      {"fewer.stl", stl_counting(11), "counts 11 triangles", "byte 80"},
      {"zero.stl", stl_counting(0), "counts 0 triangles", "byte 80"},
      {"huge.stl", stl_counting(0xffffffff), "counts 4294967295 triangles", "byte 80"},
      {"solidcut.stl", stl_counting(99, "solid x"), "counts 99 triangles", "byte 80"},
      {"solidzeros.stl", "solid" + zeros, "counts 0 triangles", "byte 80"},
      {"nan.stl", stl_with(96, nan_value), "triangle 1 is not a number", "byte 96"},
      {"nan2.stl", stl_with(84 + 11 * 50 + 44, nan_value), "triangle 12 is not a number", "byte 678"},
      {"inf.stl", stl_with(100, infinite_value), "triangle 1 is infinite", "byte 100"},
      {"text.stl", "hello, this is a text that goes on for more than eighty-four bytes, to be long enough here.\n",
       "triangles, which need", "byte 80"},
      {"name.stl", "solid", "found the end of the file", "line 1"},
      {"head.stl", "solid a\n", "expected facet or endsolid, found the end of the file", "line 2"},
      {"nothing.stl", "solid a\nendsolid a\n", "no triangle", ""},
      {"trunc.stl", good_stl.substr(0, good_stl.find("endloop")), "truncated", "line 7"},
      {"noend.stl", good_stl.substr(0, good_stl.find("endsolid")), "expected facet or endsolid, found the end", "line"},
      {"facette.stl", replaced(good_stl, "facet", "facette"), "expected facet or endsolid, found 'facette'", "line 2"},
      {"inner.stl", replaced(good_stl, "outer", "inner"), "expected outer, found 'inner'", "line 3"},
      {"loops.stl", replaced(good_stl, "loop", "loops"), "expected loop, found 'loops'", "line 3"},
      {"vertices.stl", stl_facet("vertices 0 0 0\n"), "expected vertex, found 'vertices'", "line 4"},
      {"two.stl", stl_facet("vertex 0 0 0\nvertex 1 0 0\nendloop\n"), "expected vertex, found 'endloop'", "line 6"},
      {"four.stl", stl_facet("vertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\n"),
       "expected endloop, found 'vertex'", "line 7"},
      {"word.stl", stl_facet("vertex 0 zero 0\n"), "expected a coordinate, found 'zero'", "line 4"},
      {"comma.stl", stl_facet("vertex 0,5 0 0\n"), "found '0,5'", "line 4"},
      {"few.stl", stl_facet("vertex 0 0\nvertex 1 0 0\n"), "found the end of the line", "line 4"},
      {"textnan.stl", stl_facet("vertex 0 nan 0\n"), "a coordinate is 'nan'", "line 4"},
      {"textinf.stl", stl_facet("vertex 0 0 -inf\n"), "a coordinate is '-inf'", "line 4"},
      {"over.stl", stl_facet("vertex 0 0 1e999\n"), "out of range", "line 4"},
      {"after.stl", good_stl + "rubbish\n", "expected solid, or the end of the file", "line"}};
}

std::vector<HostileMesh> hostile_obj() {
  return {{"empty.obj", "", "it is empty", ""},
          {"none.obj", "# nothing\n", "no triangle", ""},
          {"points.obj", three, "no triangle", ""},
          {"lines.obj", three + "l 1 2 3\n", "no triangle", ""},
          {"zero.obj", three + "f 0 1 2\n", "vertex 0, but vertices count from 1", "line 4"},
          {"beyond.obj", three + "f 1 2 4\n", "the vertex 4, but only 3", "line 4"},
          {"back.obj", three + "f -1 -2 -4\n", "the vertex -4, but only 3", "line 4"},
          {"huge.obj", three + "f 1 2 4294967297\n", "the vertex 4294967297", "line 4"},
          {"overflow.obj", three + "f 1 2 99999999999999999999\n", "expected the number of a vertex", "line 4"},
          {"two.obj", three + "f 1 2\n", "a face has 2 vertices", "line 4"},
          {"bare.obj", three + "f\n", "a face has 0 vertices", "line 4"},
          {"letters.obj", three + "f a b c\n", "found 'a'", "line 4"},
          {"slash.obj", three + "f /1 /2 /3\n", "expected the number of a vertex, found the end", "line 4"},
          {"fraction.obj", three + "f 1.5 2 3\n", "found '1.5'", "line 4"},
          {"coordinate.obj", "v 0 0\nv 1 0 0\n", "expected a coordinate", "line 1"},
          {"nan.obj", "v 0 0 nan\n", "a coordinate is 'nan'", "line 1"},
          {"large.obj", "v 0 0 1e90\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "beyond 10^60", ""},
          {"keyword.obj", three + "faces 1 2 3\n", "unknown keyword 'faces'", "line 4"},
          {"curve.obj", three + "cstype bspline\n", "free-form", "line 4"},
          {"backslash.obj", three + "f 1 2 \\", "ends after a backslash", "line 4"},
          {"binary.obj", std::string("\0\1\2\3\n", 5), "unknown keyword '", "line 1"}};
}

std::string ply_of(const std::string& vertex, const std::string& face, const std::string& data,
                   const std::string& format = "ascii 1.0") {
  return "ply\nformat " + format + "\nelement vertex " + vertex +
         "\nproperty float x\nproperty float y\nproperty float z\nelement face " + face +
         "\nproperty list uchar int vertex_indices\nend_header\n" + data;
}

std::vector<HostileMesh> hostile_ply() {
  const std::string points = "0 0 0\n1 0 0\n0 1 0\n", binary = "binary_little_endian 1.0";
  std::string floats(36, '\0'), face = std::string("\3", 1);
  for (const std::int32_t i : {0, 1, 2}) put_bytes(face, i);
  std::string with_nan = floats, far_face = std::string("\3", 1), long_face = "\xff" + face.substr(1);
  with_nan.replace(16, 4, reinterpret_cast<const char*>(&nan_value), 4);
  for (const std::int32_t i : {0, 1, 3}) put_bytes(far_face, i);
  const std::size_t head = ply_of("3", "1", "", binary).size();
  return {
      {"empty.ply", "", "it is empty", ""},
      {"magic.ply", "plx\nformat ascii 1.0\n", "begins with the line 'ply'", "line 1"},
      {"header.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", "no end_header", "line 4"},
      {"format.ply", "ply\nformat text 1.0\nend_header\n", "unknown format 'text'", "line 2"},
      {"version.ply", "ply\nformat ascii 2.0\nend_header\n", "version '2.0'", "line 2"},
      {"noformat.ply", "ply\nelement vertex 3\nend_header\n", "no format", "line 3"},
      {"keyword.ply", "ply\nformat ascii 1.0\nelemental vertex 3\nend_header\n", "unknown keyword 'elemental'",
       "line 3"},
      {"type.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty real x\nend_header\n", "unknown type 'real'",
       "line 4"},
      {"orphan.ply", "ply\nformat ascii 1.0\nproperty float x\nend_header\n", "before the first element", "line 3"},
      {"nameless.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float\nend_header\n", "has no name",
       "line 4"},
      {"listtype.ply", "ply\nformat ascii 1.0\nelement face 1\nproperty list float int vertex_indices\nend_header\n",
       "floating-point", "line 4"},
      {"negative.ply", ply_of("-3", "1", points), "is negative", "line 3"},
      {"count.ply", ply_of("many", "1", points), "expected the number of elements", "line 3"},
      {"hugepoints.ply", ply_of("4000000000", "1", points + "3 0 1 2\n"), "counts 4000000000 elements 'vertex'",
       "line 3"},
      {"hugefaces.ply", ply_of("3", "999999999999", points + "3 0 1 2\n"), "counts 999999999999 elements 'face'",
       "line 7"},
      {"hugebinary.ply", ply_of("1000000000", "1", floats + face, binary), "counts 1000000000 elements", "line 3"},
      {"nox.ply", replaced(ply_of("3", "1", points), "property float x", "property float u"), "no property x",
       "line 3"},
      {"noindices.ply", replaced(ply_of("3", "1", points + "3 0 1 2\n"), "vertex_indices", "corners"),
       "no list vertex_indices", "line 7"},
      {"cloud.ply",
       "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
       "end_header\n0 0 0\n",
       "cloud of points", ""},
      {"first.ply",
       "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\nelement vertex 1\n"
       "property float x\nend_header\n3 0 1 2\n0\n",
       "faces come before vertices", "line 3"},
      {"strips.ply",
       "ply\nformat ascii 1.0\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n1 1\n",
       "strips of triangles", "line 3"},
      {"short.ply", ply_of("3", "1", points + "3 0 1        "), "the file ends before a vertex of face 1", "line 13"},
      {"word.ply", ply_of("3", "1", "0 0 0\n1 O 0\n0 1 0\n3 0 1 2\n"), "expected a coordinate of vertex 2, found 'O'",
       "line 11"},
      {"nan.ply", ply_of("3", "1", "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n"), "vertex 2 is 'nan'", "line 11"},
      {"index.ply", ply_of("3", "1", points + "3 0 1 3\n"), "face 1 has the vertex 3, but there are 3", "line 13"},
      {"minus.ply", ply_of("3", "1", points + "3 0 1 -1\n"), "face 1 has the vertex -1", "line 13"},
      {"half.ply", ply_of("3", "1", points + "3 0 1 0.5\n"), "face 1 has the vertex 0", "line 13"},
      {"pair.ply", ply_of("3", "1", points + "2 0 1\n"), "face 1 has 2 vertices", "line 13"},
      {"list.ply", ply_of("3", "1", points + "1e300 0 1 2\n"), "a list has the length", "line 13"},
      {"binarynan.ply", ply_of("3", "1", with_nan + face, binary), "vertex 2 is not a number",
       "byte " + std::to_string(head + 16)},
      {"binaryindex.ply", ply_of("3", "1", floats + far_face, binary), "face 1 has the vertex 3", "byte"},
      {"binarylist.ply", ply_of("3", "1", floats + long_face, binary), "a list has the length 255", "byte"},
      {"binarycut.ply", ply_of("3", "1", floats + face.substr(0, 11), binary),
       "the length 3, but the file has 10 bytes left", "byte"},
      {"nofaces.ply", ply_of("3", "0", points), "no triangle", ""}};
}

TEST_F(MeshFiles, RefusesHostileFiles) {
  std::vector<HostileMesh> all = hostile_stl();
  for (const auto& more : {hostile_obj(), hostile_ply()}) all.insert(all.end(), more.begin(), more.end());
  all.push_back({"drawing", "solid a\n", "its ending is missing", ""});
  all.push_back({"drawing.step", "ISO-10303-21;\n", "its ending is '.step'", ""});
  EXPECT_GE(all.size(), 60u);
  std::set<std::string> texts;
  for (const HostileMesh& one : all) {
    const std::filesystem::path path = write(one.name, one.bytes);
    try {
      read_surface(path);
      ADD_FAILURE() << one.name << " was accepted";
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(one.why), std::string::npos) << one.name << ": " << text;
      EXPECT_NE(text.find(one.where), std::string::npos) << one.name << ": " << text;
      EXPECT_TRUE(text.starts_with("mesh '" + path.string() + "' cannot be read (")) << text;
      EXPECT_TRUE(text.ends_with(".")) << text;
      EXPECT_GT(text.size() - text.rfind(')'), 10u) << "no remedy: " << text;
      texts.insert(text);
    }
  }
  EXPECT_EQ(texts.size(), all.size());
}

TEST_F(MeshFiles, RefusesFoldersAndMissingFiles) {
  std::filesystem::create_directories(folder / "folder.stl");
  const auto refusal = [&](const std::string& name) {
    try {
      read_surface(folder / name);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(refusal("folder.stl").find("it is a directory"), std::string::npos);
  EXPECT_NE(refusal("missing.stl").find("there is no such file"), std::string::npos);
}

/// Random changes of good files give triangles or an error.
TEST_F(MeshFiles, SurvivesRandomDamage) {
  const std::string binary = "binary_little_endian 1.0";
  std::string data(96, '\0');
  const Triangles box = mesh_box({0, 0, 0}, {1, 1, 1});
  data.clear();
  for (const Point& p : box.points)
    for (const double x : p) put_bytes(data, static_cast<float>(x));
  for (const Triangle& f : box.faces) {
    data += '\3';
    for (const std::uint32_t c : f) put_bytes(data, c);
  }
  const std::vector<std::pair<std::string, std::string>> files{
      {"a.stl", good_stl},
      {"b.stl", good_binary},
      {"c.ply", ply_of("8", "12", data, binary)},
      {"d.obj", three + "v 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"}};
  std::mt19937 random(1);
  DamageCount count;
  for (const auto& [name, whole] : files)
    read_damaged(whole, 120, random, count, [&](const std::string& bytes) {
      SurfaceReport report;
      const ShapePtr shape = make_surface_shape(close_surface(read_surface(write(name, bytes)), report));
      Spans inside;
      shape->cut({{0, 0.3, 0.3}, {1, 0, 0}, -2, 2, 0.1}, inside);
    });
  EXPECT_GT(count.refused, 200);
  EXPECT_GT(count.accepted, 20);
}

}  // namespace
}  // namespace poisson::mesh_errors_tests
