// Describes materials, bodies and an image without a configuration file, and computes the heat of a chip, an effective
// coefficient and a matrix of capacitances. It returns 1 if an answer is not the known one.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "grids/axes/stretching.hpp"
#include "grids/problem/media_description.hpp"
#include "grids/results/region_results.hpp"
#include "solver/capacitance.hpp"
#include "solver/effective.hpp"
#include "solver/grid_model.hpp"

namespace {

using namespace poisson;

Problem closed_box(double side, double height, int cells) {
  Problem problem;
  problem.centering = Centering::cell;
  problem.nodes = {uniform_nodes(-side / 2, side / 2, cells), uniform_nodes(-side / 2, side / 2, cells),
                   uniform_nodes(0, height, cells)};
  for (auto& axis : problem.boundary)
    for (Boundary& face : axis) face.kind = BoundaryKind::neumann;
  return problem;
}

// A die of 12.5 W under a lid of copper with a bore; the lower face is at 20 °C. Returns the heat that leaves the die.
double heat_of_die(Backend& backend) {
  Problem problem = closed_box(0.024, 0.006, 24);
  problem.boundary[2][0] = {BoundaryKind::dirichlet, 20.0};
  const Point from{8e-3, 8e-3, 4e-3}, to{8e-3, 8e-3, 7e-3};
  MediaDescription media;
  media.material("mold", 0.9).material("copper", 390.0).heated("die", 130.0, /*power*/ 12.5).insulator("bore");
  media.background("mold")
      .body("copper", make_difference({make_layer(2, 0.005, 0.006), make_cylinder(from, to, 0.0015)}), "lid")
      .body("bore", make_cylinder(from, to, 0.0015))
      .body("die", make_box({-3e-3, -3e-3, 3e-3}, {3e-3, 3e-3, 3.5e-3}))
      .contact("die", "mold", 2e-5);
  media.use(problem);
  GridModel model(backend, std::move(problem));
  const auto solver = make_solver(model, Options());
  model.fill(solver->rhs(), solver->solution());
  solver->solve(/*given_guess=*/false);
  for (const RegionResult& r : media_results(model.discretization(), solver->solution()).regions) {
    std::printf("%s: %g W out, at most %g °C\n", r.name.c_str(), r.flow, r.max);
    if (r.name == "die") return r.flow;
  }
  return 0;
}

// Layers of pores and grains of 4 and 1 voxels: the effective coefficient along them is 0.8.
double coefficient_of_layers(Backend& backend) {
  const int nx = 20, ny = 16, nz = 10;
  std::vector<std::uint8_t> labels;
  for (int z = 0; z < nz; ++z) labels.insert(labels.end(), std::size_t{nx} * ny, z % 5 == 4 ? 255 : 0);
  const ByteImage image{labels, {nx, ny, nz}, /*lower*/ {}, /*voxel*/ {2e-6, 2e-6, 2e-6}};
  const Effective K = effective(backend, image, {{0, 1.0}, {255, 0.0}}, {.flow_tolerance = 1e-4});
  std::printf("%g, tortuosity factor %g\n", K.tensor[0][0], K.tortuosity[0]);
  return K.tensor[0][0];
}

// Two plates of area 1 at a distance of 0.5 in a closed box. Returns their mutual capacitance, which is 2.
double mutual_capacitance(Backend& backend) {
  Problem problem = closed_box(1, 1, 16);
  MediaDescription media;
  media.material("air", 1.0).fixed("metal", 1).background("air");
  media.body("metal", make_layer(2, -1, 0.25), "left").body("metal", make_layer(2, 0.75, 2), "right");
  media.use(problem);
  const auto C = capacitance(backend, problem, {"left", "right"});
  std::printf("capacitance %g\n", C[0][0]);
  return -C[0][1];
}

}  // namespace

int main() {
  const auto backend = make_cpu_backend();
  const bool right = std::abs(heat_of_die(*backend) - 12.5) < 1e-4 &&
                     std::abs(coefficient_of_layers(*backend) - 0.8) < 1e-3 &&
                     std::abs(mutual_capacitance(*backend) - 2) < 1e-8;
  return right ? 0 : 1;
}
