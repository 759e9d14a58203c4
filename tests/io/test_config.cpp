// These tests check the result of valid configurations: defaults, YAML 1.2, overrides, grids, datasets, and the texts
// of the table of keys.

#include <array>
#include <iomanip>
#include <numbers>
#include <sstream>

#include <hdf5.h>

#include "grids/axes/stretching.hpp"
#include "grids/problem/mixed_bc.hpp"
#include "io/config/schema.hpp"
#include "io/files/formats.hpp"
#include "solver/smoothers/smoother.hpp"
#include "tests/config_file.hpp"

namespace poisson::config_tests {
namespace {

using Configuration = ConfigFile;

TEST_F(Configuration, DefaultsAreThoseOfTheTable) {
  const Config config = load_config(write(cube, "cavity.yaml"));
  EXPECT_EQ(config.title, "");
  EXPECT_EQ(config.problem.dimension, 3);
  EXPECT_EQ(config.problem.nodes[2], (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_TRUE(config.equidistant);
  EXPECT_TRUE(config.problem.isotropic);
  for (const auto& faces : config.problem.boundary) {
    for (const Boundary& face : faces) {
      EXPECT_EQ(face.kind, BoundaryKind::dirichlet);
      EXPECT_EQ(*face.value.constant(), 0);
    }
  }
  EXPECT_EQ(*config.problem.coefficient[2].constant(), 1);
  EXPECT_EQ(*config.problem.reaction.constant(), 0);
  EXPECT_FALSE(config.problem.exact);
  EXPECT_FALSE(config.problem.initial);
  EXPECT_EQ(config.options.method, Method::automatic);
  EXPECT_EQ(config.options.tolerance, 1e-8);
  EXPECT_EQ(config.options.max_iterations, 100);
  EXPECT_TRUE(config.options.full_multigrid);
  EXPECT_EQ(config.options.fallback, Fallback::automatic);
  EXPECT_FALSE(config.options.smoother.kind);
  EXPECT_FALSE(config.options.smoother.pre);
  EXPECT_EQ(config.options.precision, SolvePrecision::mixed);
  EXPECT_EQ(config.assembly, Assembly::automatic);
  EXPECT_EQ(config.device, "auto");
  EXPECT_EQ(config.output.directory, "results/cavity");
  EXPECT_EQ(config.output.fields, std::vector<std::string>{"u"});
  EXPECT_EQ(config.output.formats, available_formats());
  EXPECT_TRUE(config.output.probes.empty());
}

TEST_F(Configuration, EveryKeyArrives) {
  const Config config = load(cube + R"(
title: 42
equation: {coefficient: {x: 1, y: 2*pi, z: 1 + x}, reaction: 3, source: x*y*z, exact: x + y}
boundary:
  default: {neumann: y}
  z-: periodic
  z+: periodic
  x+: {robin: {alpha: 1 + y, value: z}}
discretization: {assembly: partial}
solver:
  method: auto
  initial: x
  tolerance: 0
  max_iterations: 7
  cycle: f
  full_multigrid: false
  fallback: false
  smoother: {type: chebyshev, kind: first, interval: 8, pre: 1, post: 3}
  krylov: cg
  precision: single
backend: {device: cpu}
output: {directory: out, fields: [u, error], formats: [], probes: [[0.5, 1/4, 1]]}
)");
  EXPECT_EQ(config.title, "42");
  EXPECT_FALSE(config.problem.isotropic);
  EXPECT_DOUBLE_EQ(*config.problem.coefficient[1].constant(), 2 * std::numbers::pi);
  EXPECT_EQ(at(config.problem.coefficient[2], 2, 0, 0), 3);
  EXPECT_EQ(at(config.problem.source, 2, 3, 4), 24);
  EXPECT_EQ(at(*config.problem.exact, 2, 3, 4), 5);
  EXPECT_EQ(at(*config.problem.initial, 2, 3, 4), 2);
  EXPECT_EQ(config.problem.boundary[0][0].kind, BoundaryKind::neumann);
  EXPECT_EQ(at(config.problem.boundary[1][1].value, 2, 3, 4), 3);
  EXPECT_EQ(config.problem.boundary[0][1].kind, BoundaryKind::robin);
  EXPECT_EQ(at(config.problem.boundary[0][1].alpha, 2, 3, 4), 4);
  EXPECT_EQ(config.problem.boundary[2][0].kind, BoundaryKind::periodic);
  EXPECT_EQ(config.assembly, Assembly::partial);
  EXPECT_EQ(config.options.method, Method::automatic);
  EXPECT_EQ(config.options.tolerance, 0);
  EXPECT_EQ(config.options.max_iterations, 7);
  EXPECT_EQ(config.options.cycle, Cycle::f);
  EXPECT_FALSE(config.options.full_multigrid);
  EXPECT_EQ(config.options.fallback, Fallback::never);
  EXPECT_EQ(config.options.smoother.kind, &smoother_kind("chebyshev", "first"));
  EXPECT_EQ(config.options.smoother.value("interval"), 8);
  EXPECT_EQ(config.options.smoother.pre, 1);
  EXPECT_EQ(config.options.smoother.post, 3);
  EXPECT_EQ(config.options.krylov, Krylov::cg);
  EXPECT_EQ(config.options.precision, SolvePrecision::single);
  EXPECT_EQ(config.device, "cpu");
  EXPECT_EQ(config.output.directory, folder / "out");
  EXPECT_TRUE(config.output.formats.empty());
  EXPECT_EQ(config.output.probes, (std::vector<std::vector<double>>{{0.5, 0.25, 1}}));
  EXPECT_EQ(without_folder(config.describe("source")), "bad.yaml:5:73: equation.source");
  EXPECT_EQ(without_folder(config.describe("coefficient.z")), "bad.yaml:5:44: equation.coefficient.z");
  EXPECT_EQ(without_folder(config.describe("boundary.y+")), "bad.yaml:7:22: boundary.default.neumann");
  EXPECT_EQ(without_folder(config.describe("boundary.x+.alpha")), "bad.yaml:10:23: boundary.x+.robin.alpha");
}

TEST_F(Configuration, NumbersAreThoseOfYaml12) {
  const auto tolerance = [&](const std::string& text) {
    return load(square + "solver: {tolerance: " + text + "}\n").options.tolerance;
  };
  EXPECT_EQ(tolerance("1e-8"), 1e-8);
  EXPECT_EQ(tolerance("1E-8"), 1e-8);
  EXPECT_EQ(tolerance(".5"), 0.5);
  EXPECT_EQ(tolerance("+.5e0"), 0.5);
  EXPECT_EQ(tolerance("0."), 0);
  EXPECT_EQ(tolerance("1e-999"), 0);
  const auto iterations = [&](const std::string& text) {
    return load(square + "solver: {max_iterations: " + text + "}\n").options.max_iterations;
  };
  EXPECT_EQ(iterations("0o17"), 15);
  EXPECT_EQ(iterations("0x1F"), 31);
  EXPECT_EQ(iterations("017"), 17);
  EXPECT_EQ(iterations("+12"), 12);
  const auto title = [&](const std::string& text) { return load(square + "title: " + text + "\n").title; };
  EXPECT_EQ(title("yes"), "yes");
  EXPECT_EQ(title("1_000"), "1_000");
  EXPECT_EQ(title("\"a\\tb\""), "a\tb");
}

TEST_F(Configuration, AnchorsAliasesAndMergesAreFollowed) {
  const Config config = load(square +
                             "boundary:\n"
                             "  x-: &wall {robin: &data {alpha: 2, value: x}}\n"
                             "  x+: *wall\n"
                             "  y-: {robin: {<<: *data, alpha: 3}}\n");
  EXPECT_EQ(*config.problem.boundary[0][1].alpha.constant(), 2);
  EXPECT_EQ(*config.problem.boundary[1][0].alpha.constant(), 3);
  EXPECT_EQ(at(config.problem.boundary[1][0].value, 5, 0, 0), 5);
}

TEST_F(Configuration, OverridesReplaceKeys) {
  const Config config =
      load(cube + "solver: {smoother: red-black, tolerance: 1e-3}\n",
           {"solver.tolerance=1e-10", "solver.smoother.pre=2", "grid.cells=[2, 3, 4]", "boundary.z+={dirichlet: x}",
            "output.directory=there", "equation.source=x == y ? 1 : 2", "solver.tolerance=1e-11"});
  EXPECT_EQ(config.options.tolerance, 1e-11);
  EXPECT_EQ(config.options.smoother.kind, &smoother_kind("red-black"));
  EXPECT_EQ(config.options.smoother.pre, 2);
  EXPECT_EQ(config.problem.nodes[1].size(), 4u);
  EXPECT_EQ(at(config.problem.boundary[2][1].value, 5, 0, 0), 5);
  EXPECT_EQ(config.output.directory, "there");
  EXPECT_EQ(at(config.problem.source, 1, 1, 0), 1);
  EXPECT_EQ(config.describe("boundary.z+"), "--set boundary.z+={dirichlet: x}: boundary.z+.dirichlet");
}

TEST_F(Configuration, PathsOfTheFileStartAtItAndThoseOfOverridesWhereTheProgramRuns) {
  const std::string text = cube + "output: {directory: out}\n";
  EXPECT_EQ(load(text).output.directory, folder / "out");
  EXPECT_EQ(load(text, {"output.directory=out"}).output.directory, "out");
  EXPECT_EQ(load(text, {"output={directory: out}"}).output.directory, "out");
  EXPECT_EQ(load(cube + "output: {directory: /tmp/out}\n").output.directory, "/tmp/out");
  // The effective configuration must be equivalent to the file in the same folder.
  const auto effective = [&](const Config& config) { return load_config(write(config.effective)).output.directory; };
  EXPECT_EQ(effective(load(text)), folder / "out");
  for (const Config& here : {load(text, {"output.directory=out"}), load(cube)})
    EXPECT_EQ(std::filesystem::weakly_canonical(effective(here)),
              std::filesystem::weakly_canonical(std::filesystem::absolute(here.output.directory)));
  EXPECT_EQ(effective(load(text, {"output.directory=/tmp/out"})), "/tmp/out");
}

TEST_F(Configuration, ParametersStandForNumbersEverywhere) {
  const std::string text = R"(
parameters: {L: 0.5, n: 8, h: 25, hot: 2*h + 50, tiny: 1e-12, below: -3}
domain: {lower: [0, 0], upper: [L, 2*L]}
grid: {cells: [n, 2*n], axes: {y: {stretching: tanh, strength: n/4}}}
equation: {source: "x < L/2 ? hot*x : -h", coefficient: h, exact: "x - below"}
boundary:
  x-: {robin: {alpha: h, value: h*hot}}
  y+: {dirichlet: "hot*y"}
solver: {tolerance: tiny, max_iterations: 4*n}
output: {probes: [[L/2, L]]}
)";
  const Config config = load(text);
  EXPECT_EQ(config.parameters,
            (Parameters{{"L", 0.5}, {"n", 8}, {"h", 25}, {"hot", 100}, {"tiny", 1e-12}, {"below", -3}}));
  EXPECT_EQ(config.problem.nodes[0], uniform_nodes(0, 0.5, 8));
  EXPECT_EQ(config.problem.nodes[1], tanh_nodes(0, 1, 16, 2, StretchedEnd::both));
  EXPECT_EQ(*config.problem.coefficient[0].constant(), 25);
  EXPECT_EQ(at(config.problem.source, 0.125, 0, 0), 12.5);
  EXPECT_EQ(at(config.problem.source, 0.4, 0, 0), -25);
  EXPECT_EQ(at(*config.problem.exact, 1, 0, 0), 4);
  EXPECT_EQ(*config.problem.boundary[0][0].value.constant(), 2500);
  EXPECT_EQ(at(config.problem.boundary[1][1].value, 0, 3, 0), 300);
  EXPECT_EQ(config.options.tolerance, 1e-12);
  EXPECT_EQ(config.options.max_iterations, 32);
  EXPECT_EQ(config.output.probes, (std::vector<std::vector<double>>{{0.25, 0.5}}));
  EXPECT_EQ(load_config(write(config.effective)).effective, config.effective);

  const Config changed = load(text, {"parameters.h=30", "parameters.n=4"});
  EXPECT_EQ(*changed.problem.coefficient[0].constant(), 30);
  EXPECT_EQ(at(changed.problem.source, 0.125, 0, 0), 110 * 0.125);
  EXPECT_EQ(changed.problem.nodes[0].size(), 5u);
  EXPECT_EQ(*load(cube + "equation: {source: k}\n", {"parameters.k=7"}).problem.source.constant(), 7);
  EXPECT_TRUE(load(cube + "parameters:\n").parameters.empty());
}

TEST_F(Configuration, AxesMakeATensorProductGrid) {
  const std::string stretched = "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [4, 4], axes: {y: ";
  EXPECT_FALSE(load(stretched + "{stretching: tanh, strength: 2}}}\n").equidistant);
  EXPECT_FALSE(load("grid: {axes: {x: {nodes: [0, 1, 3]}, y: {nodes: [0, 1, 2]}}}\n").equidistant);
  EXPECT_TRUE(load(stretched + "null}}\n").equidistant);
  EXPECT_NE(load(stretched + "{stretching: tanh, strength: 2}}}\n").effective.find("tensor-product"),
            std::string::npos);
}

TEST_F(Configuration, AFirstCellIsAsWideAsAsked) {
  for (const std::string rule : {"tanh", "geometric"})
    for (const std::string at : {"lower", "upper", "both"})
      for (const int cells : {2, 7, 32, 101})
        for (const double share : {0.999, 0.5, 1e-3, 1e-7}) {  // relative to an equal cell
          const double length = 3, first = share * length / cells;
          if (at == "both" && cells == 2) continue;  // symmetric: nothing to stretch
          SCOPED_TRACE(testing::Message() << rule << " " << at << ", " << cells << " cells, " << first);
          std::ostringstream text;
          text << std::setprecision(17) << "domain: {lower: [0, -1], upper: [1, 2]}\ngrid: {cells: [4, " << cells
               << "], axes: {y: {stretching: " << rule << ", first_cell: " << first << ", at: " << at << "}}}\n";
          const std::vector<double> y = load(text.str()).problem.nodes[1];
          const std::size_t n = y.size() - 1;
          ASSERT_EQ(n, static_cast<std::size_t>(cells));
          EXPECT_EQ(y.front(), -1);
          EXPECT_EQ(y.back(), 2);
          const double slack = 1e-9 * first + 1e-15;
          if (at != "upper") {
            EXPECT_NEAR(y[1] - y[0], first, slack);
          }
          if (at != "lower") {
            EXPECT_NEAR(y[n] - y[n - 1], first, slack);
          }
        }
}

TEST_F(Configuration, AxesAreStretched) {
  const Config config = load(
      "domain: {lower: [0, 0, -1], upper: [1, 2*pi, 1]}\n"
      "grid:\n"
      "  type: tensor-product\n"
      "  cells: [8, 8, 8]\n"
      "  axes:\n"
      "    x: {stretching: tanh, strength: 2.5}\n"
      "    y: {stretching: geometric, expansion: 100, at: upper}\n");
  EXPECT_FALSE(config.equidistant);
  EXPECT_EQ(config.problem.nodes[0], tanh_nodes(0, 1, 8, 2.5, StretchedEnd::both));
  const double ratio = geometric_ratio(100, 8, StretchedEnd::upper);
  EXPECT_EQ(config.problem.nodes[1], geometric_nodes(0, 2 * std::numbers::pi, 8, ratio, StretchedEnd::upper));
  EXPECT_EQ(config.problem.nodes[2], uniform_nodes(-1, 1, 8));
}

TEST_F(Configuration, ExplicitNodesImplyDomainAndCells) {
  const Config config = load(
      "grid:\n"
      "  type: tensor-product\n"
      "  axes: {x: {nodes: [0, 0.5, pi]}, y: {nodes: [1, 2, 3, 5]}}\n");
  EXPECT_EQ(config.problem.dimension, 2);
  EXPECT_EQ(config.problem.nodes[0], (std::vector<double>{0, 0.5, std::numbers::pi}));
  EXPECT_EQ(config.problem.nodes[1], (std::vector<double>{1, 2, 3, 5}));
  const Config again = load_config(write(config.effective, "again.yaml"));
  EXPECT_EQ(again.problem.nodes, config.problem.nodes);
}

/// Datasets come from the program's own files: fields f (nodes), k (cells), and p, whose last column differs from its
/// first.
class Datasets : public ConfigFile {
 protected:
  Datasets() {
    const OutputGrid grid{.dimension = 2, .equidistant = false, .nodes = {{{0, 0.25, 1}, {0, 1, 2, 4}, {0}}}};
    std::vector<double> periodic{0, 1, 0, 2, 3, 2, 4, 5, 4, 6, 7, 6};
    std::vector<double> other = periodic;
    other[5] = 2.5;
    const std::vector<OutputField> fields{
        {{"f"}, periodic}, {{"k", Location::cell}, {1, 2, 3, 4, 5, 6}}, {{"p"}, other}};
    write_whole(*open_hdf5(folder, grid, heads(fields), {}, one_process()), grid, fields);
  }
  const std::string grid_ =
      "grid:\n"
      "  type: tensor-product\n"
      "  axes: {x: {nodes: [0, 0.25, 1]}, y: {nodes: [0, 1, 2, 4]}}\n";
};

TEST_F(Datasets, FitNodesOrCells) {
  const Config config = load(grid_ +
                             "equation: {source: {file: solution.h5, dataset: /f}, "
                             "coefficient: {file: solution.h5, dataset: k}}\n");
  const GridArray* source = config.problem.source.array();
  ASSERT_TRUE(source);
  EXPECT_EQ(source->location, Location::node);
  EXPECT_EQ(source->shape, (std::array<std::int64_t, 3>{3, 4, 1}));
  EXPECT_EQ(source->values[4], 3);
  const GridArray* coefficient = config.problem.coefficient[1].array();
  ASSERT_TRUE(coefficient);
  EXPECT_EQ(coefficient->location, Location::cell);
  EXPECT_EQ(coefficient->shape, (std::array<std::int64_t, 3>{2, 3, 1}));
}

TEST_F(Configuration, CenteringSelectsTheLocationOfUnknowns) {
  EXPECT_EQ(load(cube).problem.centering, Centering::node);
  EXPECT_EQ(load(cube + "discretization: {centering: node}\n").problem.centering, Centering::node);
  EXPECT_EQ(load(cube + "discretization: {centering: cell}\n").problem.centering, Centering::cell);
}

TEST_F(Datasets, OfAnotherShapeAreRefused) {
  const hid_t numbers = H5Fcreate((folder / "numbers.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t scalar = H5Screate(H5S_SCALAR);
  H5Dclose(H5Dcreate2(numbers, "one", H5T_NATIVE_DOUBLE, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(scalar);
  H5Fclose(numbers);
  EXPECT_EQ(errors(square + "equation: {source: {file: numbers.h5, dataset: one}}\n"),
            "bad.yaml:3:27: equation.source: dataset one of numbers.h5 has the shape of a single number; give [5][5] "
            "(nodes) or [4][4] (cells)");
  EXPECT_EQ(errors(square + "equation: {source: {file: solution.h5, dataset: /f}}\n"),
            "bad.yaml:3:27: equation.source: dataset /f of solution.h5 has the shape [4][3]; give [5][5] (nodes) or "
            "[4][4] (cells)");
  EXPECT_EQ(errors("domain: {lower: [0, 0], upper: [1, 4]}\n"
                   "grid: {type: tensor-product, cells: [2, 3], axes: {x: {file: solution.h5, dataset: f}}}\n"),
            "bad.yaml:2:62: grid.axes.x: dataset f of solution.h5 has 2 dimensions; the nodes of an axis are "
            "one-dimensional");
}

TEST_F(Datasets, ThatAreMissingAreNamed) {
  const std::string message = errors(grid_ + "equation: {source: {file: solution.h5, dataset: /ff}}\n");
  EXPECT_EQ(message.find("bad.yaml:4:27: equation.source: dataset '/ff' of 'solution.h5' cannot be read"), 0u)
      << message;
}

TEST_F(Datasets, RepeatTheFirstNodeOfAPeriodicAxis) {
  const std::string periodic = "boundary: {x-: periodic, x+: periodic}\n";
  const auto source = [&](const std::string& name) {
    return grid_ + periodic + "equation: {source: {file: solution.h5, dataset: " + name + "}}\n";
  };
  EXPECT_EQ(errors(source("f")), "no error");
  EXPECT_EQ(errors(source("p")),
            "bad.yaml:5:27: equation.source: its values on the first and the last node of the periodic axis x differ "
            "(by -0.5 at node (0, 1, 0)); make them equal, or use other boundary conditions on this axis");
}

TEST_F(Datasets, GiveTheNodesOfAnAxis) {
  const Config config = load(
      "grid:\n"
      "  type: tensor-product\n"
      "  axes: {x: {nodes: [0, 0.5, 1]}, y: {file: solution.h5, dataset: /y}}\n");
  EXPECT_EQ(config.problem.nodes[1], (std::vector<double>{0, 1, 2, 4}));
}

TEST_F(Configuration, TheEffectiveOneIsAConfigurationAndItsOwnEffectiveOne) {
  for (const std::string& text :
       {cube, square, square + "equation: {coefficient: {x: 2}, source: sin(x)}\nsolver: {smoother: red-black}\n",
        square + "discretization: {scheme: q1}\nequation: {coefficient: {x: 2, xy: 0.5}}\n",
        cube + "discretization: {scheme: q1, assembly: full}\nequation: {coefficient: {x: 2, yz: 0.5}}\n",
        cube + "boundary: {default: periodic}\noutput: {probes: [[0, 0, pi/4]]}\n"}) {
    const std::string effective = load_config(write(text, "same.yaml")).effective;
    EXPECT_EQ(load_config(write(effective, "same.yaml")).effective, effective);
  }
}

TEST_F(Configuration, FacesOfSeveralKinds) {
  const Config config = load_config(write(cube + "discretization: {centering: cell}\nboundary:\n"
                                                 "  default: {neumann: 0}\n"
                                                 "  x+:\n"
                                                 "    - {where: y < 0.5, robin: {alpha: 2, value: y}}\n"
                                                 "    - {where: z < 0.5, dirichlet: 3}\n"
                                                 "    - {neumann: 7}\n"));
  const Boundary& face = config.problem.boundary[0][1];
  EXPECT_TRUE(face.mixed_bc);
  EXPECT_EQ(at(face.alpha, 1, 0.25, 0), 2);
  EXPECT_EQ(at(face.value, 1, 0.25, 0), 0.25);
  EXPECT_EQ(at(face.alpha, 1, 0.75, 0.25), penalty_alpha);
  EXPECT_EQ(at(face.value, 1, 0.75, 0.25), 3 * penalty_alpha);
  EXPECT_EQ(at(face.alpha, 1, 0.75, 0.75), 0);
  EXPECT_EQ(at(face.value, 1, 0.75, 0.75), 7);
  for (const char* scheme : {"fv", "q1"})
    EXPECT_TRUE(load_config(write(cube + "discretization: {scheme: " + scheme +
                                  "}\nboundary:\n  x+: [{where: y < 0.5, dirichlet: 1}, {neumann: 0}]\n"))
                    .problem.boundary[0][1]
                    .mixed_bc);
}

// Keys that were booleans must keep their meaning.
TEST_F(Configuration, FallbackTakesWordsAndBooleans) {
  const std::array<std::pair<const char*, Fallback>, 5> all{{{"auto", Fallback::automatic},
                                                             {"true", Fallback::automatic},
                                                             {"always", Fallback::always},
                                                             {"never", Fallback::never},
                                                             {"false", Fallback::never}}};
  for (const auto& [word, meant] : all)
    EXPECT_EQ(load_config(write(cube + "solver: {fallback: " + word + "}\n")).options.fallback, meant) << word;
  EXPECT_ANY_THROW(load_config(write(cube + "solver: {fallback: 60}\n")));
  const std::string schema = json_schema();
  const std::string key = schema.substr(schema.find("\"fallback\""), 1000);
  for (const char* word : {"\"auto\"", "\"always\"", "\"never\"", "true", "false"})
    EXPECT_NE(key.find(word), std::string::npos) << word;
}

TEST(Schema, NamesEveryKeyInBothTexts) {
  const std::string schema = json_schema();
  const std::string page = reference_page();
  EXPECT_NE(schema.find("https://json-schema.org/draft/2020-12/schema"), std::string::npos);
  for (const Schema& section : configuration_schema().keys) {
    for (const Schema* key : all_keys(section)) {
      EXPECT_NE(schema.find("\"" + std::string(key->key) + "\""), std::string::npos) << key->key;
      EXPECT_NE(page.find("." + std::string(key->key) + "` |"), std::string::npos) << key->key;
    }
  }
}

/// Every key must have a sentence of documentation.
void check_table(const std::vector<Schema>& keys, const std::string& path) {
  for (const Schema& key : keys) {
    const std::string full = path + "." + std::string(key.key);
    EXPECT_FALSE(key.doc.empty()) << full;
    for (const Choice& choice : key.choices) check_table(choice.keys, full + ":" + std::string(choice.name));
    check_table(key.keys, full);
    for (const Schema& form : key.forms) check_table(form.keys, full);
  }
}

TEST(Schema, DocumentsEveryKey) {
  check_table(configuration_schema().keys, "");
}

}  // namespace
}  // namespace poisson::config_tests
