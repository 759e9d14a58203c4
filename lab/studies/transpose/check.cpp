#include <cstring>
#include <utility>

#include "lab/studies/transpose/matrix_contents.hpp"
#include "lab/studies/transpose/study.hpp"

namespace poisson::lab {
namespace {

// Calls f(source index, destination index) for all elements. Both indices are relative to the first element.
template <class F>
void for_each_element(const Transposition& s, bool transposed, const F& f) {
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t r = 0; r < s.rows; ++r)
      for (std::int64_t c = 0; c < s.columns; ++c) {
        const std::int64_t source = b * s.from_stride + r * s.from_pitch + c;
        f(source, transposed ? b * s.to_stride + c * s.to_pitch + r : source);
      }
}

}  // namespace

std::string wrong_transposition(Backend& backend, const TransposeVariant& variant, const Transposition& shape) {
  constexpr std::size_t guard = 128, seed = 7;  // guard bytes on both sides, which must not be written
  const std::size_t target = variant.transposes ? shape.to_extent() : shape.from_extent();
  const Buffer from = backend.allocate(shape.from_extent()), to = backend.allocate(target + 2 * guard);
  auto* const begin = static_cast<unsigned char*>(to.data()) + guard;
  if (variant.permitted && !variant.permitted(shape, from.data(), begin)) return {};
  fill_elements(backend, shape.element, from.data(), static_cast<std::int64_t>(from.bytes() / shape.element), seed);
  poison(backend, to.data(), to.bytes());
  variant.launch(backend, shape, from.data(), begin);

  std::vector<unsigned char> given(from.bytes()), found(to.bytes()), expected(to.bytes(), 0xFF);
  backend.read(from.data(), given.data(), given.size());
  backend.read(to.data(), found.data(), found.size());
  for_each_element(shape, variant.transposes, [&](std::int64_t source, std::int64_t place) {
    std::memcpy(expected.data() + guard + static_cast<std::size_t>(place) * shape.element,
                given.data() + static_cast<std::size_t>(source) * shape.element, shape.element);
  });
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != expected[i])
      return std::to_string(shape.batch) + " matrices of " + std::to_string(shape.rows) + " x " +
             std::to_string(shape.columns) + " elements of " + std::to_string(shape.element) + " bytes, pitches " +
             std::to_string(shape.from_pitch) + " and " + std::to_string(shape.to_pitch) + ": byte " +
             std::to_string(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(guard)) + " is wrong";
  return {};
}

std::vector<Transposition> awkward_transpositions(std::size_t element, bool transposes) {
  std::vector<Transposition> all;
  for (const auto& [rows, columns] :
       {std::pair{1, 1}, {1, 77}, {77, 1}, {31, 33}, {64, 64}, {597, 43}, {132, 260}, {40, 1000}, {1000, 12}})
    for (const std::int64_t batch : {1, 3}) all.push_back(packed(rows, columns, element, batch));
  if (!transposes) return all;
  for (const auto& [more_from, more_to] : {std::pair{4, 8}, {3, 1}}) {
    Transposition s = packed(68, 100, element, 2);
    s.from_pitch += more_from;
    s.to_pitch += more_to;
    s.from_stride = s.from_pitch * s.rows;
    s.to_stride = s.to_pitch * s.columns + 4;
    all.push_back(s);
  }
  return all;
}

}  // namespace poisson::lab
