// Every wrong material or body must give an error that names its place and the remedy.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grids/problem/bodies.hpp"
#include "grids/problem/media.hpp"
#include "tests/config_file.hpp"

namespace poisson::media_config_tests {
namespace {

constexpr const char* head = "domain: {lower: [0, 0, 0], upper: [1, 1, 1]}\ngrid: {cells: [8, 8, 8]}\n";
constexpr const char* flat_head = "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [8, 8]}\n";
constexpr const char* some = "materials: {a: {coefficient: 2}, b: {fixed: 1}, c: insulator}\n";

/// Contains lines of a configuration, and a part of its error.
struct Bad {
  std::string text, error;
};

std::string body(const std::string& keys) {
  return std::string(some) + "bodies: [{material: a, " + keys + "}]\n";
}

class MediaConfig : public ConfigFile {
 protected:
  void expect_errors(const std::vector<Bad>& all, const char* first = head) const {
    for (const Bad& bad : all) {
      try {
        load(first + bad.text);
        ADD_FAILURE() << "accepted: " << bad.text;
      } catch (const ConfigError& error) {
        ASSERT_FALSE(error.errors.empty());
        const std::string found = error.what();
        EXPECT_NE(found.find(bad.error), std::string::npos) << bad.text << found;
        EXPECT_NE(found.find("bad.yaml:"), std::string::npos) << "names no place: " << found;
      }
    }
  }
};

TEST_F(MediaConfig, RefusesWrongMaterials) {
  const auto material = [](const std::string& value) {
    return "materials: {m: " + value + "}\nbodies: [{material: m, sphere: {center: [0, 0, 0], radius: 1}}]\n";
  };
  expect_errors({{"materials: 3\n", "materials: expected a map"},
                 {"materials: [copper]\n", "materials: expected a map"},
                 {material("5"), "materials.m: expected"},
                 {material("~"), "materials.m: expected"},
                 {material("[1, 2]"), "materials.m: expected"},
                 {material("insulater"), "did you mean 'insulator'"},
                 {material("air"), "materials.m"},
                 {material("{}"), "materials.m: expected"},
                 {material("{power: 3}"), "has neither coefficient nor fixed"},
                 {material("{coefficient: 0}"), "materials.m.coefficient: must be > 0"},
                 {material("{coefficient: -1}"), "must be > 0"},
                 {material("{coefficient: .nan}"), "materials.m.coefficient"},
                 {material("{coefficient: .inf}"), "materials.m.coefficient"},
                 {material("{coefficient: \"2 +\"}"), "materials.m.coefficient"},
                 {material("{coefficient: \"k\"}"), "materials.m.coefficient"},
                 {material("{coefficient: true}"), "materials.m.coefficient"},
                 {material("{coefficient: {x: 1}}"), "materials.m.coefficient"},
                 {material("{coefficient: []}"), "materials.m.coefficient"},
                 {material("{coefficient: [1]}"), "materials.m.coefficient"},
                 {material("{coefficient: [1, 2]}"), "has 2 numbers in 3 dimensions"},
                 {material("{coefficient: [1, 2, 3, 4]}"), "materials.m.coefficient"},
                 {material("{coefficient: [1, 0, 3]}"), "must be > 0"},
                 {material("{coefficient: [1, abc, 3]}"), "materials.m.coefficient[1]"},
                 {material("{conductivity: 2}"), "materials.m"},
                 {material("{coefficient: 2, pwoer: 3}"), "did you mean 'power'"},
                 {material("{coefficient: 2, power: x}"), "materials.m.power"},
                 {material("{coefficient: 2, power: [1]}"), "materials.m.power"},
                 {material("{coefficient: 2, power: .inf}"), "materials.m.power"},
                 {material("{coefficient: 2, source: {a: 1}}"), "materials.m.source"},
                 {material("{coefficient: 2, fixed: 1}"), "has both fixed and another property"},
                 {material("{fixed: 1, power: 3}"), "has both fixed and another property"},
                 {material("{fixed: hot}"), "materials.m.fixed"},
                 {material("{fixed: .nan}"), "materials.m.fixed"},
                 {"materials: {m: {coefficient: 1}, m: {coefficient: 2}}\n", "m"}});
}

TEST_F(MediaConfig, RefusesWrongReferences) {
  expect_errors({
      {std::string(some) + "background: d\n", "background: unknown material \"d\""},
      {std::string(some) + "background: 3\n", "unknown material \"3\""},
      {std::string(some) + "background: [a]\n", "background: expected"},
      {std::string(some) + "background: a\nequation: {coefficient: 3}\n", "conflicts with background"},
      {"bodies: [{material: copper, sphere: {center: [0, 0, 0], radius: 1}}]\n", "unknown material \"copper\""},
      {"materials: {copper: {coefficient: 1}}\nbodies: [{material: coper, layer: {axis: z}}]\n",
       "did you mean 'copper'"},
      {std::string(some) + "bodies: {material: a}\n", "bodies: expected"},
      {std::string(some) + "bodies: [a]\n", "bodies[0]: expected"},
      {std::string(some) + "bodies: [{sphere: {center: [0, 0, 0], radius: 1}}]\n", "bodies[0].material: is missing"},
      {std::string(some) + "bodies: [{material: a}]\n", "bodies[0]: has no shape"},
      {std::string(some) + "bodies: [{material: [a], layer: {axis: z}}]\n", "bodies[0].material"},
      {std::string(some) + "bodies: [{materail: a, layer: {axis: z}}]\n", "did you mean 'material'"},
      {std::string(some) + "contacts: [{between: [a, d], resistance: 1}]\nbackground: a\n", "contacts[0].between[1]"},
      {std::string(some) + "contacts: [{between: [a, a], resistance: 1}]\nbackground: a\n", "names a twice"},
      {std::string(some) + "contacts: [{between: [a], resistance: 1}]\nbackground: a\n", "contacts[0].between"},
      {std::string(some) + "contacts: [{between: [a, b], resistance: -1}]\nbackground: a\n", "must be > 0"},
      {std::string(some) + "contacts: [{between: [a, b]}]\nbackground: a\n", "contacts[0].resistance: is missing"},
      {std::string(some) + "sheets: [{on: d, thickness: 1, coefficient: 1}]\nbackground: a\n", "sheets[0].on"},
      {std::string(some) + "sheets: [{on: a, thickness: 0, coefficient: 1}]\nbackground: a\n", "must be > 0"},
      {std::string(some) + "sheets: [{on: a, thickness: 1}]\nbackground: a\n", "sheets[0].coefficient: is missing"},
      {body("layer: {axis: z}") + "surfaces: smooth\n", "surfaces: unknown choice"},
      {body("layer: {axis: z}") + "discretization: {centering: node}\n", "node does not support materials"},
      {body("layer: {axis: z}") + "discretization: {scheme: q1}\n", "q1 has its unknowns at nodes"},
      {body("layer: {axis: z}") + "discretization: {scheme: compact4}\n", "compact4 has its unknowns at nodes"},
  });
}

TEST_F(MediaConfig, RefusesWrongShapes) {
  expect_errors({
      {body("box: 3"), "bodies[0].box: expected"},
      {body("box: {}"), "bodies[0].box: expected"},
      {body("box: {lower: [0, 0, 0]}"), "bodies[0].box.upper: is missing"},
      {body("box: {lower: [0, 0, 0], upper: [1, 1]}"), "has 2 numbers in 3 dimensions"},
      {body("box: {lower: [0, 0, 0], upper: [1, 1, 0]}"), "is not above lower along z"},
      {body("box: {lower: [0, 0, 0], upper: [1, -1, 1]}"), "is not above lower along y"},
      {body("box: {lower: [0, 0, a], upper: [1, 1, 1]}"), "bodies[0].box.lower[2]"},
      {body("box: {lower: [0, 0, 0], upper: [1, 1, .inf]}"), "bodies[0].box.upper[2]"},
      {body("boxx: {lower: [0, 0, 0], upper: [1, 1, 1]}"), "did you mean 'box'"},
      {body("sphere: {center: [0, 0, 0]}"), "bodies[0].sphere.radius: is missing"},
      {body("sphere: {center: [0, 0, 0], radius: 0}"), "must be > 0"},
      {body("sphere: {center: [0, 0, 0], radius: -1}"), "must be > 0"},
      {body("sphere: {center: [0, 0], radius: 1}"), "has 2 numbers in 3 dimensions"},
      {body("sphere: {center: 0, radius: 1}"), "bodies[0].sphere.center: expected"},
      {body("sphere: {radius: 1}"), "bodies[0].sphere.center: is missing"},
      {body("sphere: {center: [0, 0, 0], diameter: 1}"), "bodies[0].sphere"},
      {body("cylinder: {from: [0, 0, 0], to: [0, 0, 0], radius: 1}"), "equals from"},
      {body("cylinder: {from: [0, 0, 0], to: [0, 0, 1]}"), "bodies[0].cylinder.radius: is missing"},
      {body("cylinder: {from: [0, 0, 0], to: [0, 1], radius: 1}"), "has 2 numbers in 3 dimensions"},
      {body("ellipsoid: {center: [0, 0, 0], radii: [1, 1]}"), "has 2 numbers in 3 dimensions"},
      {body("ellipsoid: {center: [0, 0, 0], radii: [1, 0, 1]}"), "must be > 0"},
      {body("ellipsoid: {center: [0, 0, 0], radii: 1}"), "bodies[0].ellipsoid.radii: expected"},
      {body("polygon: {points: []}"), "bodies[0].polygon.points: expected"},
      {body("polygon: {points: [[0, 0], [1, 0]]}"), "bodies[0].polygon.points: expected"},
      {body("polygon: {points: [[0, 0], [1, 0], [2, 0]]}"), "enclose no area"},
      {body("polygon: {points: [[0, 0], [1, 0], [0]]}"), "bodies[0].polygon.points[2]"},
      {body("polygon: {points: [[0, 0], [1, 0], [0, 1]], extrude: [1, 0]}"), "is not increasing"},
      {body("polygon: {points: [[0, 0], [1, 0], [0, 1]], extrude: [1]}"), "bodies[0].polygon.extrude"},
      {body("layer: {from: 0}"), "bodies[0].layer.axis: is missing"},
      {body("layer: {axis: w}"), "unknown choice"},
      {body("layer: {axis: z, from: 1, to: 1}"), "is not above from"},
      {body("layer: {axis: z, from: top}"), "bodies[0].layer.from"},
      {body("where: 0"), "is 0 everywhere"},
      {body("where: \"x <\""), "bodies[0].where"},
      {body("where: \"q > 0\""), "bodies[0].where"},
      {body("where: [x]"), "bodies[0].where: expected"},
      {body("union: []"), "bodies[0].union: expected"},
      {body("union: {sphere: {center: [0, 0, 0], radius: 1}}"), "bodies[0].union: expected"},
      {body("union: [{spere: {center: [0, 0, 0], radius: 1}}]"), "bodies[0].union[0].spere"},
      {body("union: [3]"), "bodies[0].union[0]"},
      {body("difference: [{sphere: {center: [0, 0, 0], radius: 1}}]"), "has one shape"},
      {body("intersection: [{layer: {axis: z}}, {}]"), "bodies[0].intersection[1]: has no shape"},
      {body("difference: [{layer: {axis: z}}, {sphere: {center: [0, 0, 0], radius: -1}}]"),
       "bodies[0].difference[1].sphere.radius: must be > 0"},
      {body("union: [{union: [{union: [{box: {lower: [1, 1, 1], upper: [0, 2, 2]}}]}]}]"),
       "bodies[0].union[0].union[0].union[0].box.upper"},
      {body("sphere: {center: [0, 0, 0], radius: 1}, layer: {axis: z}"), "has two shapes"},
      {body("layer: {axis: z}, scale: 0"), "must be > 0"},
      {body("layer: {axis: z}, scale: [1, 1]"), "has 2 numbers in 3 dimensions"},
      {body("layer: {axis: z}, scale: big"), "bodies[0].scale"},
      {body("layer: {axis: z}, rotate: 30"), "bodies[0].rotate: expected"},
      {body("layer: {axis: z}, rotate: {axis: [0, 0, 1]}"), "bodies[0].rotate.angle: is missing"},
      {body("layer: {axis: z}, rotate: {angle: 30, axis: [0, 0, 0]}"), "has no direction"},
      {body("layer: {axis: z}, rotate: {angle: 30, axis: z}"), "bodies[0].rotate.axis: expected"},
      {body("layer: {axis: z}, move: 1"), "bodies[0].move: expected"},
      {body("layer: {axis: z}, move: [1, 1]"), "has 2 numbers in 3 dimensions"},
      {body("layer: {axis: z}, repeat: 3"), "bodies[0].repeat: expected"},
      {body("layer: {axis: z}, repeat: {count: [2, 2, 2]}"), "bodies[0].repeat.step: is missing"},
      {body("layer: {axis: z}, repeat: {count: [2, 2, 0], step: [1, 1, 1]}"), "bodies[0].repeat.count[2]"},
      {body("layer: {axis: z}, repeat: {count: [2, 2, 1.5], step: [1, 1, 1]}"), "bodies[0].repeat.count[2]"},
      {body("layer: {axis: z}, repeat: {count: [1000, 1000, 1000], step: [1, 1, 1]}"), "more than 10 million"},
      {body("layer: {axis: z}, name: [a]"), "bodies[0].name"},
  });
}

TEST_F(MediaConfig, RefusesSpaceInThePlane) {
  expect_errors({{body("box: {lower: [0, 0, 0], upper: [1, 1, 1]}"), "has 3 numbers in 2 dimensions"},
                 {body("sphere: {center: [0, 0, 0], radius: 1}"), "has 3 numbers in 2 dimensions"},
                 {body("layer: {axis: z, to: 1}"), "does not exist in two dimensions"},
                 {body("polygon: {points: [[0, 0], [1, 0], [0, 1]], extrude: [0, 1]}"), "does not exist in two"},
                 {body("layer: {axis: x}, rotate: {angle: 3, axis: [0, 1]}"), "does not exist in two dimensions"},
                 {"materials: {m: {coefficient: [1, 2, 3]}}\nbackground: m\n", "has 3 numbers in 2 dimensions"}},
                flat_head);
}

TEST_F(MediaConfig, ReadsEveryWord) {
  const Config config = load(
      std::string(head) + "parameters: {k: 3}\nequation: {source: 1}\n" +
      "materials: {a: {coefficient: k, power: 4*k}, b: {fixed: 1}, c: insulator, d: {coefficient: [1, 2, x + 1]}, "
      "unused: {coefficient: 1}}\n" +
      "background: d\nsurfaces: staircase\ncontacts: [{between: [a, d], resistance: 1e-5}]\nbodies:\n" +
      "  - {material: a, name: die, box: {lower: [0, 0, 0], upper: [0.5, 0.5, 0.5]}}\n" +
      "  - {material: a, cylinder: {from: [0.5, 0.5, 0], to: [0.5, 0.5, 1], radius: 0.1}, rotate: {angle: 30}}\n" +
      "  - {material: a, union: [{sphere: {center: [0.9, 0.9, 0.9], radius: 0.1}}, {where: z > 0.95}]}\n" +
      "  - {material: b, difference: [{ellipsoid: {center: [0.2, 0.8, 0.5], radii: [0.1, 0.1, 0.2]}}, {layer: "
      "{axis: z, from: 0.6}}], move: [0.01, 0, 0]}\n" +
      "  - {material: c, polygon: {points: [[0, 0], [0.1, 0], [0, 0.1]], extrude: [0.6, 0.7]}, repeat: {count: [2, "
      "1, 1], step: [0.3, 0, 0]}}\n");
  ASSERT_TRUE(config.problem.media);
  const Media& media = *config.problem.media;
  EXPECT_EQ(config.problem.centering, Centering::cell);
  EXPECT_EQ(media.regions.size(), 6u);
  EXPECT_EQ(media.regions[1].name, "die");
  EXPECT_EQ(media.regions[3].name, "a 2");
  EXPECT_EQ(media.surfaces, Surfaces::staircase);
  EXPECT_EQ(*media.material_of(1).power, 12);
  EXPECT_FALSE(media.isotropic());
  ASSERT_EQ(config.warnings.size(), 1u);
  EXPECT_NE(config.warnings[0].find("materials.unused"), std::string::npos);
  std::vector<RegionNumber> line(8);
  media.map->fill(config.problem.nodes, {{0, 1, 1}, {8, 2, 2}}, line);
  EXPECT_EQ(line[0], 1);
  EXPECT_EQ(line[7], 0);
}

/// Materials that only contacts name are unused, a misspelt one gets the nearest name, and no region has two names.
TEST_F(MediaConfig, NamesUnusedMaterials) {
  const Config config = load(
      std::string(head) + "materials: {copper: {coefficient: 390}, coper: {coefficient: 3}, die: {coefficient: 1}}\n" +
      "background: copper\ncontacts: [{between: [copper, die], resistance: 1e-5}]\n" +
      "bodies: [{material: copper, sphere: {center: [0.5, 0.5, 0.5], radius: 0.2}}]\n");
  ASSERT_EQ(config.warnings.size(), 2u);
  EXPECT_NE(config.warnings[0].find("'copper'"), std::string::npos) << config.warnings[0];
  EXPECT_NE(config.warnings[1].find("materials.die"), std::string::npos) << config.warnings[1];
  EXPECT_EQ(config.problem.media->regions[1].name, "copper 2");
}

}  // namespace
}  // namespace poisson::media_config_tests
