#include <array>
#include <deque>
#include <string>
#include <vector>

#include "bench/jacobi_tiles.hpp"
#include "bench/kernels.hpp"

namespace poisson::bench {
namespace {

constexpr double omega = 6.0 / 7;

// Every depth of a pass divides this number of sweeps into an even number of passes, so that u ends where it began.
constexpr int sweeps = 48;

template <Precision p>
void one_by_one(const Kit& kit, Fields& f) {
  Field *now = &f[0], *next = &f[2];
  for (int s = 0; s < sweeps; ++s) {
    kit.points(p).step({omega, 0}, *now, f[1], *next);
    std::swap(now, next);
  }
}
// The host checks passes that only a GPU has, with single sweeps.
template <Precision p, bool with_norms, int tile = -1>
void in_passes(const Kit& kit, Fields& f) {
  if (tile >= 0 && !kit.backend.on_gpu()) return one_by_one<p>(kit, f);
  const SweepPass& pass = kit.pass(p, tile);
  Field *now = &f[0], *next = &f[2];
  for (int s = 0; s < sweeps; s += pass.sweeps()) {
    pass.take(omega, *now, f[1], *next, with_norms ? &kit.result : nullptr);
    std::swap(now, next);
  }
}

struct Table {
  std::deque<std::string> names;
  std::deque<KernelCase> kernels;
  std::vector<Case> cases;

  template <Precision p>
  void put(const std::string& name, const Model& model, void (*run)(const Kit&, Fields&)) {
    names.push_back("jacobi-" + name + (p == Precision::fp64 ? "" : "-fp32"));
    // The traffic is that of single sweeps, so that a pass of several exceeds a copy's bandwidth.
    kernels.push_back({.traffic = {"jacobi", {sweeps, sweeps, sweeps}, sweeps},
                       .operands = {{p}, {p}, {.precision = p, .scratch = true, .as = 0}},
                       .run = run,
                       .matrix = p,
                       .model = model,
                       .sweeps = sweeps});
    cases.push_back({names.back(), "", &kernels.back()});
  }
};

/// Lists single sweeps of Jacobi's method, sweeps in passes, and passes that also compute norms.
struct Passes : Table {
  template <Precision p>
  void add(const std::string& problem, const Model& model) {
    put<p>(problem + "one", model, one_by_one<p>);
    put<p>(problem + "pass", model, in_passes<p, false>);
    put<p>(problem + "pass-norm", model, in_passes<p, true>);
    const bool stored = model.assembly == Assembly::partial;
    for (KernelCase* kernel : {&kernels.back(), &kernels[kernels.size() - 2]}) kernel->flat_on_gpu = stored;
  }

  Passes() {
    for (const auto& [name, model] :
         {std::pair<std::string, Model>{"", {constant_coefficient}},
          {"cells-", {constant_coefficient, Assembly::automatic, Scheme::fv, Centering::cell}},
          {"stretched-", {stretched}},
          {"partial-", {varying_coefficient, Assembly::partial}},
          {"partial-cells-", {varying_coefficient, Assembly::partial, Scheme::fv, Centering::cell}}}) {
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

/// Lists the same passes with other tiles.
struct Tiles : Table {
  Tiles() { add_from(); }

 private:
  template <int tile = 0>
  void add_from() {
    if constexpr (tile < tile_count) {
      const std::string name = "tile-" + std::to_string(tile);
      const Model model{constant_coefficient};
      put<Precision::fp64>(name, model, in_passes<Precision::fp64, false, tile>);
      put<Precision::fp32>(name, model, in_passes<Precision::fp32, false, tile>);
      kernels.back().needs_gpu = kernels[kernels.size() - 2].needs_gpu = true;
      add_from<tile + 1>();
    }
  }
};

std::span<const Case> all() {
  static const Passes passes;
  return passes.cases;
}
std::span<const Case> tiles() {
  static const Tiles tiles;
  return tiles.cases;
}

constexpr std::array groups{
    Case{.name = "jacobi",
         .description = "48 sweeps of Jacobi's method, one by one and several a pass: points a second",
         .members = all},
    Case{.name = "jacobi-tiles", .description = "the same by other tiles, on a GPU", .members = tiles}};

}  // namespace

std::span<const Case> jacobi_cases() {
  return groups;
}

}  // namespace poisson::bench
