#include "lab/studies/transpose/matrix_contents.hpp"

#include "lab/harness/with_cuda.hpp"

namespace poisson::lab {
namespace {

template <class T>
void fill_on_host(void* data, std::int64_t count, std::uint64_t seed) {
  auto* const elements = static_cast<T*>(data);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) elements[i] = random_element<T>(seed, static_cast<std::uint64_t>(i));
}

template <class T>
std::int64_t misplaced_on_host(const Misplaced<T>& wrong) {
  const std::int64_t elements = wrong.shape.batch * wrong.shape.rows * wrong.shape.columns;
  std::int64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (std::int64_t i = 0; i < elements; ++i) count += wrong(i) ? 1 : 0;
  return count;
}

}  // namespace

void fill_elements([[maybe_unused]] Backend& backend, std::size_t element, void* data, std::int64_t count,
                   std::uint64_t seed) {
  if constexpr (with_cuda)
    if (backend.kind() == BackendKind::cuda) return gpu::fill_elements(backend, element, data, count, seed);
  if (element == 4) return fill_on_host<std::uint32_t>(data, count, seed);
  fill_on_host<std::uint64_t>(data, count, seed);
}

std::int64_t misplaced([[maybe_unused]] Backend& backend, const Transposition& shape, bool transposed,
                       std::uint64_t seed, const void* to) {
  if constexpr (with_cuda)
    if (backend.kind() == BackendKind::cuda) return gpu::misplaced(backend, shape, transposed, seed, to);
  if (shape.element == 4)
    return misplaced_on_host(Misplaced<std::uint32_t>{shape, transposed, seed, static_cast<const std::uint32_t*>(to)});
  return misplaced_on_host(Misplaced<std::uint64_t>{shape, transposed, seed, static_cast<const std::uint64_t*>(to)});
}

}  // namespace poisson::lab
