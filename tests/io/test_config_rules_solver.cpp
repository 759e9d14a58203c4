// These tests compare the complete messages for invalid schemes, expressions, solvers and probes.

#include "tests/config_file.hpp"

namespace poisson::config_rules_solver_tests {
namespace {

class ImpossibleSolve : public ConfigFile, public testing::WithParamInterface<Malformed> {};

TEST_P(ImpossibleSolve, GivesAnErrorWithItsReason) {
  EXPECT_EQ(errors(GetParam().base + GetParam().text, GetParam().overrides), GetParam().message);
}

const std::vector<Malformed>& malformed() {
  static const std::vector<Malformed> table{
      {"compact4_with_a_neumann_face",
       square,
       "discretization: {scheme: compact4}\nboundary:\n  x-: {neumann: 1}\n",
       {},
       "bad.yaml:5:7: boundary.x-: is a Neumann face, but discretization.scheme: compact4 requires Dirichlet and "
       "periodic faces; write dirichlet or periodic, or another scheme"},
      {"compact4_with_robin_faces",
       cube,
       "discretization: {scheme: compact4}\nboundary:\n  default: {robin: {alpha: 1, value: 0}}\n  z+: {dirichlet: "
       "1}\n",
       {},
       "bad.yaml:5:12: boundary.default: is a Robin face, but discretization.scheme: compact4 requires Dirichlet and "
       "periodic faces; write dirichlet or periodic, or another scheme"},
      {"extrapolation_with_a_face_set_alone",
       cube,
       "solver: {extrapolate: true}\n",
       {"boundary.x-={neumann: 1}"},
       "--set boundary.x-={neumann: 1}: boundary.x-: is a Neumann face, but solver.extrapolate requires Dirichlet and "
       "periodic faces; write dirichlet or periodic, or extrapolate: false"},
      {"compact4_in_cells",
       cube,
       "discretization: {scheme: compact4, centering: cell}\n",
       {},
       "bad.yaml:3:47: discretization.centering: cell requires scheme: fv (compact4 has its unknowns at nodes); write "
       "centering: node, or scheme: fv"},
      {"extrapolate_is_no_number",
       cube,
       "solver: {extrapolate: 2}\n",
       {},
       "bad.yaml:3:23: solver.extrapolate: expected true or false, found the number 2; the default is false"},
      {"extrapolate_elements",
       cube,
       "discretization: {scheme: q1}\nsolver: {extrapolate: true}\n",
       {},
       "bad.yaml:4:23: solver.extrapolate: requires scheme: fv, but the scheme is q1; write extrapolate: false"},
      {"extrapolate_compact4",
       cube,
       "discretization: {scheme: compact4}\nsolver: {extrapolate: true}\n",
       {},
       "bad.yaml:4:23: solver.extrapolate: requires scheme: fv, but compact4 is of fourth order without it; write "
       "extrapolate: false"},
      {"extrapolate_cells",
       cube,
       "discretization: {centering: cell}\nsolver: {extrapolate: true}\n",
       {},
       "bad.yaml:3:29: discretization.centering: is cell, but solver.extrapolate requires unknowns at nodes; write "
       "node, or extrapolate: false"},
      {"extrapolate_odd_numbers_of_cells",
       nothing,
       "domain: {lower: [0, 0, 0], upper: [1, 1, 1]}\ngrid: {cells: [5, 8, 2]}\nsolver: {extrapolate: true}\n",
       {},
       "bad.yaml:2:16: grid.cells[0]: is 5, but solver.extrapolate requires an even number of at least 4 (it compares "
       "with every second node); write 6, or extrapolate: false\nbad.yaml:2:22: grid.cells[2]: is 2, but "
       "solver.extrapolate requires an even number of at least 4 (it compares with every second node); write 4, or "
       "extrapolate: false"},
      {"extrapolate_an_odd_number_of_given_nodes",
       nothing,
       "grid: {type: tensor-product, axes: {x: {nodes: [0, 1, 2, 3]}, y: {nodes: [0, 1, 2, 3, 4]}}}\nsolver: "
       "{extrapolate: true}\n",
       {},
       "bad.yaml:2:23: grid.cells[0]: is 3, but solver.extrapolate requires an even number of at least 4 (it compares "
       "with every second node); write 4, or extrapolate: false"},
      {"extrapolate_a_stretched_axis",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n  type: tensor-product\n  cells: [4, 4]\n  axes: {y: "
       "{stretching: "
       "tanh, strength: 2}}\nsolver: {extrapolate: true}\n",
       {},
       "bad.yaml:5:13: grid.axes.y: has cells of different widths, but solver.extrapolate requires equal cells; write "
       "grid.type: equidistant, or extrapolate: false"},
      {"extrapolate_a_varying_coefficient",
       cube,
       "equation: {coefficient: 1 + x}\nsolver: {extrapolate: true}\n",
       {},
       "bad.yaml:3:25: equation.coefficient: varies, but solver.extrapolate requires a constant; write a number, or "
       "extrapolate: false"},
      {"extrapolate_neumann_faces",
       cube,
       "boundary: {z-: {neumann: 0}}\n",
       {"solver.extrapolate=true"},
       "bad.yaml:3:16: boundary.z-: is a Neumann face, but solver.extrapolate requires Dirichlet and periodic faces; "
       "write "
       "dirichlet or periodic, or extrapolate: false"},
      {"dataset_file_missing",
       cube,
       "equation:\n  source: {file: none.h5, dataset: /f}\n",
       {},
       "bad.yaml:4:18: equation.source: file 'none.h5' cannot be read (there is no such file). Check the path."},
      {"dataset_not_named",
       cube,
       "equation:\n  source: {file: none.h5}\n",
       {},
       "bad.yaml:4:11: equation.source.dataset: is missing; add dataset: /kappa"},
      {"unknown_function",
       cube,
       "equation: {source: 2*sinn(x)}\n",
       {},
       "bad.yaml:3:20: equation.source: unknown function 'sinn' at character 3 of \"2*sinn(x)\"; did you mean 'sin'?"},
      {"unknown_symbol",
       cube,
       "equation: {source: x + yy}\n",
       {},
       "bad.yaml:3:20: equation.source: unknown symbol 'yy' at character 5 of \"x + yy\"; did you mean 'y'?"},
      {"time_is_no_symbol",
       cube,
       "equation: {source: x + time}\n",
       {},
       "bad.yaml:3:20: equation.source: unknown symbol 'time' at character 5 of \"x + time\"; the equation has no "
       "time; use a parameter instead"},
      {"call_of_a_constant",
       cube,
       "equation: {source: pi(x)}\n",
       {},
       "bad.yaml:3:20: equation.source: 'pi' is called as a function at character 1 of \"pi(x)\"; write an operator "
       "before the parenthesis"},
      {"function_without_arguments",
       cube,
       "equation: {source: sin + 1}\n",
       {},
       "bad.yaml:3:20: equation.source: 'sin' without its arguments at character 1 of \"sin + 1\"; write sin(...)"},
      {"power_of_other_languages",
       cube,
       "equation: {source: 'x**2'}\n",
       {},
       "bad.yaml:3:20: equation.source: '**' is not an operator at character 2 of \"x**2\"; write ^ for powers"},
      {"chain_of_comparisons",
       cube,
       "equation: {source: '(x + (y < 1)) * (0.2 < x && 0.4 < y < 0.6)'}\n",
       {},
       "bad.yaml:3:20: equation.source: a chained comparison, which compares 0 or 1, at character 37 of \"(x + (y < "
       "1)) * "
       "(0.2 < x && 0.4 < y < 0.6)\"; write 0 < x && x < 1, or parentheses around the first"},
      {"pow",
       cube,
       "equation: {source: 'pow(x, 2)'}\n",
       {},
       "bad.yaml:3:20: equation.source: unknown function 'pow' at character 1 of \"pow(x, 2)\"; write a^b"},
      {"number_before_name",
       cube,
       "equation: {source: 1 + 2x}\n",
       {},
       "bad.yaml:3:20: equation.source: a name follows a number directly at character 6 of \"1 + 2x\"; write an "
       "operator between them, such as 2*x"},
      {"assignment",
       cube,
       "equation: {source: x = 3}\n",
       {},
       "bad.yaml:3:20: equation.source: an assignment at character 3 of \"x = 3\"; write == to compare"},
      {"comma_list",
       cube,
       "equation: {source: '1, 2'}\n",
       {},
       "bad.yaml:3:20: equation.source: a list (a comma outside a function's arguments) at character 2 of \"1, 2\"; "
       "write one expression, and decimals with a point"},
      {"string_in_expression",
       cube,
       "equation: {source: 'x + \"a\"'}\n",
       {},
       "bad.yaml:3:20: equation.source: a string at character 5 of \"x + \"a\"\"; write numbers, x, y, z, operators "
       "and functions only"},
      {"unclosed_parenthesis",
       cube,
       "equation: {source: sin(x}\n",
       {},
       "bad.yaml:3:20: equation.source: a parenthesis is not closed at character 5 of \"sin(x\"; add the missing ')'"},
      {"unopened_parenthesis",
       cube,
       "equation: {source: x)}\n",
       {},
       "bad.yaml:3:20: equation.source: a parenthesis closes that was never opened at character 2 of \"x)\"; remove it "
       "or add a '('"},
      {"operator_without_operand",
       cube,
       "equation: {source: x *}\n",
       {},
       "bad.yaml:3:20: equation.source: syntax error at character 3 of \"x *\" (Unexpected end of expression); check "
       "the operators and parentheses there"},
      {"too_many_arguments",
       cube,
       "equation: {source: 'sin(x, y)'}\n",
       {},
       "bad.yaml:3:20: equation.source: syntax error at character 9 of \"sin(x, y)\" (Too many parameters for function "
       "\"sin\"); check the operators and parentheses there"},
      {"empty_expression",
       cube,
       "equation: {source: ''}\n",
       {},
       "bad.yaml:3:20: equation.source: an empty expression; write a number or an expression"},
      {"foreign_character",
       cube,
       "equation: {source: 2·x}\n",
       {},
       "bad.yaml:3:20: equation.source: unexpected '·' at character 2 of \"2·x\"; operators are + - * / ^ < > <= >= == "
       "!= && || ?:"},
      {"constant_not_finite",
       cube,
       "equation: {source: 1/0}\n",
       {},
       "bad.yaml:3:20: equation.source: \"1/0\" is not a finite number (inf); change the expression"},
      {"relaxation_of_jacobi",
       cube,
       "solver: {smoother: {type: jacobi, relaxation: 1.5}}\n",
       {},
       "bad.yaml:3:47: solver.smoother.relaxation: must be > 0 and <= 1, found 1.5"},
      {"relaxation_of_red_black",
       cube,
       "solver: {smoother: {type: red-black, relaxation: 2}}\n",
       {},
       "bad.yaml:3:50: solver.smoother.relaxation: must be > 0 and < 2, found 2"},
      {"interval_of_jacobi",
       cube,
       "solver: {smoother: {type: jacobi, interval: 8}}\n",
       {},
       "bad.yaml:3:35: solver.smoother.interval: is not valid with type: jacobi; remove it, or choose type: chebyshev, "
       "kind: first or type: line, kind: first or type: plane, kind: first"},
      {"interval_of_fourth_kind",
       cube,
       "solver: {smoother: {type: chebyshev, kind: fourth, interval: 8}}\n",
       {},
       "bad.yaml:3:52: solver.smoother.interval: is not valid with type: chebyshev, kind: fourth; remove it, or choose "
       "type: chebyshev, kind: first or type: line, kind: first or type: plane, kind: first"},
      {"galerkin_planes",
       cube,
       "solver: {smoother: plane, coarse_operator: galerkin}\n",
       {},
       "bad.yaml:3:44: solver.coarse_operator: galerkin supports point and line smoothers only, but "
       "solver.smoother.type is plane; write coarse_operator: rediscretized or another smoother"},
      {"galerkin_of_cg",
       cube,
       "solver: {method: cg, coarse_operator: galerkin}\n",
       {},
       "bad.yaml:3:39: solver.coarse_operator: applies to multigrid only, but solver.method is cg; write "
       "coarse_operator: auto or method: multigrid"},
      {"unknown_smoother",
       cube,
       "solver: {smoother: ilu}\n",
       {},
       "bad.yaml:3:20: solver.smoother.type: unknown choice \"ilu\"; choose one of auto, jacobi, red-black, "
       "chebyshev, line, plane"},
      {"no_sweeps",
       cube,
       "solver: {smoother: {type: red-black, pre: 0, post: 0}}\n",
       {},
       "bad.yaml:3:52: solver.smoother.post: pre and post are both 0, so nothing is smoothed; make their sum at least "
       "1"},
      {"krylov_without_multigrid",
       cube,
       "solver: {method: jacobi, krylov: cg}\n",
       {},
       "bad.yaml:3:34: solver.krylov: cg accelerates multigrid, but solver.method is jacobi; write krylov: none or "
       "method: multigrid"},
      {"probe_outside",
       cube,
       "output:\n  probes: [[0.5, 0.5, 0.5], [0.5, 0.5, 1.5]]\n",
       {},
       "bad.yaml:4:29: output.probes[1]: [0.5,0.5,1.5] is outside the domain; move it inside or onto a face"},
      {"probe_of_another_dimension",
       cube,
       "output:\n  probes: [[0.5, 0.5]]\n",
       {},
       "bad.yaml:4:12: output.probes[0]: has 2 coordinates in 3 dimensions; give 3"},
      {"error_without_exact",
       cube,
       "output: {fields: [u, error]}\n",
       {},
       "bad.yaml:3:22: output.fields[1]: error needs the exact solution; add equation: {exact: ...} or remove error"},
      {"list_as_coefficient",
       cube,
       "equation: {coefficient: [1, 2, 3]}\n",
       {},
       "bad.yaml:3:25: equation.coefficient: expected a number or an expression > 0 | {file, dataset} | {x, y, z, xy, "
       "xz, "
       "yz}, found a list; the default is 1"},
      {"exact_dataset",
       cube,
       "equation: {exact: {file: a.h5, dataset: /u}}\n",
       {},
       "bad.yaml:3:19: equation.exact: expected a number or an expression, found a map; for example "
       "sin(pi*x)*sin(pi*y)"},
      {"octal_and_hexadecimal",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [0o10, 0x1]}\n",
       {},
       "bad.yaml:2:22: grid.cells[1]: must be >= 2 and <= 10000000, found 0x1"},
      {"no_key_of_a_face",
       cube,
       "boundary: {x-: {flux: 3}, y-: {}}\n",
       {},
       "bad.yaml:3:17: boundary.x-.flux: unknown key; did you mean 'neumann' (positive into the box)?\nbad.yaml:3:31: "
       "boundary.y-: expected periodic | {dirichlet} | {neumann} | {robin: {alpha, value, ambient}} | a list of at "
       "least 2 "
       "items, found an empty map"},
  };
  return table;
}

INSTANTIATE_TEST_SUITE_P(Configuration, ImpossibleSolve, testing::ValuesIn(malformed()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace poisson::config_rules_solver_tests
