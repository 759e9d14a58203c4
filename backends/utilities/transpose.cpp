#include "backends/utilities/transpose.hpp"

#include <cstdint>
#include <string>

#include "backends/memory/error.hpp"
#include "backends/utilities/cpu/functions.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/utilities/cuda/functions.hpp"
#endif

namespace poisson {
namespace {

std::string text(std::int64_t number) {
  return std::to_string(number);
}

// Returns the number of elements from the first one of a batch of matrices to the end of the last one.
std::int64_t extent(std::int64_t rows, std::int64_t columns, std::int64_t pitch, std::int64_t batch,
                    std::int64_t stride) {
  return (batch - 1) * stride + (rows - 1) * pitch + columns;
}

void check_pitch(const char* whose, std::int64_t pitch, std::int64_t row) {
  if (pitch < row)
    throw InputError(std::string("the ") + whose + " pitch of a transposition is " + text(pitch) + " (its rows have " +
                     text(row) + " elements and would overlap): use at least as many");
}

void check_pointers(const Transposition& shape, const void* from, const void* to) {
  const auto a = reinterpret_cast<std::uintptr_t>(from), b = reinterpret_cast<std::uintptr_t>(to);
  if (a % shape.element != 0 || b % shape.element != 0)
    throw InputError("a transposition's memory is not aligned (elements of " + std::to_string(shape.element) +
                     " bytes begin on multiples of it): begin at a whole element");
  if (a < b + shape.to_extent() && b < a + shape.from_extent())
    throw InputError(
        "source and destination of a transposition overlap (elements would be overwritten before they are read): "
        "give it memory of its own");
}

}  // namespace

std::size_t Transposition::from_extent() const {
  return static_cast<std::size_t>(extent(rows, columns, from_pitch, batch, from_stride)) * element;
}

std::size_t Transposition::to_extent() const {
  return static_cast<std::size_t>(extent(columns, rows, to_pitch, batch, to_stride)) * element;
}

double Transposition::bytes() const {
  return 2.0 * static_cast<double>(element) * static_cast<double>(rows) * static_cast<double>(columns) *
         static_cast<double>(batch);
}

void Transposition::validate() const {
  if (element != 4 && element != 8 && element != 16)
    throw InputError("elements of " + std::to_string(element) +
                     " bytes cannot be transposed (kernels move 4, 8 or 16 bytes): widen them, or split them");
  if (rows < 1 || columns < 1 || batch < 1)
    throw InputError("there is nothing to transpose (" + text(batch) + " matrices of " + text(rows) + " x " +
                     text(columns) + "): use at least one element");
  check_pitch("source", from_pitch, columns);
  check_pitch("destination", to_pitch, rows);
  if (batch == 1) return;
  if (from_stride < 0)
    throw InputError("the source stride of a transposition is " + text(from_stride) +
                     " (matrices follow each other upwards in memory): begin with the lowest one");
  const bool stacked = to_stride >= extent(columns, rows, to_pitch, 1, 0);
  const bool interleaved = to_stride >= rows && to_pitch >= (batch - 1) * to_stride + rows;
  if (!stacked && !interleaved)
    throw InputError("the destination stride of a transposition is " + text(to_stride) + " (matrices of " +
                     text(columns) + " rows with a pitch of " + text(to_pitch) + " would overlap): use at least " +
                     text(extent(columns, rows, to_pitch, 1, 0)));
}

Transposition packed(std::int64_t rows, std::int64_t columns, std::size_t element, std::int64_t batch) {
  return {rows, columns, element, columns, rows, batch, rows * columns, rows * columns};
}

void transpose(Backend& backend, const Transposition& shape, const void* from, void* to) {
  shape.validate();
  check_pointers(shape, from, to);
  if (backend.kind() == BackendKind::cpu) return cpu::transpose(shape, from, to);
#ifdef POISSON_HAVE_CUDA
  if (backend.kind() == BackendKind::cuda) return cuda::transpose(backend, shape, from, to);
#endif
  throw RunError("there is no transposition for CUDA (this build lacks it)", Remedy::host);
}

}  // namespace poisson
