#include "backends/device/field.hpp"

#include <utility>

#include "backends/device/rehearsal.hpp"
#include "backends/spaces/is_box.hpp"

namespace poisson {
namespace {

Buffer allocate(Backend& backend, const Space& space, Precision precision) {
  // Verbs that are recorded can make no tables of such a space.
  if (!is_box(space)) backend.reserve_halo_buffers(space);
  std::int64_t values = 0;
  for (const PatchGroup& group : space.groups()) values += group.layout.allocated(precision, std::ssize(group.patches));
  const std::size_t bytes = static_cast<std::size_t>(values) * bytes_of(precision);
  auto* const rehearsal = dynamic_cast<RehearsalBackend*>(&backend);
  return rehearsal ? rehearsal->allocate_field(space, bytes) : backend.allocate(bytes);
}

}  // namespace

Field::Field(Backend& backend, const Space& space, Precision precision)
    : backend_(&backend), space_(space), precision_(precision), buffer_(allocate(backend, space_, precision)) {}

bool on_host(const Field& field) {
  return field.backend().kind() == BackendKind::cpu;
}

void transfer(const Field& from, Field& to) {
  assert(from.layout() == to.layout() && from.bytes() == to.bytes() && from.precision() == to.precision());
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
