#include <deque>
#include <string>
#include <vector>

#include "bench/kernels.hpp"

namespace poisson::bench {
namespace {

constexpr double omega = 6.0 / 7;

// So many sweeps that every depth of a pass divides them into an even number of passes, and u ends where it began.
constexpr int sweeps = 24;

template <Precision p>
void one_by_one(const Kit& kit, Fields& f) {
  Field *now = &f[0], *next = &f[2];
  for (int s = 0; s < sweeps; ++s) {
    kit.points(p).step({omega, 0}, *now, f[1], *next);
    std::swap(now, next);
  }
}
template <Precision p, bool with_norms>
void in_passes(const Kit& kit, Fields& f) {
  const SweepPass& pass = kit.pass(p);
  Field *now = &f[0], *next = &f[2];
  for (int s = 0; s < sweeps; s += pass.sweeps()) {
    pass.take(omega, *now, f[1], *next, with_norms ? &kit.result : nullptr);
    std::swap(now, next);
  }
}

/// Sweeps of Jacobi's method one by one and as many as a pass takes, and passes that each have a norm, too.
struct Table {
  std::deque<std::string> names;
  std::deque<KernelCase> kernels;
  std::vector<Case> cases;

  template <Precision p>
  void add(const std::string& problem, const Model& model) {
    const std::string suffix = p == Precision::fp64 ? "" : "-fp32";
    const auto put = [&](const std::string& name, void (*run)(const Kit&, Fields&)) {
      names.push_back("jacobi-" + problem + name + suffix);
      // What sweeps one by one would move, so that a pass of several comes above a copy's bandwidth.
      kernels.push_back({.traffic = {"jacobi", {sweeps, sweeps, sweeps}, sweeps},
                         .operands = {{p}, {p}, {.precision = p, .scratch = true, .as = 0}},
                         .run = run,
                         .matrix = p,
                         .model = model,
                         .sweeps = sweeps});
      cases.push_back({names.back(), "", &kernels.back()});
    };
    put("one", one_by_one<p>);
    put("pass", in_passes<p, false>);
    put("pass-norm", in_passes<p, true>);
  }

  Table() {
    for (const auto& [name, model] : {std::pair<std::string, Model>{"", {constant_coefficient}},
                                      {"cells-", {constant_coefficient, Assembly::automatic, Scheme::fv, Centering::cell}},
                                      {"stretched-", {stretched}},
                                      {"partial-", {varying_coefficient, Assembly::partial}}}) {
      add<Precision::fp64>(name, model);
      add<Precision::fp32>(name, model);
    }
  }

  static Problem stretched(const Size& size) {
    Problem p = constant_coefficient(size);
    for (std::size_t d = 0; d < static_cast<std::size_t>(size.dimension); ++d)
      for (double& x : p.nodes[d]) x += 0.3 * x * (p.nodes[d].back() - x);
    return p;
  }
};

std::span<const Case> all() {
  static const Table table;
  return table.cases;
}

constexpr Case group{.name = "jacobi",
                     .description = "24 sweeps of Jacobi's method, one by one and several a pass: points a second",
                     .members = all};

}  // namespace

std::span<const Case> jacobi_cases() {
  return {&group, 1};
}

}  // namespace poisson::bench
