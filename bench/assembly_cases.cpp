#include <deque>
#include <string>
#include <vector>

#include "bench/kernels.hpp"

namespace poisson::bench {
namespace {

/// Lists one product and one Chebyshev step in every mode that a problem supports, with the predicted time.
struct Table {
  std::deque<std::string> names;
  std::deque<KernelCase> kernels;
  std::vector<Case> cases;

  void add(const std::string& problem, const Model& model) {
    for (const Precision p : {Precision::fp64, Precision::fp32}) {
      const bool wide = p == Precision::fp64;
      const std::string stored = problem + "-" + std::string(name_of(model.assembly)), suffix = wide ? "" : "-fp32";
      put(stored + "-product" + suffix, {.traffic = traffic("apply"),
                                         .operands = {{p}, {p}},
                                         .run = wide ? +[](const Kit& k, Fields& f) { k.A64().apply(f[0], f[1]); }
                                                     : +[](const Kit& k, Fields& f) { k.A32().apply(f[0], f[1]); },
                                         .matrix = p,
                                         .model = model,
                                         .beside = RowCost{}});
      // The step also reads b and the previous iterate, sums the diagonal, and computes the step.
      put(stored + "-sweep" + suffix,
          {.traffic = traffic("polynomial step"),
           .operands = {{p}, {p}, {p}},
           .run = wide ? +[](const Kit& k, Fields& f) { k.points(Precision::fp64).step(step, f[0], f[1], f[2]); }
                       : +[](const Kit& k, Fields& f) { k.points(Precision::fp32).step(step, f[0], f[1], f[2]); },
           .matrix = p,
           .model = model,
           .beside = RowCost{2, (model.scheme == Scheme::q1 ? 26.0 : 6.0) + 8}});
    }
  }
  void put(const std::string& name, const KernelCase& kernel) {
    names.push_back(name);
    kernels.push_back(kernel);
    cases.push_back({names.back(), "", &kernels.back()});
  }

  Table() {
    for (const auto& [name, scheme, centering] : {std::tuple{"node", Scheme::fv, Centering::node},
                                                  {"cell", Scheme::fv, Centering::cell},
                                                  {"q1", Scheme::q1, Centering::node}}) {
      for (const Assembly assembly : {Assembly::recompute, Assembly::partial, Assembly::full})
        add(std::string(name) + "-constant", {constant_coefficient, assembly, scheme, centering});
      for (const Assembly assembly : {Assembly::partial, Assembly::full})
        add(std::string(name) + "-varying", {varying_coefficient, assembly, scheme, centering});
      add(std::string(name) + "-expression", {expression_coefficient, Assembly::recompute, scheme, centering});
    }
  }
};

std::span<const Case> modes() {
  static const Table table;
  return table.cases;
}

constexpr Case group{.name = "assembly",
                     .description = "Au and a sweep in every mode of assembly, beside their predictions",
                     .members = modes};

}  // namespace

std::span<const Case> assembly_cases() {
  return {&group, 1};
}

}  // namespace poisson::bench
