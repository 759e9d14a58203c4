// These tests compare the complete messages for malformed files, keys, types, choices and overrides.

#include "tests/config_file.hpp"

namespace poisson::config_errors_tests {
namespace {

class MalformedConfiguration : public ConfigFile, public testing::WithParamInterface<Malformed> {};

TEST_P(MalformedConfiguration, GivesAnErrorWithItsReason) {
  EXPECT_EQ(errors(GetParam().base + GetParam().text, GetParam().overrides), GetParam().message);
}

const std::vector<Malformed>& malformed() {
  static const std::vector<Malformed> table{
      {"misspelt_section", cube, "solvr: {cycle: v}\n", {}, "bad.yaml:3:1: solvr: unknown key; did you mean 'solver'?"},
      {"misspelt_key",
       cube,
       "solver: {tolerence: 1e-6}\n",
       {},
       "bad.yaml:3:10: solver.tolerence: unknown key; did you mean 'tolerance'?"},
      {"misspelt_nested",
       cube,
       "solver:\n  smoother:\n    type: jacobi\n    relaxaton: 0.8\n",
       {},
       "bad.yaml:6:5: solver.smoother.relaxaton: unknown key; did you mean 'relaxation'?"},
      {"foreign_key",
       cube,
       "output:\n  color: blue\n",
       {},
       "bad.yaml:4:3: output.color: unknown key; the keys here are directory, fields, formats, bodies, probes, "
       "quantity, pictures, "
       "colours, outlines, arrows, streamlines, effective, capacitance"},
      {"key_of_another_place",
       cube,
       "tolerance: 1e-6\n",
       {},
       "bad.yaml:3:1: tolerance: unknown key; did you mean 'solver.tolerance'?"},
      {"duplicate_key",
       cube,
       "solver:\n  cycle: v\n  krylov: cg\n  cycle: w\n",
       {},
       "bad.yaml:6:3: solver.cycle: is given twice (first in line 4); keep one of the two"},
      {"missing_domain",
       nothing,
       "grid: {cells: [4, 4]}\n",
       {},
       "bad.yaml:1:1: domain: is missing; add domain: {lower: [0, 0, 0], upper: [1, 1, 1]}"},
      {"missing_grid",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\n",
       {},
       "bad.yaml:1:1: grid: is missing; add grid: {cells: [64, 64, 64]}"},
      {"empty_grid",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n",
       {},
       "bad.yaml:2:1: grid: is missing; add grid: {cells: [64, 64, 64]}"},
      {"empty_robin",
       cube,
       "boundary:\n  x-: {robin: }\n",
       {},
       "bad.yaml:4:8: boundary.x-.robin: is missing; add robin: {alpha: 10, value: 0}"},
      {"parts_of_held_elements",
       cube,
       "discretization: {scheme: q1, assembly: partial}\nboundary:\n"
       "  x-: [{where: y < 0.5, dirichlet: 1}, {neumann: 0}]\n",
       {},
       "bad.yaml:3:40: discretization.assembly: partial does not support elements with several conditions on a face "
       "(only bands store its constrained nodes); write assembly: full or auto, or scheme: fv"},
      {"parts_of_compact_rows",
       cube,
       "discretization: {scheme: compact4}\nboundary:\n  x-: [{where: y < 0.5, dirichlet: 1}, {neumann: 0}]\n",
       {},
       "bad.yaml:5:7: boundary.x-: has several conditions, but discretization.scheme: compact4 requires Dirichlet and "
       "periodic faces; write dirichlet or periodic, or another scheme"},
      {"parts_solved_directly",
       cube,
       "boundary:\n  x-: [{where: y < 0.5, dirichlet: 1}, {neumann: 0}]\nsolver: {method: direct}\n",
       {},
       "bad.yaml:5:18: solver.method: direct requires a separable problem, but here a face has several conditions; "
       "write method: multigrid"},
      {"part_without_where",
       cube,
       "discretization: {centering: cell}\nboundary:\n  x-: [{dirichlet: 1}, {neumann: 0}]\n",
       {},
       "bad.yaml:5:8: boundary.x-[0]: hides the following conditions (it applies everywhere); add where: an "
       "expression"},
      {"part_with_wrong_where",
       cube,
       "discretization: {centering: cell}\nboundary:\n  x-: [{where: y <, dirichlet: 1}, {neumann: 0}]\n",
       {},
       "bad.yaml:5:16: boundary.x-[0].where: syntax error at character 3 of \"y <\" (Unexpected end of expression); "
       "check "
       "the operators and parentheses there"},
      {"last_part_with_where",
       cube,
       "discretization: {centering: cell}\nboundary:\n"
       "  x-: [{where: y < 0.5, dirichlet: 1}, {where: y > 0.5, neumann: 0}]\n",
       {},
       "bad.yaml:5:40: boundary.x-[1]: is the last condition and has a where (the rest has no condition); add a "
       "condition without where"},
      {"missing_upper",
       nothing,
       "domain: {lower: [0, 0]}\ngrid: {cells: [4, 4]}\n",
       {},
       "bad.yaml:1:9: domain.upper: is missing; add upper: [1, 1, 1]"},
      {"missing_cells",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {type: tensor-product, axes: {x: {nodes: [0, 0.5, 1]}}}\n",
       {},
       "bad.yaml:2:7: grid.cells: is missing and axis y has no explicit nodes; add cells: [64, 64]"},
      {"number_wanted",
       cube,
       "solver: {tolerance: small}\n",
       {},
       "bad.yaml:3:21: solver.tolerance: expected a number >= 0 and < 1, found the string \"small\"; the default is "
       "1e-8"},
      {"number_in_quotes",
       cube,
       "solver: {tolerance: '1e-8'}\n",
       {},
       "bad.yaml:3:21: solver.tolerance: expected a number >= 0 and < 1, found a number in quotes; remove the quotes"},
      {"integer_wanted",
       cube,
       "solver: {max_iterations: 1e2}\n",
       {},
       "bad.yaml:3:26: solver.max_iterations: expected an integer, found 1e2; write 100"},
      {"truth_value_wanted",
       cube,
       "solver: {full_multigrid: yes}\n",
       {},
       "bad.yaml:3:26: solver.full_multigrid: expected true or false, found the string \"yes\"; the default is true"},
      {"map_wanted",
       cube,
       "solver: multigrid\n",
       {},
       "bad.yaml:3:9: solver: expected {method, initial, tolerance, flow_tolerance, max_iterations, cycle, "
       "full_multigrid, "
       "fallback, extrapolate, "
       "smoother: {type, pre, post}, krylov, preconditioner, coarse_operator, amg, precision}, found the string "
       "\"multigrid\"; write {method: multigrid}"},
      {"list_wanted",
       cube,
       "output: {fields: u}\n",
       {},
       "bad.yaml:3:18: output.fields: expected a list of at least 1 item, found the string \"u\"; the default is [u]"},
      {"text_wanted",
       cube,
       "title: [a, b]\n",
       {},
       "bad.yaml:3:8: title: expected text, found a list; the default is \"\""},
      {"value_left_out",
       cube,
       "solver:\n  tolerance:\n",
       {},
       "bad.yaml:4:3: solver.tolerance: expected a number >= 0 and < 1, found nothing; the default is 1e-8"},
      {"not_a_number",
       cube,
       "solver: {tolerance: .nan}\n",
       {},
       "bad.yaml:3:21: solver.tolerance: expected a number >= 0 and < 1, found .nan; write a finite number"},
      {"infinite",
       cube,
       "equation: {source: .inf}\n",
       {},
       "bad.yaml:3:20: equation.source: expected a number or an expression, found .inf; write a finite number"},
      {"negative_tolerance",
       cube,
       "solver: {tolerance: -1e-8}\n",
       {},
       "bad.yaml:3:21: solver.tolerance: must be >= 0 and < 1, found -1e-8"},
      {"no_iterations",
       cube,
       "solver: {max_iterations: 0}\n",
       {},
       "bad.yaml:3:26: solver.max_iterations: must be >= 1 and <= 1000000000, found 0"},
      {"unknown_choice_near",
       cube,
       "solver: {method: multigird}\n",
       {},
       "bad.yaml:3:18: solver.method: unknown choice \"multigird\"; did you mean 'multigrid'?"},
      {"unknown_choice_far",
       cube,
       "solver: {precision: half}\n",
       {},
       "bad.yaml:3:21: solver.precision: unknown choice \"half\"; choose one of double, mixed, single"},
      {"unknown_scheme",
       cube,
       "discretization: {scheme: q2}\n",
       {},
       "bad.yaml:3:26: discretization.scheme: unknown choice \"q2\"; did you mean 'q1'?"},
      {"centering_misspelt",
       cube,
       "discretization: {centering: cells}\n",
       {},
       "bad.yaml:3:29: discretization.centering: unknown choice \"cells\"; did you mean 'cell'?"},
      {"unknown_assembly",
       cube,
       "discretization: {assembly: banded}\n",
       {},
       "bad.yaml:3:28: discretization.assembly: unknown choice \"banded\"; choose one of auto, recompute, partial, "
       "full"},
      {"cells_of_elements",
       cube,
       "discretization: {centering: cell, scheme: q1}\n",
       {},
       "bad.yaml:3:29: discretization.centering: cell requires scheme: fv (q1 has its unknowns at nodes); write "
       "centering: node, or scheme: fv"},
      {"line_with_relaxation",
       cube,
       "solver: {smoother: {type: line, relaxation: 1.2}}\n",
       {},
       "bad.yaml:3:33: solver.smoother.relaxation: is not valid with type: line, kind: first; remove it, or choose "
       "type: "
       "jacobi or type: red-black"},
      {"smoother_misspelt",
       cube,
       "solver: {smoother: lines}\n",
       {},
       "bad.yaml:3:20: solver.smoother.type: unknown choice \"lines\"; did you mean 'line'?"},
      {"direct_of_what_varies",
       cube,
       "equation: {coefficient: 1 + x}\nsolver: {method: direct}\n",
       {},
       "bad.yaml:4:18: solver.method: direct requires a separable problem, but here the coefficient, the reaction or a "
       "face's alpha varies; write method: multigrid"},
      {"preconditioner_of_a_direct_solution",
       cube,
       "solver: {method: direct, preconditioner: diagonal}\n",
       {},
       "bad.yaml:3:42: solver.preconditioner: applies to conjugate gradients only, but solver.method is direct; remove "
       "it, or write method: cg"},
      {"unknown_device",
       cube,
       "backend: {device: cude}\n",
       {},
       "bad.yaml:3:19: backend.device: unknown choice \"cude\"; did you mean 'cuda'?"},
      {"device_by_another_name",
       cube,
       "backend: {device: gpu}\n",
       {},
       "bad.yaml:3:19: backend.device: unknown choice \"gpu\"; did you mean 'cuda'?"},
      {"precision_by_another_name",
       cube,
       "solver: {precision: fp64}\n",
       {},
       "bad.yaml:3:21: solver.precision: unknown choice \"fp64\"; did you mean 'double'?"},
      {"field_twice",
       cube,
       "output: {fields: [u, u]}\n",
       {},
       "bad.yaml:3:22: output.fields: lists u twice; keep one of the two"},
      {"no_field",
       cube,
       "output: {fields: []}\n",
       {},
       "bad.yaml:3:18: output.fields: expected a list of at least 1 item, found 0"},
      {"unknown_format",
       cube,
       "output: {formats: [hdf]}\n",
       {},
       "bad.yaml:3:20: output.formats[0]: unknown choice \"hdf\"; did you mean 'hdf5'?"},
      {"empty_directory",
       cube,
       "output: {directory: ''}\n",
       {},
       "bad.yaml:3:21: output.directory: is empty; give a path, for example results/cavity"},
      {"empty_file",
       nothing,
       "",
       {},
       "bad.yaml:1:1: the file is empty; give at least domain: {lower, upper} and grid: {cells}"},
      {"only_comments",
       nothing,
       "# nothing\n",
       {},
       "bad.yaml:1:1: the file is empty; give at least domain: {lower, upper} and grid: {cells}"},
      {"list_at_the_top",
       nothing,
       "- domain\n- grid\n",
       {},
       "bad.yaml:1:1: expected a map with keys such as domain and grid, found a list"},
      {"word_at_the_top",
       nothing,
       "cavity\n",
       {},
       "bad.yaml:1:1: expected a map with keys such as domain and grid, found the string \"cavity\""},
      {"two_documents",
       cube,
       "---\ntitle: second\n",
       {},
       "bad.yaml:4:1: a second YAML document begins; keep one document in a file"},
      {"tab",
       nothing,
       "domain:\n	lower: [0, 0]\n",
       {},
       "bad.yaml:2:7: not valid YAML (illegal map value); indent with spaces, not with tabs"},
      {"unclosed_bracket",
       nothing,
       "domain: {lower: [0, 0}\n",
       {},
       "bad.yaml:1:22: not valid YAML (illegal flow end); check the indentation, brackets and quotes here and just "
       "before"},
      {"colon_in_value",
       nothing,
       "title: a: b\n",
       {},
       "bad.yaml:1:9: not valid YAML (illegal map value); check the indentation, brackets and quotes here and just "
       "before"},
      {"unquoted_choice",
       cube,
       "equation:\n  source: x > 0 ? 1 : 2\n",
       {},
       "bad.yaml:4:21: not valid YAML (illegal map value); put an expression with ?: in quotes"},
      {"unknown_anchor",
       cube,
       "output: {fields: *all}\n",
       {},
       "bad.yaml:3:18: not valid YAML (the referenced anchor is not defined); check the indentation, brackets and "
       "quotes here and just before"},
      {"foreign_tag",
       cube,
       "title: !bold cavity\n",
       {},
       "bad.yaml:3:8: the tag '!bold' is not supported; remove it (the value determines the type)"},
      {"list_as_key",
       cube,
       "[a, b]: 1\n",
       {},
       "bad.yaml:3:1: a list or map is used as a key; keys must be plain words"},
      {"not_utf8", nothing, "title: caf\351\n", {}, "bad.yaml:1:11: is not UTF-8 text; save the file as UTF-8"},
      {"override_unknown",
       cube,
       "",
       {"solver.cylce=w"},
       "--set solver.cylce=w: solver.cylce: unknown key; did you mean 'cycle'?"},
      {"override_wrong",
       cube,
       "",
       {"solver.tolerance=small"},
       "--set solver.tolerance=small: solver.tolerance: expected a number >= 0 and < 1, found the string \"small\"; "
       "the default is 1e-8"},
      {"override_no_assignment",
       cube,
       "",
       {"solver.tolerance"},
       "--set solver.tolerance: is not an assignment; write --set key.path=value, for example --set "
       "solver.tolerance=1e-10"},
      {"override_bad_yaml",
       cube,
       "",
       {"grid.cells=[4,"},
       "--set grid.cells=[4,: grid.cells: not valid YAML (end of sequence flow not found); check the indentation, "
       "brackets and quotes here and just before"},
      {"alias_inside_itself",
       cube,
       "output: &a {fields: *a}\n",
       {},
       "bad.yaml:3:21: an alias is inside the value that it names; write the value out"},
      {"merge_of_a_number",
       cube,
       "output: {<<: 3}\n",
       {},
       "bad.yaml:3:10: output.<<: merges the number 3; name a map, such as <<: *anchor"},
  };
  return table;
}

INSTANTIATE_TEST_SUITE_P(Configuration, MalformedConfiguration, testing::ValuesIn(malformed()),
                         [](const auto& row) { return row.param.name; });

using Configuration = ConfigFile;

TEST_F(Configuration, ErrorsOfAFileAreReportedTogetherInItsOrder) {
  EXPECT_EQ(
      errors("title: [a]\n"
             "domain: {lower: [0, 0], upper: [1, 0]}\n"
             "grid: {cells: [16, 1], cels: 3}\n"
             "equation: {coefficient: -1, source: 2*sinn(x)}\n"
             "solver: {method: direct, tolerance: 1, tolerance: 2}\n",
             {"solver.cylce=w"}),
      "bad.yaml:1:8: title: expected text, found a list; the default is \"\"\n"
      "bad.yaml:2:36: domain.upper[1]: must be greater than domain.lower (0 <= 0)\n"
      "bad.yaml:3:20: grid.cells[1]: must be >= 2 and <= 10000000, found 1\n"
      "bad.yaml:3:24: grid.cels: unknown key; did you mean 'cells'?\n"
      "bad.yaml:4:25: equation.coefficient: must be > 0, found -1\n"
      "bad.yaml:4:37: equation.source: unknown function 'sinn' at character 3 of \"2*sinn(x)\"; did you mean 'sin'?\n"
      "bad.yaml:5:37: solver.tolerance: must be >= 0 and < 1, found 1\n"
      "bad.yaml:5:40: solver.tolerance: is given twice (first in line 5); keep one of the two\n"
      "--set solver.cylce=w: solver.cylce: unknown key; did you mean 'cycle'?");
}

TEST_F(Configuration, AnErrorListsItsLines) {
  try {
    load(cube + "solver: {cycle: x}\nbackend: {device: gpu}\n");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.errors.size(), 2u);
  }
}

TEST_F(Configuration, AFileThatCannotBeReadIsNamed) {
  const auto message = [&](const std::filesystem::path& file) {
    try {
      load_config(file);
    } catch (const ConfigError& error) {
      return without_folder(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message(folder / "none.yaml"),
            "none.yaml: cannot be opened (No such file or directory); check the path and its permissions");
  EXPECT_EQ(message(folder), folder.string() + ": is a directory; give the YAML file in it");
}

}  // namespace
}  // namespace poisson::config_errors_tests
