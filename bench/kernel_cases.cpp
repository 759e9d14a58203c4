#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/device.hpp"
#include "backends/error.hpp"
#include "bench/cases.hpp"
#include "grids/discretization.hpp"
#include "grids/traffic.hpp"

namespace poisson::bench {

/// What the kernels of one size and one problem run on.
class Kit {
 public:
  /// `narrow`: the precision of what is to run in fp32; another one makes an oracle of the kit.
  Kit(Backend& on, const Problem& problem, Precision narrow = Precision::fp32)
      : backend(on), one(on.scalar(1)), result(on.scalar()) {
    const Discretization d(on, problem);
    outer_ = d.make_hierarchy(Precision::fp64);
    inner_ = d.make_hierarchy(narrow);
    for (int axis = 0; axis < 3; ++axis) lines_.push_back(d.make_operator(narrow, {Extent::line, axis}));
  }

  Layout layout(bool coarse) const { return outer_.operators.at(coarse ? 1 : 0)->layout(); }
  std::int64_t unknowns(bool coarse) const { return outer_.operators.at(coarse ? 1 : 0)->unknowns().size(); }
  const Operator& A(Precision p) const { return *(p == Precision::fp64 ? outer_ : inner_).operators.front(); }
  const Operator& A64() const { return A(Precision::fp64); }
  const Operator& A32() const { return A(Precision::fp32); }
  const Operator& lines(int axis) const { return *lines_.at(static_cast<std::size_t>(axis)); }
  const Transfer& transfer() const { return *inner_.transfers.front(); }

  Backend& backend;
  Scalar one;
  mutable Scalar result;  ///< of reductions

 private:
  Hierarchy outer_, inner_;
  std::vector<std::unique_ptr<Operator>> lines_;
};

/// A field that a kernel works on.
struct Operand {
  Precision precision = Precision::fp64;
  bool coarse = false;
};

using Fields = std::vector<Field>;

/// −∇·(κ∇u) on a box of cubic cells with Dirichlet faces.
using Model = Problem (*)(std::array<int, 3> cells);

Problem constant_coefficient(std::array<int, 3> cells) {
  Problem p;
  for (std::size_t d = 0; d < 3; ++d)
    for (int i = 0; i <= cells[d]; ++i) p.nodes[d].push_back(static_cast<double>(i) / cells[0]);
  return p;
}

/// κ per cell, between 1 and 2.
Problem varying_coefficient(std::array<int, 3> cells) {
  Problem p = constant_coefficient(cells);
  p.coefficient[0] = [](double x, double y, double z) { return 1 / (1 - 0.5 * x * y * z / (1 + x * y * z)); };
  return p;
}

struct KernelCase {
  Traffic traffic;
  std::vector<Operand> operands;  ///< in the order of the traffic's fields
  void (*run)(const Kit&, Fields&);
  bool reduces = false;                ///< leaves a number in the kit's result
  bool unknowns = true;                ///< passes over the unknowns alone, else over Dirichlet nodes too
  Precision matrix = Precision::fp64;  ///< of the operator, where it reads one
  Model model = constant_coefficient;
};

namespace {

constexpr Precision fp32 = Precision::fp32, fp64 = Precision::fp64;
constexpr double omega = 1.15;
constexpr PolynomialStep step{0.8, 0.25};

const KernelCase copy{.traffic = traffic("copy"),
                      .operands = {{fp64}, {fp64}},
                      .run = [](const Kit& k, Fields& f) { k.backend.copy(f[0], f[1]); },
                      .unknowns = false};
const KernelCase product{.traffic = traffic("apply"), .operands = {{fp64}, {fp64}}, .run = [](const Kit& k, Fields& f) {
                           k.A64().apply(f[0], f[1]);
                         }};
const KernelCase product_fp32{.traffic = traffic("apply"),
                              .operands = {{fp32}, {fp32}},
                              .run = [](const Kit& k, Fields& f) { k.A32().apply(f[0], f[1]); },
                              .matrix = fp32};
const KernelCase residual{.traffic = traffic("residual + norm"),
                          .operands = {{fp64}, {fp64}, {fp32}},
                          .run = [](const Kit& k, Fields& f) { k.A64().residual(f[0], f[1], f[2], k.one, k.result); },
                          .reduces = true};
const KernelCase residual_fp64{.traffic = traffic("residual"),
                               .operands = {{fp64}, {fp64}, {fp64}},
                               .run = [](const Kit& k, Fields& f) { k.A64().residual(f[0], f[1], f[2]); }};
const KernelCase sweep{.traffic = traffic("polynomial step"),
                       .operands = {{fp32}, {fp32}, {fp32}},
                       .run = [](const Kit& k, Fields& f) { k.A32().polynomial_step(step, f[0], f[1], f[2]); },
                       .matrix = fp32};
template <int axis>
const KernelCase lines{.traffic = traffic("line step"),
                       .operands = {{fp32}, {fp32}, {fp32}},
                       .run = [](const Kit& k, Fields& f) { k.lines(axis).line_step(axis, step, f[0], f[1], f[2]); },
                       .matrix = fp32};
const KernelCase gauss_seidel{.traffic = traffic("gauss-seidel"),
                              .operands = {{fp32}, {fp32}},
                              .run = [](const Kit& k, Fields& f) { k.A32().gauss_seidel(omega, false, f[0], f[1]); },
                              .matrix = fp32};
const KernelCase restriction{.traffic = traffic("restrict"),
                             .operands = {{fp32}, {fp32, true}},
                             .run = [](const Kit& k, Fields& f) { k.transfer().restrict_to(f[0], f[1]); }};
const KernelCase prolongation{.traffic = traffic("prolong"),
                              .operands = {{fp32, true}, {fp32}},
                              .run = [](const Kit& k, Fields& f) { k.transfer().prolong(f[0], f[1]); }};
const KernelCase interpolation{.traffic = traffic("interpolate"),
                               .operands = {{fp32, true}, {fp64}},
                               .run = [](const Kit& k, Fields& f) { k.transfer().interpolate(f[0], f[1], &k.one); }};
const KernelCase dot{.traffic = traffic("dot"),
                     .operands = {{fp64}, {fp64}},
                     .run = [](const Kit& k, Fields& f) { k.backend.dot(f[0], f[1], k.result); },
                     .reduces = true,
                     .unknowns = false};

/// The same kernel for another operator.
KernelCase with(Model model, KernelCase c) {
  c.model = model;
  return c;
}
const KernelCase product_varying = with(varying_coefficient, product);
const KernelCase product_varying_fp32 = with(varying_coefficient, product_fp32);
const KernelCase residual_varying = with(varying_coefficient, residual);
const KernelCase sweep_varying = with(varying_coefficient, sweep);
const KernelCase lines_varying = with(varying_coefficient, lines<2>);

const std::array table{
    Case{"copy", "y = x in fp64: the measure of the others", &copy},
    Case{"product", "Au in fp64", &product},
    Case{"product-fp32", "Au in fp32", &product_fp32},
    Case{"residual", "r = b - Au in fp64, written in fp32, with its norm", &residual},
    Case{"residual-fp64", "r = b - Au in fp64", &residual_fp64},
    Case{"sweep", "one Chebyshev step in fp32", &sweep},
    Case{"line-x", "one Chebyshev step in fp32 that solves for the lines along x", &lines<0>},
    Case{"line-y", "the same along y", &lines<1>},
    Case{"line-z", "the same along z", &lines<2>},
    Case{"gauss-seidel", "one red-black sweep in fp32", &gauss_seidel},
    Case{"restrict", "full weighting in fp32", &restriction},
    Case{"prolong", "trilinear prolongation in fp32", &prolongation},
    Case{"interpolate", "cubic interpolation from fp32 to fp64", &interpolation},
    Case{"dot", "inner product in fp64", &dot},
    Case{"partial-product", "Au in fp64 with a coefficient per cell", &product_varying},
    Case{"partial-product-fp32", "Au in fp32 with a coefficient per cell", &product_varying_fp32},
    Case{"partial-residual", "the residual with a coefficient per cell", &residual_varying},
    Case{"partial-sweep", "the Chebyshev step with a coefficient per cell", &sweep_varying},
    Case{"partial-line-z", "the lines along z with a coefficient per cell", &lines_varying},
};

// Numbers in [-1, 1) that depend on the place and the seed alone.
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
  if (backend.name() == "cpu") return field;
  Field there(backend, layout, precision);
  transfer(field, there);
  return there;
}

Fields random_fields(const KernelCase& c, const Kit& kit, Backend& host) {
  Fields fields;
  for (const Operand& o : c.operands)
    fields.push_back(random_field(kit.backend, host, kit.layout(o.coarse), o.precision, fields.size() + 1));
  return fields;
}

double bytes_of_call(const KernelCase& c, const Kit& kit) {
  std::array<Touched, 3> touched{};
  for (std::size_t f = 0; f < c.operands.size(); ++f) {
    const bool coarse = c.operands[f].coarse;
    touched[f] = {c.unknowns ? kit.unknowns(coarse) : kit.layout(coarse).size(), c.operands[f].precision};
  }
  return bytes_moved(c.traffic, touched, kit.A(c.matrix).bytes());
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

// The kernel's fields and its number against the same on the CPU with everything in fp64, on a grid of awkward size.
void check(const Case& which, Backend& backend, Backend& host) {
  const KernelCase& c = *which.kernel;
  const std::array cells{37, 22, 13};
  const Kit kit(backend, c.model(cells));
  const Kit oracle(host, c.model(cells), fp64);
  Fields fields = random_fields(c, kit, host), exact;
  bool narrow = false;
  for (const Operand& o : c.operands) {
    exact.push_back(random_field(host, host, kit.layout(o.coarse), fp64, exact.size() + 1));
    narrow = narrow || o.precision == fp32;
  }
  c.run(kit, fields);
  c.run(oracle, exact);
  const double bound = narrow ? 2e-6 : 1e-13;  // a few dozen roundings of numbers near 1
  const auto compare = [&](double found, double expected, double size) {
    if (!(std::abs(found - expected) <= bound * size))
      throw RunError("the result of " + std::string(which.name) + " is wrong (" + std::to_string(found) +
                     " where the CPU's fp64 gives " + std::to_string(expected) +
                     "): no time of a wrong kernel is worth printing; run the tests");
  };
  for (std::size_t f = 0; f < fields.size(); ++f) {
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

// Seconds of one call: medians over measurements of enough calls to fill 20 ms. Calls take turns on as many sets of
// fields as it needs that no cache holds what a call reads.
Measurement measure(const Case& which, const Kit& kit, Backend& host, int cells, int repeat) {
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
  m.cells = cells;
  m.unknowns = kit.unknowns(false);
  m.bytes = bytes;
  summarize(seconds, m);
  return m;
}

}  // namespace

std::span<const Case> kernel_cases() {
  return table;
}

void measure_kernels(std::span<const Case> cases, int cells, const Setting& setting, const Report& report) {
  const auto backend = make_backend(setting.device);
  const auto host = make_cpu_backend();
  for (const Case& c : cases) check(c, *backend, *host);
  double copy_speed = 0;
  const auto measure_on = [&](const Kit& kit, const Case& c) {
    Measurement m = measure(c, kit, *host, cells, setting.repeat);
    const double speed = *m.bytes / m.seconds;
    if (c.kernel == &copy) copy_speed = speed;
    m.of_copy = speed / copy_speed;
    return m;
  };
  for (const Model model : {constant_coefficient, varying_coefficient}) {
    const Kit kit(*backend, model({cells, cells, cells}));
    if (model == constant_coefficient) report(measure_on(kit, table.front()));
    for (const Case& c : cases)
      if (c.kernel->model == model && c.kernel != &copy) report(measure_on(kit, c));
  }
}

}  // namespace poisson::bench
