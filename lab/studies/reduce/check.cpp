#include <algorithm>
#include <array>
#include <cstdlib>

#include "lab/harness/with_cuda.hpp"
#include "lab/studies/reduce/study.hpp"
#include "lab/studies/reduce/values.hpp"

namespace poisson::lab {
namespace {

constexpr double unit = 1.0 / 1024;

// Returns 2¹⁰ times the sum or maximum over the values first … last − 1, or 2²⁰ times the dot product.
std::int64_t exact_piece(Reduction kind, std::int64_t first, std::int64_t last, std::uint64_t x, std::uint64_t y) {
  std::int64_t sum = 0, largest = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) reduction(max : largest)
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t v = random_units(x, i);
    sum += kind == Reduction::dot ? v * random_units(y, i) : v;
    largest = std::max(largest, std::abs(v));
  }
  return kind == Reduction::max_norm ? largest : sum;
}

}  // namespace

ReduceSpace::ReduceSpace(Backend& backend, std::int64_t most_values)
    : room(backend),
      partials(backend.allocate((static_cast<std::size_t>(most_values) / 256 + 4096) * sizeof(double))),
      more_partials(backend.allocate(partials.bytes())),
      result(backend.scalar()) {
  if constexpr (with_cuda)
    if (backend.kind() == BackendKind::cuda) libraries = backend.allocate(library_space(most_values));
}

double reduce_value(std::uint64_t seed, std::int64_t i) {
  return unit * random_units(seed, i);
}

void fill_values([[maybe_unused]] Backend& backend, double* values, std::int64_t count, std::uint64_t seed) {
  if constexpr (with_cuda)
    if (backend.kind() == BackendKind::cuda) return gpu::fill_values(backend, values, count, seed);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) values[i] = reduce_value(seed, i);
}

std::vector<double> exact_reductions(Reduction kind, std::span<const std::int64_t> counts, std::uint64_t x,
                                     std::uint64_t y) {
  std::vector<double> all;
  std::int64_t first = 0, so_far = 0;
  for (const std::int64_t count : counts) {
    const std::int64_t piece = exact_piece(kind, first, count, x, y);
    so_far = kind == Reduction::max_norm ? std::max(so_far, piece) : so_far + piece;
    all.push_back(static_cast<double>(so_far) * (kind == Reduction::dot ? unit * unit : unit));
    first = count;
  }
  return all;
}

double reduced(Backend& backend, const ReduceVariant& variant, const Values& x, const Values& y, ReduceSpace& space) {
  constexpr double poison = -12345.678;  // stays if a variant leaves no result
  space.on_host.reset();
  backend.write(&poison, space.result.address(), sizeof poison);
  variant.launch(backend, x, y, space);
  return space.on_host ? *space.on_host : backend.value(space.result);
}

std::string wrong_reduction(Backend& backend, const ReduceVariant& variant) {
  constexpr std::array<std::int64_t, 9> counts{1, 2, 31, 33, 255, 1000, 4097, 70'001, 1'000'003};
  ReduceSpace space(backend, counts.back());
  const Buffer x = backend.allocate(counts.back() * sizeof(double)), y = backend.allocate(x.bytes());
  auto* const values = static_cast<double*>(x.data());
  fill_values(backend, values, counts.back(), 1);
  fill_values(backend, static_cast<double*>(y.data()), counts.back(), 2);
  const std::vector<double> exact = exact_reductions(variant.kind, counts, 1, 2);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool two = variant.kind == Reduction::dot;
    const Values a{values, counts[i]}, b = two ? Values{static_cast<double*>(y.data()), counts[i]} : Values{};
    double right = exact[i];
    if (variant.kind == Reduction::max_norm) {  // one value exceeds all others, at a varying place
      right = 3;
      backend.write(std::array{-right}.data(), values + counts[i] * static_cast<std::int64_t>(i) / 9, sizeof right);
    }
    const double found = reduced(backend, variant, a, b, space);
    if (found != right)
      return "of " + std::to_string(counts[i]) + " values it makes " + std::to_string(found) + " instead of " +
             std::to_string(right);
    if (variant.kind == Reduction::max_norm) fill_values(backend, values, counts.back(), 1);
  }
  return {};
}

}  // namespace poisson::lab
