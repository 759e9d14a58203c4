#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "backends/cuda/batches.cuh"
#include "backends/cuda/check.cuh"
#include "backends/cuda/ticket.cuh"
#include "backends/processes/machine.hpp"

namespace poisson::cuda {
namespace {

template <class T>
__device__ T& value_at(const View<T>& v, const int3& i) {
  return v(i.x, i.y, i.z);
}

// Stores the caller's share of the values into a slot.
template <class T>
__device__ void put(const Packed& values, const View<T>& v, T* slot) {
  in_batches<T>(
      values.size(), [&](int at) { return value_at(v, values.place(at)); }, [&](int at, T value) { slot[at] = value; });
}
// Copies values from a slot to their places. The loads bypass the caches, which do not see stores of other GPUs.
template <class T>
__device__ void take(const Packed& values, const T* slot, const View<T>& v) {
  in_batches<T>(
      values.size(), [&](int at) { return __ldcv(slot + at); },
      [&](int at, T value) { value_at(v, values.place(at)) = value; });
}

// The next two functions do the same with words. A batch is polled until all its values have arrived.
template <class T>
__device__ void put_words(const Packed& values, const View<T>& v, std::uint64_t* slot, unsigned epoch) {
  in_batches<T>(
      values.size(), [&](int at) { return value_at(v, values.place(at)); },
      [&](int at, T value) { send_word(slot, at, epoch, value); });
}
template <class T>
__device__ void take_words(const Mailbox& mail, const Packed& values, const std::uint64_t* slot, unsigned epoch,
                           const View<T>& v) {
  constexpr int batch = 4;
  const int n = values.size(), step = static_cast<int>(gridDim.x * blockDim.x);
  for (int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); at < n; at += batch * step) {
    T value[batch];
    mail.await([&] {
      bool all = true;
#pragma unroll
      for (int b = 0; b < batch; ++b)
        if (at + b * step < n) all = has_come(slot, at + b * step, epoch, value[b]) && all;
      return all;
    });
#pragma unroll
    for (int b = 0; b < batch; ++b)
      if (at + b * step < n) value_at(v, values.place(at + b * step)) = value[b];
  }
}

template <class T>
__global__ void __launch_bounds__(256) swap_kernel(const __grid_constant__ Ticket<T> ticket) {
  await_others();
  const unsigned epoch = ticket.epoch();
  const int n = ticket.values;
  constexpr int words = Mailbox::words_of<T>;
  const auto each = [&](int pieces, const auto& f) {
    for (int p = 0; p < pieces; ++p)
      for (int field = 0; field < ticket.fields; ++field) f(p, field, ticket.field(field));
  };
  if (ticket.as_words) {
    each(ticket.sent, [&](int p, int field, const View<T>& v) {
      put_words(ticket.out[p].values, v, ticket.words_out(p, epoch) + field * n * words, epoch);
    });
    each(ticket.received, [&](int p, int field, const View<T>& v) {
      take_words(ticket.mail, ticket.in[p].values, ticket.words_in(p, epoch) + field * n * words, epoch, v);
    });
    return ticket.end(epoch);
  }
  each(ticket.sent, [&](int p, int field, const View<T>& v) {
    put(ticket.out[p].values, v, ticket.slot_out(p, epoch) + field * n);
  });
  ticket.post(epoch);
  ticket.wait(epoch);
  each(ticket.received,
       [&](int p, int field, const View<T>& v) { take(ticket.in[p].values, ticket.slot_in(p, epoch) + field * n, v); });
  ticket.end(epoch);
}

template <class T>
struct Parts {
  Mailbox mail;
  View<const T> part;
  View<T> whole;
  int3 origin;  // origin of `part`
  Packed of[most_peers];
};

template <class T>
__global__ void __launch_bounds__(256) gather_kernel(const __grid_constant__ Parts<T> parts) {
  await_others();
  const Mailbox& mail = parts.mail;
  const View<const T>& part = parts.part;
  const View<T>& whole = parts.whole;
  const int3& origin = parts.origin;
  const auto& of = parts.of;
  const unsigned epoch = mail.epoch_of(Mailbox::of_parts);
  const Packed& own = of[mail.rank];
  in_batches<T>(
      own.size(),
      [&](int at) {
        const int3 i = own.place(at);
        return part(i.x - origin.x, i.y - origin.y, i.z - origin.z);
      },
      [&](int at, T value) {
        for (int p = 0; p < mail.count; ++p)
          if (p != mail.rank) mail.part<T>(p, mail.rank, epoch)[at] = value;
        value_at(whole, own.place(at)) = value;
      });
  mail.meet(epoch);
  for (int q = 0; q < mail.count; ++q)
    if (q != mail.rank) take(of[q], mail.part<T>(mail.rank, q, epoch), whole);
  end_epoch(&mail.channels[Mailbox::of_parts], epoch, gridDim.x);
}

// Identifies a process by machine, process number and GPU.
struct Seat {
  std::size_t host;
  long process;
  char device[64];  // PCI bus address
};
Seat seat_of(int device) {
  Seat seat{};
  seat.host = machine_number();
  seat.process = getpid();
  check(cudaDeviceGetPCIBusId(seat.device, sizeof seat.device, device));
  return seat;
}

}  // namespace

std::string Mail::obstacle(const Processes& processes, int device, MailPlace place) {
  const Seat own = seat_of(device);
  const std::vector<Seat> all = processes.gather(own);
  if (processes.count() > most_peers) return "more than " + std::to_string(most_peers) + " processes";
  std::string why;
  // All processes must return the same answer: some containers may share a host name and process numbers while others
  // do not.
  for (auto seat = all.begin(); seat != all.end(); ++seat)
    if (std::any_of(all.begin(), seat,
                    [&](const Seat& other) { return other.host == seat->host && other.process == seat->process; }))
      return "threads of one process, or containers of one name";
  for (const Seat& other : all) {
    if (other.host != own.host) return "GPUs of several machines";
    int there = -1, reached = 0;
    if (place == MailPlace::host || std::strcmp(other.device, own.device) == 0) continue;
    if (cudaDeviceGetByPCIBusId(&there, other.device) != cudaSuccess) {
      why = "GPUs that each process sees alone (CUDA_VISIBLE_DEVICES)";
    } else {
      check(cudaDeviceCanAccessPeer(&reached, device, there));
      if (!reached) why = "GPUs that do not reach each other's memory";
    }
    cudaGetLastError();
  }
  // Kernels of several processes on one GPU run in time slices of milliseconds while they wait for each other. Results
  // are still right, which is enough for tests.
  for (std::size_t a = 0; a < all.size() && !std::getenv("POISSON_PEER_ON_ONE_GPU"); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (std::strcmp(all[a].device, all[b].device) == 0) why = "processes that share a GPU";
  if (processes.any(!why.empty())) return why.empty() ? "GPUs that do not reach each other's memory" : why;
  if (place == MailPlace::devices) return "";
  try {
    MailboxMemory::make(place, processes, 4096);
  } catch (const std::exception& error) {  // thrown on every process
    return error.what();
  }
  return "";
}

Mail::Mail(const Processes& processes, MailPlace place, MemoryCount& memory)
    : processes_(processes), place_(place), counted_(memory) {
  box_.rank = processes.rank();
  box_.count = processes.count();
  box_.most_words = MailboxLayout::few_words(place);
  check(cudaMalloc(&box_.channels, Mailbox::channel_count * sizeof(Channel)));
  check(cudaMemset(box_.channels, 0, Mailbox::channel_count * sizeof(Channel)));
  check(cudaHostAlloc(&given_up_, sizeof(int), cudaHostAllocMapped));
  *given_up_ = 0;
  void* there = nullptr;
  check(cudaHostGetDevicePointer(&there, given_up_, 0));
  box_.given_up = static_cast<const volatile int*>(there);
  open({});
}

Mail::~Mail() {
  of_recorded_.clear();
  close();
  cudaFree(box_.channels);
  cudaFreeHost(given_up_);
}

void Mail::make_room(const MailSizes& sizes, cudaStream_t stream) {
  MailSizes needed = sizes_;
  needed.include(sizes);
  if (needed == sizes_) return;
  check(cudaStreamSynchronize(stream));
  processes_.any(false);  // no process sends any more
  if (recorded_)
    of_recorded_.push_back(std::move(memory_));
  else
    close();
  recorded_ = false;
  open(needed);
}

bool Mail::takes_parts(const Space& space) const {
  const std::size_t part = MailSizes::of_gathered(space).part;
  return part > 0 && part <= sizes_.part;
}

void Mail::close() {
  memory_.reset();
  counted_.remove(std::exchange(bytes_, 0));
}

void Mail::open(const MailSizes& sizes) {
  sizes_ = {{}, 0, 0};  // there are no slots if the allocation fails
  static_cast<MailboxLayout&>(box_) = MailboxLayout(sizes, box_.count, place_);
  memory_ = MailboxMemory::make(place_, processes_, box_.bytes);
  bytes_ = place_ == MailPlace::devices ? box_.bytes : 0;
  counted_.add(bytes_);
  sizes_ = sizes;
  for (int p = 0; p < box_.count; ++p) box_.of[p] = memory_->of(p);
  check(cudaDeviceSynchronize());
  processes_.any(false);  // all mailboxes are open before any process sends
}

template <class T>
void swap(cudaStream_t stream, const Mailbox& mail, std::span<const View<T>> fields, int axis,
          const Exchange::Step& sent, const Exchange::Step& received) {
  launch(swap_kernel<T>, mail_blocks(sent.front().from.size()), 256, stream,
         Ticket<T>::of(mail, fields, axis, sent, received));
}

template <class T>
void Mail::swap(cudaStream_t stream, const View<T>& v, int axis, const Exchange::Step& sent,
                const Exchange::Step& received) {
  cuda::swap<T>(stream, box_, {&v, 1}, axis, sent, received);
}

template <class T>
void Mail::gather(cudaStream_t stream, const Space& space, const View<const T>& part, const View<T>& whole) {
  const auto& o = space.part().origin();
  Parts<T> parts{box_, part, whole, {o[0], o[1], o[2]}, {}};
  for (int p = 0; p < box_.count; ++p) parts.of[p] = Packed(space.part().with_ends(p));
  std::int64_t most = 1;
  for (const int n : space.part().most_values()) most *= n;
  launch(gather_kernel<T>, mail_blocks(most), 256, stream, parts);
}

template void swap(cudaStream_t, const Mailbox&, std::span<const View<float>>, int, const Exchange::Step&,
                   const Exchange::Step&);
template void swap(cudaStream_t, const Mailbox&, std::span<const View<double>>, int, const Exchange::Step&,
                   const Exchange::Step&);
template void Mail::swap(cudaStream_t, const View<float>&, int, const Exchange::Step&, const Exchange::Step&);
template void Mail::swap(cudaStream_t, const View<double>&, int, const Exchange::Step&, const Exchange::Step&);
template void Mail::gather(cudaStream_t, const Space&, const View<const float>&, const View<float>&);
template void Mail::gather(cudaStream_t, const Space&, const View<const double>&, const View<double>&);

}  // namespace poisson::cuda
