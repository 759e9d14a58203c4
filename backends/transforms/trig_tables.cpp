#include "backends/transforms/trig_tables.hpp"

#include <cmath>
#include <numbers>

namespace poisson {
namespace {

// Returns cos and sin of 2π q/period, computed from the first eighth of a turn: mirrored values agree to the last bit.
Complex<double> turn(std::int64_t q, std::int64_t period) {
  q = (q % period + period) % period;
  if (2 * q > period) {
    const Complex<double> t = turn(period - q, period);
    return {t.re, -t.im};
  }
  if (4 * q > period) {  // reflects q at period/4
    const Complex<double> t = turn(period - 2 * q, 2 * period);
    return {-t.re, t.im};
  }
  if (8 * q > period) {
    const Complex<double> t = turn(period - 4 * q, 4 * period);
    return {t.im, t.re};
  }
  const double angle = 2 * std::numbers::pi * static_cast<double>(q) / static_cast<double>(period);
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace

std::vector<int> radices_of(int n) {
  std::vector<int> radices;
  int twos = 0;
  while (n % 2 == 0) n /= 2, ++twos;
  // Powers of two use radix 8, and radix 4 if a single 2 would remain.
  for (; twos > 4 || twos == 3; twos -= 3) radices.push_back(8);
  for (; twos > 1; twos -= 2) radices.push_back(4);
  if (twos == 1) radices.push_back(2);
  for (const int prime : {7, 5, 3})
    for (; n % prime == 0; n /= prime) radices.push_back(prime);
  if (n > 1) radices.clear();
  return radices;
}

bool is_transformable(int n) {
  return n <= longest_trig && (n == 1 || !radices_of(n).empty());
}

int wave_at(const TrigAxis& trig, int position) {
  const int n = trig.cells, evens = even_trig(trig.kind, n);
  switch (trig.kind) {
    case TrigKind::none:
      break;
    case TrigKind::periodic:
      return 4 * (2 * position <= n ? position : n - position);
    case TrigKind::sines:
      return position < evens ? 4 * (position + 1) : 2 * (2 * (position - evens) + 1);
    case TrigKind::cosines:
      return position < evens ? 4 * position : 2 * (2 * (position - evens) + 1);
    case TrigKind::cells:
      return 2 * (trig.lower_dirichlet ? n - position : position);
    case TrigKind::mixed_nodes:
    case TrigKind::mixed_cells:
      return 2 * position + 1;
  }
  return 0;
}

double square_of_wave(const TrigAxis& trig, int position) {
  const int wave = wave_at(trig, position);
  return wave == 0 || wave == 2 * trig.cells ? trig.cells : 0.5 * trig.cells;
}

TrigTables::TrigTables(Backend& backend, Precision precision, const TrigAxis& trig, const std::vector<double>& weights)
    : trig_(trig), radices_(radices_of(trig.cells)) {
  const int n = trig.cells;
  std::vector<double> reals;
  const auto add = [&](const Complex<double>& value) { reals.insert(reals.end(), {value.re, value.im}); };
  for (int q = 0; q < n; ++q) {
    const Complex<double> root = turn(q, n);
    add({root.re, -root.im});
  }
  for (int k = 0; k < turns_of(n); ++k) add(turn(k, 4 * std::int64_t{n}));
  for (int j = 0; j < n; ++j)
    if (trig.kind == TrigKind::mixed_cells)
      reals.push_back(0.5 / turn(2 * j + 1, 8 * std::int64_t{n}).re);
    else
      reals.push_back(j == 0 ? 0 : 0.25 / turn(j, 2 * std::int64_t{n}).im);
  for (int position = 0; position < trig.values(); ++position)
    reals.push_back(weights.empty() ? 1 : weights[static_cast<std::size_t>(position)]);
  dispatch(precision, [&]<class T>(T) {
    const std::vector<T> typed(reals.begin(), reals.end());
    reals_ = backend.allocate(typed.size() * sizeof(T));
    backend.write(typed.data(), reals_.data(), typed.size() * sizeof(T));
  });
  std::vector<int> places(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    int rest = k, apart = n;
    for (const int radix : radices_) {
      apart /= radix;
      places[static_cast<std::size_t>(k)] += rest % radix * apart;
      rest /= radix;
    }
  }
  places_ = backend.allocate(places.size() * sizeof(int));
  backend.write(places.data(), places_.data(), places.size() * sizeof(int));
}

}  // namespace poisson
