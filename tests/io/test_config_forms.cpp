// Axes and faces have alternative forms: layers of cells, and the ambient value of a Robin face.

#include "grids/axes/stretching.hpp"
#include "grids/problem/mixed_bc.hpp"
#include "tests/config_file.hpp"

namespace poisson::config_forms_tests {
namespace {

using Configuration = ConfigFile;

TEST_F(Configuration, LayersFillTheDomain) {
  const std::string domain = "domain: {lower: [0, 0, -0.5], upper: [1, 1, 1.2]}\n";
  const std::string axis = "axes: {z: {segments: [[1.6, 4], [1e-1, 2]]}}}\n";
  const Config config = load(domain + "grid: {cells: [4, 4, 6], " + axis);
  EXPECT_FALSE(config.equidistant);
  EXPECT_EQ(config.problem.nodes[0], uniform_nodes(0, 1, 4));
  const std::vector<double>& z = config.problem.nodes[2];
  ASSERT_EQ(z.size(), 7u);
  EXPECT_EQ(z.front(), -0.5);
  EXPECT_EQ(z[4], 1.1);
  EXPECT_EQ(z.back(), 1.2);
  EXPECT_DOUBLE_EQ(z[1], -0.1);
  EXPECT_DOUBLE_EQ(z[5], 1.15);
  // The numbers of cells are optional and appear in the effective configuration.
  for (const char* cells : {"[4, 4, null]", "[4, 4]"}) {
    const Config same = load(domain + "grid: {cells: " + cells + ", " + axis);
    EXPECT_EQ(same.problem.nodes, config.problem.nodes);
    EXPECT_EQ(same.effective, config.effective);
  }
  EXPECT_EQ(load_config(write(config.effective, "bad.yaml")).effective, config.effective);
  const std::string middle = "grid: {cells: [4, null, 3], axes: {y: {segments: [[1/3, 2], [2/3, 3]]}}}\n";
  EXPECT_EQ(load(domain + middle).problem.nodes[1].size(), 6u);
  EXPECT_EQ(load(domain + middle).problem.nodes[2], uniform_nodes(-0.5, 1.2, 3));
  // A sum that is off by rounding is accepted, and its end becomes the domain's.
  const Config rounded = load(
      "domain: {lower: [0, 0], upper: [1, 0.3000000001]}\ngrid: {cells: [4, 6], axes: {y: {segments: [[0.1, 3], "
      "[0.2, 3]]}}}\n");
  EXPECT_EQ(rounded.problem.nodes[1].back(), 0.3000000001);
  EXPECT_EQ(rounded.problem.nodes[1][3], 0.1);
  // Without a domain the layers begin at 0. Numbers may be parameters.
  const Config alone = load(
      "parameters: {die: 5e-4, n: 2}\n"
      "grid: {axes: {x: {nodes: [0, 1, 2]}, y: {segments: [[1.7e-3, n], [die, 2*n]]}}}\n");
  const std::string three = "axes: {x: {segments: [[1, 4]]}, y: {segments: [[1, 4]]}, z: {segments: [[1, 4]]}}}\n";
  EXPECT_EQ(load("grid: {cells: [4, 4], " + three).problem.dimension, 3);
  EXPECT_EQ(alone.problem.dimension, 2);
  EXPECT_EQ(alone.problem.nodes[1][2], 1.7e-3);
  EXPECT_EQ(alone.problem.nodes[1].back(), 2.2e-3);
  EXPECT_EQ(load_config(write(alone.effective, "bad.yaml")).problem.nodes, alone.problem.nodes);
}

TEST_F(Configuration, AnAmbientValueStandsForTheRightHandSideOfARobinFace) {
  const auto both = [&](const std::string& ambient, const std::string& value) {
    std::vector<Boundary> faces;
    for (const std::string& data : {ambient, value})
      faces.push_back(
          load("parameters: {h: 4, air: -2.5}\n" + cube + "boundary: {x+: " + data + "}\n").problem.boundary[0][1]);
    EXPECT_EQ(faces[0].kind, faces[1].kind);
    EXPECT_EQ(faces[0].mixed_bc, faces[1].mixed_bc);
    EXPECT_EQ(faces[0].value.constant() != nullptr, faces[1].value.constant() != nullptr);
    for (const double y : {0.125, 0.625, 0.875}) {
      EXPECT_EQ(at(faces[0].alpha, 1, y, 0.375), at(faces[1].alpha, 1, y, 0.375)) << ambient;
      EXPECT_EQ(at(faces[0].value, 1, y, 0.375), at(faces[1].value, 1, y, 0.375)) << ambient;
    }
  };
  both("{robin: {alpha: 4, ambient: -2.5}}", "{robin: {alpha: 4, value: -10}}");
  both("{robin: {alpha: h, ambient: air}}", "{robin: {alpha: h, value: h*air}}");
  both("{robin: {alpha: 1 + y, ambient: 20}}", "{robin: {alpha: 1 + y, value: (1 + y)*20}}");
  both("{robin: {alpha: h, ambient: 20 - z}}", "{robin: {alpha: h, value: h*(20 - z)}}");
  both("{robin: {alpha: 'y < 0.5 ? 1 : h', ambient: 'z > 0.5 ? 1 : y + air'}}",
       "{robin: {alpha: 'y < 0.5 ? 1 : h', value: '(y < 0.5 ? 1 : h)*(z > 0.5 ? 1 : y + air)'}}");
  both(
      "[{where: y < 0.5, robin: {alpha: 2 + y, ambient: z}}, {where: y < 0.7, dirichlet: 3}, {robin: {alpha: 1, "
      "ambient: 7}}]",
      "[{where: y < 0.5, robin: {alpha: 2 + y, value: (2 + y)*z}}, {where: y < 0.7, dirichlet: 3}, {robin: {alpha: 1, "
      "value: 7}}]");
  const Config config = load(cube + "boundary: {x+: {robin: {alpha: 1 + y, ambient: z}}}\n");
  EXPECT_TRUE(config.problem.boundary[0][1].value.source());
  EXPECT_EQ(without_folder(config.describe("boundary.x+")), "bad.yaml:3:48: boundary.x+.robin.ambient");
  EXPECT_EQ(load_config(write(config.effective, "bad.yaml")).effective, config.effective);
}

}  // namespace
}  // namespace poisson::config_forms_tests
