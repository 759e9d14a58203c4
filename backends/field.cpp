#include "backends/field.hpp"

#include "backends/backend.hpp"

namespace poisson {
namespace {

constexpr std::int64_t alignment = 128;  // bytes: one line of a GPU's cache, two of a CPU's

}  // namespace

// The halo behind the end of a line and the one before the start of the next share the padding between them.
std::int64_t Layout::pitch(Precision p) const {
  const auto step = alignment / static_cast<std::int64_t>(bytes_of(p));
  return (n[0] + 2 + step - 1) / step * step;
}

std::int64_t Layout::allocated(Precision p) const {
  const std::int64_t rows = n[1] == 1 ? 1 : n[1] + 2, planes = n[2] == 1 ? 1 : n[2] + 2;
  return pitch(p) * rows * planes + alignment / static_cast<std::int64_t>(bytes_of(p));
}

std::int64_t Layout::origin(Precision p) const {
  const std::int64_t rows = n[1] == 1 ? 1 : n[1] + 2;
  return alignment / static_cast<std::int64_t>(bytes_of(p)) + (n[1] == 1 ? 0 : pitch(p)) +
         (n[2] == 1 ? 0 : pitch(p) * rows);
}

Field::Field(Backend& backend, const Layout& layout, Precision precision)
    : backend_(&backend),
      layout_(layout),
      precision_(precision),
      buffer_(backend.allocate(static_cast<std::size_t>(layout.allocated(precision)) * bytes_of(precision))) {}

bool on_host(const Field& field) {
  return field.backend().name() == "cpu";
}

void transfer(const Field& from, Field& to) {
  assert(from.layout() == to.layout() && from.precision() == to.precision());
  if (on_host(to))
    from.backend().read(from.data(), to.data(), from.bytes());
  else if (on_host(from))
    to.backend().write(from.data(), to.data(), from.bytes());
  else
    to.backend().convert(from, to);  // the halo, too
}

HostRead::HostRead(const Field& field) : field_(&field) {
  if (on_host(field)) return;
  host_ = make_cpu_backend();
  copy_ = std::make_unique<Field>(*host_, field.layout(), field.precision());
  transfer(field, *copy_);
}

}  // namespace poisson
