#pragma once

#include <algorithm>
#include <span>

#include "backends/cuda/mailbox.cuh"

namespace poisson::cuda {

/// Returns the axis across which a halo layer lies.
inline int axis_across(const Exchange::Piece& piece) {
  int axis = 2;
  while (axis > 0 && piece.from.first[static_cast<std::size_t>(axis)] == piece.to.first[static_cast<std::size_t>(axis)])
    --axis;
  return axis;
}

/// Returns the number of blocks for messages of `values` values.
inline unsigned mail_blocks(std::int64_t values) {
  return static_cast<unsigned>(std::clamp<std::int64_t>(values / 1024, 1, most_mail_blocks));
}

/// Ends the epoch of a channel when the last of `blocks` blocks arrives. `first`: a thread of the block that has not
/// exited.
__device__ inline void end_epoch(Channel* channel, unsigned epoch, unsigned blocks, unsigned first = 0) {
  __syncthreads();
  if (threadIdx.x != first || atomicAdd(&channel->ticket, 1u) + 1 < blocks) return;
  channel->ticket = 0;
  channel->sent = epoch;
}

/// A message contains at most this many fields.
inline constexpr int most_fields = 16;

/// Lets a kernel participate in one step of an exchange, so that the exchange needs no launch. It contains the slots
/// and flags of the neighbours, and the values of the fields that are sent and received. A kernel that computes values
/// for neighbours stores them into the slots as soon as they are known. A kernel that uses received values waits only
/// when it needs them.
///
/// All fields belong to one space. A message contains `values` values of each field, one field after another, and has a
/// single epoch and flag.
///
/// Each block puts its share of the values, calls post and wait, gets the received values, and calls end. Both sides
/// launch the same number of blocks, at most most_mail_blocks, and share messages out in the same way. After wait, a
/// block therefore has the share of the neighbour's block of the same number. Words need neither post nor wait.
template <class T>
struct Ticket {
  struct Piece {
    int process, side;  ///< other process; side (0 or 1) of the receiver's halo
    Packed values;
  };

  Mailbox mail;
  View<T> v;  ///< the first field
  T* data[most_fields];
  int axis, fields, values, sent, received;
  bool as_words;
  Piece out[2], in[2];

  /// Returns how many fields fit into a slot, but at least one.
  static int fields_at_once(const Mailbox& mail, int axis, const Exchange::Step& sent) {
    const auto bytes = static_cast<std::size_t>(sent.front().from.size()) * sizeof(T);
    return static_cast<int>(std::clamp<std::size_t>(mail.layer_bytes[axis] / bytes, 1, most_fields));
  }
  static Ticket of(const Mailbox& mail, std::span<const View<T>> fields, int axis, const Exchange::Step& sent,
                   const Exchange::Step& received) {
    Ticket ticket{};
    ticket.mail = mail;
    ticket.v = fields.front();
    std::ranges::transform(fields, ticket.data, &View<T>::data);
    ticket.axis = axis;
    ticket.fields = static_cast<int>(fields.size());
    ticket.values = static_cast<int>(sent.front().from.size());
    ticket.sent = static_cast<int>(sent.size());
    ticket.received = static_cast<int>(received.size());
    ticket.as_words = fields.size() * static_cast<std::size_t>(ticket.values) * Mailbox::words_of<T> <=
                      std::min(mail.most_words, mail.word_room[axis]);
    const auto side = [](int end) { return end < 0 ? 0 : 1; };
    for (std::size_t p = 0; p < sent.size(); ++p)
      ticket.out[p] = {sent[p].patch, side(sent[p].side), Packed(sent[p].from)};
    for (std::size_t p = 0; p < received.size(); ++p)
      ticket.in[p] = {received[p].patch, side(received[p].side), Packed(received[p].to)};
    return ticket;
  }

  __device__ View<T> field(int f) const {
    View<T> view = v;
    view.data = data[f];
    return view;
  }
  __device__ unsigned epoch() const { return mail.epoch_of(axis); }
  __device__ T* slot_out(int p, unsigned epoch) const {
    return mail.layer<T>(out[p].process, axis, out[p].side, epoch);
  }
  __device__ const T* slot_in(int p, unsigned epoch) const { return mail.layer<T>(mail.rank, axis, in[p].side, epoch); }
  __device__ std::uint64_t* words_out(int p, unsigned epoch) const {
    return mail.layer_words(out[p].process, axis, out[p].side, epoch);
  }
  __device__ const std::uint64_t* words_in(int p, unsigned epoch) const {
    return mail.layer_words(mail.rank, axis, in[p].side, epoch);
  }

  __device__ void post(unsigned epoch) const {
    if (as_words) return;
    __threadfence_system();
    __syncthreads();
    const int p = static_cast<int>(threadIdx.x);
    if (p < sent) raise(mail.layer_flag(out[p].process, axis, out[p].side, blockIdx.x), epoch);
  }
  __device__ void wait(unsigned epoch) const {
    if (as_words) return;
    const int p = static_cast<int>(threadIdx.x);
    if (p < received) mail.wait_for(mail.layer_flag(mail.rank, axis, in[p].side, blockIdx.x), epoch);
    __syncthreads();
  }
  __device__ void end(unsigned epoch) const { end(epoch, gridDim.x); }
  /// Ends the epoch if only `blocks` blocks participate.
  __device__ void end(unsigned epoch, unsigned blocks, unsigned first = 0) const {
    end_epoch(&mail.channels[axis], epoch, blocks, first);
  }
};

/// Launches a kernel that only exchanges these fields.
template <class T>
void swap(cudaStream_t stream, const Mailbox& mail, std::span<const View<T>> fields, int axis,
          const Exchange::Step& sent, const Exchange::Step& received);

}  // namespace poisson::cuda
