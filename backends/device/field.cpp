#include "backends/device/field.hpp"

#include "backends/device/backend.hpp"

namespace poisson {
Field::Field(Backend& backend, const Space& space, Precision precision)
    : backend_(&backend),
      space_(space),
      precision_(precision),
      buffer_(backend.allocate(static_cast<std::size_t>(layout().allocated(precision)) * bytes_of(precision))) {}

bool on_host(const Field& field) {
  return field.backend().kind() == BackendKind::cpu;
}

void transfer(const Field& from, Field& to) {
  assert(from.layout() == to.layout() && from.precision() == to.precision());
  if (on_host(to))
    from.backend().read(from.data(), to.data(), from.bytes());
  else if (on_host(from))
    to.backend().write(from.data(), to.data(), from.bytes());
  else
    to.backend().convert(from, to);  // including the halo
}

HostRead::HostRead(const Field& field) : field_(&field) {
  if (on_host(field)) return;
  host_ = make_cpu_backend();
  copy_ = std::make_unique<Field>(*host_, field.space(), field.precision());
  transfer(field, *copy_);
}

}  // namespace poisson
