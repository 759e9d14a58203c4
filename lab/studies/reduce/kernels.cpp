#include <array>
#include <cstdint>

#include "lab/studies/reduce/study.hpp"

namespace poisson::lab {
namespace {

const double* doubles(const Values& x) {
  return static_cast<const double*>(x.data);
}

// Every addition waits for the previous one. Without permission to reorder, compilers must keep that order.
double one_chain(const double* x, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += x[i];
  return sum;
}

double many_chains(const double* x, std::int64_t count) {
  constexpr std::int64_t lanes = 16;
  std::array<double, lanes> sums{};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
#pragma omp simd
    for (std::int64_t lane = 0; lane < lanes; ++lane) sums[static_cast<std::size_t>(lane)] += x[i + lane];
  double sum = one_chain(x + i, count - i);
  for (const double s : sums) sum += s;
  return sum;
}

// OpenMP decides which thread adds which values, and in which order the sums of the threads are added.
double all_threads(const double* x, std::int64_t count) {
  double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += x[i];
  return sum;
}

template <double (*f)(const double*, std::int64_t)>
void launch(Backend&, const Values& x, const Values&, ReduceSpace& space) {
  *space.result.address() = f(doubles(x), x.count);
}

template <Reduction kind>
void by_library(Backend& backend, const Values& x, const Values& y, ReduceSpace& space) {
  reduce(backend, kind, x, y, space.room, space.result);
}

}  // namespace

std::vector<ReduceVariant> cpu_reduce_variants() {
  using namespace reduce_names;
  return {{.name = std::string(chain), .launch = launch<one_chain>},
          {.name = std::string(chains), .launch = launch<many_chains>},
          {.name = std::string(threads), .launch = launch<all_threads>, .always_the_same = false}};
}

std::vector<ReduceVariant> library_reduce_variants() {
  const std::string name(reduce_names::library);
  return {{.name = name, .kind = Reduction::sum, .launch = by_library<Reduction::sum>},
          {.name = name, .kind = Reduction::dot, .launch = by_library<Reduction::dot>},
          {.name = name, .kind = Reduction::max_norm, .launch = by_library<Reduction::max_norm>}};
}

ReduceVariant broken_reduce_variant() {
  return {.name = "broken on purpose",
          .launch = [](Backend& backend, const Values& x, const Values& y, ReduceSpace& space) {
            Values less = x;
            less.count -= 1;
            by_library<Reduction::sum>(backend, less, y, space);
          }};
}

}  // namespace poisson::lab
