#pragma once

#include <algorithm>
#include <optional>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/own_step.cuh"
#include "backends/cuda/ticket.cuh"

/// Runs kernels over columns that exchange the values that they read. Across a cut along z, a column reads only one
/// value beyond its end. Its thread fetches this value and needs no values of other threads.
namespace poisson::cuda {

/// Describes how columns participate in an exchange across z of the field that they read. The first blocks send values
/// to the neighbours, unless the kernel that computed the field has sent them. Blocks at an end run last and wait for
/// the neighbour's values. They may then immediately send the values that they have computed. Between sending and
/// receiving lies the rest of a kernel, or a complete kernel. Values are sent as words, which need no other order among
/// threads.
///
/// A word may be overwritten two epochs later. A thread that sends a second time has seen the neighbour's word in
/// between. That word was sent by the thread that had read the first word of the same place, or by a later kernel.
template <class T>
struct ColumnEnds {
  Ticket<T> ticket;  ///< has one field, in layers as wide as the columns' box
  View<const T> made;
  bool already_sent, sends;           ///< whether the field was sent by its kernel; whether `made` is sent
  bool below = false, above = false;  ///< neighbours exist there
  int tiles = 0, pieces = 0;          ///< blocks per layer and along z

  /// Orders the pieces along z so that the blocks at the ends come last.
  __host__ __device__ int piece(int z) const { return !below ? z : z + 1 < pieces ? z + 1 : 0; }
  __host__ __device__ bool at_end(int piece) const { return (piece == 0 && below) || (piece == pieces - 1 && above); }
  __host__ __device__ bool takes_part(int z) const { return (z == 0 && !already_sent) || at_end(piece(z)); }
  /// Counts the blocks that read the epoch.
  unsigned takers() const {
    unsigned count = 0;
    for (int z = 0; z < pieces; ++z)
      if (takes_part(z)) count += static_cast<unsigned>(tiles);
    return count;
  }

  /// Returns the position of a column's value in each message.
  __device__ int place(int i, int j) const {
    const Packed& layer = ticket.in[0].values;
    return (j - layer.first.y) * layer.extent.x + i - layer.first.x;
  }
  /// Sends the values that the neighbours read beyond their ends.
  __device__ void send(int at, unsigned epoch) const {
    for (int p = 0; p < ticket.sent; ++p) send(p, ticket.v, at, epoch);
  }
  /// Receives the values beyond the ends of a piece.
  __device__ void take(int piece, int at, unsigned epoch) const {
    for (int p = 0; p < ticket.received; ++p) {
      if (!has_end(piece, ticket.in[p].side)) continue;
      const int3 to = ticket.in[p].values.place(at);
      ticket.v(to.x, to.y, to.z) = ticket.mail.template await_words<T>(ticket.words_in(p, epoch), at, epoch);
    }
  }
  /// Sends the computed values at the ends of a piece.
  __device__ void send_result(int piece, int at, unsigned epoch) const {
    for (int p = 0; p < ticket.sent; ++p)  // the neighbour's upper halo gets the lowest values
      if (has_end(piece, 1 - ticket.out[p].side)) send(p, made, at, epoch);
  }

 private:
  __device__ void send(int p, const View<const T>& v, int at, unsigned epoch) const {
    const int3 from = ticket.out[p].values.place(at);
    send_word(ticket.words_out(p, epoch), at, epoch, v(from.x, from.y, from.z));
  }
  __device__ bool has_end(int piece, int side) const { return side == 0 ? piece == 0 : piece == pieces - 1; }
};

template <class Column, class T>
__global__ void __launch_bounds__(block_threads<Column>, resident_blocks<Column>)
    exchanging_kernel(Range box, Tiling tiling, Column column, const __grid_constant__ ColumnEnds<T> ends,
                      unsigned takers) {
  await_others();
  // The march uses all registers: values needed afterwards are in shared memory or are computed again.
  __shared__ int places[block_threads<Column>];
  const uint3 block = tiling.block();
  const auto [i, j] = tiling.column_at(box, block.x, block.y);
  if (i < box.first.x || i >= box.last.x || j >= box.last.y) return;  // exited threads do not delay later barriers
  const int z = static_cast<int>(block.z), piece = ends.piece(z);
  if (ends.takes_part(z)) {
    const int at = ends.place(i, j);
    const unsigned epoch = ends.ticket.epoch();
    if (z == 0 && !ends.already_sent) ends.send(at, epoch);
    if (ends.at_end(piece)) ends.take(piece, at, epoch);
    places[threadIdx.x] = at;
  }
  const int k0 = box.first.z + piece * tiling.planes;
  column(i, j, k0, min(k0 + tiling.planes, box.last.z));
  if (!ends.takes_part(z)) return;
  const unsigned epoch = ends.ticket.epoch();  // advances when all participants have ended
  if (ends.sends && ends.at_end(piece)) ends.send_result(piece, places[threadIdx.x], epoch + 1);
  const unsigned first = tiling.block().x == 0 ? static_cast<unsigned>(box.first.x - tiling.first_x) : 0;
  ends.ticket.end(epoch, takers, first);
}

/// Contains the layers that are sent and received if columns over a box exchange by themselves.
struct ColumnLayers {
  Exchange::Step sent, received;
};
/// Returns the layers for a box of a space, or nothing if columns cannot exchange by themselves. They cannot if the
/// grid is cut across x or y, or if a cut lies next to values that are not unknowns. They cannot either if a part is so
/// small that verbs share launches. All processes get the same answer.
std::optional<ColumnLayers> column_layers(const Space& space, const Box& box);

/// Prepares columns over all unknowns that read u across z, and executes the exchange steps of the patch with itself.
/// Returns nothing if a separate exchange must come first. `already_sent`: the kernel that computed u has sent its
/// values. `made`: the field that the columns write, if they send its values immediately, else null.
template <class T>
std::optional<ColumnEnds<T>> column_ends(CudaBackend& device, const Field& u, const Box& box, bool already_sent,
                                         const Field* made) {
  const Space& space = u.space();
  if (!space.halo().with_others()) return {};
  device.reserve_halo_buffers(space);
  if (!device.kernels_exchange()) return {};
  const std::optional<ColumnLayers> layers = column_layers(space, box);
  if (!layers) return {};
  const Mailbox& mail = device.mail()->box();
  const std::size_t words = static_cast<std::size_t>(layers->sent.front().from.size()) * Mailbox::words_of<T>;
  if (words > mail.word_room[2]) return {};
  const View<T> v = const_cast<Field&>(u).view<T>();
  for (const Exchange::Step& step : space.halo().own_steps())
    for_columns(device.stream(), step.front().from, halo_copies(v, step));
  ColumnEnds<T> ends{.ticket = Ticket<T>::of(mail, {&v, 1}, 2, layers->sent, layers->received),
                     .made = made ? made->view<T>() : View<const T>(),
                     .already_sent = already_sent,
                     .sends = made != nullptr};
  for (const Exchange::Piece& piece : layers->received) (piece.side < 0 ? ends.below : ends.above) = true;
  return ends;
}

template <class Column, class T>
void for_columns(CudaBackend& device, const Box& box, const Column& column, ColumnEnds<T> ends) {
  constexpr int threads = block_threads<Column>;
  const auto tiling = Tiling::of<Column>(box, threads);
  ends.tiles = static_cast<int>(tiling.blocks.x * tiling.blocks.y);
  ends.pieces = static_cast<int>(tiling.blocks.z);
  launch(exchanging_kernel<Column, T>, tiling.grid(), threads, device.stream(), Range(box), tiling, column, ends,
         ends.takers());
}

}  // namespace poisson::cuda
