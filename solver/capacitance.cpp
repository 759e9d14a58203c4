#include "solver/capacitance.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/problem/media.hpp"
#include "grids/results/region_results.hpp"

namespace poisson {
namespace {

constexpr double accurate = 1e-10;

// Returns the media with all fixed values at 0 except that of a region, and without sources.
std::shared_ptr<const Media> excited(const Media& media, std::optional<RegionNumber> region) {
  auto changed = std::make_shared<Media>(media);
  for (Material& material : changed->materials) {
    if (material.fixed) material.fixed = 0;
    if (material.floating) material.floating = 0;
    if (material.power) material.power = 0;
    material.source = 0.0;
  }
  if (region) changed->materials[changed->regions[*region].material].fixed = 1;
  return changed;
}

}  // namespace

Problem without_data(Problem problem) {
  problem.source = 0.0;
  problem.initial.reset();
  problem.exact.reset();
  for (auto& axis : problem.boundary)
    for (Boundary& face : axis) face.value = 0.0;
  problem.media = excited(*problem.media, {});
  return problem;
}

bool separate_conductor(Media& media, RegionNumber number) {
  MediaRegion& region = media.regions[number];
  const Material own = media.materials[region.material];
  if (!own.fixed) return false;
  if (std::ranges::count(media.regions, region.material, &MediaRegion::material) > 1) {
    region.material = media.materials.size();
    media.materials.push_back(own);
    media.materials.back().name = own.name + " of " + region.name;
  }
  return true;
}

std::vector<std::vector<double>> capacitance(GridModel& model, Solver& solver,
                                             const std::vector<RegionNumber>& conductors,
                                             const Solver::Listener& listener) {
  const std::shared_ptr<const Media> media = model.discretization().problem().media;
  std::vector<std::vector<double>> matrix(conductors.size(), std::vector<double>(conductors.size()));
  for (std::size_t j = 0; j < conductors.size(); ++j) {
    model.update({.media = excited(*media, conductors[j])});
    model.fill(solver.rhs(), solver.solution());
    const Result result = model.solve(solver, /*given_guess=*/false, listener, Model::Data::of_problem);
    if (!result.converged() && !result.at_rounding_floor()) {
      std::array<char, 32> residual{};
      std::snprintf(residual.data(), residual.size(), "%.1e", result.relative());
      throw RunError("the solve for conductor '" + media->regions[conductors[j]].name +
                     "' did not converge (relative residual " + residual.data() + "). Raise solver.max_iterations.");
    }
    const std::vector<double> flows = flows_from_fixed(model.discretization(), solver.solution());
    for (std::size_t i = 0; i < conductors.size(); ++i) matrix[i][j] = flows[conductors[i]];
  }
  return matrix;
}

std::vector<std::vector<double>> capacitance(Backend& backend, const Problem& problem,
                                             const std::vector<std::string>& names, Options options) {
  if (!problem.media) throw std::invalid_argument("capacitance() needs a problem with media");
  auto media = std::make_shared<Media>(*problem.media);
  std::vector<RegionNumber> conductors;
  for (const std::string& name : names) {
    const auto region = std::ranges::find(media->regions, name, &MediaRegion::name);
    if (region == media->regions.end()) throw std::invalid_argument("there is no body '" + name + "'");
    conductors.push_back(static_cast<RegionNumber>(region - media->regions.begin()));
    if (!separate_conductor(*media, conductors.back()))
      throw std::invalid_argument("body '" + name + "' has no fixed value");
  }
  Problem bare = problem;
  bare.media = std::move(media);
  options.tolerance = std::min(options.tolerance, accurate);
  GridModel model(backend, without_data(std::move(bare)));
  const std::unique_ptr<Solver> solver = make_solver(model, options);
  return capacitance(model, *solver, conductors);
}

}  // namespace poisson
