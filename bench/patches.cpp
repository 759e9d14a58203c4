// Times verbs of several patches and of rows in relation to those of a box with as many values.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/device/device.hpp"
#include "backends/spaces/halo_moves.hpp"
#include "bench/stopwatch.hpp"

namespace poisson::bench {
namespace {

// Returns a box of parts³ patches of n³ values, which are neighbours along all axes.
Space cube_of_patches(int parts, int n) {
  Cuts cuts;
  for (std::size_t d = 0; d < 3; ++d) {
    cuts.n[d] = parts * n;
    for (int p = 1; p < parts; ++p) cuts.first[d].push_back(p * n);
  }
  std::vector<PatchOfAll> all;
  for (int p = 0; p < cuts.patches(); ++p) {
    const Layout layout = cuts.layout(p);
    all.push_back({0, layout, {layout.box(), layout.box(), cuts.patch(p).first[2]}});
  }
  return {all, {halo_moves(cuts)}, one_process()};
}

// Returns the seconds of a verb, the least of several rounds.
double seconds_of(Backend& backend, const std::function<void()>& verb) {
  constexpr int rounds = 7, in_round = 20;
  const Scalar one = backend.scalar(1);
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    backend.value(one);  // waits
    const Stopwatch watch;
    for (int n = 0; n < in_round; ++n) verb();
    backend.value(one);
    best = std::min(best, watch.seconds() / in_round);
  }
  return best;
}

// Computes y = D x on a CPU, line by line as operators do.
void multiply(const Field& d, const Field& x, Field& y) {
  dispatch(x.precision(), [&]<class T>(T) {
    for (std::size_t g = 0; g < x.space().groups().size(); ++g) {
      const PatchGroup& group = x.space().groups()[g];
      const auto factors = d.patches<T>(g), from = x.patches<T>(g);
      const auto to = y.patches<T>(g);
      cpu::for_each_patch_line(group, group.values, [&](int p, int j, int k) {
        const T *const a = factors.line(p, j, k), *const b = from.line(p, j, k);
        T* const line = to.line(p, j, k);
#pragma omp simd
        for (int i = group.values.first[0]; i < group.values.last[0]; ++i) line[i] = a[i] * b[i];
      });
    }
  });
}

void measure(Backend& backend, const char* name, const Space& space, Precision precision) {
  Field x(backend, space, precision), y(backend, space, precision);
  backend.fill(x, 1);
  const Scalar a = backend.scalar(0.5);
  Scalar sum = backend.scalar();
  const double bytes = static_cast<double>(space.size()) * static_cast<double>(bytes_of(precision));
  const auto report = [&](const char* verb, double moved, double seconds) {
    std::printf("%-22s %s %-24s %8.1f us %8.1f GB/s\n", name, precision == Precision::fp32 ? "fp32" : "fp64", verb,
                1e6 * seconds, moved * bytes / seconds / 1e9);
  };
  report("copy", 2, seconds_of(backend, [&] { backend.copy(x, y); }));
  report("axpy", 3, seconds_of(backend, [&] { backend.axpy(a, x, y); }));
  report("dot", 2, seconds_of(backend, [&] { backend.dot(x, y, sum); }));
  if (backend.kind() == BackendKind::cpu) {
    Field d(backend, space, precision);
    backend.fill(d, 2);
    report("product with a diagonal", 3, seconds_of(backend, [&] { multiply(d, x, y); }));
  }
  if (!space.halo().empty()) report("exchange", 0, seconds_of(backend, [&] { backend.exchange(x); }));
}

}  // namespace
}  // namespace poisson::bench

int main(int argc, char** argv) {
  using namespace poisson;
  using namespace poisson::bench;
  const auto backend = make_backend(argc > 1 ? argv[1] : "auto");
  const int n = argc > 2 ? std::stoi(argv[2]) : 64, parts = 4, all = parts * n;
  std::printf("%s\n", backend->device().c_str());
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    measure(*backend, "box", Layout{{all, all, all}}, precision);
    measure(*backend, "64 patches", cube_of_patches(parts, n), precision);
    const std::int64_t rows = std::int64_t{all} * all * all;
    measure(*backend, "rows", Space(groups_of_rows(rows), {}, one_process()), precision);
    measure(*backend, "rows, no full line", Space(groups_of_rows(rows - 1000), {}, one_process()), precision);
  }
}
