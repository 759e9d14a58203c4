// Words of other programs and fields, and files in other formats, must be answered with the equivalent word here.

#include <algorithm>
#include <optional>
#include <sstream>

#include "io/config/schema.hpp"
#include "io/config/synonyms.hpp"
#include "tests/config_file.hpp"

namespace poisson::config_words_tests {
namespace {

class ForeignWord : public ConfigFile, public testing::WithParamInterface<Malformed> {};

TEST_P(ForeignWord, GivesTheKeyOfThisProgram) {
  EXPECT_EQ(errors(GetParam().base + GetParam().text, GetParam().overrides), GetParam().message);
}

const std::vector<Malformed>& foreign() {
  static const std::vector<Malformed> table{
      {"kappa",
       cube,
       "equation: {kappa: 2, rhs: 1, sigma: 3}\n",
       {},
       "bad.yaml:3:12: equation.kappa: unknown key; did you mean 'coefficient'?\nbad.yaml:3:22: equation.rhs: unknown "
       "key; did you mean 'source'?\nbad.yaml:3:30: equation.sigma: unknown key; did you mean 'reaction' (a "
       "conductivity is 'equation.coefficient')?"},
      {"at_the_top",
       cube,
       "Thermal_Conductivity: 2\nf: 1\ntol: 1e-6\nbc: {x-: {dirichlet: 1}}\nkappa: 3\n",
       {},
       "bad.yaml:3:1: Thermal_Conductivity: unknown key; did you mean 'equation.coefficient'?\nbad.yaml:4:1: f: "
       "unknown key; did you mean 'equation.source'?\nbad.yaml:5:1: tol: unknown key; did you mean "
       "'solver.tolerance'?\nbad.yaml:6:1: bc: unknown key; did you mean 'boundary'?\nbad.yaml:7:1: kappa: unknown "
       "key; did you mean 'equation.coefficient'?"},
      {"tensor",
       cube,
       "equation: {coefficient: {kx: 1, ky: 2, k_zz: 3}}\n",
       {},
       "bad.yaml:3:26: equation.coefficient.kx: unknown key; did you mean 'x'?\nbad.yaml:3:33: "
       "equation.coefficient.ky: unknown key; did you mean 'y'?\nbad.yaml:3:40: equation.coefficient.k_zz: unknown "
       "key; did you mean 'z'?"},
      {"solver",
       cube,
       "solver: {tol: 1e-6, maxiter: 5, relTol: 0.1, smoother: {omega: 1}}\n",
       {},
       "bad.yaml:3:10: solver.tol: unknown key; did you mean 'tolerance'?\nbad.yaml:3:21: solver.maxiter: unknown "
       "key; did you mean 'max_iterations'?\nbad.yaml:3:33: solver.relTol: unknown key; did you mean "
       "'tolerance'?\nbad.yaml:3:57: solver.smoother.omega: unknown key; did you mean 'relaxation' of jacobi or "
       "red-black?"},
      {"methods",
       cube,
       "solver: {method: amg, krylov: pcg, precision: float64, coarse_operator: rap}\n",
       {},
       "bad.yaml:3:18: solver.method: unknown choice \"amg\"; did you mean 'multigrid'?\nbad.yaml:3:31: "
       "solver.krylov: unknown choice \"pcg\"; did you mean 'cg'?\nbad.yaml:3:47: solver.precision: unknown choice "
       "\"float64\"; did you mean 'double'?\nbad.yaml:3:73: solver.coarse_operator: unknown choice \"rap\"; did you "
       "mean 'galerkin'?"},
      {"gmres",
       cube,
       "solver: {method: GMRES}\n",
       {},
       "bad.yaml:3:18: solver.method: unknown choice \"GMRES\"; multigrid and conjugate gradients solve these systems; "
       "write method: auto, multigrid or cg"},
      {"faces",
       cube,
       "boundary: {left: {dirichlet: 1}, top: {neumann: 0}, walls: {neumann: 0}, ymax: {neumann: 0}}\n",
       {},
       "bad.yaml:3:12: boundary.left: unknown key; did you mean 'x-'?\nbad.yaml:3:34: boundary.top: unknown key; did "
       "you mean 'z+' (in two dimensions 'y+')?\nbad.yaml:3:53: boundary.walls: unknown key; did you mean "
       "'default'?\nbad.yaml:3:74: boundary.ymax: unknown key; did you mean 'y+'?"},
      {"kinds",
       cube,
       "boundary: {x-: {flux: 1}, x+: {value: 1}, y-: {h: 30}, y+: {fixedValue: 1}, z-: {heat_flux: 2}}\n",
       {},
       "bad.yaml:3:17: boundary.x-.flux: unknown key; did you mean 'neumann' (positive into the box)?\nbad.yaml:3:32: "
       "boundary.x+.value: "
       "unknown key; did you mean 'dirichlet', 'neumann' or 'robin'?\nbad.yaml:3:48: boundary.y-.h: unknown key; did "
       "you mean 'robin.alpha', as in robin: {alpha: 10, ambient: 20}?\nbad.yaml:3:61: boundary.y+.fixedValue: unknown "
       "key; did you mean 'dirichlet'?\nbad.yaml:3:82: boundary.z-.heat_flux: unknown key; did you mean 'neumann' "
       "(positive into the box)?"},
      {"kinds_of_parts",
       cube,
       "boundary:\n  x-: [{where: y < 0.5, T: 1}, {flux: 0}]\n",
       {},
       "bad.yaml:4:25: boundary.x-[0].T: unknown key; did you mean 'dirichlet'?\nbad.yaml:4:33: boundary.x-[1].flux: "
       "unknown key; did you mean 'neumann' (positive into the box)?"},
      {"foreign_words_in_the_first_part",
       cube,
       "boundary:\n  x-: [{where: y < 0.5, flux: 1}, {dirichlet: 0}]\n  x+: [{where: y < 0.5, h: 1}, {T: 0}]\n"
       "  y-: [{where: y < 0.5}, {dirichlet: 0}]\n",
       {},
       "bad.yaml:4:25: boundary.x-[0].flux: unknown key; did you mean 'neumann' (positive into the "
       "box)?\nbad.yaml:5:25: boundary.x+[0].h: unknown key; did you mean 'robin.alpha', as in robin: {alpha: 10, "
       "ambient: 20}?\nbad.yaml:5:33: boundary.x+[1].T: unknown key; did you mean 'dirichlet'?\nbad.yaml:6:8: "
       "boundary.y-[0].dirichlet: is missing; add dirichlet: 0"},
      {"kinds_of_no_face",
       cube,
       "boundary: {flux: 1}\n",
       {},
       "bad.yaml:3:12: boundary.flux: unknown key; did you mean 'default.neumann' (positive into the box)?"},
      {"convection",
       cube,
       "boundary: {x-: {robin: {h: 30, T_inf: 20}}, x+: {robin: {alpha: 1, T_inf: 20}}}\n",
       {},
       "bad.yaml:3:25: boundary.x-.robin.h: unknown key; did you mean 'alpha', as in robin: {alpha: 10, ambient: "
       "20}?\nbad.yaml:3:32: boundary.x-.robin.T_inf: unknown key; did you mean 'ambient', as in robin: {alpha: 10, "
       "ambient: 20}?\nbad.yaml:3:68: boundary.x+.robin.T_inf: unknown key; did you mean 'ambient', as in robin: "
       "{alpha: 10, ambient: 20}?"},
      {"bare_faces",
       cube,
       "boundary: {x-: 1, x+: 2*y, y-: adiabatic, y+: fixedValue, z-: 'cos(x)'}\n",
       {},
       "bad.yaml:3:16: boundary.x-: expected periodic | {dirichlet} | {neumann} | {robin: {alpha, value, ambient}} | a "
       "list of at least 2 items, found the number 1; write {dirichlet: 1}\nbad.yaml:3:23: boundary.x+: expected "
       "periodic | {dirichlet} | {neumann} | {robin: {alpha, value, ambient}} | a list of at least 2 items, found the "
       "string \"2*y\"; write {dirichlet: 2*y}\nbad.yaml:3:32: boundary.y-: expected periodic | {dirichlet} | "
       "{neumann} | {robin: {alpha, value, ambient}} | a list of at least 2 items, found the string \"adiabatic\"; "
       "write {neumann: 0}\nbad.yaml:3:47: boundary.y+: expected periodic | {dirichlet} | {neumann} | {robin: {alpha, "
       "value, ambient}} | a list of at least 2 items, found the string \"fixedValue\"; write {dirichlet: "
       "0}\nbad.yaml:3:63: boundary.z-: expected periodic | {dirichlet} | {neumann} | {robin: {alpha, value, ambient}} "
       "| a list of at least 2 items, found the string \"cos(x)\"; write {dirichlet: cos(x)}"},
      {"bare_boundary",
       cube,
       "boundary: periodic\nbackend: gpu\nsolver: amg\n",
       {},
       "bad.yaml:3:11: boundary: expected {default, x-, x+, y-, y+, z-, z+}, found the string \"periodic\"; write "
       "{default: periodic}\nbad.yaml:4:10: backend: expected {device, transport, blocks}, found the string \"gpu\"; "
       "write {device: cuda}\nbad.yaml:5:9: solver: expected {method, initial, tolerance, flow_tolerance, "
       "max_iterations, cycle, "
       "full_multigrid, fallback, extrapolate, smoother: {type, pre, post}, krylov, preconditioner, coarse_operator, "
       "amg, "
       "precision}, found the string \"amg\"; write {method: multigrid}"},
      {"bare_number_of_all_faces",
       cube,
       "boundary: 3\n",
       {},
       "bad.yaml:3:11: boundary: expected {default, x-, x+, y-, y+, z-, z+}, found the number 3; write {default: "
       "{dirichlet: 3}}"},
      {"bare_word_of_all_faces",
       cube,
       "",
       {"boundary=cyclic"},
       "--set boundary=cyclic: boundary: expected {default, x-, x+, y-, y+, z-, z+}, found the string \"cyclic\"; "
       "write "
       "{default: periodic}"},
      {"maps_of_data",
       cube,
       "equation: {source: {value: 3}, coefficient: {expression: x}}\nmultigrid: {}\nboundary: {neumann: 0, x-: "
       "{ambient: 3}}\n",
       {},
       "bad.yaml:3:21: equation.source.value: unknown key; write the number or the expression itself, such as source: "
       "3*x\nbad.yaml:3:46: equation.coefficient.expression: unknown key; write the number or the expression itself, "
       "such as source: 3*x\nbad.yaml:4:1: multigrid: unknown key; did you mean 'solver.method'?\nbad.yaml:5:12: "
       "boundary.neumann: unknown key; did you mean 'default.neumann' (positive into the box)?\nbad.yaml:5:29: "
       "boundary.x-.ambient: unknown "
       "key; did you mean 'robin.ambient', as in robin: {alpha: 10, ambient: 20}?"},
      {"cyclic",
       cube,
       "boundary: {x-: cyclic, x+: {periodic: true}}\n",
       {},
       "bad.yaml:3:16: boundary.x-: unknown choice \"cyclic\"; did you mean 'periodic'?\nbad.yaml:3:29: "
       "boundary.x+.periodic: unknown key; write periodic as a word on both faces, such as x-: periodic and x+: "
       "periodic"},
      {"grid",
       nothing,
       "geometry: {prob_lo: [0, 0]}\nmesh: {n_cell: [4, 4]}\n",
       {},
       "bad.yaml:1:1: geometry: unknown key; did you mean 'domain'?\nbad.yaml:2:1: mesh: unknown key; did you mean "
       "'grid' (type: unstructured reads meshes from files)?"},
      {"cells",
       nothing,
       "domain: {prob_lo: [0, 0], prob_hi: [1, 1]}\ngrid: {nx: 4, ny: 4}\n",
       {},
       "bad.yaml:1:10: domain.prob_lo: unknown key; did you mean 'lower'?\nbad.yaml:1:27: domain.prob_hi: unknown "
       "key; did you mean 'upper'?\nbad.yaml:2:8: grid.nx: unknown key; did you mean 'cells'?\nbad.yaml:2:15: grid.ny: "
       "unknown key; did you mean 'cells'?"},
      {"gmsh",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {type: gmsh, file: box.msh}\n",
       {},
       "bad.yaml:2:14: grid.type: unknown choice \"gmsh\"; write grid: {type: unstructured, file: part.msh} for a mesh "
       "of Gmsh or VTK, and bodies: [{material: steel, mesh: part.stl}] for a surface of triangles"},
      {"mesh_files",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: box.msh\nequation: {coefficient: {stl: torus.stl}, source: "
       "{file: body.STL, dataset: /f}}\n",
       {},
       "bad.yaml:2:7: grid: expected {type, cells, axes: {x, y, z}}, found the string \"box.msh\"; write grid: {type: "
       "unstructured, file: part.msh} for a mesh of Gmsh or VTK, and bodies: [{material: steel, mesh: part.stl}] for a "
       "surface of triangles\nbad.yaml:3:26: "
       "equation.coefficient.stl: unknown key; write grid: {type: unstructured, file: part.msh} for a mesh of Gmsh or "
       "VTK, and bodies: [{material: steel, mesh: part.stl}] for a surface of triangles\nbad.yaml:3:58: "
       "equation.source.file: is a mesh; write grid: {type: unstructured, file: part.msh} for a "
       "mesh of Gmsh or VTK, and bodies: [{material: steel, mesh: part.stl}] for a surface of triangles"},
      {"time",
       cube,
       "dt: 0.1\nequation: {velocity: 1}\n",
       {},
       "bad.yaml:3:1: dt: unknown key; the equation has no time; an implicit Euler step is a solve with "
       "equation.reaction: 1/dt\nbad.yaml:4:12: equation.velocity: unknown key; the equation has no advection; remove "
       "it"},
      {"overridden",
       cube,
       "",
       {"equation.k=3"},
       "--set equation.k=3: equation.k: unknown key; did you mean 'coefficient'?"},
      {"radius",
       cube,
       "equation: {coefficient: 'r < 0.2 ? 1 : 2', source: 'x[0]', reaction: u^2}\n",
       {},
       "bad.yaml:3:25: equation.coefficient: unknown symbol 'r' at character 1 of \"r < 0.2 ? 1 : 2\"; write sqrt(x^2 "
       "+ "
       "y^2)\nbad.yaml:3:52: equation.source: a bracket at character 2 of \"x[0]\"; write x, y and z for the "
       "coordinates, and () for groups\nbad.yaml:3:70: equation.reaction: unknown symbol 'u' at character 1 of "
       "\"u^2\"; the equation is linear; its data may depend on x, y and z only"},
      {"radius_beside_a_parameter",
       cube,
       "parameters: {r0: 2}\nequation: {source: r0 - r}\n",
       {},
       "bad.yaml:4:20: equation.source: unknown symbol 'r' at character 6 of \"r0 - r\"; write sqrt(x^2 + y^2); or did "
       "you mean 'r0'?"},
      {"zero_byte",
       cube,
       "equation: {source: \"x\\0y\", \"a\\tb\": 1}\n",
       {},
       "bad.yaml:3:20: equation.source: unexpected '\\x00' at character 2 of \"x\\x00y\"; operators are + - * / ^ < > "
       "<= "
       ">= == != && || ?:\nbad.yaml:3:28: equation.a\\tb: unknown key; the keys here are coefficient, reaction, "
       "source, "
       "exact"},
      {"summary",
       nothing,
       "{title: a, converged: true, config: {domain: {lower: [0, 0], upper: [1, 1]}, grid: {cells: [4, 4]}}}\n",
       {},
       "bad.yaml:1:1: is the summary of a run; save its member `config` as a separate file and solve that"},
      {"mesh_as_input",
       nothing,
       "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n",
       {},
       "bad.yaml:1:1: is a mesh, not a configuration; write grid: {type: unstructured, file: part.msh} for a mesh of "
       "Gmsh or VTK, and bodies: [{material: steel, mesh: part.stl}] for a surface of triangles"},
  };
  return table;
}

INSTANTIATE_TEST_SUITE_P(Configuration, ForeignWord, testing::ValuesIn(foreign()),
                         [](const auto& row) { return row.param.name; });

using Configuration = ConfigFile;

TEST_F(Configuration, FilesOfOtherKindsAreNoInput) {
  const auto message = [&](const std::string& name, const std::string& content) {
    try {
      load_config(write(content, name));
    } catch (const ConfigError& error) {
      return without_folder(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("box.msh", "\xff\xfe"),
            "box.msh: is a mesh, not a configuration; write grid: {type: unstructured, file: part.msh} for a mesh of "
            "Gmsh or VTK, and bodies: [{material: steel, mesh: part.stl}] for a surface of triangles");
  EXPECT_EQ(message("solution.hdf", square),
            "solution.hdf: contains data, not a configuration; give the YAML file that uses or produced them");
  EXPECT_EQ(message("mesh.txt", square), "no error");
}

/// Returns the schema of a path, in which `*` is any face or axis, or null.
const Schema* find(const Schema& map, std::string_view path) {
  const std::size_t dot = std::min(path.find('.'), path.size());
  const std::string_view name = path.substr(0, dot);
  std::vector<const Schema*> keys = all_keys(map);
  for (const Schema& form : map.forms)
    for (const Schema* key : all_keys(form)) keys.push_back(key);
  for (const Schema* key : keys) {
    if (name != "*" && key->key != name) continue;
    if (dot == path.size()) return key;
    if (const Schema* found = find(*key, path.substr(dot + 1))) return found;
  }
  return nullptr;
}

std::vector<std::string> words_of(std::string_view words) {
  std::istringstream stream{std::string(words)};
  return {std::istream_iterator<std::string>(stream), {}};
}

bool offers(const Schema& schema, std::string_view choice) {
  const auto among = [&](const Schema& s) {
    return std::ranges::find(s.choices, choice, &Choice::name) != s.choices.end();
  };
  return among(schema) || std::ranges::any_of(schema.forms, among) || std::ranges::any_of(schema.items, among);
}

TEST(Synonyms, StandForKeysThatThereAre) {
  for (const KeyWords& row : key_words()) {
    SCOPED_TRACE(row.key);
    const Schema* const key = find(configuration_schema(), row.key);
    if (row.instead.empty()) {
      EXPECT_TRUE(key);
    }
    const std::size_t dot = std::min(row.key.rfind('.'), row.key.size());
    const std::string parent = dot == row.key.size() ? "" : std::string(row.key.substr(0, dot));
    const std::string name(row.key.substr(dot == row.key.size() ? 0 : dot + 1));
    for (const std::string& word : words_of(row.words)) {
      SCOPED_TRACE(word);
      EXPECT_EQ(word.find_first_of("_- ABCDEFGHIJKLMNOPQRSTUVWXYZ"), std::string::npos);
      std::string place = parent;
      if (const std::size_t star = place.find('*'); star != std::string::npos)
        place.replace(star, 1, place.starts_with("boundary") ? "x-" : "y");
      EXPECT_FALSE(meant_nearby(word, place).empty());
      EXPECT_TRUE(!row.instead.empty() || means(word, place, name));
      if (word != name) {
        EXPECT_FALSE(find(configuration_schema(), (place.empty() ? "" : place + ".") + word)) << "a key of its own";
      }
    }
  }
}

TEST(Synonyms, StandForChoicesThatThereAre) {
  for (const ChoiceWords& row : choice_words()) {
    SCOPED_TRACE(row.key);
    const Schema* const key = find(configuration_schema(), row.key);
    ASSERT_TRUE(key);
    EXPECT_EQ(row.choice.empty(), !row.instead.empty());
    if (!row.choice.empty()) {
      EXPECT_TRUE(offers(*key, row.choice)) << row.choice;
    }
    for (const std::string& word : words_of(row.words)) {
      EXPECT_FALSE(offers(*key, word)) << word;
      EXPECT_EQ(word.find_first_of("_- ABCDEFGHIJKLMNOPQRSTUVWXYZ"), std::string::npos) << word;
    }
  }
}

}  // namespace
}  // namespace poisson::config_words_tests
