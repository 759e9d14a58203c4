// These tests compare the complete messages for invalid problems: boxes, grids, faces and quantities.

#include "tests/config_file.hpp"

namespace poisson::config_rules_tests {
namespace {

class ImpossibleProblem : public ConfigFile, public testing::WithParamInterface<Malformed> {};

TEST_P(ImpossibleProblem, GivesAnErrorWithItsReason) {
  EXPECT_EQ(errors(GetParam().base + GetParam().text, GetParam().overrides), GetParam().message);
}

const std::vector<Malformed>& malformed() {
  static const std::vector<Malformed> table{
      {"upper_below_lower",
       nothing,
       "domain: {lower: [0, 1], upper: [1, 1]}\ngrid: {cells: [4, 4]}\n",
       {},
       "bad.yaml:1:36: domain.upper[1]: must be greater than domain.lower (1 <= 1)"},
      {"one_dimension",
       nothing,
       "domain: {lower: [0], upper: [1]}\ngrid: {cells: [4]}\n",
       {},
       "bad.yaml:1:17: domain.lower: expected a list of 2 or 3 items, found 1; for example [0, 0, 0]\nbad.yaml:1:29: "
       "domain.upper: expected a list of 2 or 3 items, found 1; for example [1, 1, 1]\nbad.yaml:2:15: grid.cells: "
       "expected a list of 2 or 3 items, found 1; for example [64, 64, 64]"},
      {"dimensions_differ",
       nothing,
       "domain: {lower: [0, 0, 0], upper: [1, 1]}\ngrid: {cells: [4, 4, 4]}\n",
       {},
       "bad.yaml:1:35: domain.upper: has 2 numbers, but domain.lower has 3; give both the same length"},
      {"cells_of_another_dimension",
       nothing,
       "domain: {lower: [0, 0, 0], upper: [1, 1, 1]}\ngrid: {cells: [4, 4]}\n",
       {},
       "bad.yaml:2:15: grid.cells: has 2 numbers, but domain.lower has 3; give both the same length"},
      {"one_cell",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [4, 1]}\n",
       {},
       "bad.yaml:2:19: grid.cells[1]: must be >= 2 and <= 10000000, found 1"},
      {"bound_varies",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 2*x]}\ngrid: {cells: [4, 4]}\n",
       {},
       "bad.yaml:1:36: domain.upper[1]: \"2*x\" varies with x, y or z; write a number, or arithmetic on numbers and "
       "pi"},
      {"axes_of_equidistant",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n  type: equidistant\n  cells: [4, 4]\n  axes: {y: {stretching: "
       "tanh, strength: 2}}\n",
       {},
       "bad.yaml:5:13: grid.axes.y: describes an axis of an equidistant grid; write type: tensor-product under grid, "
       "or remove axes"},
      {"z_axis_in_2d",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n  type: tensor-product\n  cells: [4, 4]\n  axes:\n    z: "
       "{stretching: tanh, strength: 2}\n",
       {},
       "bad.yaml:6:8: grid.axes.z: does not exist in two dimensions; remove it, or give domain three numbers"},
      {"nodes_fall",
       nothing,
       "grid:\n  type: tensor-product\n  axes:\n    x: {nodes: [0, 1, 2]}\n    y: {nodes: [0, 0.5, 0.25, 1]}\n",
       {},
       "bad.yaml:5:25: grid.axes.y.nodes: node 2 is not greater than the previous one (0.5, 0.25); nodes must "
       "increase"},
      {"nodes_leave_the_domain",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n  type: tensor-product\n  cells: [4, 2]\n  axes: {y: {nodes: "
       "[0, 0.5, 1.5]}}\n",
       {},
       "bad.yaml:5:21: grid.axes.y.nodes: spans 0.0 to 1.5, but domain spans 0.0 to 1.0; make them agree, or omit "
       "domain"},
      {"nodes_do_not_fit_cells",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n  type: tensor-product\n  cells: [4, 4]\n  axes: {y: {nodes: "
       "[0, 0.5, 1]}}\n",
       {},
       "bad.yaml:5:21: grid.axes.y.nodes: has 3 nodes, but grid.cells requests 4 cells; give one node more than cells, "
       "or omit cells"},
      {"layers_of_another_thickness",
       nothing,
       "domain: {lower: [0, -1], upper: [1, 1]}\ngrid: {cells: [4], axes: {y: {segments: [[1.5, 4], [0.4, 2]]}}}\n",
       {},
       "bad.yaml:2:15: grid.cells: expected a list of 2 or 3 items, found 1; for example [64, 64, 64]"},
      {"layers_that_leave_a_gap",
       nothing,
       "domain: {lower: [0, -1], upper: [1, 1]}\ngrid: {cells: [4, null], axes: {y: {segments: [[1.5, 4], [0.4, "
       "2]]}}}\n",
       {},
       "bad.yaml:2:47: grid.axes.y.segments: has layers of total thickness 1.9, but domain spans -1.0 to 1.0, a length "
       "of 2.0; make them agree"},
      {"layers_of_other_cells",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [4, 7], axes: {y: {segments: [[0.5, 4], [0.5, 2]]}}}\n",
       {},
       "bad.yaml:2:44: grid.axes.y.segments: has 6 cells in total, but grid.cells requests 7; make them agree, or "
       "write null there"},
      {"layers_of_nothing",
       nothing,
       "domain: {lower: [0, 0, 0], upper: [1, 1, 1]}\ngrid: {cells: [4, 4], axes: {z: {segments: [[-1, 4], [1, 2.5], "
       "[1, 0], [0, 1]]}}}\n",
       {},
       "bad.yaml:2:46: grid.axes.z.segments[0][0]: the thickness is -1; give one greater than 0\nbad.yaml:2:58: "
       "grid.axes.z.segments[1][1]: the number of cells is 2.5; give a whole number, at least 1\nbad.yaml:2:68: "
       "grid.axes.z.segments[2][1]: the number of cells is 0; give a whole number, at least 1\nbad.yaml:2:73: "
       "grid.axes.z.segments[3][0]: the thickness is 0; give one greater than 0"},
      {"layer_of_three_numbers",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [4, 4], axes: {x: {segments: [[1, 4, 2]]}, y: {segments: "
       "[0.5, 4]}}}\n",
       {},
       "bad.yaml:2:45: grid.axes.x.segments[0]: expected a list of 2 items, found 3; for example [1.6e-3, "
       "8]\nbad.yaml:2:73: grid.axes.y.segments[0]: expected a list of 2 items, found the number 0.5; for example "
       "[1.6e-3, 8]\nbad.yaml:2:78: grid.axes.y.segments[1]: expected a list of 2 items, found the number 4; for "
       "example "
       "[1.6e-3, 8]"},
      {"one_cell_of_layers",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [4, null], axes: {y: {segments: [[1, 1]]}}}\n",
       {},
       "bad.yaml:2:47: grid.axes.y.segments: has 1 cells in total; give 2 to 10000000 cells per axis"},
      {"too_many_cells_of_layers",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [4, null], axes: {y: {segments: [[0.5, 1e12], [0.5, "
       "1]]}}}\n",
       {},
       "bad.yaml:2:47: grid.axes.y.segments: has 1000000000001 cells in total; give 2 to 10000000 cells per axis"},
      {"layers_below_rounding",
       nothing,
       "domain: {lower: [0, 1], upper: [1, 2]}\ngrid: {cells: [4, null], axes: {y: {segments: [[1, 4], [1e-12, "
       "40000]]}}}\n",
       {},
       "bad.yaml:2:47: grid.axes.y.segments: has a layer whose cells are lost to rounding; make it thicker, or move "
       "the box closer to the origin"},
      {"layers_and_nodes",
       nothing,
       "grid: {axes: {x: {nodes: [0, 1, 2]}, y: {nodes: [0, 1, 2], segments: [[1, 4]]}}}\n",
       {},
       "bad.yaml:1:60: grid.axes.y.segments: conflicts with nodes; keep one of the two"},
      {"cells_left_out",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [4, null]}\n",
       {},
       "bad.yaml:2:19: grid.cells[1]: is null and axis y has no nodes or segments; give its number of cells"},
      {"ratio_and_expansion",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n  type: tensor-product\n  cells: [4, 4]\n  axes: {y: "
       "{stretching: geometric, ratio: 1.1, expansion: 10}}\n",
       {},
       "bad.yaml:5:60: grid.axes.y.expansion: conflicts with ratio, because each determines the other; keep one of the "
       "two"},
      {"neither_ratio_nor_expansion",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n  type: tensor-product\n  cells: [4, 4]\n  axes: {y: "
       "{stretching: geometric, at: both}}\n",
       {},
       "bad.yaml:5:13: grid.axes.y: a geometric stretching needs ratio, expansion or first_cell; add ratio: 1.05, "
       "expansion: 1000 or first_cell: 1e-3"},
      {"neither_strength_nor_first_cell",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [4, 4], axes: {y: {stretching: tanh}}}\n",
       {},
       "bad.yaml:2:33: grid.axes.y: a tanh stretching needs strength or first_cell; add strength: 2.5 or first_cell: "
       "1e-3"},
      {"strength_and_first_cell",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [4, 4], axes: {y: {stretching: tanh, strength: 2, "
       "first_cell: 0.1}}}\n",
       {},
       "bad.yaml:2:77: grid.axes.y.first_cell: conflicts with strength, because each determines the other; keep one of "
       "the two"},
      {"first_cell_too_wide",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 2]}\ngrid: {cells: [4, 10], axes: {y: {stretching: tanh, first_cell: "
       "0.25}}}\n",
       {},
       "bad.yaml:2:65: grid.axes.y.first_cell: 0.25 cannot be reached with 10 cells on a length of 2 (equal cells are "
       "0.2 wide); give a width of at least 1e-15 and less than that, or use fewer cells"},
      {"first_cell_below_rounding",
       nothing,
       "domain: {lower: [0, 1000], upper: [1, 1001]}\ngrid: {cells: [4, 10], axes: {y: {stretching: geometric, "
       "first_cell: 1e-12}}}\n",
       {},
       "bad.yaml:2:70: grid.axes.y.first_cell: 1e-12 cannot be reached with 10 cells on a length of 1 (equal cells are "
       "0.1 wide); give a width of at least 1e-11 and less than that"},
      {"parameter_named_like_a_coordinate",
       cube,
       "parameters: {x: 1, pi: 3, sin: 2, 2h: 1, a-b: 1}\n",
       {},
       "bad.yaml:3:14: parameters.x: is a coordinate of expressions; use another name\nbad.yaml:3:20: parameters.pi: "
       "is a constant of expressions; use another name\nbad.yaml:3:27: parameters.sin: is a function of expressions; "
       "use another name\nbad.yaml:3:35: parameters.2h: is not a valid name; use letters, digits and _, starting with "
       "a letter\nbad.yaml:3:42: parameters.a-b: is not a valid name; use letters, digits and _, starting with a "
       "letter"},
      {"parameter_that_is_no_number",
       cube,
       "parameters: {a: [1], b: 2*x, c: , d: true, e: .inf, f: 1/0}\n",
       {},
       "bad.yaml:3:17: parameters.a: expected a number, found a list; for example a: 25\nbad.yaml:3:25: parameters.b: "
       "\"2*x\" varies with x, y or z; write a number, or arithmetic on numbers and pi\nbad.yaml:3:30: parameters.c: "
       "expected a number, found nothing; for example c: 25\nbad.yaml:3:38: parameters.d: expected a number, found the "
       "boolean true; for example d: 25\nbad.yaml:3:47: parameters.e: expected a number, found the number .inf; for "
       "example e: 25\nbad.yaml:3:56: parameters.f: \"1/0\" is not a finite number (inf); change the expression"},
      {"parameter_that_overflows",
       cube,
       "parameters: {a: 1e308, b: a*10, c: -b*a, d: a - a, e: 1/d, f: b + g, g: 1, h: 2*h, i: 0/d}\n",
       {},
       "bad.yaml:3:27: parameters.b: \"a*10\" is not a finite number (inf); change the expression\nbad.yaml:3:55: "
       "parameters.e: \"1/d\" is not a finite number (inf); change the expression\nbad.yaml:3:63: parameters.f: \"b + "
       "g\" uses a parameter that is defined below; define that one first\nbad.yaml:3:79: parameters.h: unknown symbol "
       "'h' at character 3 of \"2*h\"; symbols are x, y, z, pi, _pi, _e, a, b, c, d, e, f, g\nbad.yaml:3:87: "
       "parameters.i: \"0/d\" is not a finite number (nan); change the expression"},
      {"parameter_that_stands_below",
       cube,
       "parameters: {q: 2*h, h: 25}\n",
       {},
       "bad.yaml:3:17: parameters.q: \"2*h\" uses a parameter that is defined below; define that one first"},
      {"parameters_are_no_map",
       cube,
       "parameters: 25\n",
       {},
       "bad.yaml:3:13: parameters: expected a map of names and numbers, found the number 25; for example {h: 25}"},
      {"unknown_parameter",
       cube,
       "parameters: {height: 2}\nequation: {source: x*heigth, reaction: other}\n",
       {},
       "bad.yaml:4:20: equation.source: unknown symbol 'heigth' at character 3 of \"x*heigth\"; did you mean "
       "'height'?\nbad.yaml:4:40: equation.reaction: unknown symbol 'other' at character 1 of \"other\"; symbols are "
       "x, "
       "y, z, pi, _pi, _e, height"},
      {"overridden_parameter_that_nothing_names",
       cube,
       "parameters: {h: 2}\nequation: {source: h*x}\n",
       {"parameters.hh=3"},
       "--set parameters.hh=3: parameters.hh: is not used by any expression; did you mean 'h'?"},
      {"parameter_out_of_range",
       nothing,
       "parameters: {n: 3}\ndomain: {lower: [0, 0], upper: [1, n - 3]}\ngrid: {cells: [n - 2, n/2]}\n",
       {},
       "bad.yaml:2:36: domain.upper[1]: must be greater than domain.lower (n - 3 = 0 <= 0)\nbad.yaml:3:16: "
       "grid.cells[0]: must be >= 2 and <= 10000000, found n - 2 = 1\nbad.yaml:3:23: grid.cells[1]: "
       "expected an integer, found n/2 = 1.5; write a whole number"},
      {"strength_of_geometric",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n  type: tensor-product\n  cells: [4, 4]\n  axes: {y: "
       "{stretching: geometric, ratio: 1.1, strength: 2}}\n",
       {},
       "bad.yaml:5:49: grid.axes.y.strength: is not valid with stretching: geometric; remove it, or choose stretching: "
       "tanh"},
      {"cells_vanish",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n  type: tensor-product\n  cells: [400, 400]\n  axes: {y: "
       "{stretching: tanh, strength: 80}}\n",
       {},
       "bad.yaml:5:13: grid.axes.y: its cells are lost to rounding; stretch less, use fewer cells, or move the box "
       "closer to the origin"},
      {"nodes_and_stretching",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n  type: tensor-product\n  cells: [2, 2]\n  axes: {y: {nodes: "
       "[0, 0.5, 1], stretching: tanh, strength: 2}}\n",
       {},
       "bad.yaml:5:14: grid.axes.y.nodes: conflicts with stretching; keep one of the two"},
      {"nodes_file_missing",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n  type: tensor-product\n  cells: [2, 2]\n  axes: {y: {file: "
       "none.h5, dataset: /y}}\n",
       {},
       "bad.yaml:5:20: grid.axes.y: file 'none.h5' cannot be read (there is no such file). Check the path."},
      {"periodic_on_one_face",
       cube,
       "boundary:\n  x-: periodic\n",
       {},
       "bad.yaml:4:7: boundary.x-: is periodic, but x+ is not (the two faces of the axis are identified); make both "
       "periodic or neither"},
      {"z_face_in_2d",
       square,
       "boundary:\n  z+: {dirichlet: 1}\n",
       {},
       "bad.yaml:4:7: boundary.z+: does not exist in two dimensions; remove it, or give domain three numbers"},
      {"periodic_z_in_2d",
       square,
       "boundary:\n  x-: periodic\n  x+: periodic\n  z-: periodic\n  z+: periodic\n",
       {},
       "bad.yaml:6:7: boundary.z-: does not exist in two dimensions; remove it, or give domain three "
       "numbers\nbad.yaml:7:7: boundary.z+: does not exist in two dimensions; remove it, or give domain three numbers"},
      {"robin_without_alpha",
       cube,
       "boundary:\n  z+: {robin: {value: 1}}\n",
       {},
       "bad.yaml:4:15: boundary.z+.robin.alpha: is missing; add alpha: 10"},
      {"negative_alpha",
       cube,
       "boundary:\n  z+: {robin: {alpha: 1 - 2, value: 1}}\n",
       {},
       "bad.yaml:4:23: boundary.z+.robin.alpha: must be >= 0, found 1 - 2"},
      {"two_kinds_on_a_face",
       cube,
       "boundary:\n  z+: {dirichlet: 1, neumann: 0}\n",
       {},
       "bad.yaml:4:22: boundary.z+.neumann: conflicts with dirichlet; keep one of the two"},
      {"two_kinds_on_a_part",
       cube,
       "boundary:\n  z+: [{where: x < 0.5, dirichlet: 1, neumann: 0}, {neumann: 0}]\n",
       {},
       "bad.yaml:4:39: boundary.z+[0].neumann: conflicts with dirichlet; keep one of the two"},
      {"boundary_is_a_number",
       cube,
       "boundary:\n  z+: 1\n",
       {},
       "bad.yaml:4:7: boundary.z+: expected periodic | {dirichlet} | {neumann} | {robin: {alpha, value, ambient}} | a "
       "list of at least 2 items, found the number 1; write {dirichlet: 1}"},
      {"misspelt_periodic",
       cube,
       "boundary: {default: perodic}\n",
       {},
       "bad.yaml:3:21: boundary.default: unknown choice \"perodic\"; did you mean 'periodic'?"},
      {"misspelt_kind",
       cube,
       "boundary:\n  z+: {dirichlt: 1}\n",
       {},
       "bad.yaml:4:8: boundary.z+.dirichlt: unknown key; did you mean 'dirichlet'?"},
      {"unknown_face",
       cube,
       "boundary:\n  top: {dirichlet: 1}\n",
       {},
       "bad.yaml:4:3: boundary.top: unknown key; did you mean 'z+' (in two dimensions 'y+')?"},
      {"robin_without_data",
       cube,
       "boundary:\n  z+: {robin: {alpha: 1}}\n",
       {},
       "bad.yaml:4:15: boundary.z+.robin.value: is missing; add value: 0, or ambient"},
      {"robin_with_value_and_ambient",
       cube,
       "boundary:\n  z+: {robin: {alpha: 1, ambient: 20, value: 20}}\n  z-: [{where: x < 0.5, robin: {alpha: y, value: "
       "0, ambient: x}}, {neumann: 0}]\n",
       {},
       "bad.yaml:4:35: boundary.z+.robin.ambient: conflicts with value, because alpha * ambient replaces it; keep one "
       "of the two\nbad.yaml:5:62: boundary.z-[0].robin.ambient: conflicts with value, because alpha * ambient "
       "replaces it; keep one of the two"},
      {"ambient_that_overflows",
       cube,
       "boundary:\n  z+: {robin: {alpha: 1e200, ambient: 1e200}}\n  z-: {robin: {alpha: 1, ambient: q}}\n",
       {},
       "bad.yaml:4:39: boundary.z+.robin.ambient: \"(1e+200) * (1e+200)\" is not a finite number (inf); change the "
       "expression\nbad.yaml:5:35: boundary.z-.robin.ambient: unknown symbol 'q' at character 1 of \"q\"; symbols are "
       "x, "
       "y, z, pi, _pi, _e"},
      {"coefficient_zero",
       cube,
       "equation: {coefficient: 0}\n",
       {},
       "bad.yaml:3:25: equation.coefficient: must be > 0, found 0"},
      {"negative_reaction",
       cube,
       "equation: {reaction: -pi}\n",
       {},
       "bad.yaml:3:22: equation.reaction: must be >= 0, found -pi"},
      {"tensor_z_in_2d",
       square,
       "equation:\n  coefficient: {x: 1, y: 2, z: 3}\n",
       {},
       "bad.yaml:4:32: equation.coefficient.z: does not exist in two dimensions; remove it, or give domain three "
       "numbers"},
      {"mixed_without_elements",
       square,
       "equation:\n  coefficient: {x: 1, y: 2, xy: 0.5}\n",
       {},
       "bad.yaml:4:33: equation.coefficient.xy: needs elements (finite volumes accept only a diagonal tensor); write "
       "discretization: {scheme: q1}, or remove it"},
      {"mixed_z_in_2d",
       square,
       "discretization: {scheme: q1}\nequation:\n  coefficient: {x: 1, y: 2, yz: 0.5}\n",
       {},
       "bad.yaml:5:33: equation.coefficient.yz: does not exist in two dimensions; remove it, or give domain three "
       "numbers"},
      {"unknown_tensor_entry",
       square,
       "discretization: {scheme: q1}\nequation:\n  coefficient: {x: 1, y: 2, yx: 0.5}\n",
       {},
       "bad.yaml:5:29: equation.coefficient.yx: unknown key; did you mean 'xy'?"},
      {"compact4_on_a_stretched_axis",
       nothing,
       "domain: {lower: [0, 0], upper: [1, 1]}\ngrid:\n  type: tensor-product\n  cells: [4, 4]\n  axes: {y: "
       "{stretching: "
       "tanh, strength: 2}}\ndiscretization: {scheme: compact4}\n",
       {},
       "bad.yaml:5:13: grid.axes.y: has cells of different widths, but discretization.scheme: compact4 requires equal "
       "cells; write grid.type: equidistant, or another scheme"},
      {"compact4_with_a_varying_coefficient",
       square,
       "discretization: {scheme: compact4}\nequation: {coefficient: 1 + x}\n",
       {},
       "bad.yaml:4:25: equation.coefficient: varies, but discretization.scheme: compact4 requires a constant; write a "
       "number, or another scheme"},
      {"compact4_with_a_varying_tensor",
       square,
       "discretization: {scheme: compact4}\nequation: {coefficient: {x: 2, y: 1 + x}}\n",
       {},
       "bad.yaml:4:35: equation.coefficient.y: varies, but discretization.scheme: compact4 requires a constant; write "
       "a number, or another scheme"},
      {"compact4_with_a_full_tensor",
       square,
       "discretization: {scheme: compact4}\nequation: {coefficient: {x: 2, y: 1, xy: 0.5}}\n",
       {},
       "bad.yaml:4:42: equation.coefficient.xy: needs elements (finite volumes accept only a diagonal tensor); write "
       "discretization: {scheme: q1}, or remove it"},
      {"compact4_with_a_varying_reaction",
       square,
       "discretization: {scheme: compact4}\nequation: {reaction: x^2}\n",
       {},
       "bad.yaml:4:22: equation.reaction: varies, but discretization.scheme: compact4 requires a constant; write a "
       "number, "
       "or another scheme"},
  };
  return table;
}

INSTANTIATE_TEST_SUITE_P(Configuration, ImpossibleProblem, testing::ValuesIn(malformed()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace poisson::config_rules_tests
