#include <algorithm>
#include <array>
#include <cstdint>

#include "backends/cpu/launch.hpp"
#include "backends/memory/round_up.hpp"
#include "backends/utilities/cpu/functions.hpp"
#include "backends/utilities/reduction_terms.hpp"

namespace poisson::cpu {
namespace {

// Is the number of values of the smallest piece. Pieces determine the order of additions, whatever the number of
// threads.
constexpr std::int64_t least_piece = 4096;

// Number of partial results that are accumulated in parallel: this breaks the chain of dependent additions and fills
// vector registers.
constexpr std::int64_t lanes = 16;

template <class Terms>
double combined(const double* partials, std::int64_t count) {
  double result = 0;
  for (std::int64_t i = 0; i < count; ++i) result = Terms::combine(result, partials[i]);
  return result;
}

// Reduces the values first … last − 1.
template <class Terms, class T>
double reduce_piece(const T* x, const T* y, std::int64_t first, std::int64_t last) {
  const auto term = [&](std::int64_t i) {
    if constexpr (Terms::pairs) {
      return Terms::term(static_cast<double>(x[i]), static_cast<double>(y[i]));
    } else {
      return Terms::term(static_cast<double>(x[i]));
    }
  };
  std::array<double, lanes> partial{};
  std::int64_t i = first;
  for (; i + lanes <= last; i += lanes)
#pragma omp simd
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      double& p = partial[static_cast<std::size_t>(lane)];
      p = Terms::combine(p, term(i + lane));
    }
  for (; i < last; ++i) partial[0] = Terms::combine(partial[0], term(i));
  return combined<Terms>(partial.data(), lanes);
}

template <class Terms, class T>
double reduce_all(const T* x, const T* y, std::int64_t count, double* partials) {
  constexpr std::int64_t most = ReductionRoom::most_partials;
  const std::int64_t piece = std::max(least_piece, divide_up(count, most));
  const std::int64_t pieces = divide_up(count, piece);
#pragma omp parallel for schedule(static) if (count > parallel_threshold)
  for (std::int64_t p = 0; p < pieces; ++p)
    partials[p] = reduce_piece<Terms>(x, y, p * piece, std::min(count, (p + 1) * piece));
  return combined<Terms>(partials, pieces);
}

}  // namespace

void reduce(Reduction kind, const Values& x, const Values& y, ReductionRoom& room, Scalar& result) {
  *result.address() = reduction::dispatch(kind, [&]<class Terms>(Terms) {
    return poisson::dispatch(x.precision, [&]<class T>(T) {
      return reduce_all<Terms>(static_cast<const T*>(x.data), static_cast<const T*>(y.data), x.count, room.partials());
    });
  });
}

}  // namespace poisson::cpu
