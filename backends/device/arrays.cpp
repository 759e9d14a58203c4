#include "backends/device/arrays.hpp"

#include <stdexcept>
#include <string>

#include "backends/cpu/launch.hpp"
#include "backends/device/backend.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/arrays.hpp"
#endif

namespace poisson {
namespace {

std::string text_of(const std::array<int, 3>& shape) {
  return std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " + std::to_string(shape[2]);
}

void require_shape(const Array& array, const Field& field) {
  const Layout& layout = field.layout();
  for (std::size_t d = 0; d < 3; ++d)
    if (const int more = array.shape[d] - layout.n[d]; more != 0 && (more != 1 || layout.n[d] == 1))
      throw std::invalid_argument("an array of " + text_of(array.shape) + " values does not fit a field of " +
                                  text_of({layout.n[0], layout.n[1], layout.n[2]}) +
                                  " (x, y, z): give one value for each, and one more along periodic axes at most");
}

template <class T, class U>
void import_on_host(const T* from, const std::array<int, 3>& shape, double factor, Field& to) {
  const Box& box = to.space().part().unknowns();
  const View<U> view = to.view<U>();
  cpu::for_each_line(box, [&](int j, int k) {
    const T* const line = from + (static_cast<std::int64_t>(k) * shape[1] + j) * shape[0];
    U* const row = view.line(j, k);
    for (int i = box.first[0]; i < box.last[0]; ++i) row[i] = static_cast<U>(factor * static_cast<double>(line[i]));
  });
}

template <class T, class U>
void export_on_host(const Field& from, double factor, T* to, const std::array<int, 3>& shape) {
  const Layout& layout = from.layout();
  const View<const U> view = from.view<U>();
  cpu::for_each_line(Box{{0, 0, 0}, shape}, [&](int j, int k) {
    const U* const row = view.line(j % layout.n[1], k % layout.n[2]);
    T* const line = to + (static_cast<std::int64_t>(k) * shape[1] + j) * shape[0];
    for (int i = 0; i < layout.n[0]; ++i) line[i] = static_cast<T>(factor * static_cast<double>(row[i]));
    if (shape[0] > layout.n[0]) line[layout.n[0]] = line[0];
  });
}

}  // namespace

void import_values(const Array& from, double factor, Field& to) {
  require_shape(from, to);
#ifdef POISSON_HAVE_CUDA
  if (!on_host(to)) return cuda::import_values(from, factor, to);
#endif
  dispatch(from.precision, [&]<class T>(T) {
    dispatch(to.precision(),
             [&]<class U>(U) { import_on_host<T, U>(static_cast<const T*>(from.data), from.shape, factor, to); });
  });
}

void export_values(const Field& from, double factor, const Array& to) {
  require_shape(to, from);
#ifdef POISSON_HAVE_CUDA
  if (!on_host(from)) return cuda::export_values(from, factor, to);
#endif
  dispatch(to.precision, [&]<class T>(T) {
    dispatch(from.precision(),
             [&]<class U>(U) { export_on_host<T, U>(from, factor, static_cast<T*>(to.data), to.shape); });
  });
}

void wait_for_stream([[maybe_unused]] Backend& backend, [[maybe_unused]] void* stream) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) cuda::wait_for_stream(backend, stream);
#endif
}

void make_stream_wait([[maybe_unused]] void* stream, [[maybe_unused]] Backend& backend) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) cuda::make_stream_wait(stream, backend);
#endif
}

int device_number([[maybe_unused]] const Backend& backend) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::device_number(backend);
#endif
  return -1;
}

std::shared_ptr<void> use_device_of([[maybe_unused]] const Backend& backend) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::use_device(cuda::device_number(backend));
#endif
  return nullptr;
}

std::shared_ptr<void> keep_released_memory([[maybe_unused]] Backend& backend) {
#ifdef POISSON_HAVE_CUDA
  if (backend.on_gpu()) return cuda::keep_released_memory(backend);
#endif
  return nullptr;
}

}  // namespace poisson
