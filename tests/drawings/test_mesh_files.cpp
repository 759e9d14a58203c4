// STL, OBJ and PLY files give the triangles that were written.

#include <algorithm>
#include <bit>
#include <string>

#include "backends/memory/error.hpp"
#include "tests/drawings/mesh_files.hpp"

namespace poisson::mesh_files_tests {
namespace {

const Triangles brick = mesh_box({0, 0, 0}, {1, 2, 3});

TEST_F(MeshFiles, ReadsBothKindsOfStl) {
  const Triangles ball = mesh_sphere(16, 0.5);
  EXPECT_NEAR(volume(read_surface(write("a.stl", ascii_stl(brick)))), 6, 1e-12);
  const Triangles binary = read_surface(write("b.STL", binary_stl(ball)));
  EXPECT_EQ(binary.faces.size(), ball.faces.size());
  EXPECT_NEAR(volume(binary), volume(ball), 1e-6);
  // A binary file whose comment begins with "solid", as some programs write it.
  EXPECT_NEAR(volume(read_surface(write("c.stl", binary_stl(brick, "solid part of a drawing")))), 6, 1e-12);
  // Text with other blanks, capitals and several solids.
  std::string text = ascii_stl(brick);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string dos;
  for (const char c : text) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_NEAR(volume(read_surface(write("d.stl", "\n\t" + dos + ascii_stl(mesh_box({5, 0, 0}, {6, 1, 1}))))), 7, 1e-12);
}

// Threads read parts of a long text. Names of solids may contain any word, also the one that ends a facet.
TEST_F(MeshFiles, ReadsLongTextsInParts) {
  const Triangles ball = mesh_sphere(150, 0.5);
  const std::string one = ascii_stl(ball);
  ASSERT_GT(one.size(), std::size_t{3} << 20);
  const auto expect_balls = [&](const std::string& text, std::size_t count) {
    const Triangles read = read_surface(write("long.stl", text));
    ASSERT_EQ(read.faces.size(), count * ball.faces.size());
    ASSERT_EQ(read.points.size(), 3 * read.faces.size());
    for (std::size_t face = 0; face < read.faces.size(); ++face)
      for (std::size_t c = 0; c < 3; ++c) {
        ASSERT_EQ(read.faces[face][c], 3 * face + c);
        const Point &p = read.points[3 * face + c], &q = ball.points[ball.faces[face % ball.faces.size()][c]];
        for (std::size_t d = 0; d < 3; ++d) ASSERT_NEAR(p[d], q[d], 1e-6);
      }
  };
  expect_balls(one, 1);
  expect_balls(one + one, 2);
  std::string named = one;
  named.replace(0, named.find('\n'), "solid endfacet ball");
  std::string words;
  for (int i = 0; i < 400'000; ++i) words += " endfacet";
  expect_balls(named + "solid" + words + " of words\n" + one.substr(one.find('\n') + 1), 2);
}

TEST_F(MeshFiles, NamesTheFirstWrongLineOfLongTexts) {
  std::string text = ascii_stl(mesh_sphere(150, 0.5));
  const std::size_t late = text.find("vertex", text.size() / 2), early = text.find("vertex", text.size() / 3);
  const auto error = [&] {
    try {
      read_surface(write("long.stl", text));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  for (const std::size_t at : {late, early}) {
    text[at] = 'x';
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    EXPECT_NE(error().find("line " + std::to_string(line) + ": expected vertex, found 'xertex'"), std::string::npos)
        << error();
  }
}

TEST_F(MeshFiles, ReadsObj) {
  const std::string corners =
      "# a brick\nmtllib brick.mtl\no brick\nv 0 0 0\nv 1 0 0 1.0\nv 0 2 0 0.5 0.5 0.5\nv 1 2 0\n"
      "v 0 0 3\nv +1 0 3e0\nv 0 2 3\nv 1 2 3\nvt 0 0\nvn 0 0 1\ng faces\nusemtl steel\ns off\n";
  EXPECT_NEAR(volume(read_surface(write("a.obj", corners + "f 1/1/1 3 4 2\nf 5 6 8 7\nf 1//1 2 6 5\nf 3/1 7 8 4 # top\n"
                                                           "f 1 5 7 3\nf 2 4 \\\n 8 6\n"))),
              6, 1e-12);
  EXPECT_NEAR(
      volume(read_surface(write("b.obj", corners + "f -8 -6 -5 -7\nf -4 -3 -1 -2\nf -8 -7 -3 -4\nf -6 -2 -1 -5\n"
                                                   "f -8 -4 -2 -6\nf -7 -5 -1 -3"))),
      6, 1e-12);
}

// A concave polygon as one face: its fan covers the notch twice, with opposite signs.
TEST_F(MeshFiles, FansOfConcavePolygonsKeepTheVolume) {
  std::string text;
  const std::vector<std::array<int, 2>> outline{{0, 0}, {4, 0}, {4, 3}, {2, 1}, {0, 3}};
  for (const int z : {0, 2})
    for (const auto& [x, y] : outline)
      text += "v " + std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z) + "\n";
  text += "f 1 5 4 3 2\nf 6 7 8 9 10\n";
  for (int i = 0; i < 5; ++i) {
    const int a = i + 1, b = (i + 1) % 5 + 1;
    text += "f " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(b + 5) + " " +
            std::to_string(a + 5) + "\n";
  }
  SurfaceReport report;
  const ShapePtr shape = make_surface_shape(close_surface(read_surface(write("notch.obj", text)), report));
  EXPECT_NEAR(report.volume, 16, 1e-12);
  EXPECT_NEAR(volume_by_lines(*shape, 2, 120), 16, 0.2);
  EXPECT_FALSE(shape->contains({2, 2.5, 1}));
}

std::string ply(const std::string& format, const Triangles& t, bool swapped) {
  std::string bytes = "ply\nformat " + format + " 1.0\ncomment made by hand\nelement vertex " +
                      std::to_string(t.points.size()) +
                      "\nproperty float x\nproperty uchar red\nproperty double y\nproperty float z\nelement face " +
                      std::to_string(t.faces.size()) +
                      "\nproperty list uchar int vertex_indices\nproperty short group\nelement edge 1\nproperty int a\n"
                      "end_header\n";
  const bool text = format == "ascii";
  const auto number = [&](auto value) {
    if (text)
      bytes += std::to_string(value) + " ";
    else
      put_bytes(bytes, value, swapped);
  };
  for (const Point& p : t.points) {
    number(static_cast<float>(p[0]));
    number(std::uint8_t{7});
    number(p[1]);
    number(static_cast<float>(p[2]));
    if (text) bytes += "\n";
  }
  for (const Triangle& f : t.faces) {
    number(std::uint8_t{3});
    for (const std::uint32_t c : f) number(static_cast<std::int32_t>(c));
    number(std::int16_t{1});
    if (text) bytes += "\n";
  }
  number(std::int32_t{5});
  return bytes;
}

TEST_F(MeshFiles, ReadsThreeKindsOfPly) {
  const bool little = std::endian::native == std::endian::little;
  EXPECT_NEAR(volume(read_surface(write("a.ply", ply("ascii", brick, false)))), 6, 1e-5);
  EXPECT_NEAR(volume(read_surface(write("b.ply", ply("binary_little_endian", brick, !little)))), 6, 1e-12);
  EXPECT_NEAR(volume(read_surface(write("c.ply", ply("binary_big_endian", brick, little)))), 6, 1e-12);
  // Polygons as fans; a file without an ending.
  const std::string quads =
      "ply\r\nformat ascii 1.0\r\nelement vertex 8\r\nproperty float x\r\nproperty float y\r\nproperty float z\r\n"
      "element face 6\r\nproperty list uint8 uint32 vertex_index\r\nend_header\r\n"
      "0 0 0\r\n1 0 0\r\n0 2 0\r\n1 2 0\r\n0 0 3\r\n1 0 3\r\n0 2 3\r\n1 2 3\r\n"
      "4 0 2 3 1\r\n4 4 5 7 6\r\n4 0 1 5 4\r\n4 2 6 7 3\r\n4 0 4 6 2\r\n4 1 3 7 5";
  EXPECT_NEAR(volume(read_surface(write("quads", quads))), 6, 1e-12);
}

}  // namespace
}  // namespace poisson::mesh_files_tests
