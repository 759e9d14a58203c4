// Generated files of all formats with one fault each, and surfaces of extreme sizes: a right volume or an error that
// names the place, and no crash.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "backends/memory/error.hpp"
#include "tests/drawings/mesh_files.hpp"

namespace poisson::extreme_meshes_tests {
namespace {

/// Lists the faults of a file. The first three leave it valid.
enum class Fault {
  none,
  returns,
  degenerate,
  more,
  fewer,
  countless,
  not_a_number,
  infinite,
  beyond,
  negative,
  cut,
  rubbish
};
constexpr Fault last_fault = Fault::rubbish;
constexpr Fault last_valid = Fault::degenerate;

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}

// Replaces the last coordinate or corner of a text by another word.
std::string coordinate(const Point& p, bool last, Fault fault) {
  std::string text = number(p[0]) + ' ' + number(p[1]) + ' ';
  if (last && fault == Fault::not_a_number) return text + "nan";
  if (last && fault == Fault::infinite) return text + "1e999";
  return text + number(p[2]);
}
double coordinate_value(double x, bool last, Fault fault) {
  if (last && fault == Fault::not_a_number) return std::numeric_limits<double>::quiet_NaN();
  return last && fault == Fault::infinite ? std::numeric_limits<double>::infinity() : x;
}
std::size_t counted(std::size_t count, Fault fault) {
  return fault == Fault::more        ? count + 1
         : fault == Fault::fewer     ? count - 1
         : fault == Fault::countless ? 4'000'000'000U
                                     : count;
}
std::int64_t corner(const Triangles& t, std::uint32_t c, bool last, Fault fault) {
  if (last && fault == Fault::beyond) return static_cast<std::int64_t>(t.points.size()) + 7;
  return last && fault == Fault::negative ? -1 : c;
}

std::string ascii_stl_with(const Triangles& t, Fault fault) {
  std::string text = "solid a name with spaces  and facets\n";
  for (std::size_t f = 0; f < t.faces.size(); ++f) {
    const bool last = f + 1 == t.faces.size();
    text += "facet normal 0 0 0\nouter loop\n";
    for (const std::uint32_t c : t.faces[f]) text += "vertex " + coordinate(t.points[c], last, fault) + "\n";
    if (last && fault == Fault::more) text += "vertex 0 0 0\n";
    text += last && fault == Fault::negative ? "end\n" : "endloop\n";
    if (!(last && fault == Fault::fewer)) text += "endfacet\n";
  }
  return text + (fault == Fault::beyond ? "endsolids\n" : "endsolid a name with spaces  and facets\n");
}

std::string binary_stl_with(const Triangles& t, Fault fault) {
  std::string bytes = "solid by name, but binary";
  bytes.resize(80, ' ');
  put_bytes(bytes, static_cast<std::uint32_t>(counted(t.faces.size(), fault)));
  for (std::size_t f = 0; f < t.faces.size(); ++f) {
    bytes += std::string(12, '\0');
    for (const std::uint32_t c : t.faces[f])
      for (const double x : t.points[c])
        put_bytes(bytes, static_cast<float>(coordinate_value(x, f + 1 == t.faces.size(), fault)));
    bytes += std::string(2, '\0');
  }
  return bytes;
}

// Corners count from the end of the points, as some programs write them.
std::string obj_with(const Triangles& t, Fault fault) {
  std::string text = "# made by hand\ng part one\n";
  for (std::size_t p = 0; p < t.points.size(); ++p)
    text += "v " + coordinate(t.points[p], p + 1 == t.points.size(), fault) + "\n";
  for (std::size_t f = 0; f < t.faces.size(); ++f) {
    const bool last = f + 1 == t.faces.size();
    text += "f";
    for (const std::uint32_t c : t.faces[f]) {
      const auto count = static_cast<std::int64_t>(t.points.size());
      const std::int64_t back = corner(t, c, last, fault) - count;
      text += " " +
              std::to_string(last && fault == Fault::negative ? -count - 1
                             : back >= 0                      ? count + 7
                                                              : back) +
              "//1";
    }
    if (last && fault == Fault::countless) text += " 99999999999999999999";
    if (last && fault == Fault::fewer) text = text.substr(0, text.rfind("f")) + "f 1 2";
    if (last && fault == Fault::more) text += " 0";
    text += "\n";
  }
  return text;
}

std::string ply_header(const Triangles& t, const std::string& format, const std::string& list, Fault fault) {
  return "ply\nformat " + format + " 1.0\ncomment by hand\nelement vertex " + std::to_string(t.points.size()) +
         "\nproperty double x\nproperty uchar colour\nproperty double y\nproperty double z\nelement face " +
         std::to_string(counted(t.faces.size(), fault)) + "\nproperty list " + list + " vertex_indices\nend_header\n";
}
std::string ascii_ply_with(const Triangles& t, Fault fault) {
  std::string text = ply_header(t, "ascii", "uchar int", fault);
  for (std::size_t p = 0; p < t.points.size(); ++p) {
    std::string place = coordinate(t.points[p], p + 1 == t.points.size(), fault);
    text += place.insert(place.find(' '), " 200") + "\n";
  }
  for (std::size_t f = 0; f < t.faces.size(); ++f) {
    text += "3";
    for (const std::uint32_t c : t.faces[f]) text += " " + std::to_string(corner(t, c, f + 1 == t.faces.size(), fault));
    text += "\n";
  }
  return text;
}
template <class Length, class Index, bool swapped>
std::string binary_ply_with(const Triangles& t, const std::string& list, Fault fault) {
  std::string bytes = ply_header(t, swapped ? "binary_big_endian" : "binary_little_endian", list, fault);
  for (std::size_t p = 0; p < t.points.size(); ++p)
    for (std::size_t d = 0; d < 3; ++d) {
      put_bytes(bytes, coordinate_value(t.points[p][d], p + 1 == t.points.size(), fault), swapped);
      if (d == 0) bytes += '\7';
    }
  for (std::size_t f = 0; f < t.faces.size(); ++f) {
    put_bytes(bytes, static_cast<Length>(3), swapped);
    for (const std::uint32_t c : t.faces[f])
      put_bytes(bytes, static_cast<Index>(corner(t, c, f + 1 == t.faces.size(), fault)), swapped);
  }
  return bytes;
}

struct Format {
  std::string name;
  bool text;
  std::string (*write)(const Triangles&, Fault);
};
std::vector<Format> formats() {
  return {{"ascii.stl", true, &ascii_stl_with},
          {"binary.stl", false, &binary_stl_with},
          {"a.obj", true, &obj_with},
          {"ascii.ply", true, &ascii_ply_with},
          {"little.ply", false,
           [](const Triangles& t, Fault f) {
             return binary_ply_with<std::uint8_t, std::int32_t, false>(t, "uchar int", f);
           }},
          {"big.ply", false,
           [](const Triangles& t, Fault f) {
             return binary_ply_with<std::uint16_t, std::int16_t, true>(t, "ushort short", f);
           }},
          {"odd.ply", false, [](const Triangles& t, Fault f) {
             return binary_ply_with<std::int32_t, std::uint16_t, false>(t, "int32 uint16", f);
           }}};
}

/// Each valid file has the volume of its surface; each other one is refused with its name and a place.
TEST_F(MeshFiles, FaultsOfEveryFormatAreRefused) {
  const std::vector<Triangles> surfaces{mesh_box({-1, -2, -3}, {1, 0.5, 4}), mesh_sphere(12, 0.7),
                                        mesh_torus(16, 8, 2, 0.5)};
  int valid = 0, refused = 0;
  for (const Format& format : formats())
    for (const Triangles& surface : surfaces)
      for (int kind = 0; kind <= static_cast<int>(last_fault); ++kind) {
        const auto fault = static_cast<Fault>(kind);
        Triangles t = surface;
        if (fault == Fault::degenerate) t.faces.push_back({0, 0, 1}), t.faces.push_back({2, 2, 2});
        std::string bytes = format.write(t, fault);
        if (fault == Fault::returns && format.text)
          for (std::size_t at = 0; (at = bytes.find('\n', at)) != std::string::npos; at += 2) bytes.insert(at, 1, '\r');
        if (fault == Fault::cut) bytes.resize(bytes.size() - 9);
        if (fault == Fault::rubbish) bytes += "\1\2 and more\n";
        const std::filesystem::path path = write(format.name, bytes);
        SCOPED_TRACE(format.name + ", fault " + std::to_string(kind));
        if (fault <= last_valid) {
          EXPECT_NEAR(volume(read_surface(path)), volume(surface), 1e-5);
          ++valid;
          continue;
        }
        try {
          // Some faults leave a valid file, such as faces that a text does not count; they do not change the volume
          // much.
          const double left = volume(read_surface(path));
          EXPECT_NEAR(left, volume(surface), 0.2 * volume(surface));
        } catch (const InputError& error) {
          EXPECT_NE(std::string_view(error.what()).find(format.name), std::string_view::npos) << error.what();
          ++refused;
        }
      }
  EXPECT_EQ(valid, 3 * 7 * 3);
  EXPECT_GE(refused, 150);
  std::printf("%d files were read, %d refused\n", valid, refused);
}

/// Surfaces of any size keep their relative volume, and those without one enclose nothing.
TEST(ExtremeMeshes, SizesDoNotMatter) {
  for (const double size : {1e-30, 1e-9, 1e9, 1e30, 1e50}) {
    Triangles t = mesh_torus(24, 12, 2 * size, 0.5 * size);
    SurfaceReport report;
    const ShapePtr shape = make_surface_shape(close_surface(t, report));
    const double expected = 2 * std::numbers::pi * std::numbers::pi * 2 * 0.25 * size * size * size;
    EXPECT_NEAR(report.volume, expected, 0.1 * expected) << size;
    Spans inside;
    shape->cut({{0, 0, 0}, {1, 0, 0}, -4 * size, 4 * size, 0.1 * size}, inside);
    ASSERT_EQ(inside.size(), 2U) << size;
    EXPECT_NEAR(inside[1].second, 2.5 * size, 1e-6 * size);
  }
}

TEST(ExtremeMeshes, FlatAndSharpTrianglesEncloseNothing) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int kind = 0; kind < 40; ++kind) {
    Triangles t;
    for (int p = 0; p < 30; ++p) {
      Point at{unit(random), unit(random), unit(random)};
      if (kind % 4 == 0) at = {at[0], 2 * at[0], -at[0]};             // on a line
      if (kind % 4 == 1) at[2] = 0.25;                                // in a plane
      if (kind % 4 == 2) at[1] *= 1e-12;                              // needles
      if (kind % 4 == 3) at = p % 3 == 0 ? Point{} : Point{1, 1, 1};  // two points
      t.points.push_back(at);
    }
    for (int f = 0; f < 40; ++f)
      t.faces.push_back({static_cast<std::uint32_t>(random() % 30), static_cast<std::uint32_t>(random() % 30),
                         static_cast<std::uint32_t>(random() % 30)});
    SurfaceReport report;
    try {
      const ShapePtr shape = make_surface_shape(close_surface(t, report));
      Spans inside;
      shape->cut({{0, 0.1, 0.2}, {1, 0, 0}, -2, 2, 0.1}, inside);
      EXPECT_TRUE(std::isfinite(report.volume));
      EXPECT_TRUE(kind % 4 == 2 || std::abs(report.volume) < 1e-9) << kind << " " << report.volume;
    } catch (const InputError& error) {
      EXPECT_GT(std::string_view(error.what()).size(), 20U);
    }
  }
}

}  // namespace
}  // namespace poisson::extreme_meshes_tests
