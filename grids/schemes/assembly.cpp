#include "grids/schemes/assembly.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/discretization.hpp"
#include "grids/schemes/elements/elements.hpp"

namespace poisson {

namespace {

// How much faster bands must be predicted to be before so much memory is spent on them.
constexpr double worth_the_bands = 0.95;

int neighbours_of(const Problem& p) {
  return on_elements(p.scheme) ? (p.dimension == 3 ? 26 : 8) : 2 * p.dimension;
}
int components_of(const Problem& p) {
  return p.isotropic ? 1 : p.full_tensor ? p.dimension * (p.dimension + 1) / 2 : p.dimension;
}

// Operations from what is held to the entries of a row. Stars count six neighbours in two dimensions too, where the
// kernels have no case for it. tests/grids/test_assembly.cpp counts them in the models themselves.
double entry_flops(const Problem& p, Assembly assembly, bool gpu) {
  const bool cube = p.dimension == 3;
  if (assembly == Assembly::full) return 0;
  if (assembly == Assembly::recompute)
    // Of a box, two products and a sum for each point beside the row of the axis; of a star, a product for each term.
    // An expression's κ takes the place of κ on the cells; elements then have no walk of their own.
    return !is_separable(p)        ? entry_flops(p, Assembly::partial, gpu && !on_elements(p.scheme))
           : on_elements(p.scheme) ? 3 * (neighbours_of(p) + 1) + 7
                                   : 7;
  const bool field = needs_reaction_field(p);
  const double reaction = field ? 0 : 1;                     // σ times the volume
  if (p.centering == Centering::cell) return 12 + reaction;  // κ of a face times its area over the distance
  if (!on_elements(p.scheme)) {
    // The mean of four cells on each of six faces; planes of cells serve the points below and above in a GPU's walk.
    if (gpu) return (p.isotropic ? 33 : 39) + 1;
    return (p.isotropic ? 48 : 60) + reaction;
  }
  // Nodes serve the layers of cells on both sides: the product with u is worked out without the entries.
  if (gpu && p.isotropic) {
    const bool reacts = field || *p.reaction.constant() != 0;
    if (!cube) return reacts ? 33 + (field ? 2 : 0) : 9;
    return reacts ? 200 : 68;
  }
  // For each of the 4 or 8 cells its stiffness and mass along x, its share of the row's sum, then for each corner
  // across x the stiffness there and the parts of two couplings, of one in the corner of the row's own line.
  const int corners = cube ? 4 : 2;
  double cell = 10 + 4 * (2 * corners - 1) + corners * (p.isotropic ? 2 : cube ? 3 : 1);
  if (p.full_tensor) cell += cube ? 24 : 4;
  return 2 * corners * cell + (field ? 2 * corners : 2);
}

// Points of κ that a row takes in a walk along z. Nodes carry the layer of four cells below them; a cell takes itself,
// the four beside it and the one above; elements take all cells around a node.
double evaluations(const Problem& p) {
  return p.centering == Centering::cell ? 6 : on_elements(p.scheme) ? 2 * (p.dimension == 3 ? 4 : 2) : 4;
}
// What a division and a call of the mathematical library count as in 64 bits; a product that rounds counts as one.
constexpr double division = 30, call = 30;
// Operations of the mean on a face, of which a cell's row takes five, for the next point of the walk has the sixth.
constexpr double face_mean = 6 + division;

// Operations of an expression's source.
double operations_of(const std::string& source) {
  double count = 0;
  for (std::size_t at = 0; at < source.size(); ++at) {
    const char c = source[at];
    const bool exponent = at > 1 && (source[at - 1] == 'e' || source[at - 1] == 'E') &&
                          (std::isdigit(static_cast<unsigned char>(source[at - 2])) || source[at - 2] == '.');
    count += c == '/' ? division : c == '*' || c == '?' || ((c == '+' || c == '-') && !exponent) ? 1 : 0;
    if (source.compare(at, 12, "expression::") == 0) count += source.compare(at + 12, 8, "product(") == 0 ? 1 : call;
  }
  return count;
}

// Trilinear elements of one constant κ on a GPU: the walk over planes of nodes, which κ on cells has, took 0.18 ms for
// a product and 0.26 ms for a sweep of 256³ in fp64 on an H200, entries from products of the axes' rows 0.38 and 0.49
// ms (fp32: 0.13 and 0.21 against 0.20 and 0.25 ms), where their counts are the same (docs/benchmarks.md). With σ or α
// the walk has three times as much to do.
bool walks_faster(const Problem& p, bool gpu) {
  return gpu && p.scheme == Scheme::q1 && p.dimension == 3 && p.isotropic && is_separable(p) &&
         !needs_reaction_field(p) && *p.reaction.constant() == 0;
}

double seconds_of(Assembly assembly, const Problem& p, bool gpu) {
  return predicted_seconds(row_cost(p, assembly, gpu), Precision::fp64, device_rate(gpu));
}

}  // namespace

std::size_t bands_of_row(const Problem& p) {
  return static_cast<std::size_t>(neighbours_of(p)) / 2 + 1;
}

double values_held(const Problem& p, Assembly assembly) {
  if (assembly == Assembly::recompute) return is_separable(p) || !needs_reaction_field(p) ? 0 : 1;
  if (assembly == Assembly::full) return static_cast<double>(bands_of_row(p));
  return (p.centering == Centering::cell ? p.dimension : components_of(p)) + (needs_reaction_field(p) ? 1 : 0);
}

RowCost row_cost(const Problem& p, Assembly assembly, bool gpu) {
  // u_i − u_n, times a_n, added; the reaction.
  const int neighbours = on_elements(p.scheme) ? neighbours_of(p) : 6;
  RowCost cost{2 + values_held(p, assembly), 3.0 * neighbours + 1 + entry_flops(p, assembly, gpu)};
  if (assembly != Assembly::recompute || is_separable(p)) return cost;
  for (const Quantity& component : kappa_components(p))
    if (const std::string* source = component.source()) cost.wide += evaluations(p) * operations_of(*source);
  if (p.centering == Centering::cell) cost.wide += 5 * face_mean;
  return cost;
}

const DeviceRate& device_rate(bool gpu) {
  static constexpr DeviceRate h200{"H200", 4.2e12, {60e12, 30e12}}, core{"CPU core", 8e9, {32e9, 16e9}};
  return gpu ? h200 : core;
}

double predicted_seconds(const RowCost& cost, Precision precision, const DeviceRate& rate) {
  return std::max(cost.values * static_cast<double>(bytes_of(precision)) / rate.bytes,
                  cost.flops / rate.flops[precision == Precision::fp64 ? 1 : 0] + cost.wide / rate.flops[1]);
}

std::vector<Prediction> predictions(const Problem& problem, bool gpu) {
  std::vector<Prediction> all;
  for (const Assembly assembly : {Assembly::recompute, Assembly::partial, Assembly::full}) {
    if (assembly == Assembly::recompute && resolved(assembly, problem, gpu) != assembly) continue;
    const RowCost cost = row_cost(problem, assembly, gpu);
    const auto seconds = [&](Precision p) { return predicted_seconds(cost, p, device_rate(gpu)); };
    all.push_back({assembly, cost, {seconds(Precision::fp32), seconds(Precision::fp64)}});
  }
  return all;
}

Assembly resolved(Assembly assembly, const Problem& problem, bool gpu) {
  const bool constant = is_separable(problem);
  if (assembly == Assembly::recompute) return constant || (gpu && recomputable(problem)) ? assembly : Assembly::partial;
  if (assembly != Assembly::automatic) return assembly;
  if (constant) return walks_faster(problem, gpu) ? Assembly::partial : Assembly::recompute;
  return seconds_of(Assembly::full, problem, gpu) < worth_the_bands * seconds_of(Assembly::partial, problem, gpu)
             ? Assembly::full
             : Assembly::partial;
}

std::string reason(Assembly assembly, const Problem& problem, bool gpu) {
  const bool constant = is_separable(problem);
  if (assembly == Assembly::recompute && resolved(assembly, problem, gpu) != assembly)
    return "since what varies is held";
  if (assembly != Assembly::automatic) return "as asked for";
  if (constant)
    return walks_faster(problem, gpu) ? "measured to be faster for constants, too"
                                      : "since the coefficients are constants";
  const double partial = seconds_of(Assembly::partial, problem, gpu), full = seconds_of(Assembly::full, problem, gpu);
  return full < worth_the_bands * partial || full > partial ? "predicted to be faster"
                                                            : "predicted to be as fast with less memory";
}

std::string_view name_of(Assembly assembly) {
  constexpr std::array<std::string_view, 4> names{"auto", "recompute", "partial", "full"};
  return names[static_cast<std::size_t>(assembly)];
}

}  // namespace poisson
