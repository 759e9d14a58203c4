#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

#include "grids/axes/stretching.hpp"
#include "grids/blocks/block_mesh.hpp"
#include "grids/meshes/mesh_results.hpp"
#include "solver/blocks_model.hpp"
#include "tests/device.hpp"

namespace poisson::test {

/// Is a macro mesh whose nodes a map places: `map` gets a place of the reference domain.
struct MadeBlocks {
  MacroMesh macro;
  std::vector<BlockPatch> patches;
  /// Returns the fractions of an edge class from its number of cells; empty: equal cells.
  std::function<std::vector<double>(const MacroTopology&, int edge_class, int cells)> grading;
  std::map<std::array<int, 2>, Curve> curves;  ///< from the smaller vertex to the larger one
};

/// Returns the geometry with n cells along each edge.
inline BlockGeometry geometry_of(const MadeBlocks& made, int n) {
  BlockGeometry geometry;
  geometry.topology = std::make_shared<const MacroTopology>(made.macro);
  const auto classes = static_cast<int>(geometry.topology->classes().size());
  for (int c = 0; c < classes; ++c) {
    geometry.cells.push_back(n);
    geometry.fractions.push_back(made.grading ? made.grading(*geometry.topology, c, n) : uniform_nodes(0, 1, n));
  }
  for (const auto& [edge, curve] : made.curves) geometry.curves[geometry.topology->find({edge[0], edge[1]})] = curve;
  geometry.patches = made.patches;
  return geometry;
}

inline void add_quadrilateral(MacroMesh& macro, std::array<int, 4> around) {
  MacroMesh::Block block;
  block.corners = {around[0], around[1], around[3], around[2]};
  block.name = "block " + std::to_string(macro.blocks.size());
  macro.blocks.push_back(block);
}

/// Returns m[0] × m[1] (× m[2]) blocks of the unit square or cube, whose inner vertices are moved by up to `skew`.
/// With `turned`, every other block starts at another corner, so that axes of neighbours differ.
inline MadeBlocks grid_of_blocks(std::vector<int> m, double skew, bool turned = false, unsigned seed = 5) {
  MadeBlocks made;
  const auto dimension = static_cast<int>(m.size());
  made.macro.dimension = dimension;
  m.resize(3, 0);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> by(-skew, skew);
  const auto number = [&](int i, int j, int k) { return i + (m[0] + 1) * (j + (m[1] + 1) * k); };
  for (int k = 0; k <= m[2]; ++k)
    for (int j = 0; j <= m[1]; ++j)
      for (int i = 0; i <= m[0]; ++i) {
        std::array<double, 3> x{};
        const std::array<int, 3> at{i, j, k};
        for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
          x[d] = (at[d] + (at[d] > 0 && at[d] < m[d] ? by(random) : 0)) / m[d];
        made.macro.vertices.push_back(x);
      }
  for (int k = 0; k < std::max(1, m[2]); ++k)
    for (int j = 0; j < m[1]; ++j)
      for (int i = 0; i < m[0]; ++i) {
        MacroMesh::Block block;
        const bool turns = turned && (i + j + k) % 2 == 1;
        for (std::size_t c = 0; c < made.macro.corners(); ++c) {
          std::array<int, 3> bit{static_cast<int>(c & 1), static_cast<int>(c >> 1 & 1), static_cast<int>(c >> 2)};
          if (turns)
            bit = dimension == 2 ? std::array{1 - bit[1], bit[0], 0} : std::array{1 - bit[1], bit[2], 1 - bit[0]};
          block.corners[c] = number(i + bit[0], j + bit[1], k + bit[2]);
        }
        block.name = "block " + std::to_string(made.macro.blocks.size());
        made.macro.blocks.push_back(block);
      }
  return made;
}

/// Returns `count` blocks around a vertex in the plane.
inline MadeBlocks star(int count) {
  MadeBlocks made;
  made.macro.vertices = {{0, 0, 0}};
  const double step = 2 * std::numbers::pi / count;
  for (int k = 0; k < count; ++k)
    for (const auto& [angle, radius] : {std::pair{k * step, 1.0}, {(k + 0.5) * step, 1.1}})
      made.macro.vertices.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
  for (int k = 0; k < count; ++k) add_quadrilateral(made.macro, {0, 2 * k + 1, 2 * k + 2, 2 * ((k + 1) % count) + 1});
  return made;
}

/// Returns a ring of `count` blocks between the radii 1 and `outer` in layers of `cells` cells. Radial cells grow over
/// all layers, and at the inner circle the cells are `aspect` times as long as high. The patches are "wall" and "far".
inline MadeBlocks ring(int count, double outer, double aspect, int cells, int layers = 1) {
  MadeBlocks made;
  const double step = 2 * std::numbers::pi / count, first = step / cells / aspect;
  const int all = cells * layers;
  const std::vector<double> radii =
      first < (outer - 1) / all
          ? geometric_nodes(1, outer, all, geometric_ratio_of_first_cell(first, outer - 1, all, StretchedEnd::lower),
                            StretchedEnd::lower)
          : uniform_nodes(1, outer, all);
  const auto on = [](double r, double a) { return Place3{r * std::cos(a), r * std::sin(a), 0}; };
  const auto radius = [&](int l) { return radii[static_cast<std::size_t>(l * cells)]; };
  for (int l = 0; l <= layers; ++l)
    for (int k = 0; k < count; ++k) made.macro.vertices.push_back(on(radius(l), k * step));
  for (int l = 0; l < layers; ++l)
    for (int k = 0; k < count; ++k) {
      const int next = (k + 1) % count;
      add_quadrilateral(made.macro, {l * count + k, (l + 1) * count + k, (l + 1) * count + next, l * count + next});
    }
  for (int l = 0; l <= layers; ++l)
    for (int k = 0; k < count; ++k) {
      const int a = l * count + k, b = l * count + (k + 1) % count;
      const Curve arc = arc_through(made.macro.vertices[static_cast<std::size_t>(a)], on(radius(l), (k + 0.5) * step),
                                    made.macro.vertices[static_cast<std::size_t>(b)]);
      made.curves[{std::min(a, b), std::max(a, b)}] = a < b ? arc : Curve([arc](double t) { return arc(1 - t); });
    }
  const MacroTopology topology(made.macro);
  made.patches = {{"wall", {}}, {"far", {}}};
  for (int k = 0; k < count; ++k) {
    made.patches[0].parts.push_back(topology.find({k, (k + 1) % count}));
    made.patches[1].parts.push_back(topology.find({layers * count + k, layers * count + (k + 1) % count}));
  }
  made.grading = [=](const MacroTopology& of, int edge_class, int n) {
    const MacroPart& edge =
        of.parts()[static_cast<std::size_t>(of.classes()[static_cast<std::size_t>(edge_class)].edge)];
    if (edge.corners[1] - edge.corners[0] != count || edge.corners[0] >= layers * count || n != cells)
      return uniform_nodes(0, 1, n);
    const auto from = radii.begin() + edge.corners[0] / count * cells;
    std::vector<double> own(from, from + cells + 1);
    const double low = own.front(), high = own.back();
    for (double& x : own) x = (x - low) / (high - low);
    return own;
  };
  return made;
}

/// Returns plane blocks with a height. Curves and patches go along; the ends are the patches "bottom" and "top".
inline MadeBlocks extruded(const MadeBlocks& plane, double height) {
  MadeBlocks made = plane;
  made.macro.dimension = 3;
  const auto count = static_cast<int>(plane.macro.vertices.size());
  for (int v = 0; v < count; ++v) {
    Place3 x = plane.macro.vertices[static_cast<std::size_t>(v)];
    x[2] = height;
    made.macro.vertices.push_back(x);
  }
  for (MacroMesh::Block& block : made.macro.blocks)
    for (std::size_t c = 0; c < 4; ++c) block.corners[c + 4] = block.corners[c] + count;
  for (const auto& [edge, curve] : plane.curves)
    made.curves[{edge[0] + count, edge[1] + count}] = [curve = curve, height](double t) {
      Place3 x = curve(t);
      x[2] = height;
      return x;
    };
  const MacroTopology flat(plane.macro), topology(made.macro);
  for (BlockPatch& patch : made.patches)
    for (int& part : patch.parts) {
      const MacroPart& edge = flat.parts()[static_cast<std::size_t>(part)];
      part = topology.find({edge.corners[0], edge.corners[1], edge.corners[0] + count, edge.corners[1] + count});
    }
  return made;
}

/// Grades a grid of blocks along an axis: `table` returns the places of the nodes of all blocks along it.
inline void grade_axis(MadeBlocks& made, std::size_t axis, int blocks,
                       const std::function<std::vector<double>(int nodes)>& table) {
  made.grading = [=, before = made.grading](const MacroTopology& of, int edge_class, int cells) {
    const MacroPart& edge =
        of.parts()[static_cast<std::size_t>(of.classes()[static_cast<std::size_t>(edge_class)].edge)];
    const Place3 &a = of.mesh().vertices[static_cast<std::size_t>(edge.corners[0])],
                 &b = of.mesh().vertices[static_cast<std::size_t>(edge.corners[1])];
    std::size_t along = 0;
    for (std::size_t d = 0; d < 3; ++d)
      if (std::abs(b[d] - a[d]) > std::abs(b[along] - a[along])) along = d;
    if (along != axis) return before ? before(of, edge_class, cells) : uniform_nodes(0, 1, cells);
    const std::vector<double> all = table(blocks * cells);
    const auto first = static_cast<std::size_t>(std::lround(a[axis] * blocks)) * static_cast<std::size_t>(cells);
    std::vector<double> own(all.begin() + static_cast<std::ptrdiff_t>(first),
                            all.begin() + static_cast<std::ptrdiff_t>(first) + cells + 1);
    const double low = own.front(), high = own.back();
    for (double& x : own) x = (x - low) / (high - low);
    return own;
  };
}

/// Contains a solution on blocks.
struct BlockSolution {
  BlockMesh mesh;
  std::unique_ptr<MeshData> data;
  Result result;
  std::vector<double> u;
  std::size_t levels = 0;
};

/// Makes a problem on a mesh with one condition on all sides.
inline MeshProblem block_problem(const BlockMesh& mesh, Quantity boundary, Quantity source) {
  MeshProblem problem;
  problem.mesh = mesh.mesh;
  problem.source = std::move(source);
  MeshCondition rest;
  rest.name = "default";
  rest.value = std::move(boundary);
  problem.conditions.push_back(std::move(rest));
  return problem;
}

/// Gives the sides of the first patch a Neumann condition without a flow.
inline void insulate_first_patch(MeshProblem& problem) {
  MeshCondition sides;
  sides.name = "insulated";
  sides.groups = {0};
  sides.kind = BoundaryKind::neumann;
  problem.conditions.insert(problem.conditions.begin(), std::move(sides));
}

/// Contains the largest value that is expected, and the largest difference from it. NaN is kept.
struct Compared {
  double most = 0, apart = 0;
};
inline Compared compare(const std::vector<double>& expected, const std::vector<double>& found) {
  Compared both;
  for (std::size_t n = 0; n < expected.size(); ++n) {
    const double apart = std::abs(expected[n] - found[n]);
    both.most = std::max(both.most, std::abs(expected[n]));
    both.apart = apart <= both.apart ? both.apart : apart;
  }
  return both;
}

/// Returns random loads at the unknowns, as for a count of iterations.
inline std::vector<double> random_loads(const MeshProblem& problem) {
  const MeshData data(problem);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> loads(data.mesh().points.size());
  for (std::size_t i = 0; i < loads.size(); ++i)
    loads[i] = data.free(static_cast<std::int64_t>(i)) ? normal(random) : 0;
  return loads;
}

/// Solves on a backend with the operators of `device`, or with the backend's own.
inline BlockSolution solve_blocks_on(Backend& backend, const std::shared_ptr<DeviceBlocks>& device,
                                     const BlockMesh& mesh, const MeshProblem& problem, const Options& options = {},
                                     const std::shared_ptr<const Processes>& processes = one_process(),
                                     const std::vector<double>& load = {}) {
  BlockSolution found;
  found.mesh = mesh;
  found.data = std::make_unique<MeshData>(problem);
  hold_images(mesh, found.data->holder, found.data->held);
  const CellStretch stretch = measure_cells(mesh, found.data.get()).stretch();
  const std::int64_t coarsest = coarsest_in_blocks(*found.data, mesh, stretch);
  const BlockSystem system =
      assemble_blocks(*found.data, mesh, processes, coarsest, stretch, device || backend.on_gpu());
  const std::vector<double> held = mesh.on_nodes(found.data->held), guess;
  const BlocksModel model(backend, system, held, guess, device);
  const std::unique_ptr<Solver> solver = make_solver(model, options);
  model.fill(solver->rhs(), solver->solution());
  if (!load.empty()) put_nodes(mesh.on_nodes(load), model.finest_space(), solver->rhs());
  found.result = solver->solve(false);
  found.levels = system.levels.size();
  found.u = mesh.at_points(get_nodes(solver->solution(), model.finest_space()));
  return found;
}

/// Solves on the device of the tests; several processes do on CPUs.
inline BlockSolution solve_blocks(const BlockMesh& mesh, const MeshProblem& problem, const Options& options = {},
                                  const std::shared_ptr<const Processes>& processes = one_process(),
                                  const std::vector<double>& load = {}) {
  const auto backend = processes->alone() ? test_backend() : make_cpu_backend();
  return solve_blocks_on(*backend, nullptr, mesh, problem, options, processes, load);
}

}  // namespace poisson::test
