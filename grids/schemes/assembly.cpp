#include "grids/schemes/assembly.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "grids/sampling/mixed_bc_face.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/discretization.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {

namespace {

// The predicted time with bands must be below this fraction of the time of partial assembly, because bands need much
// memory.
constexpr double worth_the_bands = 0.95;

// A call of the mathematical library counts as this many 64-bit operations. A product that rounds counts as one.
constexpr double call = 30;
// Returns the operations of an expression's source.
double operations_of(const std::string& source) {
  double count = 0;
  for (std::size_t at = 0; at < source.size(); ++at) {
    const char c = source[at];
    const bool exponent = at > 1 && (source[at - 1] == 'e' || source[at - 1] == 'E') &&
                          (std::isdigit(static_cast<unsigned char>(source[at - 2])) || source[at - 2] == '.');
    count += c == '/' ? division_flops : c == '*' || c == '?' || ((c == '+' || c == '-') && !exponent) ? 1 : 0;
    if (source.compare(at, 12, "expression::") == 0) count += source.compare(at + 12, 8, "product(") == 0 ? 1 : call;
  }
  return count;
}

double seconds_of(Assembly assembly, const Problem& p, bool gpu) {
  return predicted_seconds(row_cost(p, assembly, gpu), Precision::fp64, device_rate(gpu));
}

}  // namespace

std::size_t bands_of_row(const Problem& p) {
  return static_cast<std::size_t>(row_scheme(p).counts(p, false).neighbours) / 2 + 1;
}

double stored_values(const Problem& p, Assembly assembly) {
  if (assembly == Assembly::recompute) return is_separable(p) || !needs_reaction_field(p) ? 0 : 1;
  if (assembly == Assembly::full) return static_cast<double>(bands_of_row(p));
  return row_scheme(p).counts(p, false).kappa + (needs_reaction_field(p) ? 1 : 0);
}

RowCost row_cost(const Problem& p, Assembly assembly, bool gpu) {
  const RowCounts counts = row_scheme(p).counts(p, gpu);
  const bool constant = is_separable(p);
  const double entries = assembly == Assembly::full      ? 0
                         : assembly == Assembly::partial ? counts.entries
                         : constant                      ? counts.products
                                                         : counts.entries_anew;
  // Each neighbour needs u_i − u_n, a product and a sum; the reaction adds one operation.
  RowCost cost{2 + stored_values(p, assembly), 3.0 * counts.computed + 1 + entries};
  if (assembly != Assembly::recompute || constant) return cost;
  for (const Quantity& component : kappa_components(p))
    if (const std::string* source = component.source()) cost.wide += counts.evaluations * operations_of(*source);
  cost.wide += counts.means;
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
    if (assembly == Assembly::recompute && chosen_assembly(assembly, problem, gpu) != assembly) continue;
    const RowCost cost = row_cost(problem, assembly, gpu);
    const auto seconds = [&](Precision p) { return predicted_seconds(cost, p, device_rate(gpu)); };
    all.push_back({assembly, cost, {seconds(Precision::fp32), seconds(Precision::fp64)}});
  }
  return all;
}

Assembly chosen_assembly(Assembly assembly, const Problem& problem, bool gpu) {
  const bool constant = is_separable(problem);
  // Constrained nodes are a penalty on the diagonal. Only banded element operators store a diagonal, so
  // assembly must be full.
  if (needs_stored_bands(problem)) return Assembly::full;
  if (assembly == Assembly::recompute) return constant || (gpu && recomputable(problem)) ? assembly : Assembly::partial;
  if (assembly != Assembly::automatic) return assembly;
  if (constant) return row_scheme(problem).walks_faster(problem, gpu) ? Assembly::partial : Assembly::recompute;
  return seconds_of(Assembly::full, problem, gpu) < worth_the_bands * seconds_of(Assembly::partial, problem, gpu)
             ? Assembly::full
             : Assembly::partial;
}

bool stores_coefficients(const Problem& problem, Assembly chosen) {
  return chosen == Assembly::partial || !is_separable(problem);
}

std::string reason(Assembly assembly, const Problem& problem, bool gpu) {
  const bool constant = is_separable(problem);
  if (assembly == Assembly::recompute && chosen_assembly(assembly, problem, gpu) != assembly)
    return "because varying coefficients must be stored";
  if (assembly != Assembly::automatic) return "as requested";
  if (needs_stored_bands(problem)) return "because elements with several conditions on a face need it";
  if (constant)
    return row_scheme(problem).walks_faster(problem, gpu) ? "measured to be faster even for constants"
                                                          : "because the coefficients are constant";
  const double partial = seconds_of(Assembly::partial, problem, gpu), full = seconds_of(Assembly::full, problem, gpu);
  return full < worth_the_bands * partial || full > partial ? "predicted to be faster"
                                                            : "predicted to be as fast with less memory";
}

std::string_view name_of(Assembly assembly) {
  constexpr std::array<std::string_view, 4> names{"auto", "recompute", "partial", "full"};
  return names[static_cast<std::size_t>(assembly)];
}

}  // namespace poisson
