// Blocks in configurations: what they accept, and the messages for what they refuse.

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

#include "grids/meshes/mesh_data.hpp"
#include "io/meshes/mesh_input.hpp"
#include "tests/config_file.hpp"

namespace poisson::config_blocks_tests {
namespace {

class BlocksInConfigurations : public ConfigFile {
 protected:
  // Returns a configuration of two blocks side by side.
  static std::string two(const std::string& more = "", const std::string& blocks = both) {
    return "grid:\n  type: blocks\n  cells: 4\n  vertices: [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]]\n  "
           "blocks:\n" +
           blocks + more;
  }
  static inline const std::string both = "    - {corners: [0, 1, 4, 3]}\n    - {corners: [1, 2, 5, 4]}\n";

  void expect(const std::string& text, const std::string& message) const {
    const std::string found = errors(text);
    EXPECT_NE(found.find(message), std::string::npos) << found << "\nlacks " << message;
  }
};

TEST_F(BlocksInConfigurations, ListSidesInNoPatch) {
  const Config config = load(two("  patches: {left: [[0, 3]]}\nboundary: {left: {dirichlet: 1}}\n"));
  ASSERT_TRUE(config.mesh && config.mesh->blocks);
  EXPECT_EQ(config.mesh->blocks->numbers->count(), 45);
  bool warned = false;
  for (const std::string& warning : config.mesh->warnings)
    warned = warned || warning.find("unnamed") != std::string::npos;
  EXPECT_TRUE(warned);
}

TEST_F(BlocksInConfigurations, LeaveTheChoiceOfTheDevice) {
  EXPECT_EQ(load(two()).device, "auto");
  EXPECT_EQ(load(two("backend: {device: cpu}\n")).device, "cpu");
  EXPECT_EQ(load(two("backend: {device: cuda}\n")).device, "cuda");
}

TEST_F(BlocksInConfigurations, SpreadCellsAndGradings) {
  const Config config = load(two("",
                                 "    - {corners: [0, 1, 4, 3], cells: [3, 8], grading: {y: {expansion: 100}}}\n"
                                 "    - {corners: [1, 2, 5, 4]}\n"));
  const BlockMesh& mesh = *config.mesh->blocks;
  EXPECT_EQ(mesh.numbers->cells_of(1), (std::array{4, 8, 0}));
  const auto y = [&](int j) {
    return mesh.mesh->points[static_cast<std::size_t>(mesh.numbers->number(1, {4, j, 0}))][1];
  };
  EXPECT_NEAR((y(8) - y(7)) / (y(1) - y(0)), 100, 1e-6);
}

TEST_F(BlocksInConfigurations, RefuseWhatDoesNotFit) {
  expect(two("", "    - {corners: [0, 1, 4, 3], cells: [4, 8]}\n    - {corners: [1, 2, 5, 4], cells: [4, 6]}\n"),
         "bad.yaml:7:42: grid.blocks[1].cells: the edge 1-4 has 6 cells here, but 8 through grid.blocks[0] or its "
         "opposite edges; give both blocks the same number along this axis");
  expect(two("", "    - {corners: [0, 1, 3, 4]}\n    - {corners: [1, 2, 5, 4]}\n"),
         " of 16 cells are inverted or flat, the first at (");
  expect(two("", "    - {corners: [0, 1, 4, 3]}\n    - {corners: [1, 2, 4, 5]}\n"),
         "bad.yaml:7:7: grid.blocks: grid.blocks[1]: ");
  expect(two("", "    - {corners: [0, 1, 9, 3]}\n"),
         "bad.yaml:6:24: grid.blocks[0].corners: the vertex 9 does not exist; there are 6, with numbers from 0 to 5");
  expect(two("  patches: {left: [[0, 4]]}\n"),
         "grid.patches.left: no block has an edge with the vertices 0, 4; give two vertices that are neighbours");
  expect(two("  periodic: [[left, right]]\n"), "grid.periodic: no patch has the name left; add it to grid.patches");
  expect(two("  patches: {left: [[0, 3]], top: [[3, 4]]}\n  periodic: [[left, top]]\n"),
         "the edge 3-4 of the periodic patch top has no partner in left at the distance (");
  expect(two("  curves: [{edge: [0, 1], arc: [0.5, 0]}]\n"),
         "grid.curves[0]: the three places of an arc lie on a line; move them");
  expect(two("  curves: [{edge: [0, 4], arc: [0.5, 0.2]}]\n"), "grid.curves[0].edge: no block has an edge from 0 to 4");
  expect(two("", "    - {corners: [0, 1, 4, 3], grading: {x: {first_cell: 0.3}}}\n"),
         "grid.blocks[0].grading.x.first_cell: 0.3 is not below the width of equal cells, 0.25");
  expect(two("", "    - {corners: [0, 1, 4, 3], grading: {x: {first_cell: 0.01, ratio: 2}}}\n"),
         "grid.blocks[0].grading.x.first_cell: conflicts with ratio");
  expect(two("", "    - {corners: [0, 1, 4, 3], grading: {y: 10}}\n    - {corners: [1, 2, 5, 4], grading: {y: 20}}\n"),
         "grid.blocks[1].grading.y: the edge 1-4 has another grading through grid.blocks[0] or its opposite edges");
  expect("grid: {type: blocks, cells: 4}\n", "bad.yaml:1:7: grid: needs blocks; add vertices:");
  expect("grid: {type: blocks, vertices: [[0, 0], [1, 0], [1, 1], [0, 1]], blocks: [{corners: [0, 1, 2, 3]}]}\n",
         "grid.cells: no block gives the number of cells along the edge 0-1; add grid: {cells: 32}");
}

TEST_F(BlocksInConfigurations, RefuseGaps) {
  const std::string vertices = "[[0, 0], [1, 0], [1, 1], [0, 1], [1, 0], [2, 0], [2, 1], [1, 1]]";
  expect("grid: {type: blocks, cells: 4, vertices: " + vertices +
             ", blocks: [{corners: [0, 1, 2, 3]}, {corners: [4, 5, 6, 7]}]}\n",
         "so that grid.blocks[0], grid.blocks[1] do not touch there; use one vertex for both");
  const std::string hanging = "[[0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [2, 0.5], [1, 0.5]]";
  expect("grid: {type: blocks, cells: 4, vertices: " + hanging +
             ", blocks: [{corners: [0, 1, 2, 3]}, {corners: [1, 4, 5, 6]}]}\n",
         "the vertex at (1, 0.5) lies inside a side of a block, so that grid.blocks[0], grid.blocks[1] leave a gap");
}

// Files may have thousands of blocks: the worst are named, the others are counted.
TEST_F(BlocksInConfigurations, WarnOfTheWorst) {
  std::string vertices, blocks;
  for (int i = 0; i < 9; ++i) vertices += "[" + std::to_string(i) + ", 0], ";
  for (int i = 0; i < 9; ++i) vertices += "[" + std::to_string(i == 7 ? 11.2 : i + 4) + ", 1], ";
  for (int i = 0; i < 8; ++i)
    blocks += "{corners: [" + std::to_string(i) + ", " + std::to_string(i + 1) + ", " + std::to_string(i + 10) + ", " +
              std::to_string(i + 9) + "]}, ";
  const Config config = load("grid: {type: blocks, cells: 4, vertices: [" + vertices + "], blocks: [" + blocks +
                             "]}\n" + "boundary: {default: {dirichlet: 0}}\n");
  const std::vector<std::string>& warnings = config.mesh->warnings;
  ASSERT_EQ(warnings.size(), 6U);
  EXPECT_NE(warnings[4].find("grid.blocks[7]: an angle between its axes is 13.5°, and below 30°"), std::string::npos)
      << warnings[4];
  EXPECT_EQ(warnings[5], "3 more blocks have angles below 30°; these are the worst");
}

// A mesh of two quadrilaterals of second order: the lower edges follow a parabola, and groups become patches.
TEST_F(BlocksInConfigurations, ReadMeshesWithCurvedEdges) {
  std::ofstream(folder / "two.msh")
      << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 1 \"floor\"\n2 2 \"plate\"\n$EndPhysicalNames\n"
         "$Nodes\n13\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n7 0.5 0.1 0\n8 1.5 0.1 0\n9 1 0.5 0\n"
         "10 0.5 1 0\n11 1.5 1 0\n12 0 0.5 0\n13 2 0.5 0\n$EndNodes\n$Elements\n4\n1 8 2 1 1 1 2 7\n2 8 2 1 1 2 3 8\n"
         "3 16 2 2 1 1 2 5 4 7 9 10 12\n4 16 2 2 1 2 3 6 5 8 13 11 9\n$EndElements\n";
  const Config config = load(
      "grid: {type: blocks, file: two.msh, cells: 8}\nboundary: {floor: {dirichlet: 1}}\n"
      "materials: {plate: {coefficient: 2}}\n");
  ASSERT_TRUE(config.mesh && config.mesh->blocks);
  const BlockMesh& mesh = *config.mesh->blocks;
  EXPECT_EQ(mesh.numbers->count(), 17 * 9);
  double highest = 0;
  const MeshCells& sides = *mesh.mesh->find(CellShape::line);
  for (std::int64_t e = 0; e < sides.count(); ++e)
    if (mesh.mesh
            ->groups[static_cast<std::size_t>(
                mesh.mesh->labels[static_cast<std::size_t>(sides.label[static_cast<std::size_t>(e)])][0])]
            .name == "floor")
      for (const int p : sides.of(e)) highest = std::max(highest, mesh.mesh->points[static_cast<std::size_t>(p)][1]);
  EXPECT_NEAR(highest, 0.1, 1e-3);
  for (const std::string& warning : config.mesh->warnings)
    EXPECT_EQ(warning.find("second order"), std::string::npos) << warning;
  std::ifstream saved(folder / "two.msh");
  std::string text{std::istreambuf_iterator<char>(saved), {}};
  text.replace(text.find("13\n1 0 0 0"), 2, "14");
  text.replace(text.find("$EndNodes"), 0, "14 1.1 0.5 0\n");
  text.replace(text.find("8 13 11 9"), 9, "8 13 11 14");
  std::ofstream(folder / "two.msh") << text;
  expect(
      "grid: {type: blocks, file: two.msh, cells: 8}\n",
      "two.msh: two elements of second order bend their common edge from (1, 1) to (1, 0) through different middles, "
      "(1, 0.5) and (1.1, 0.5); mesh them together");
}

// Elements whose centres lie in a shape have its material, inside blocks and across interfaces.
TEST_F(BlocksInConfigurations, HaveBodiesOfShapes) {
  const std::string bodies =
      "materials: {wide: {coefficient: 4}, thin: {fixed: 5}}\n"
      "bodies:\n  - {material: wide, where: x > 0.5}\n  - {material: thin, box: {lower: [1.5, 0], upper: [2, 1]}}\n";
  const Config config = load(two("", both) + bodies);
  const Mesh& mesh = *config.mesh->problem.mesh;
  EXPECT_EQ(config.mesh->blocks->mesh, config.mesh->problem.mesh);
  const std::vector<GroupMeasure> measures = measure_groups(mesh);
  double wide = 0, thin = 0;
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
    if (mesh.groups[g].name == "wide") wide += measures[g].measure;
    if (mesh.groups[g].name == "thin") thin += measures[g].measure;
  }
  EXPECT_NEAR(wide, 1, 1e-12);
  EXPECT_NEAR(thin, 0.5, 1e-12);
  ASSERT_EQ(config.mesh->problem.materials.size(), 2U);
  EXPECT_EQ(config.mesh->problem.conditions[0].name, "thin");
  const Config missed =
      load(two("", both) + "materials: {a: {coefficient: 4}}\nbodies: [{material: a, where: x > 9}]\n");
  ASSERT_FALSE(missed.warnings.empty());
  EXPECT_NE(missed.warnings[0].find("bodies[0]: contains the centre of no element"), std::string::npos);
  expect(two("", both) + "bodies: [{material: a, where: x > 1}]\n",
         "bodies[0].material: unknown material \"a\"; add it to materials");
  expect(two("", both) + "materials: {a: {coefficient: 4}}\nbodies: [{material: a}]\n", "bodies[0]");
  expect(two("", both) + "contacts: [{between: [a, b], resistance: 1}]\n",
         "contacts: unknown key; it exists on boxes alone: remove it");
}

// Each side uses the first condition of a list whose expression is not 0 at its centre.
TEST_F(BlocksInConfigurations, DivideSidesByExpressions) {
  const Config config =
      load(two("  patches: {floor: [[0, 1], [1, 2]], left: [[0, 3]]}\nboundary:\n"
               "  floor: [{where: x < 0.6, dirichlet: 1}, {where: x < 1, robin: {alpha: 2, ambient: "
               "3}}, {neumann: 4}]\n  left: {dirichlet: 5}\n"
               "  default: [{where: y > 0.9, dirichlet: 6}, {neumann: 0}]\n"));
  const MeshProblem& problem = config.mesh->problem;
  const MeshData data(problem);
  std::map<std::string, int> sides;
  for (const ConditionedFacet& f : data.facets) ++sides[data.condition(f).name];
  EXPECT_EQ(sides, (std::map<std::string, int>{{"floor[0]", 2},  // centres at 0.125, 0.375, 0.625 …
                                               {"floor[1]", 2},
                                               {"floor[2]", 4},
                                               {"left", 4},
                                               {"default[0]", 8},  // both tops
                                               {"default[1]", 4}}));
  for (std::size_t p = 0; p < data.holder.size(); ++p) {
    const auto& x = data.mesh().points[p];
    if (x[1] == 0 && x[0] > 0 && x[0] < 0.9) EXPECT_EQ(data.holder[p] >= 0, x[0] < 0.6) << x[0];
  }
  const auto of = [&](const std::string& lists) {
    return two("  patches: {left: [[0, 3]]}\nboundary: {" + lists + "}\n");
  };
  expect(of("left: [{where: y < 0.5, dirichlet: 1}, {where: y > 0.5, neumann: 0}]"),
         "bad.yaml:9:51: boundary.left[1]: is the last condition and has a where (the rest has no condition); "
         "add a condition without where");
  expect(of("left: [{dirichlet: 1}, {neumann: 0}]"),
         "boundary.left[0]: hides the following conditions (it applies everywhere); add where: an expression");
  expect(of("left: [{where: y < 0.5, dirichlet: 1}]"), "boundary.left");
  expect(of("lefd: [{where: y < 0.5, dirichlet: 1}, {neumann: 0}]"), "the mesh has no group of this name");
  expect(of("default: [{where: y < w, dirichlet: 1}, {neumann: 0}]"), "boundary.default[0].where");
  const Config bad = load(of("left: [{where: 1/(y - 0.125), dirichlet: 1}, {neumann: 0}]"));
  try {
    const MeshData wrong(bad.mesh->problem);
    FAIL() << "a where that is infinite at the centre of a side";
  } catch (const ValueErrors& errors) {
    EXPECT_EQ(errors.errors.front().quantity, "boundary.left[0].where");
    EXPECT_EQ(without_folder(bad.describe("boundary.left[0].where")), "bad.yaml:9:27: boundary.left[0].where");
  }
}

}  // namespace
}  // namespace poisson::config_blocks_tests
