// This part of the backend exchanges halos and gathers sub-blocks.
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/own_step.cuh"
#include "backends/cuda/patch_exchange.cuh"
#include "backends/cuda/program.hpp"
#include "backends/cuda/ticket.cuh"
#include "backends/cuda/value_columns.cuh"
#include "backends/spaces/groups.hpp"
#include "backends/spaces/is_box.hpp"
#include "backends/spaces/places_in_larger.hpp"

namespace poisson::cuda {
namespace {

template <class T>
struct TakePart {
  View<const T> whole;
  View<T> part;
  PlacesInLarger place;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) part(i, j, k) = whole(place(0, i), place(1, j), place(2, k));
  }
};

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

// Exchanges the packed values of a step with other processes. Without mailboxes the host waits.
template <class T>
void send_step(CudaBackend& device, const ExchangeTable& table, const Processes& processes) {
  if (table.most == 0) return;
  device.reserve_halo_buffers(processes, MailSizes::of_parts(static_cast<std::size_t>(table.most) * sizeof(double)));
  if (device.mail()) return send_by_mail<T>(device.stream(), table, device.mail()->box());
  if (device.shares({{0, 0, 0}, {1, 1, 1}}))
    throw std::logic_error("an exchange between two spaces through the host cannot be recorded");
  send_by_host(device.stream(), table, sizeof(T), true, processes);
}

}  // namespace

void run_program(Backend& backend, const ExchangeProgram& program, const Field& from, Field& to) {
  auto& device = static_cast<CudaBackend&>(backend);
  PatchTables& tables = patch_tables(device);
  std::vector<ExchangeTable> made;
  const std::vector<ExchangeTable>* steps = tables.kept(program, from, to);
  if (!steps) {
    made = tables.make(program, from.space(), to.space(), from.precision());
    steps = &made;
  }
  dispatch(from.precision(), [&]<class T>(T) {
    T *const source = static_cast<T*>(from.data()), *const target = static_cast<T*>(to.data());
    for (const ExchangeTable& table : *steps) {
      begin_step(device.stream(), table, source, target);
      send_step<T>(device, table, to.space().processes());
      end_step(device.stream(), table, source, target);
    }
  });
  if (!made.empty()) check(cudaStreamSynchronize(device.stream()));
}

void exchange_with_others(Backend& backend, const Field& field) {
  auto* const device = dynamic_cast<CudaBackend*>(&backend);
  if (!device) return;  // a rehearsal
  const auto& steps = patch_tables(*device).of(field.space()).steps[static_cast<std::size_t>(field.precision())];
  if (!device->mail() || !std::ranges::all_of(steps, has_lists)) return device->exchange(field);
  dispatch(field.precision(), [&]<class T>(T) {
    T* const values = static_cast<T*>(const_cast<Field&>(field).data());
    for (const ExchangeTable& table : steps)
      if (table.most > 0) send_lists<T>(device->stream(), table, device->mail()->box(), values, values);
  });
}

std::shared_ptr<const void> keep_program(Backend& backend, const ExchangeProgram& program, const Space& from,
                                         const Space& to) {
  auto* const device = dynamic_cast<CudaBackend*>(&backend);
  if (!device) return nullptr;  // a rehearsal
  const ProgramTables* const tables = patch_tables(*device).keep(program, from, to);
  return {tables, [device](const ProgramTables* own) { release_program(device, own); }};
}

Processes::Waits CudaBackend::waits() {
  if (!mail_timer_) return {};
  const std::vector<double> laps = mail_timer_->laps();
  for (std::size_t i = 0; i < laps.size(); ++i) (exchanged_[i] ? waits_.exchanges : waits_.gathers) += laps[i];
  exchanged_.clear();
  return waits_;
}

// Executes an exchange step of the patch with itself.
template <class T>
void CudaBackend::copy_own(const View<T>& v, const Exchange::Step& step) {
  for_columns<SharedSteps>(step[0].from, halo_copies(v, step));
}

void CudaBackend::begin_swap(const Field& field, const Exchange::Step& sent, const Exchange::Step& received) {
  dispatch(field.precision(), [&]<class T>(T) {
    const auto v = const_cast<Field&>(field).view<T>();
    if (mail_) return send(true, [&] { mail_->swap(stream(), v, axis_across(received.front()), sent, received); });
    by_host([this, v, sent, received] { staging_->start(stream_, v, sent, received); });
  });
}

void CudaBackend::end_swap(const Field& field, const Exchange::Step& received) {
  if (mail_) return;
  dispatch(field.precision(), [&]<class T>(T) {
    by_host([this, v = const_cast<Field&>(field).view<T>(), received, space = field.space()] {
      staging_->finish(stream_, v, received, space.processes());
    });
  });
}

// Executes a complete exchange step, with other patches or with itself.
void CudaBackend::run_step(const Field& field, int width, std::size_t t) {
  const Exchange& halo = field.space().halo();
  if (is_program(halo)) {
    const ExchangeTable& table =
        patch_tables(*this).of(field.space()).steps[static_cast<std::size_t>(field.precision())][t];
    return dispatch(field.precision(), [&]<class T>(T) {
      T* const values = static_cast<T*>(field.data());
      const bool listed = mail_ && has_lists(table);
      begin_step(stream(), table, values, values, listed);
      if (table.most > 0 && listed)
        send(true, [&] { send_lists<T>(stream(), table, mail_->box(), values, values); });
      else if (table.most > 0 && mail_)
        send(true, [&] { send_by_mail<T>(stream(), table, mail_->box()); });
      if (table.most > 0 && !mail_)
        by_host([this, &table, space = field.space()] {
          const bool through_host = wanted_ == Transport::staged || !space.processes().without_device_memory().empty();
          send_by_host(stream_, table, sizeof(T), through_host, space.processes());
        });
      end_step(stream(), table, values, values, listed);
    });
  }
  const Exchange::Step &step = halo.steps(width)[t], &sent = halo.sent(width)[t];
  if (sent.empty())
    return dispatch(field.precision(), [&]<class T>(T) { copy_own(const_cast<Field&>(field).view<T>(), step); });
  begin_swap(field, sent, step);
  end_swap(field, step);
}

void CudaBackend::start(const Field& field, int width, bool beside) {
  const Exchange& halo = field.space().halo();
  if (halo.with_others()) reserve_halo_buffers(field.space());
  if (is_program(halo)) {
    for (std::size_t t = 0; t < patch_tables(*this).of(field.space()).steps[0].size(); ++t) run_step(field, width, t);
    return;
  }
  for (std::size_t t = 0; t < halo.in_flight(); ++t) run_step(field, width, t);
  if (!halo.with_others()) return;
  const Exchange::Step &step = halo.steps(width)[halo.in_flight()], &sent = halo.sent(width)[halo.in_flight()];
  if (!mail_ || !beside) return begin_swap(field, sent, step);
  // The exchange overlaps with the next kernels, on the side stream.
  if (!side_) side_ = std::make_unique<Side>();
  side_->forked.record(stream());
  side_->forked.hold(side_->stream.get());
  side_->open = true;
  side_->main = std::exchange(stream_, side_->stream.get());
  streams_have_met = true;
  begin_swap(field, sent, step);
  stream();
  stream_ = std::exchange(side_->main, nullptr);
}

void CudaBackend::finish(const Field& field, int width) {
  const Exchange& halo = field.space().halo();
  if (!halo.with_others() || is_program(halo)) return;
  const std::size_t t = halo.in_flight();
  end_swap(field, halo.steps(width)[t]);
  if (side_ && side_->open) {
    stream();
    side_->main = std::exchange(stream_, side_->stream.get());
  }
  for (std::size_t rest = t + 1; rest < halo.steps(width).size(); ++rest) run_step(field, width, rest);
}

void CudaBackend::join_streams() {
  if (!side_ || !side_->open) return;
  side_->met.record(stream());
  stream_ = std::exchange(side_->main, nullptr);
  side_->met.hold(stream_);
  side_->open = false;
  streams_have_met = true;
}

void CudaBackend::do_gather(const Field& part, Field& whole) {
  const Space& space = part.space();
  reserve_halo_buffers(space.processes(), {});
  dispatch(part.precision(), [&]<class T>(T) {
    if (mail_ && mail_->takes_parts(space))
      return send(false, [&] { mail_->gather(stream(), space, part.view<T>(), whole.view<T>()); });
    if (!staging_) staging_ = std::make_unique<Staging>(true);  // for large fields, and in set-up
    by_host([this, from = part.view<T>(), to = whole.view<T>(), space, larger = whole.space()] {
      const PatchesWithin parts(space, larger);
      const auto moved = [](Box box, const std::array<int, 3>& origin) {
        for (std::size_t d = 0; d < 3; ++d) {
          box.first[d] -= origin[d];
          box.last[d] -= origin[d];
        }
        return box;
      };
      std::vector<Box> of;
      std::size_t most = 0;
      for (const int p : parts.patches) of.push_back(moved(space.part().with_ends(p), larger.part().origin()));
      // The size must be equal on all processes, whose groups differ.
      for (int p = 0; p < space.part().cuts().patches(); ++p)
        most = std::max(most, static_cast<std::size_t>(space.part().with_ends(p).size()) * sizeof(T));
      const Box own = moved(space.part().with_ends(space.processes().rank()), space.part().origin());
      staging_->gather(stream_, from, own, to, of, most, *parts.processes);
    });
  });
}

void CudaBackend::reserve_gather_buffers(const Space& space) {
  if (!space.is_global()) reserve_halo_buffers(space.processes(), MailSizes::of_gathered(space));
}

void CudaBackend::swap_parts(const Members& members, const void* from, void* to, std::size_t bytes,
                             const std::function<void()>& by_mail) {
  if (mail_) return send(false, by_mail);
  by_host([this, members, from, to, bytes] { staging_->swap_parts(stream_, members, from, to, bytes); });
}

void CudaBackend::do_extract_part(const Field& whole, Field& part) {
  const PlacesInLarger place(part.space(), whole.space());
  dispatch(part.precision(), [&]<class T>(T) {
    for_columns<SharedSteps>(place.box, TakePart<T>{whole.view<T>(), part.view<T>(), place});
  });
}

void CudaBackend::do_exchange_fields(std::span<const Field* const> fields, int width) {
  if (fields.empty()) return;
  const Field& one = *fields.front();
  const Exchange& halo = one.space().halo();
  if (halo.with_others()) reserve_halo_buffers(one.space());
  if (!halo.with_others() || !mail_ || is_program(halo)) {
    for (const Field* const field : fields) exchange(*field, width);
    return;
  }
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
