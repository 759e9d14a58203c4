// The solver's own operations on grids, as points under the roof. Bandwidth limits all of them.

#include <cmath>
#include <functional>
#include <memory>

#include "grids/operators/operator.hpp"
#include "grids/schemes/discretization.hpp"
#include "lab/harness/noise.hpp"
#include "lab/studies/compute/study.hpp"

namespace poisson::lab {
namespace {

// Owns the operator −Δ on the unit cube, and three fields.
struct Cube {
  Discretization discretization;
  std::unique_ptr<Operator> A;
  Field u, b, r;

  Cube(Backend& backend, int cells)
      : discretization(backend, problem(cells)),
        A(discretization.make_operator(Precision::fp64)),
        u(backend, A->space(), Precision::fp64),
        b(backend, A->space(), Precision::fp64),
        r(backend, A->space(), Precision::fp64) {}

 private:
  static Problem problem(int cells) {
    Problem cube;
    for (auto& nodes : cube.nodes)
      for (int i = 0; i <= cells; ++i) nodes.push_back(static_cast<double>(i) / cells);
    return cube;
  }
};

void set(Field& x, std::uint64_t seed) {
  const View<double> v = x.view<double>();
  std::uint64_t number = seed << 40;
  for (int k = 0; k < v.n[2]; ++k)
    for (int j = 0; j < v.n[1]; ++j)
      for (int i = 0; i < v.n[0]; ++i) v(i, j, k) = static_cast<double>(noise_float(number++));
}

double largest_difference(const Field& a, const Field& b, double& largest) {
  const View<const double> v = a.view<double>(), w = b.view<double>();
  double difference = 0;
  for (int k = 0; k < v.n[2]; ++k)
    for (int j = 0; j < v.n[1]; ++j)
      for (int i = 0; i < v.n[0]; ++i) {
        largest = std::fmax(largest, std::abs(v(i, j, k)));
        const double here = std::abs(v(i, j, k) - w(i, j, k));
        if (!(here <= difference)) difference = here;
      }
  return difference;
}

struct Verb {
  const char* name;
  double operations, bytes;  // per point
  std::function<void(Cube&, Scalar& a, Scalar& sum)> run;
};

}  // namespace

void measure_verbs(Session& session, Panel& roofline) {
  const std::unique_ptr<Backend> host = make_cpu_backend();
  const int cells = session.quick() ? 128 : 256;
  Cube here(session.backend(), cells), there(*host, cells);
  set(there.u, 1);
  set(there.b, 2);
  Field brought(*host, there.A->space(), Precision::fp64);
  // The factor a is small, so that repeated additions to y stay in range.
  Scalar a = session.backend().scalar(0x1p-20), a_there = host->scalar(0x1p-20), sum = session.backend().scalar(),
         sum_there = host->scalar();
  const Verb verbs[] = {
      {verb_names[0], 2, 24, [](Cube& c, Scalar& factor, Scalar&) { c.u.backend().axpy(factor, c.b, c.r); }},
      {verb_names[1], 2, 16, [](Cube& c, Scalar&, Scalar& to) { c.u.backend().dot(c.u, c.b, to); }},
      {verb_names[2], 8, 16, [](Cube& c, Scalar&, Scalar&) { c.A->apply(c.u, c.r); }},
      {verb_names[3], 9, 24, [](Cube& c, Scalar&, Scalar&) { c.A->residual(c.u, c.b, c.r); }},
  };
  for (const Verb& verb : verbs) {
    set(there.r, 3);
    transfer(there.u, here.u);
    transfer(there.b, here.b);
    transfer(there.r, here.r);
    verb.run(here, a, sum);
    verb.run(there, a_there, sum_there);
    transfer(here.r, brought);
    double largest = 0;
    const double difference = largest_difference(there.r, brought, largest),
                 sums = std::abs(session.backend().value(sum) - host->value(sum_there));
    session.check(difference <= 1e-12 * largest && sums <= 1e-12 * std::abs(host->value(sum_there)), "compute",
                  verb.name, "GPU and CPU differ");
    const Timing seconds = session.time([&] { verb.run(here, a, sum); });
    const auto points = static_cast<double>(here.A->space().part().layout().size());
    roofline.points.push_back(
        {verb.name, verb.operations / verb.bytes, seconds, 1e-9 * verb.operations * points / seconds});
  }
}

}  // namespace poisson::lab
