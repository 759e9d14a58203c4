// Damaged descriptions of blocks: each is refused with its place and a remedy.

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "io/meshes/mesh_input.hpp"
#include "tests/config_file.hpp"

namespace poisson::hostile_blocks_tests {
namespace {

// Is a change of a good description, and what the message must contain.
struct Damage {
  std::string what, message;
};

class HostileBlocks : public ConfigFile {
 protected:
  static inline const std::string places = "[[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]]";
  static inline const std::string both = "[{corners: [0, 1, 4, 3]}, {corners: [1, 2, 5, 4]}]";
  static inline const std::string cube = "[[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0,0,1],[1,0,1],[1,1,1],[0,1,1]]";

  static std::string grid(const std::string& vertices, const std::string& blocks, const std::string& cells = "4",
                          const std::string& more = "") {
    return "grid:\n  type: blocks\n  cells: " + cells + "\n  vertices: " + vertices + "\n  blocks: " + blocks + "\n" +
           more;
  }
  template <class Of>
  void expect_all(const std::vector<Damage>& all, const Of& of) const {
    for (const Damage& one : all) {
      const std::string found = errors(of(one.what));
      EXPECT_NE(found.find(one.message), std::string::npos) << one.what << "\n" << found << "\nlacks " << one.message;
      EXPECT_NE(found.find("bad.yaml:"), std::string::npos) << one.what << "\n" << found;
    }
  }
};

TEST_F(HostileBlocks, HaveWrongNumbersOfCells) {
  for (const char* cells : {"four", "[4]", "{a: 1}", "-1", "0", "1.5", "1e9", "true", ".nan", "1e400", "''"}) {
    const std::string found = errors(grid(places, both, cells));
    EXPECT_NE(found.find("bad.yaml:3:10: grid.cells: "), std::string::npos) << cells << "\n" << found;
    EXPECT_EQ(found.find("no block gives"), std::string::npos) << cells << "\n" << found;
  }
  expect_all({{"null", "no block gives the number of cells along the edge 0-1"}},
             [](const std::string& cells) { return grid(places, both, cells); });
}

TEST_F(HostileBlocks, HaveWrongVertices) {
  expect_all({{"[[0,0],[1,0],[2,0],[0,1],[1,1]]", "grid.blocks[1].corners: the vertex 5 does not exist"},
              {"[[0],[1],[2],[3]]", "grid.vertices[0]: expected a list of 2 or 3 items, found 1"},
              {"[[0,0,0,0],[1,0,0,0],[1,1,0,0],[0,1,0,0]]", "expected a list of 2 or 3 items, found 4"},
              {"square", "grid.vertices: expected a list"},
              {"{0: [0,0]}", "grid.vertices: expected a list"},
              {"[[0,0],[1,0],[2,0],[0,1],[1,1],[2,a]]", "grid.vertices[5][1]: unknown symbol 'a'"},
              {"[[0,0],[1,0],[2,0],[0,1],[1,1],[2,.inf]]", "grid.vertices[5][1]: expected a number"},
              {"[[0,0],[1,0],[2,0],[0,1],[1,1],[2,.nan]]", "grid.vertices[5][1]: expected a number"},
              {"[[0,0],[1,0],[2,0],[0,1],[1,1],[2,1,0]]", "grid.vertices[5]: has 3 coordinates, but the blocks have 2"},
              {"[[0,0,0],[1,0],[2,0],[0,1],[1,1],[2,1]]", "grid.vertices[1]: has 2 coordinates, but the blocks have 3"},
              {"[0,0,1,0,1,1,0,1]", "grid.vertices[0]: expected a list"},
              {"[]", "grid.vertices: expected a list of at least 4 items, found 0"},
              {"null", "grid.blocks: needs vertices"},
              {"[[0,0],[1,0],[2,0],[0,1],[1,1e-12],[2,1]]", "the edge 1-4 of grid.blocks[0] has no length"},
              {"[[0,0],[1,0],[2,0],[0,1],[0.2,0.2],[2,1]]", "grid.blocks[0]: 10 of 16 cells are inverted or flat"},
              {"[[0,0],[1,0],[2,0],[0,1],[1,1],[2,1e308]]", "grid.blocks[1]: 16 of 16 cells are inverted or flat"},
              {"[[0,0],[0,0],[0,0],[0,0],[0,0],[0,0]]", "of grid.blocks[0] has no length: both vertices lie at (0, 0)"},
              {"[[0,0],[1,0],[2,0],[0,1],[1,1],[1,0]]", "two vertices lie at (1, 0), so that grid.blocks[0]"}},
             [](const std::string& vertices) { return grid(vertices, both); });
}

TEST_F(HostileBlocks, HaveWrongBlocks) {
  expect_all(
      {{"[]", "grid.blocks: expected a list of at least 1 item"},
       {"null", "grid: needs blocks; add vertices:"},
       {"[{}]", "grid.blocks[0]"},
       {"[0,1,4,3]", "grid.blocks[0]: expected {corners"},
       {"{corners: [0,1,4,3]}", "grid.blocks: expected a list"},
       {"[{corners: [0,1,4]}]", "grid.blocks[0].corners: expected a list of 4 to 8 items, found 3"},
       {"[{corners: [0,1,4,3,2]}]", "grid.blocks[0].corners: has 5 vertices; a block in 2 dimensions has 4"},
       {"[{corners: [0,1,4,-1]}]", "grid.blocks[0].corners[3]: must be >= 0, found -1"},
       {"[{corners: [0,1,4,3.5]}]", "grid.blocks[0].corners[3]"},
       {"[{corners: [0,1,4,x]}]", "grid.blocks[0].corners[3]"},
       {"[{corners: [0,1,4,4]}]", "grid.blocks[0] has the vertex 4 at two of its corners"},
       {"[{corners: [0,1,4,6]}]", "grid.blocks[0].corners: the vertex 6 does not exist"},
       {"[{corners: [0,1,4,1e30]}]", "grid.blocks[0].corners[3]"},
       {"[{corners: [0,1,4,3], cells: 4}]", "grid.blocks[0].cells: expected a list of 2 or 3 items"},
       {"[{corners: [0,1,4,3], cells: [4]}]", "grid.blocks[0].cells: expected a list of 2 or 3 items"},
       {"[{corners: [0,1,4,3], cells: [4,4,4]}]", "grid.blocks[0].cells: has 3 numbers"},
       {"[{corners: [0,1,4,3], cells: [4,0]}]", "grid.blocks[0].cells[1]: must be >= 1"},
       {"[{corners: [0,1,4,3], cells: [4,x]}]", "grid.blocks[0].cells[1]: expected an integer"},
       {"[{corners: [0,1,4,3], cells: [10000000,10000000]}]", "nodes, but this version supports 2·10⁹"},
       {"[{corners: [0,1,4,3], grading: 3}]", "grid.blocks[0].grading: expected {x, y, z}"},
       {"[{corners: [0,1,4,3], grading: {w: 3}}]", "grid.blocks[0].grading.w: unknown key"},
       {"[{corners: [0,1,4,3], grading: {z: 3}}]", "grid.blocks[0].grading.z: does not exist in two dimensions"},
       {"[{corners: [0,1,4,3], grading: {x: -3}}]", "grid.blocks[0].grading.x: must be > 0, found -3"},
       {"[{corners: [0,1,4,3], grading: {x: {}}}]", "grid.blocks[0].grading.x: expected a number > 0"},
       {"[{corners: [0,1,4,3], grading: {x: {expansion: 1e300}}}]", "its cells are lost to rounding"},
       {"[{corners: [0,1,4,3], grading: {x: {ratio: 1e200}}}]", "its cells are lost to rounding"},
       {"[{corners: [0,1,4,3], grading: {x: {ratio: 0}}}]", "grid.blocks[0].grading.x.ratio: must be > 0"},
       {"[{corners: [0,1,4,3], grading: {x: {first_cell: 5}}}]", "5 is not below the width of equal cells, 0.25"},
       {"[{corners: [0,1,4,3], grading: {x: {first_cell: 1e-300}}}]", "its cells are lost to rounding"},
       {"[{corners: [0,1,4,3], grading: {x: {strength: 1e9}}}]", "its cells are lost to rounding"},
       {"[{corners: [0,1,4,3], grading: {x: {expansion: 3, at: middle}}}]", "choose one of lower, upper, both"},
       {"[{corners: [0,1,4,3], grading: {x: {expansion: 3, rule: linear}}}]", "choose one of geometric, tanh"},
       {"[{corners: [0,1,4,3], grading: {x: {expansion: 3, ratio: 2}}}]", "ratio: conflicts with expansion"},
       {"[{corners: [0,1,4,3], grading: {x: {expansion: 3, rule: tanh}}}]",
        "grid.blocks[0].grading.x.rule: tanh does not fit expansion, which implies geometric; remove it"},
       {"[{corners: [0,1,4,3], grading: {x: {strength: 3, rule: geometric}}}]", "geometric does not fit strength"},
       {"[{vertices: [0,1,4,3]}]", "grid.blocks[0].vertices: unknown key; did you mean 'corners'?"},
       {"[{corners: [0,1,4,3], material: iron}]", "grid.blocks[0].material: no material has the name iron"},
       {"[{corners: [0,1,4,3], colour: red}]", "grid.blocks[0].colour: unknown key"},
       {"[{corners: [0,1,4,3]}, {corners: [0,1,4,3]}]", "grid.blocks[0] and grid.blocks[1] have the same vertices"},
       {"[{corners: [0,1,4,3]}, {corners: [3,4,1,0]}]", "grid.blocks[0] and grid.blocks[1] have the same vertices"},
       {"[{corners: [0,4,1,3]}]", "grid.blocks[0]: 12 of 16 cells are inverted or flat"},
       {"[{corners: [0,1,4,3]}, {corners: [0,2,5,3]}]", "lies inside a side of a block, so that grid.blocks[0]"},
       {"[{corners: [0,1,4,3]}, {corners: [1,2,5,4]}, {corners: [1,2,3,4]}]", "the edge 1-4 belongs to 3 blocks"},
       {"[{corners: [0,1,4,3], cells: [4,8]}, {corners: [1,2,5,4], cells: [4,6]}]", "the edge 1-4 has 6 cells here"},
       {"[{corners: [0,1,4,3], cells: [4,8]}, {corners: [2,5,4,1], cells: [6,4]}]", "the edge 2-5 has 6 cells here"}},
      [](const std::string& blocks) { return grid(places, blocks); });
}

TEST_F(HostileBlocks, HaveGapsOrOverlap) {
  const auto two = [](const std::string& vertices) {
    return grid(vertices, "[{corners: [0,1,2,3]}, {corners: [4,5,6,7]}]");
  };
  expect_all(
      {{"[[0,0],[1,0],[1,1],[0,1],[1,0],[2,0],[2,1],[1,1]]", "grid.blocks[0], grid.blocks[1] do not touch there"},
       {"[[0,0],[1,0],[1,1],[0,1],[1.0001,0],[2,0],[2,1],[1.0001,1]]",
        "the vertices 1 and 4 at (1, 0) are 0.0001 apart, so that grid.blocks[0] and grid.blocks[1] leave a gap"},
       {"[[0,0],[1,0],[1,1],[0,1],[0.5,0],[2,0],[2,1],[0.5,1]]", "lies inside a side of a block"},
       {"[[0,0],[1,0],[1,1],[0,1],[0.5,0.2],[2,0.2],[2,0.8],[0.5,0.8]]",
        "grid.blocks[0] and grid.blocks[1] overlap at ("},
       {"[[0,0],[1,0],[1,1],[0,1],[0.3,0.3],[0.6,0.3],[0.6,0.6],[0.3,0.6]]",
        "grid.blocks[0] and grid.blocks[1] overlap at ("},
       // Bars that cross beside their middles.
       {"[[0,0.4],[3,0.4],[3,0.6],[0,0.6],[2.2,-1],[2.35,-1],[2.35,2],[2.2,2]]",
        "grid.blocks[0] and grid.blocks[1] overlap at ("}},
      two);
  expect_all(
      {{"[[0,0],[1,0],[1,1],[0,1],[2,0],[2,1],[0.95,0.95]]", "grid.blocks[0] and grid.blocks[1] overlap at ("}},
      [](const std::string& vertices) { return grid(vertices, "[{corners: [0,1,2,3]}, {corners: [1,4,5,6]}]"); });
  const std::string inner =
      "[[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0,0,1],[1,0,1],[1,1,1],[0,1,1],[0.5,0.2,0.3],[2,0.2,0.3],"
      "[2,0.8,0.3],[0.5,0.8,0.3],[0.5,0.2,0.7],[2,0.2,0.7],[2,0.8,0.7],[0.5,0.8,0.7]]";
  const std::string corner =
      "[[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0,0,1],[1,0,1],[1,1,1],[0,1,1],[0.95,0.95,0.95],[2,0.95,0.95],[2,2,0.95],"
      "[0.95,2,0.95],[0.95,0.95,2],[2,0.95,2],[2,2,2],[0.95,2,2]]";
  expect_all({{inner, "grid.blocks[0] and grid.blocks[1] overlap at ("},
              {corner, "grid.blocks[0] and grid.blocks[1] overlap at (1, 1, 1)"}},
             [](const std::string& vertices) {
               return grid(vertices, "[{corners: [0,1,2,3,4,5,6,7]}, {corners: [8,9,10,11,12,13,14,15]}]");
             });
}

// Thin layers, rings and stars are no overlaps or gaps.
TEST_F(HostileBlocks, AreNotFoundAmongGoodOnes) {
  for (const char* thin : {"0.1", "1e-3", "1e-6"}) {
    const std::string y = thin;
    EXPECT_NO_THROW(load(
        grid("[[0,0],[1,0],[1," + y + "],[0," + y + "],[1,1],[0,1]]", "[{corners: [0,1,2,3]}, {corners: [3,2,4,5]}]")))
        << thin;
  }
  const std::string ring =
      "[[1,0],[0,1],[-1,0],[0,-1],[1.001,0],[0,1.001],[-1.001,0],[0,-1.001],[3,0],[0,3],[-3,0],[0,-3]]";
  std::string blocks = "[", curves = "  curves: [";
  const auto text = [](double x) { return std::to_string(x); };
  for (int layer = 0; layer < 3; ++layer)
    for (int k = 0; k < 4; ++k) {
      const int a = 4 * layer + k, b = 4 * layer + (k + 1) % 4;
      const double radius = layer == 0 ? 1 : layer == 1 ? 1.001 : 3, s = radius * std::sqrt(0.5);
      curves += "{edge: [" + std::to_string(a) + ", " + std::to_string(b) + "], arc: [" + text(k % 3 == 0 ? s : -s) +
                ", " + text(k < 2 ? s : -s) + "]}, ";
      if (layer < 2)
        blocks += "{corners: [" + std::to_string(a) + ", " + std::to_string(a + 4) + ", " + std::to_string(b + 4) +
                  ", " + std::to_string(b) + "]}, ";
    }
  EXPECT_NO_THROW(load(grid(ring, blocks + "]", "24", curves + "]\n")));
}

TEST_F(HostileBlocks, HaveWrongPatches) {
  expect_all({{"[[0,3]]", "grid.patches: expected a map"},
              {"{left: []}", "grid.patches.left: expected a list of at least 1 item"},
              {"{left: [0,3]}", "grid.patches.left[0]: expected a list of 2 to 4 items"},
              {"{left: [[0,4]]}", "no block has an edge with the vertices 0, 4"},
              {"{left: [[0,9]]}", "grid.patches.left: the vertex 9 does not exist"},
              {"{left: [[0,3,1]]}", "no block has an edge with the vertices 0, 3, 1"},
              {"{left: [[0,0]]}", "no block has an edge with the vertices 0, 0"},
              {"{left: wall}", "grid.patches.left: expected a list"},
              {"{default: [[0,3]]}", "grid.patches.default: is the name of"},
              {"{unnamed: [[0,3]]}", "grid.patches.unnamed: is the name of"},
              {"{left: [[0,3]], left: [[2,5]]}", "grid.patches.left: is given twice"},
              {"{left: [[-1,3]]}", "grid.patches.left[0][0]: must be >= 0"},
              {"{left: [[0,3],[3,0]]}", "grid.patches.left: the edge 0-3 is listed twice"},
              {"{left: [[0,3]], west: [[3,0]]}", "grid.patches.west: the edge 0-3 is in the patch left already"},
              {"left", "grid.patches: expected a map"}},
             [](const std::string& patches) { return grid(places, both, "4", "  patches: " + patches + "\n"); });
  expect_all({{"[[left]]", "grid.periodic[0]: expected a list of 2 items"},
              {"left", "grid.periodic: expected a list"},
              {"[[left, left]]", "grid.periodic: the patch left is in two pairs"},
              {"[[left, top]]", "has no partner in left at the distance (0.5, 0.5)"},
              {"[[left, right], [right, top]]", "grid.periodic: the patch right is in two pairs"},
              {"[[left, middle]]", "the edge 1-4 of the periodic patch middle lies between grid.blocks[0] and grid.bl"},
              {"[[left, nowhere]]", "no patch has the name nowhere"}},
             [](const std::string& pairs) {
               return grid(places, both, "4",
                           "  patches: {left: [[0,3]], right: [[2,5]], top: [[3,4]], middle: [[1,4]]}\n  periodic: " +
                               pairs + "\n");
             });
}

TEST_F(HostileBlocks, HaveWrongCurves) {
  expect_all({{"3", "grid.curves: expected a list"},
              {"[3]", "grid.curves[0]: expected {edge"},
              {"[{}]", "grid.curves[0]: needs either edge"},
              {"[{edge: [0,1]}]", "grid.curves[0]: needs either arc or spline"},
              {"[{edge: [0,1], arc: [0.5,0]}]", "the three places of an arc lie on a line"},
              {"[{edge: [0,1], arc: [0.5]}]", "grid.curves[0].arc: expected a list of 2 or 3 items"},
              {"[{edge: [0,1], arc: [0.5,0.1,0.2]}]", "grid.curves[0].arc: has 3 coordinates"},
              {"[{edge: [0,1], spline: []}]", "grid.curves[0].spline: expected a list of at least 1 item"},
              {"[{edge: [0,1], spline: [[0,0]]}]", "two places of a spline coincide"},
              {"[{edge: [0,1], arc: [0.5,0.1], spline: [[0.5,0.1]]}]", "needs either arc or spline"},
              {"[{edge: [0,4], arc: [0.5,0.1]}]", "no block has an edge from 0 to 4"},
              {"[{edge: [0,99], arc: [0.5,0.1]}]", "the vertex 99 does not exist"},
              {"[{edge: [0], arc: [0.5,0.1]}]", "grid.curves[0].edge: expected a list of 2 items"},
              {"[{edge: [0,1], arc: [0.5,0.9]}]", "grid.blocks[0]: 6 of 16 cells are inverted or flat"},
              {"[{edge: [0,1], arc: [0.5,.nan]}]", "grid.curves[0].arc[1]: expected a number"},
              {"[{edge: [0,1], arc: [0.5,0.1]},{edge: [1,0], arc: [0.5,0.2]}]", "the edge 0-1 has two curves"},
              {"[{edge: [0,1], spline: [[0.9,0],[0.1,0]]}]", "grid.blocks[0]: 4 of 16 cells are inverted or flat"},
              {"[{edge: [1,4], spline: [[5,0.5]]}]", "grid.blocks[1]: 16 of 16 cells are inverted or flat"},
              {"[{edge: [0,1], spline: [[1,0]]}]", "two places of a spline coincide"},
              {"[{edge: [0,1], spline: [[1e300,0.1]]}]", "grid.curves[0]: two places of a spline are too far apart"},
              {"[{edge: [1,1], arc: [0.5,0.1]}]", "no block has an edge from 1 to 1"},
              {"[{edge: [0,1], bezier: [[0.5,0.1]]}]", "grid.curves[0].bezier: unknown key"},
              {"[{faces: wall, onto: {sphere: {centre: [0,0,0], radius: 1}}}]", "faces exist in space only"}},
             [](const std::string& curves) { return grid(places, both, "4", "  curves: " + curves + "\n"); });
  const std::string middle = "{sphere: {centre: [0.5,0.5,0.5], radius: ";
  expect_all(
      {{"[{faces: wall}]", "needs onto: {cylinder"},
       {"[{faces: nowhere, onto: " + middle + "1}}}]", "no patch has the name nowhere"},
       {"[{faces: wall, onto: {}}]", "needs onto: {cylinder"},
       {"[{faces: wall, onto: {cone: {}}}]", "grid.curves[0].onto.cone: unknown key"},
       {"[{faces: wall, onto: " + middle + "0}}}]", "radius: must be > 0"},
       {"[{faces: wall, onto: " + middle + "1e-3}}}]", "cells are inverted or flat"},
       {"[{faces: wall, onto: " + middle + "1}}},{faces: wall, onto: " + middle + "2}}}]",
        "has two surfaces; keep one"},
       {"[{faces: steel, onto: " + middle + "1}}}]", "grid.curves[0].faces: steel is a material"},
       {"[{faces: wall, onto: {cylinder: {centre: [0,0,0], axis: [0,0,0], radius: 1}}}]", "axis: has no direction"}},
      [](const std::string& curves) {
        return grid(cube, "[{corners: [0,1,2,3,4,5,6,7], material: steel}]", "4",
                    "  patches: {wall: [[0,1,2,3]]}\n  curves: " + curves + "\nmaterials: {steel: {coefficient: 2}}\n");
      });
}

// A bar of three hexahedra that closes after half a turn, or a quarter of one.
TEST_F(HostileBlocks, CloseAfterATurn) {
  std::string vertices = "[";
  for (int k = 0; k < 3; ++k)
    for (const int c : {0, 1, 3, 2}) {
      const double t = 2 * std::acos(-1) * k / 3, s = c & 1 ? 0.5 : -0.5, w = c & 2 ? 0.5 : -0.5,
                   r = 3 + s * std::cos(t / 2) - w * std::sin(t / 2);
      vertices += "[" + std::to_string(r * std::cos(t)) + "," + std::to_string(r * std::sin(t)) + "," +
                  std::to_string(s * std::sin(t / 2) + w * std::cos(t / 2)) + "],";
    }
  const auto bar = [&](const std::string& last, const std::string& more) {
    return grid(vertices + "]", "[{corners: [0,1,2,3,4,5,6,7]" + more +
                                    "}, {corners: [4,5,6,7,8,9,10,11]}, {corners: [8,9,10,11," + last + "]}]");
  };
  EXPECT_NO_THROW(load(bar("2,3,0,1", "")));
  expect_all({{"2,3,0,1", "a strip of blocks turns this axis around, so both ends are alike; use at: both"}},
             [&](const std::string& last) { return bar(last, ", grading: {x: 10}"); });
  expect_all({{"1,2,3,0", "the edge 0-3 has 6 cells here, but 4 through grid.blocks[0]"}},
             [&](const std::string& last) { return bar(last, ", cells: [4,6,4]"); });
}

TEST_F(HostileBlocks, AreInDamagedFiles) {
  const std::string points = "1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n7 1 0.5 0\n8 2 0.5 0\n";
  const auto save = [&](const std::string& nodes, int count, const std::vector<std::string>& elements) {
    std::ofstream file(folder / "m.msh");
    file << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 1 \"wall\"\n$EndPhysicalNames\n$Nodes\n"
         << count << "\n"
         << nodes << "$EndNodes\n$Elements\n"
         << elements.size() << "\n";
    for (std::size_t e = 0; e < elements.size(); ++e) file << e + 1 << " " << elements[e] << "\n";
    file << "$EndElements\n";
  };
  const auto refuse = [&](const std::string& message) {
    const std::string found = errors("grid: {type: blocks, file: m.msh, cells: 4}\n");
    EXPECT_NE(found.find(message), std::string::npos) << found << "\nlacks " << message;
    EXPECT_NE(found.find("bad.yaml:1:28: grid.file: "), std::string::npos) << found;
  };
  const std::string left = "3 2 0 1 1 2 5 4", right = "3 2 0 1 2 3 6 5";
  const auto refuse_elements = [&](const std::vector<std::string>& elements, const std::string& message) {
    save(points, 8, elements);
    refuse(message);
  };
  refuse_elements({"2 2 0 1 1 2 5", right}, "m.msh has 1 triangles, but blocks are quadrilaterals");
  refuse_elements({"3 2 0 1 1 2 5 5", right}, "m.msh has 1 triangles, but blocks are quadrilaterals");
  refuse_elements({"3 2 0 1 1 2 4 5"}, "element 1 of m.msh: 12 of 16 cells are inverted or flat, the first at (");
  refuse_elements({"3 2 0 1 1 2 55 4"}, "element 1 uses node 55, which the file does not have");
  refuse_elements({left, "3 2 0 1 2 3 8 7", "3 2 0 1 7 8 6 5"}, "the vertex at (1, 0.5) lies inside a side of a block");
  refuse_elements({left, "1 2 1 1 1 5"}, "a side of the group wall at (0.5, 0.5) is no side of a block");
  refuse_elements({"1 2 1 1 1 2"}, "has no triangles, quadrilaterals or elements in space");
  refuse_elements({}, "has no triangles, quadrilaterals or elements in space");
  refuse_elements({"36 2 0 1 1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8"}, "elements of Gmsh's type 36 are not read");
  save("1 0 0 0\n2 1 0 0\n3 1 1 nan\n4 0 1 0\n", 4, {"3 2 0 1 1 2 3 4"});
  refuse("a coordinate of node 3 is not finite");
  save("1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 1 0 0\n6 2 0 0\n7 2 1 0\n8 1 1 0\n", 8,
       {"3 2 0 1 1 2 3 4", "3 2 0 1 5 6 7 8"});
  refuse("two vertices lie at (1, 0), so that element 1 of m.msh, element 2 of m.msh do not touch there");
  std::ofstream(folder / "m.msh") << "";
  refuse("m.msh is empty");
  save(points, 8, {left, right, "1 2 1 1 1 2"});
  std::ifstream saved(folder / "m.msh");
  std::string text{std::istreambuf_iterator<char>(saved), {}};
  text.replace(text.find("wall"), 4, "unnamed");
  std::ofstream(folder / "m.msh") << text;
  refuse("m.msh: a group has the name unnamed, which means all sides in no group; rename it");
  // Elements that repeat others are left out, and the run warns.
  save(points, 8, {left, right, left});
  const Config config = load("grid: {type: blocks, file: m.msh, cells: 4}\n");
  ASSERT_FALSE(config.mesh->warnings.empty());
  EXPECT_NE(config.mesh->warnings[0].find("have the corners of another one"), std::string::npos)
      << config.mesh->warnings[0];
}

TEST_F(HostileBlocks, ConflictWithOtherWords) {
  std::ofstream(folder / "m.msh") << "";
  expect_all({{"scale: 0.1", "grid.scale: multiplies the coordinates of a file; here write it into them"},
              {"edges: [{arc: [0, 1]}]", "grid.edges: unknown key; curved edges of blocks are 'curves'"}},
             [](const std::string& words) { return grid(places, both, "4", "  " + words + "\n"); });
  const std::string found = errors("grid: {type: blocks, file: m.msh, cells: 4, vertices: " + places + "}\n");
  EXPECT_NE(found.find("grid.vertices: conflicts with file, which has the vertices"), std::string::npos) << found;
  expect_all({{"output: {probes: [[0.5,0.5,0.5]]}", "output.probes[0]: has 3 coordinates in 2 dimensions"},
              {"boundary: {wal: {dirichlet: 1}}", "boundary.wal: the mesh has no group of this name"},
              {"boundary: {unnamed: periodic}", "boundary.unnamed: expected {dirichlet} | {neumann} | {robin"},
              {"equation: {coefficient: -1}", "equation.coefficient: must be > 0, found -1"},
              {"equation: {coefficient: {x: 1, xz: 2}}", "equation.coefficient.xz: does not exist in two dimensions"},
              {"discretization: {scheme: elements}", "discretization: unknown key; it exists on boxes alone"},
              {"domain: {upper: [1, 1]}", "domain: unknown key; it exists on boxes alone"},
              {"solver: {smoother: {type: plane}}", "plane needs a box, but blocks have no planes in common"},
              {"solver: {amg: hypre}", "solver.amg: hypre solves meshes and matrices"}},
             [](const std::string& words) { return grid(places, both, "4", words + "\n"); });
  const Config config = load(grid("[[0,0],[1,0],[2,0],[0,1],[1,1],[2,1],[9,9]]", both));
  ASSERT_FALSE(config.mesh->warnings.empty());
  EXPECT_NE(config.mesh->warnings[0].find("no block has the vertex 6"), std::string::npos);
  const Config idle = load(grid(places, both) + "boundary: {default: {dirichlet: 1}}\n" +
                           "solver: {full_multigrid: true, fallback: always}\n");
  ASSERT_EQ(idle.mesh->warnings.size(), 2U);
  EXPECT_NE(idle.mesh->warnings[0].find("solver.full_multigrid has no effect on blocks; remove it"), std::string::npos);
  EXPECT_NE(idle.mesh->warnings[1].find("solver.fallback has no effect on blocks; remove it"), std::string::npos);
}

}  // namespace
}  // namespace poisson::hostile_blocks_tests
