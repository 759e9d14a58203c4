#include "grids/assembly.hpp"

#include <algorithm>

#include "grids/discretization.hpp"

namespace poisson {

namespace {

int neighbours_of(const Problem& p) {
  return on_elements(p.scheme) ? (p.dimension == 3 ? 26 : 8) : 2 * p.dimension;
}

}  // namespace

std::size_t bands_of_row(const Problem& p) {
  return static_cast<std::size_t>(neighbours_of(p)) / 2 + 1;
}

RowCost row_cost(const Problem& p, Assembly assembly) {
  const bool box = on_elements(p.scheme), cube = p.dimension == 3;
  const int neighbours = neighbours_of(p);
  // u_i − u_n, times a_n, added; the reaction.
  RowCost cost{2, 3.0 * neighbours + 2};
  if (assembly == Assembly::full) {
    cost.values += static_cast<double>(bands_of_row(p));
    return cost;
  }
  if (p.centering == Centering::cell && assembly == Assembly::partial) {  // κ on the faces
    cost.values += p.dimension + (needs_reaction_field(p) ? 1 : 0);
    cost.flops += 2.0 * neighbours;
    return cost;
  }
  const int components = p.isotropic ? 1 : p.full_tensor ? p.dimension * (p.dimension + 1) / 2 : p.dimension;
  if (assembly == Assembly::partial) {
    cost.values += components + (needs_reaction_field(p) ? 1 : 0);
    // Finite volumes: a face's mean of 2 or 4 cells and a product. Elements: of each of 4 or 8 cells the products of κ
    // with two one-dimensional factors, added to every coupling; the mixed derivatives' additions.
    const int cells = cube ? 8 : 4;
    cost.flops += box ? cells * (4.0 * cells + 3 + 2 * (components - 1)) : neighbours * (cube ? 8.0 : 4.0);
    return cost;
  }
  // Products of one-dimensional factors: two for each entry of a box; of a star's the line has most.
  cost.flops += box ? 3.0 * neighbours : 2;
  return cost;
}

const DeviceRate& device_rate(bool gpu) {
  static constexpr DeviceRate h200{"H200", 4.2e12, {60e12, 30e12}}, core{"CPU core", 8e9, {32e9, 16e9}};
  return gpu ? h200 : core;
}

double predicted_seconds(const RowCost& cost, Precision precision, const DeviceRate& rate) {
  return std::max(cost.values * static_cast<double>(bytes_of(precision)) / rate.bytes,
                  cost.flops / rate.flops[precision == Precision::fp64 ? 1 : 0]);
}

Assembly resolved(Assembly assembly, const Problem& problem, bool gpu) {
  const bool constant = is_separable(problem);
  if (assembly == Assembly::recompute) return constant ? assembly : Assembly::partial;
  if (assembly != Assembly::automatic) return assembly;
  if (constant) return Assembly::recompute;
  if (problem.centering == Centering::cell) return Assembly::partial;
  const auto seconds = [&](Assembly a) {
    return predicted_seconds(row_cost(problem, a), Precision::fp64, device_rate(gpu));
  };
  return seconds(Assembly::full) < 0.95 * seconds(Assembly::partial) ? Assembly::full : Assembly::partial;
}

}  // namespace poisson
