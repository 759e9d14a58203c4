#include "backends/device/field.hpp"

#include "backends/device/rehearsal.hpp"

namespace poisson {
namespace {

Buffer allocate(Backend& backend, const Space& space, std::size_t bytes) {
  auto* const rehearsal = dynamic_cast<RehearsalBackend*>(&backend);
  return rehearsal ? rehearsal->allocate_field(space, bytes) : backend.allocate(bytes);
}

}  // namespace

Field::Field(Backend& backend, const Space& space, Precision precision)
    : backend_(&backend),
      space_(space),
      precision_(precision),
      buffer_(
          allocate(backend, space_, static_cast<std::size_t>(layout().allocated(precision)) * bytes_of(precision))) {}

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
