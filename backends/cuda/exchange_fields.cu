// This part of the backend exchanges several fields in shared messages.
#include <algorithm>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/own_step.cuh"
#include "backends/cuda/ticket.cuh"

namespace poisson::cuda {
namespace {

// Executes an exchange step with other patches. Each message contains as many fields as fit.
template <class T>
void swap_fields(CudaBackend& device, std::span<const Field* const> fields, const Exchange::Step& sent,
                 const Exchange::Step& received) {
  const int axis = axis_across(received.front());
  const auto most = static_cast<std::size_t>(Ticket<T>::fields_at_once(device.mail()->box(), axis, sent));
  for (std::size_t first = 0; first < fields.size(); first += most) {
    std::vector<View<T>> views;
    for (const Field* const field : fields.subspan(first, std::min(most, fields.size() - first)))
      views.push_back(const_cast<Field*>(field)->template view<T>());
    swap<T>(device.stream(), device.mail()->box(), views, axis, sent, received);
  }
}

}  // namespace

void CudaBackend::exchange_fields(std::span<const Field* const> fields, int width) {
  if (fields.empty()) return;
  const Field& one = *fields.front();
  const Exchange& halo = one.space().halo();
  if (halo.with_others()) reserve_halo_buffers(one.space());
  if (!halo.with_others() || !mail_) return Backend::exchange_fields(fields, width);
  dispatch(one.precision(), [&]<class T>(T) {
    for (std::size_t t = 0; t < halo.steps(width).size(); ++t) {
      const Exchange::Step &step = halo.steps(width)[t], &sent = halo.sent(width)[t];
      if (!sent.empty()) {
        swap_fields<T>(*this, fields, sent, step);
        continue;
      }
      for (const Field* const field : fields)
        cuda::for_columns(stream(), step.front().from,
                          halo_copies(const_cast<Field*>(field)->template view<T>(), step));
    }
  });
}

}  // namespace poisson::cuda
