#pragma once

#include <algorithm>
#include <span>

#include "backends/cuda/mailbox.cuh"

namespace poisson::cuda {

/// The axis along which a layer of a halo lies.
inline int axis_across(const Exchange::Piece& piece) {
  int axis = 2;
  while (axis > 0 && piece.from.first[static_cast<std::size_t>(axis)] == piece.to.first[static_cast<std::size_t>(axis)])
    --axis;
  return axis;
}

/// Blocks for messages of so many values.
inline unsigned mail_blocks(std::int64_t values) {
  return static_cast<unsigned>(std::clamp<std::int64_t>(values / 1024, 1, most_mail_blocks));
}

/// The last one of so many blocks ends the turn of a channel. `first`: a thread that has not left.
__device__ inline void end_turn(Channel* channel, unsigned turn, unsigned blocks, unsigned first = 0) {
  __syncthreads();
  if (threadIdx.x != first || atomicAdd(&channel->ticket, 1u) + 1 < blocks) return;
  channel->ticket = 0;
  channel->sent = turn;
}

/// Fields that a message holds, at most.
inline constexpr int most_fields = 16;

/// What lets a kernel take part in a turn of an exchange by itself: the slots and flags of the neighbours, the turn
/// that their messages are at, and which values of which fields go and come. A kernel that makes what neighbours take
/// puts it into their slots as it has it, one that uses what comes waits no sooner than that, and neither needs a
/// launch for the exchange.
///
/// Fields are of one space. Their values stand one field behind the other in a message, of so many values each, and
/// have one turn and one flag between them.
///
/// All blocks, as many on both sides and most_mail_blocks at most, put what they share out, call post and wait, get
/// what has come, and end. A block finds the share of the neighbour's block of its number behind wait: both share
/// messages out alike. Words need neither post nor wait.
template <class T>
struct Ticket {
  struct Piece {
    int process, side;  ///< whose halo, or whose values; the side of that halo: 0 or 1
    Packed values;
  };

  Mailbox mail;
  View<T> v;  ///< the first field
  T* data[most_fields];
  int axis, fields, values, sent, received;
  bool as_words;
  Piece out[2], in[2];

  /// As many fields as have room in a slot, one at least.
  static int fields_at_once(const Mailbox& mail, int axis, const Exchange::Turn& sent) {
    const auto bytes = static_cast<std::size_t>(sent.front().from.size()) * sizeof(T);
    return static_cast<int>(std::clamp<std::size_t>(mail.layer_bytes[axis] / bytes, 1, most_fields));
  }
  static Ticket of(const Mailbox& mail, std::span<const View<T>> fields, int axis, const Exchange::Turn& sent,
                   const Exchange::Turn& received) {
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
  __device__ unsigned turn() const { return mail.turn_of(axis); }
  __device__ T* slot_out(int p, unsigned turn) const { return mail.layer<T>(out[p].process, axis, out[p].side, turn); }
  __device__ const T* slot_in(int p, unsigned turn) const { return mail.layer<T>(mail.rank, axis, in[p].side, turn); }
  __device__ std::uint64_t* words_out(int p, unsigned turn) const {
    return mail.layer_words(out[p].process, axis, out[p].side, turn);
  }
  __device__ const std::uint64_t* words_in(int p, unsigned turn) const {
    return mail.layer_words(mail.rank, axis, in[p].side, turn);
  }

  /// Value number `at` of a message, one way or the other.
  __device__ void put(int p, unsigned turn, int at, T value) const {
    if (as_words)
      send_word(words_out(p, turn), at, turn, value);
    else
      slot_out(p, turn)[at] = value;
  }
  __device__ T get(int p, unsigned turn, int at) const {
    return as_words ? mail.await_word<T>(words_in(p, turn), at, turn) : __ldcv(slot_in(p, turn) + at);
  }

  __device__ void post(unsigned turn) const {
    if (as_words) return;
    __threadfence_system();
    __syncthreads();
    const int p = static_cast<int>(threadIdx.x);
    if (p < sent) raise(mail.layer_flag(out[p].process, axis, out[p].side, blockIdx.x), turn);
  }
  __device__ void wait(unsigned turn) const {
    if (as_words) return;
    const int p = static_cast<int>(threadIdx.x);
    if (p < received) mail.wait_for(mail.layer_flag(mail.rank, axis, in[p].side, blockIdx.x), turn);
    __syncthreads();
  }
  __device__ void end(unsigned turn) const { end(turn, gridDim.x); }
  /// Where so many blocks alone take part.
  __device__ void end(unsigned turn, unsigned blocks, unsigned first = 0) const {
    end_turn(&mail.channels[axis], turn, blocks, first);
  }
};

/// The kernel that does nothing else.
template <class T>
void swap(cudaStream_t stream, const Mailbox& mail, std::span<const View<T>> fields, int axis,
          const Exchange::Turn& sent, const Exchange::Turn& received);

}  // namespace poisson::cuda
