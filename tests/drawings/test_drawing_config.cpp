// The keys mesh, cone, torus and revolve: what they build, what is warned about, and what is refused.

#include <fstream>
#include <string>
#include <vector>

#include "grids/problem/bodies.hpp"
#include "grids/problem/media.hpp"
#include "tests/config_file.hpp"
#include "tests/drawings/mesh_makers.hpp"

namespace poisson::drawing_config_tests {
namespace {

constexpr const char* space = "domain: {lower: [0, 0, 0], upper: [1, 1, 1]}\ngrid: {cells: [8, 8, 8]}\n";
constexpr const char* plane = "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [8, 8]}\n";

std::string solid(const std::string& keys) {
  return "materials: {a: {coefficient: 2}}\nbodies: [{material: a, " + keys + "}]\n";
}

class DrawingConfig : public ConfigFile {
 protected:
  // Returns the number of cells in the body.
  int cells(const std::string& keys, const char* first = space) const {
    const Config config = load(first + solid(keys));
    const Problem& p = config.problem;
    const int nz = p.dimension == 3 ? 8 : 1;
    std::vector<RegionNumber> all(static_cast<std::size_t>(64 * nz));
    p.media->map->fill(p.nodes, {{0, 0, 0}, {8, 8, nz}}, all);
    return static_cast<int>(std::ranges::count(all, RegionNumber{1}));
  }
  std::string warnings(const std::string& keys) const {
    std::string all;
    for (const std::string& w : load(space + solid(keys)).warnings) all += w + "\n";
    return all;
  }
};

constexpr const char* tetrahedron = "{vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles: ";

TEST_F(DrawingConfig, BuildsShapes) {
  write(binary_stl(mesh_box({0, 0, 0}, {500, 250, 1000})), "box.stl");
  EXPECT_EQ(cells("mesh: box.stl, scale: 1e-3"), 4 * 2 * 8);
  EXPECT_EQ(cells("union: [{mesh: box.stl, scale: 1e-3}, {mesh: box.stl, scale: 1e-3, move: [0.5, 0.75, 0]}]"), 128);
  EXPECT_EQ(cells("difference: [{box: {lower: [0, 0, 0], upper: [1, 1, 1]}}, {mesh: box.stl, scale: 1e-3}]"), 512 - 64);
  EXPECT_EQ(cells("mesh: box.stl, scale: 1e-3, rotate: {angle: 90, axis: [0, 0, 1]}, move: [1, 0, 0]"), 64);
  EXPECT_EQ(cells("mesh: box.stl, scale: [5e-4, 1e-3, 1e-3], repeat: {count: [2, 2, 1], step: [0.5, 0.5, 0]}"), 128);
  EXPECT_EQ(cells(std::string("mesh: ") + tetrahedron + "[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}"),
            cells("where: x + y + z < 1"));
  EXPECT_EQ(cells("cone: {from: [0.5, 0.5, 0], to: [0.5, 0.5, 1], radii: [0.5]}"),
            cells("where: (x-0.5)^2 + (y-0.5)^2 < (0.5*(1-z))^2"));
  EXPECT_EQ(cells("cone: {from: [0.5, 0.5, 0], to: [0.5, 0.5, 1], radii: [0.5, 0.2]}"),
            cells("where: (x-0.5)^2 + (y-0.5)^2 < (0.5-0.3*z)^2"));
  EXPECT_EQ(cells("torus: {center: [0.5, 0.5, 0.5], axis: x, radii: [0.3, 0.15]}"),
            cells("where: (((y-0.5)^2 + (z-0.5)^2)^0.5 - 0.3)^2 + (x-0.5)^2 < 0.0225"));
  EXPECT_EQ(cells("torus: {center: [0.5, 0.5, 0.5], axis: [2, 0, 0], radii: [0.3, 0.15]}"),
            cells("torus: {center: [0.5, 0.5, 0.5], axis: x, radii: [0.3, 0.15]}"));
  EXPECT_EQ(cells("revolve: {points: [[0, 0], [0.4, 0], [0.4, 0.5], [0, 0.5]]}, move: [0.5, 0.5, 0.25]"),
            cells("cylinder: {from: [0.5, 0.5, 0.25], to: [0.5, 0.5, 0.75], radius: 0.4}"));
  EXPECT_EQ(
      cells("torus: {center: [0.5, 0.5], radii: [0.3, 0.1]}", plane),
      cells("difference: [{sphere: {center: [0.5, 0.5], radius: 0.4}}, {sphere: {center: [0.5, 0.5], radius: 0.2}}]",
            plane));
  EXPECT_EQ(cells("cone: {from: [0, 0.5], to: [1, 0.5], radii: [0.5, 0.1]}", plane),
            cells("where: abs(y-0.5) < 0.5 - 0.4*x", plane));
}

TEST_F(DrawingConfig, WarnsOfRepairedMeshes) {
  Triangles open = mesh_box({0, 0, 0}, {1, 1, 1});
  open.faces.resize(10);
  write(binary_stl(open), "open.stl");
  EXPECT_NE(
      warnings("mesh: open.stl")
          .find(
              "bodies[0].mesh: open.stl has faults: 4 open edges around 1 hole, closed by its plane; its volume is 1 "),
      std::string::npos)
      << warnings("mesh: open.stl");
  Triangles some = mesh_box({0, 0, 0}, {1, 1, 1});
  for (const std::size_t f : {3u, 7u}) std::swap(some.faces[f][0], some.faces[f][1]);
  some.faces.push_back(some.faces[0]);
  write(binary_stl(some), "some.stl");
  const std::string text = warnings("mesh: some.stl");
  EXPECT_NE(text.find("2 of 13 triangles were flipped to agree with their neighbours"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of 13 triangles were duplicates and were left out"), std::string::npos) << text;
  write(binary_stl(flipped(mesh_sphere(12, 1))), "in.stl");
  EXPECT_NE(warnings("mesh: in.stl").find("inside out and were flipped"), std::string::npos);
  write(binary_stl(mesh_box({0, 0, 0}, {1, 1, 1})), "good.stl");
  EXPECT_EQ(warnings("mesh: good.stl"), "");
}

TEST_F(DrawingConfig, RefusesWrongShapes) {
  write("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", "nan.stl");
  Triangles flat = mesh_box({0, 0, 0}, {1, 1, 1});
  flat.faces.resize(2);
  write(binary_stl(flat), "flat.stl");
  const std::vector<std::pair<std::string, std::string>> bad{
      {"mesh: nan.stl", "bodies[0].mesh: mesh '"},
      {"mesh: nan.stl", "line 4: a coordinate is 'nan'"},
      {"mesh: none.stl", "there is no such file"},
      {"mesh: .", "it is a directory"},
      {"mesh: \"\"", "bodies[0].mesh: is empty"},
      {"mesh: [1, 2]", "bodies[0].mesh: expected"},
      {"mesh: flat.stl", "encloses no volume"},
      {"mesh: {vertices: [[0, 0, 0]]}", "bodies[0].mesh.triangles: is missing"},
      {"mesh: {vertices: [[0, 0]], triangles: [[0, 1, 2]]}", "bodies[0].mesh.vertices[0]"},
      {"mesh: {vertices: x, triangles: [[0, 1, 2]]}", "bodies[0].mesh.vertices"},
      {std::string("mesh: ") + tetrahedron + "[]}", "is empty"},
      {std::string("mesh: ") + tetrahedron + "[[0, 1, 4]]}", "triangle 0 has the vertex 4, but there are 4"},
      {std::string("mesh: ") + tetrahedron + "[[0, 1, -1]]}", "has the vertex -1"},
      {std::string("mesh: ") + tetrahedron + "[[0, 1, 1.5]]}", "bodies[0].mesh.triangles[0][2]"},
      {std::string("mesh: ") + tetrahedron + "[[0, 1, 1]]}", "encloses nothing"},
      {"cone: {from: [0, 0, 0], to: [0, 0, 0], radii: [1]}", "equals from"},
      {"cone: {from: [0, 0, 0], to: [0, 0, 1], radii: [0]}", "are 0"},
      {"cone: {from: [0, 0, 0], to: [0, 0, 1], radii: [-1, 1]}", "bodies[0].cone.radii[0]: must be"},
      {"cone: {from: [0, 0, 0], to: [0, 0, 1], radii: [1, 1, 1]}", "bodies[0].cone.radii: expected"},
      {"cone: {from: [0, 0, 0], to: [0, 0, 1]}", "bodies[0].cone.radii: is missing"},
      {"torus: {center: [0, 0, 0], radii: [0.2, 1]}", "tube larger than the ring"},
      {"torus: {center: [0, 0, 0], radii: [1]}", "bodies[0].torus.radii: expected"},
      {"torus: {center: [0, 0, 0], axis: w, radii: [1, 0.2]}", "bodies[0].torus.axis"},
      {"torus: {center: [0, 0, 0], axis: [0, 0, 0], radii: [1, 0.2]}", "has no direction"},
      {"torus: {center: [0, 0], radii: [1, 0.2]}", "has 2 numbers in 3 dimensions"},
      {"revolve: {points: [[0, 0], [1, 0]]}", "bodies[0].revolve.points: expected"},
      {"revolve: {points: [[0, 0], [-1, 0], [0, 1]]}", "negative distance"},
      {"revolve: {points: [[0, 0], [0, 1], [0, 2]]}", "enclose no area"},
      {"mesh: a.stl, torus: {center: [0, 0, 0], radii: [1, 0.2]}", "has two shapes"}};
  for (const auto& [keys, part] : bad) {
    const std::string text = errors(space + solid(keys));
    EXPECT_NE(text.find(part), std::string::npos) << keys << ": " << text;
    EXPECT_NE(text.find("bad.yaml:4"), std::string::npos) << keys << ": " << text;
  }
  for (const char* keys : {"mesh: good.stl", "revolve: {points: [[0, 0], [1, 0], [0, 1]]}",
                           "torus: {center: [0, 0], axis: z, radii: [1, 0.2]}"})
    EXPECT_NE(errors(plane + solid(keys)).find("does not exist in two dimensions"), std::string::npos) << keys;
}

/// Without `voxel`, a NRRD file states the widths of its voxels.
TEST_F(DrawingConfig, TakesVoxelsFromNrrd) {
  write("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 3 4\nspacings: 0.5 0.25 2\nencoding: raw\n\n" +
            std::string(24, '\1'),
        "a.nrrd");
  const std::string rest = ", materials: {1: a}}\nmaterials: {a: {coefficient: 2}}\nbackground: a\n";
  const Config config = load("image: {file: a.nrrd" + rest), given = load("image: {file: a.nrrd, voxel: 3" + rest);
  EXPECT_EQ(config.problem.nodes[0].back(), 1);
  EXPECT_EQ(config.problem.nodes[1].back(), 0.75);
  EXPECT_EQ(config.problem.nodes[2].back(), 8);
  EXPECT_EQ(given.problem.nodes[2].back(), 12);
}

}  // namespace
}  // namespace poisson::drawing_config_tests
