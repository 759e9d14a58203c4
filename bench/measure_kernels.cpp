#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <omp.h>

#include "backends/cpu/launch.hpp"
#include "backends/device/device.hpp"
#include "backends/memory/error.hpp"
#include "bench/jacobi_tiles.hpp"
#include "bench/kernels.hpp"
#include "grids/kernels/sweep_passes.hpp"

namespace poisson::bench {

Problem Model::of(const Size& size) const {
  Problem p = problem(size);
  p.scheme = scheme;
  p.centering = centering;
  return p;
}

Problem constant_coefficient(const Size& size) {
  Problem p;
  p.dimension = size.dimension;
  for (std::size_t d = 0; d < static_cast<std::size_t>(size.dimension); ++d)
    for (int i = 0; i <= size.cells[d]; ++i) p.nodes[d].push_back(static_cast<double>(i) / size.cells[0]);
  return p;
}

Problem varying_coefficient(const Size& size) {
  Problem p = constant_coefficient(size);
  p.coefficient[0] = [](double x, double y, double z) {
    return 1 / (1 - 0.5 * x * y * (1 + z) / (1 + x * y * (1 + z)));
  };
  return p;
}

Problem expression_coefficient(const Size& size) {
  Problem p = varying_coefficient(size);
  p.coefficient[0] = Quantity(*p.coefficient[0].function(), "(1/(1-0.5*x*y*(1+z)/(1+x*y*(1+z))))");
  return p;
}

Kit::Kit(Backend& on, const Model& model, const Size& size, Precision narrow)
    : backend(on),
      one(on.scalar(1)),
      result(on.scalar()),
      discretization_(on, model.of(size), model.assembly),
      narrow_(narrow),
      outer_(discretization_.make_operator(Precision::fp64)),
      inner_(discretization_.make_operator(narrow)) {}

const Hierarchy& Kit::levels() const {
  if (!levels_) levels_ = discretization_.make_hierarchy(narrow_);
  return *levels_;
}

const SymmetricSplitting& Kit::points(Precision p) const {
  auto& cached = splittings_[p == Precision::fp64 ? -1 : -2];
  if (!cached) cached = A(p).split();
  return *cached;
}

const SymmetricSplitting& Kit::lines(int axis) const {
  auto& cached = splittings_[axis];
  if (!cached) cached = A32().split(Relaxation::of_lines(axis));
  return *cached;
}

const Splitting& Kit::colours() const {
  if (!colours_) colours_ = A32().split_by_colours();
  return *colours_;
}

const SweepPass& Kit::pass(Precision p, int tile) const {
  auto& cached = passes_[{p, tile}];
  if (cached) return *cached;
#ifdef POISSON_HAVE_CUDA
  if (tile >= 0 && backend.on_gpu())
    cached = make_tiled_pass(backend, discretization_.scheme_rows(), A(p).precision(), tile);
  else
#endif
    cached = make_sweep_pass(backend, discretization_.scheme_rows(), A(p).precision());
  if (!cached) throw RunError("there is no pass of several sweeps on this grid (too few unknowns): take a larger size");
  return *cached;
}

namespace {

constexpr Precision fp32 = Precision::fp32, fp64 = Precision::fp64;

// Returns a number in [-1, 1) that depends only on the place and the seed.
double random_value(std::uint64_t place) {
  place += 0x9e3779b97f4a7c15u;
  place = (place ^ (place >> 30)) * 0xbf58476d1ce4e5b9u;
  place = (place ^ (place >> 27)) * 0x94d049bb133111ebu;
  place ^= place >> 31;
  return static_cast<double>(place >> 11) * 0x1p-52 - 1;
}

Field random_field(Backend& backend, Backend& host, const Layout& layout, Precision precision, std::uint64_t seed) {
  Field field(host, layout, precision);
  dispatch(precision, [&]<class T>(T) {
    const auto v = field.view<T>();
    const std::array n = layout.n;
    cpu::for_each_line(layout.box(), [&](int j, int k) {
      const std::uint64_t line =
          (seed << 40) + static_cast<std::uint64_t>(k * std::int64_t{n[1]} + j) * static_cast<std::uint64_t>(n[0]);
      for (int i = 0; i < n[0]; ++i)
        v(i, j, k) = static_cast<T>(static_cast<float>(random_value(line + static_cast<std::uint64_t>(i))));
    });
  });
  if (backend.kind() == BackendKind::cpu) return field;
  Field there(backend, layout, precision);
  transfer(field, there);
  return there;
}

std::uint64_t seed_of(const Operand& operand, std::size_t number) {
  return operand.as < 0 ? number + 1 : static_cast<std::uint64_t>(operand.as) + 1;
}

Fields random_fields(const KernelCase& c, const Kit& kit, Backend& host) {
  Fields fields;
  for (const Operand& o : c.operands)
    fields.push_back(random_field(kit.backend, host, kit.layout(o.coarse), o.precision, seed_of(o, fields.size())));
  return fields;
}

// The stored values of a row count once per unknown; halo and padding need not be moved.
double bytes_of_call(const KernelCase& c, const Kit& kit) {
  std::array<Touched, 3> touched{};
  for (std::size_t f = 0; f < c.operands.size(); ++f) {
    const bool coarse = c.operands[f].coarse;
    touched[f] = {c.unknowns ? kit.unknowns(coarse) : kit.layout(coarse).size(), c.operands[f].precision};
  }
  const double cached = stored_values(kit.problem(), kit.assembly()) * static_cast<double>(bytes_of(c.matrix));
  return bytes_moved(c.traffic, touched, static_cast<std::size_t>(cached * static_cast<double>(kit.unknowns(false))));
}

// The prediction is for one core; on the CPU the threads share the work.
double predicted_seconds_of(const KernelCase& c, const Kit& kit) {
  const bool gpu = kit.backend.on_gpu();
  RowCost cost = row_cost(kit.problem(), kit.assembly(), gpu);
  cost.values += c.beside->values;
  cost.flops += c.beside->flops;
  return static_cast<double>(kit.unknowns(false)) * predicted_seconds(cost, c.matrix, device_rate(gpu)) /
         (gpu ? 1 : omp_get_max_threads());
}

std::vector<double> values(const Field& field) {
  std::vector<double> result;
  const HostRead read(field);
  dispatch(field.precision(), [&]<class T>(T) {
    const auto v = (*read).view<T>();
    for (int k = 0; k < v.n[2]; ++k)
      for (int j = 0; j < v.n[1]; ++j)
        for (int i = 0; i < v.n[0]; ++i) result.push_back(static_cast<double>(v(i, j, k)));
  });
  return result;
}

// Compares the kernel's fields and its number with the CPU in fp64, on a grid of awkward size. Bands are compared with
// computed rows.
void check(const Case& which, const Size& awkward, Backend& backend, Backend& host) {
  const KernelCase& c = *which.kernel;
  Model known = c.model;
  if (known.assembly == Assembly::full) known.assembly = Assembly::partial;
  const Kit kit(backend, c.model, awkward);
  const Kit oracle(host, known, awkward, fp64);
  Fields fields = random_fields(c, kit, host), exact;
  bool narrow = false;
  for (const Operand& o : c.operands) {
    exact.push_back(random_field(host, host, kit.layout(o.coarse), fp64, seed_of(o, exact.size())));
    narrow = narrow || o.precision == fp32;
  }
  setenv("POISSON_PASS_FROM", "1", 1);  // selects the kernel of large grids
  c.run(kit, fields);
  unsetenv("POISSON_PASS_FROM");
  c.run(oracle, exact);
  const double bound = narrow ? 2e-6 : 1e-13;  // a few dozen roundings of numbers near 1
  const auto compare = [&](double found, double expected, double size) {
    if (!(std::abs(found - expected) <= bound * size))
      throw RunError("the result of " + std::string(which.name) + " is wrong (" + std::to_string(found) +
                     " where the CPU's fp64 gives " + std::to_string(expected) +
                     "): no time of a wrong kernel is worth printing; run the tests");
  };
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (c.operands[f].scratch) continue;
    const std::vector<double> found = values(fields[f]), expected = values(exact[f]);
    double size = 1;
    for (const double e : expected) size = std::max(size, std::abs(e));
    for (std::size_t i = 0; i < found.size(); ++i) compare(found[i], expected[i], size);
  }
  if (c.reduces) {
    const double expected = host.value(oracle.result);
    compare(backend.value(kit.result), expected, std::max(1e3, std::abs(expected)));
  }
}

// Returns the seconds of one call: medians over measurements with enough calls to fill 20 ms. Calls alternate between
// several sets of fields, so that caches do not contain the data of a call.
Measurement measure(const Case& which, const Kit& kit, Backend& host, const Size& size, int repeat) {
  const KernelCase& c = *which.kernel;
  constexpr double beyond_caches = 512e6;
  const double bytes = bytes_of_call(c, kit);
  std::vector<Fields> sets;
  sets.push_back(random_fields(c, kit, host));
  for (int s = 1; s < static_cast<int>(std::ceil(beyond_caches / bytes)) && s < 64; ++s) {
    Fields set;
    for (const Field& f : sets.front()) {
      set.emplace_back(kit.backend, f.layout(), f.precision());
      kit.backend.copy(f, set.back());
    }
    sets.push_back(std::move(set));
  }
  const auto timer = kit.backend.make_timer();
  std::size_t next = 0;
  const auto time = [&](int calls) {
    timer->start(which.name.data());
    for (int i = 0; i < calls; ++i) c.run(kit, sets[next++ % sets.size()]);
    timer->stop();
    return timer->laps().back() / calls;
  };
  time(static_cast<int>(sets.size()));
  const double once = time(3);
  const int calls = static_cast<int>(std::clamp(0.02 / once, 1.0, 2000.0));
  std::vector<double> seconds;
  seconds.reserve(static_cast<std::size_t>(repeat));
  for (int r = 0; r < repeat; ++r) seconds.push_back(time(calls));
  Measurement m;
  m.name = which.name;
  if (size.cube())
    m.cells = size.cells[0];
  else
    m.size = size;
  m.unknowns = kit.unknowns(false);
  m.bytes = bytes;
  if (c.sweeps > 0) m.sweeps = c.sweeps;
  if (c.beside) m.predicted = predicted_seconds_of(c, kit);
  summarize(seconds, m);
  return m;
}

}  // namespace

void measure_kernels(std::span<const Case> all, const Size& size, const Setting& setting, const Report& report) {
  const auto backend = make_backend(setting.device);
  const auto host = make_cpu_backend();
  // Modes that the backend does not support, such as compiled expressions on a CPU, are omitted.
  std::vector<Case> cases;
  for (const Case& c : all) {
    const Model& m = c.kernel->model;
    if (size.dimension == 2 ? c.kernel->needs_z : backend->on_gpu() && c.kernel->flat_on_gpu) continue;
    if (!backend->on_gpu() && c.kernel->needs_gpu) continue;
    if (m.assembly == Assembly::automatic ||
        chosen_assembly(m.assembly, m.of({3, {4, 4, 4}}), backend->on_gpu()) == m.assembly)
      cases.push_back(c);
  }
  const Size awkward = size.dimension == 2 ? Size{2, {67, 42, 1}} : Size{3, {37, 22, 13}};
  for (const Case& c : cases) check(c, awkward, *backend, *host);
  double copy_speed = 0;
  const auto measure_on = [&](const Kit& kit, const Case& c) {
    Measurement m = measure(c, kit, *host, size, setting.repeat);
    const double speed = *m.bytes / m.seconds;
    if (copy_speed == 0) copy_speed = speed;
    m.of_copy = speed / copy_speed;
    return m;
  };
  const Case& copy = kernel_cases().front();
  std::vector<Model> models{copy.kernel->model};
  for (const Case& c : cases)
    if (std::ranges::find(models, c.kernel->model) == models.end()) models.push_back(c.kernel->model);
  for (const Model& model : models) {
    const Kit kit(*backend, model, size);
    if (copy_speed == 0) report(measure_on(kit, copy));
    for (const Case& c : cases)
      if (c.kernel->model == model && c.kernel != copy.kernel) report(measure_on(kit, c));
  }
}

}  // namespace poisson::bench
