#pragma once

#include <algorithm>
#include <optional>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/own_turn.cuh"
#include "backends/cuda/ticket.cuh"

/// Kernels over columns that exchange what they read by themselves. Across a cut of z a column reads one value of its
/// own beyond its end, so that its thread can fetch that one, and needs no other thread's.
namespace poisson::cuda {

/// The part that columns take in an exchange across z of the field they read. Those of the blocks that come first tell
/// the neighbours, if the kernel that made the field has not told them; those at an end come last, wait for the
/// neighbour's values, and may at once tell of the values they have made: between the halves lies the rest of a kernel,
/// or all of it. Values go as words, which need no other order among threads.
///
/// A word may be overwritten two turns later. Who tells for a second time has seen that neighbour's word between: it
/// was told by the thread that had taken the first one of the same place, or by a later kernel.
template <class T>
struct ColumnEnds {
  Ticket<T> ticket;  ///< of one field; its layers are as wide as the box of the columns
  View<const T> made;
  bool told, tells;                   ///< of the field that is read, by the kernel that made it; of `made`
  bool below = false, above = false;  ///< whether there are neighbours
  int tiles = 0, pieces = 0;          ///< blocks across z and along it

  /// Blocks are taken so that those at the ends come last.
  __host__ __device__ int piece(int z) const { return !below ? z : z + 1 < pieces ? z + 1 : 0; }
  __host__ __device__ bool at_end(int piece) const { return (piece == 0 && below) || (piece == pieces - 1 && above); }
  __host__ __device__ bool takes_part(int z) const { return (z == 0 && !told) || at_end(piece(z)); }
  /// Blocks that look at the turn.
  unsigned takers() const {
    unsigned count = 0;
    for (int z = 0; z < pieces; ++z)
      if (takes_part(z)) count += static_cast<unsigned>(tiles);
    return count;
  }

  /// Where a column's value stands in each message.
  __device__ int place(int i, int j) const {
    const Packed& layer = ticket.in[0].values;
    return (j - layer.first.y) * layer.extent.x + i - layer.first.x;
  }
  /// What the neighbours read beside their ends.
  __device__ void tell(int at, unsigned turn) const {
    for (int p = 0; p < ticket.sent; ++p) tell(p, ticket.v, at, turn);
  }
  /// What comes in beside a piece, and what was made at the ends that it has.
  __device__ void take(int piece, int at, unsigned turn) const {
    for (int p = 0; p < ticket.received; ++p) {
      if (!has_end(piece, ticket.in[p].side)) continue;
      const int3 to = ticket.in[p].values.place(at);
      ticket.v(to.x, to.y, to.z) = ticket.mail.template await_words<T>(ticket.words_in(p, turn), at, turn);
    }
  }
  __device__ void tell_made(int piece, int at, unsigned turn) const {
    for (int p = 0; p < ticket.sent; ++p)  // their upper halo is of what is lowest here
      if (has_end(piece, 1 - ticket.out[p].side)) tell(p, made, at, turn);
  }

 private:
  __device__ void tell(int p, const View<const T>& v, int at, unsigned turn) const {
    const int3 from = ticket.out[p].values.place(at);
    send_word(ticket.words_out(p, turn), at, turn, v(from.x, from.y, from.z));
  }
  __device__ bool has_end(int piece, int side) const { return side == 0 ? piece == 0 : piece == pieces - 1; }
};

template <class Column, class T>
__global__ void __launch_bounds__(block_threads<Column>, resident_blocks<Column>)
    exchanging_kernel(Range box, Tiling tiling, Column column, const __grid_constant__ ColumnEnds<T> ends,
                      unsigned takers) {
  await_others();
  // The walk has all registers: what is needed behind it lies in shared memory, or is worked out again.
  __shared__ int places[block_threads<Column>];
  const uint3 block = tiling.block();
  const auto [i, j] = tiling.column_at(box, block.x, block.y);
  if (i < box.first.x || i >= box.last.x || j >= box.last.y) return;  // before others wait for all that are left
  const int z = static_cast<int>(block.z), piece = ends.piece(z);
  if (ends.takes_part(z)) {
    const int at = ends.place(i, j);
    const unsigned turn = ends.ticket.turn();
    if (z == 0 && !ends.told) ends.tell(at, turn);
    if (ends.at_end(piece)) ends.take(piece, at, turn);
    places[threadIdx.x] = at;
  }
  const int k0 = box.first.z + piece * tiling.planes;
  column(i, j, k0, min(k0 + tiling.planes, box.last.z));
  if (!ends.takes_part(z)) return;
  const unsigned turn = ends.ticket.turn();  // goes on when all that take part have ended
  if (ends.tells && ends.at_end(piece)) ends.tell_made(piece, places[threadIdx.x], turn + 1);
  const unsigned first = tiling.block().x == 0 ? static_cast<unsigned>(box.first.x - tiling.first_x) : 0;
  ends.ticket.end(turn, takers, first);
}

/// The layers that go and come where columns over a box of a space exchange by themselves; the same answer on all
/// processes. None where the grid is cut otherwise than across z, where a cut lies beside values that are no unknowns,
/// or where a part is so small that verbs share launches.
struct ColumnLayers {
  Exchange::Turn sent, received;
};
std::optional<ColumnLayers> column_layers(const Space& space, const Box& box);

/// The part of columns over all unknowns that read u across z; `made`: what they write, if it is told at once. Turns
/// of the patch with itself are taken. None where an exchange is to go before.
template <class T>
std::optional<ColumnEnds<T>> column_ends(CudaBackend& device, const Field& u, const Box& box, bool told,
                                         const Field* made) {
  const Space& space = u.space();
  if (!space.halo().with_others()) return {};
  device.join(space);
  if (!device.kernels_exchange()) return {};
  const std::optional<ColumnLayers> layers = column_layers(space, box);
  if (!layers) return {};
  const Mailbox& mail = device.mail()->box();
  const std::size_t words = static_cast<std::size_t>(layers->sent.front().from.size()) * Mailbox::words_of<T>;
  if (words > mail.word_room[2]) return {};
  const View<T> v = const_cast<Field&>(u).view<T>();
  for (const Exchange::Turn& turn : space.halo().own_turns())
    for_columns(device.stream(), turn.front().from, copies_of_own(v, turn));
  ColumnEnds<T> ends{.ticket = Ticket<T>::of(mail, {&v, 1}, 2, layers->sent, layers->received),
                     .made = made ? made->view<T>() : View<const T>(),
                     .told = told,
                     .tells = made != nullptr};
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
