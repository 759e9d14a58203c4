// Counts iterations to 1e-8 on blocks with thin cells, for random loads, and compares them with the bounds of the
// project:
//
//     poisson-block-iterations cpu plane 32,64,128
//     poisson-block-iterations cpu space 32,48

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "solver/smoothers/smoother.hpp"
#include "tests/blocks.hpp"

namespace poisson::bench {
namespace {

using test::MadeBlocks;

/// Is a macro mesh for n cells along each edge. `at_wall` gets the centre of a side.
struct Shape {
  std::string name;
  MadeBlocks made;
  std::function<bool(const Place3&)> at_wall;
  bool crosses = false;  ///< thin cells lie on both sides of an interface
};

// Returns nodes from 0 to 1 in cells that grow by at most 1.5 from 1/aspect of the largest ones. `sides`: 1 lower end,
// 2 both ends, 3 the middle.
std::vector<double> layer(int cells, double aspect, int sides) {
  std::vector<double> widths;
  for (int i = 0; i < cells; ++i) {
    const int from_end = std::min(i, cells - 1 - i), middle = std::max(cells / 2 - 1 - i, i - cells / 2);
    const int away = sides == 1 ? i : sides == 2 ? from_end : middle;
    widths.push_back(std::min(1.0, std::pow(1.5, away) / aspect));
  }
  std::vector<double> nodes{0};
  for (const double w : widths) nodes.push_back(nodes.back() + w);
  for (double& x : nodes) x /= nodes.back();
  return nodes;
}
double height(const std::vector<double>& nodes) {
  double most = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) most = std::max(most, nodes[i] - nodes[i - 1]);
  return 1 / most;  // in widths of the largest cell
}
// Returns nodes from 0 to 1 in cells that grow all the way, so that cells away from the wall are long.
std::vector<double> growing(int cells, double aspect) {
  const double first = 1.0 / cells / aspect;
  return geometric_nodes(0, 1, cells, geometric_ratio_of_first_cell(first, 1, cells, StretchedEnd::lower),
                         StretchedEnd::lower);
}

// Returns 2 × 2 (× 2) blocks, graded along the last axis, whose vertices are moved along the others. With `round`, the
// largest cells are as high as wide.
MadeBlocks layers(int dimension, int n, const std::function<std::vector<double>(int)>& nodes, bool round, bool moved,
                  bool all_axes = false) {
  const auto last = static_cast<std::size_t>(dimension) - 1;
  MadeBlocks made = test::grid_of_blocks(std::vector<int>(last + 1, 2), 0, true);
  for (std::size_t d = all_axes ? 0 : last; d <= last; ++d) test::grade_axis(made, d, 2, nodes);
  const std::vector<double> table = nodes(2 * n);
  const auto grading = made.grading;
  const MadeBlocks reference = made;
  made.grading = [grading, topology = MacroTopology(reference.macro)](const MacroTopology&, int edge_class, int cells) {
    return grading(topology, edge_class, cells);
  };
  std::mt19937 random(9);
  std::uniform_real_distribution<double> by(-0.1, 0.1);
  for (Place3& x : made.macro.vertices) {
    for (std::size_t d = 0; d <= last; ++d) {
      const bool inside = x[d] > 0.1 && x[d] < 0.9;
      if (d == last || all_axes)
        x[d] = table[static_cast<std::size_t>(std::lround(2 * n * x[d]))];
      else if (moved && inside)
        x[d] += by(random);
    }
    if (round) x[last] *= height(table) / (2 * n);
  }
  return made;
}

// Returns a ring whose radial cells are as long as others away from the wall.
MadeBlocks round_ring(int n, double aspect) {
  const std::vector<double> nodes = layer(n, aspect, 1);
  const double width = 2 * std::numbers::pi / 8 / n, outer = 1 + height(nodes) * width;
  MadeBlocks made = test::ring(8, outer, 1, n);
  made.grading = [nodes](const MacroTopology& of, int edge_class, int cells) {
    const MacroPart& edge =
        of.parts()[static_cast<std::size_t>(of.classes()[static_cast<std::size_t>(edge_class)].edge)];
    return edge.corners[1] - edge.corners[0] == 8 && edge.corners[0] < 8 ? nodes : uniform_nodes(0, 1, cells);
  };
  return made;
}

// Returns five blocks around a vertex with thin cells at the boundary.
MadeBlocks walled_star(int n, double aspect) {
  MadeBlocks made = test::star(5);
  made.grading = [nodes = layer(n, aspect, 1)](const MacroTopology& of, int edge_class, int) {
    const MacroPart& edge =
        of.parts()[static_cast<std::size_t>(of.classes()[static_cast<std::size_t>(edge_class)].edge)];
    const bool from_wall = edge.corners[0] != 0 && edge.corners[0] % 2 == 0;
    if (from_wall) return nodes;
    std::vector<double> turned;
    for (auto x = nodes.rbegin(); x != nodes.rend(); ++x) turned.push_back(1 - *x);
    return turned;
  };
  return made;
}

std::vector<Shape> shapes(int dimension, int n, double aspect) {
  const auto of = [=](int sides) { return [=](int cells) { return layer(cells, aspect, sides); }; };
  const auto long_cells = [=](int cells) { return growing(cells, aspect); };
  const auto last = static_cast<std::size_t>(dimension) - 1;
  const auto low = [=](const Place3& x) { return x[last] < 1e-9; };
  const auto inner = [](const Place3& x) { return std::hypot(x[0], x[1]) < 1.001; };
  const auto any = [](const Place3&) { return true; };
  std::vector<Shape> all{{"wall", layers(dimension, n, of(1), true, false), low},
                         {"wall, moved blocks", layers(dimension, n, of(1), true, true), low},
                         {"channel", layers(dimension, n, of(2), true, false), low},
                         {"round ring", round_ring(n, aspect), inner},
                         {"long cells", layers(dimension, n, long_cells, false, true), low},
                         {"interface", layers(dimension, n, of(3), true, true), low, true},
                         {"corner", layers(dimension, n, of(1), false, false, true), low},
                         {"two layers of a ring", test::ring(8, 3, aspect, n, 2), inner, true},
                         {"star", walled_star(n, aspect), any},
                         {"straight long cells", layers(dimension, n, long_cells, false, false), low}};
  if (dimension == 2) return all;
  for (std::size_t s : {3, 7, 8}) all[s].made = test::extruded(all[s].made, s == 8 ? 1 : 2 * std::numbers::pi / 8);
  all[8].at_wall = [](const Place3& x) { return x[2] > 0.1 && x[2] < 0.9; };
  return all;
}

// Makes the patch "wall".
void mark_wall(Shape& shape) {
  const MacroTopology topology(shape.made.macro);
  shape.made.patches = {{"wall", {}}};
  for (std::size_t p = 0; p < topology.parts().size(); ++p) {
    const MacroPart& part = topology.parts()[p];
    if (part.dimension + 1 != topology.dimension() || part.blocks.size() > 1) continue;
    Place3 centre{};
    const std::size_t corners = std::size_t{1} << part.dimension;
    for (std::size_t c = 0; c < corners; ++c)
      for (std::size_t d = 0; d < 3; ++d)
        centre[d] +=
            shape.made.macro.vertices[static_cast<std::size_t>(part.corners[c])][d] / static_cast<double>(corners);
    if (shape.at_wall(centre)) shape.made.patches[0].parts.push_back(static_cast<int>(p));
  }
}

struct Tried {
  double interval = 0;
  int steps = 0;
};

void count(const Shape& shape, int dimension, int n, double aspect, bool neumann, const std::string& device,
           const Tried& tried) {
  const BlockMesh mesh = make_block_mesh(test::geometry_of(shape.made, n));
  MeshProblem problem = test::block_problem(mesh, 0.0, 0.0);
  if (neumann) test::insulate_first_patch(problem);
  Options options;
  if (tried.interval > 0) options.smoother.kind = &smoother_kind("chebyshev");
  if (tried.interval > 0) options.smoother.given.insert_or_assign("interval", tried.interval);
  if (tried.steps > 0) options.smoother.post = tried.steps;
  const auto backend = make_backend(device);
  const test::BlockSolution found =
      test::solve_blocks_on(*backend, nullptr, mesh, problem, options, one_process(), test::random_loads(problem));
  const bool needles =
      std::ranges::any_of(measure_cells(mesh).blocks, [](const auto& block) { return block.needles > 0; });
  const int iterations = found.result.converged() ? found.result.iterations : -1;
  std::printf(
      "{\"case\": \"%s\", \"dimension\": %d, \"cells\": %d, \"aspect\": %g, \"wall\": \"%s\", \"unknowns\": %zu, "
      "\"iterations\": %d, \"bound\": %d}\n",
      shape.name.c_str(), dimension, n, aspect, neumann ? "neumann" : "dirichlet", found.u.size(), iterations,
      needles         ? 60
      : shape.crosses ? 20
                      : 12);
  std::fflush(stdout);
}

void run(int count, char** values) {
  const std::string device = count > 1 ? values[1] : "cpu", what = count > 2 ? values[2] : "plane";
  const int dimension = what == "space" ? 3 : 2;
  Tried tried;
  if (count > 4) tried.interval = std::atof(values[4]);
  if (count > 5) tried.steps = std::atoi(values[5]);
  const std::string only = count > 6 ? values[6] : "";
  std::stringstream sizes(count > 3 ? values[3] : "16");
  for (std::string size; std::getline(sizes, size, ',');)
    for (const double aspect : {1e4, 1e2, 1e3}) {
      const int n = std::stoi(size);
      for (Shape& shape : shapes(dimension, n, aspect)) {
        if (!only.empty() && shape.name != only) continue;
        mark_wall(shape);
        for (const bool neumann : {false, true}) bench::count(shape, dimension, n, aspect, neumann, device, tried);
      }
    }
}

}  // namespace
}  // namespace poisson::bench

// Arguments: device, plane or space, numbers of cells along an edge, and for experiments the interval of Chebyshev's
// polynomial, its degree, and one case.
int main(int count, char** values) {
  poisson::bench::run(count, values);
}
