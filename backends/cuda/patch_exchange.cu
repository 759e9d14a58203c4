#include <algorithm>
#include <vector>

#include "backends/cuda/batches.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/patch_exchange.cuh"
#include "backends/cuda/ticket.cuh"

namespace poisson::cuda {
namespace {

enum class Action { copy, add, clear };

// A block runs its part of a move.
template <class T, Action action>
__global__ void __launch_bounds__(256)
    moves_kernel(const DeviceMove* moves, const MoveList::Block* blocks, const T* from, T* to) {
  await_others();
  const MoveList::Block own = blocks[blockIdx.x];
  const DeviceMove& move = moves[own.move];
  const int nx = move.n[0], ny = move.n[1], size = nx * ny * move.n[2];
  const int last = min(size, own.first + MoveList::values_of_block);
  // All values of a thread are loaded before the first is stored.
  constexpr int n = MoveList::values_of_block / 256;
  T moved[n];
  T* target[n];
#pragma unroll
  for (int m = 0; m < n; ++m) {
    const int at = own.first + static_cast<int>(threadIdx.x) + 256 * m;
    target[m] = nullptr;
    moved[m] = T(0);
    if (at >= last) continue;
    const int line = move.by_x(at), i = at - line * nx, k = move.by_y(line), j = line - k * ny;
    target[m] = to + move.to + i * move.to_stride[0] + j * move.to_stride[1] + k * move.to_stride[2];
    if constexpr (action != Action::clear)
      moved[m] = from[move.from + i * move.from_stride[0] + j * move.from_stride[1] + k * move.from_stride[2]];
    if constexpr (action == Action::add) moved[m] += *target[m];
  }
#pragma unroll
  for (int m = 0; m < n; ++m)
    if (target[m]) *target[m] = moved[m];
}

template <Action action, class T>
void run(cudaStream_t stream, const MoveList& list, const T* from, T* to) {
  if (list.count > 0)
    launch(moves_kernel<T, action>, static_cast<unsigned>(list.count), 256, stream,
           static_cast<const DeviceMove*>(list.moves.data()), static_cast<const MoveList::Block*>(list.blocks.data()),
           from, to);
}

template <class T>
__global__ void __launch_bounds__(256)
    rows_kernel(const RowPlaces::Row* rows, std::int64_t count, T* field, T* room, bool packs, bool transposed) {
  await_others();
  const std::int64_t n = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (n >= count) return;
  T &value = field[rows[n].row], &there = room[rows[n].at];
  if (!packs) {
    value = transposed ? value + there : there;
    return;
  }
  there = value;
  if (transposed) value = 0;
}

template <class T>
void run(cudaStream_t stream, const RowPlaces& list, T* field, T* room, bool packs, bool transposed) {
  if (list.count > 0)
    launch(rows_kernel<T>, static_cast<unsigned>(divide_up(list.count, std::int64_t{256})), 256, stream,
           static_cast<const RowPlaces::Row*>(list.rows.data()), list.count, field, room, packs, transposed);
}

// Lists the messages of a process by partner.
struct Messages {
  struct {
    std::int64_t sent_first, sent, received_first, received;
  } of[most_peers];
};

template <class T>
__global__ void __launch_bounds__(256) messages_kernel(Mailbox mail, Messages messages, T* room) {
  await_others();
  const unsigned epoch = mail.epoch_of(Mailbox::of_parts);
  for (int p = 0; p < mail.count; ++p)
    in_batches<T>(
        static_cast<int>(messages.of[p].sent), [&](int at) { return room[messages.of[p].sent_first + at]; },
        [&](int at, T value) { mail.part<T>(p, mail.rank, epoch)[at] = value; });
  mail.meet(epoch);
  for (int p = 0; p < mail.count; ++p)
    in_batches<T>(
        static_cast<int>(messages.of[p].received),
        [&](int at) { return __ldcv(mail.part<T>(mail.rank, p, epoch) + at); },
        [&](int at, T value) { room[messages.of[p].received_first + at] = value; });
  end_epoch(&mail.channels[Mailbox::of_parts], epoch, gridDim.x);
}

// Does the same with values of fields. Positions in messages are counted from the first value received.
template <class T>
__global__ void __launch_bounds__(256) lists_kernel(Mailbox mail, Messages messages, const RowPlaces::Row* sent,
                                                    const RowPlaces::Row* received, const T* from, T* to) {
  await_others();
  const unsigned epoch = mail.epoch_of(Mailbox::of_parts);
  for (int p = 0; p < mail.count; ++p)
    in_batches<T>(
        static_cast<int>(messages.of[p].sent), [&](int at) { return from[sent[messages.of[p].sent_first + at].row]; },
        [&](int at, T value) { mail.part<T>(p, mail.rank, epoch)[at] = value; });
  mail.meet(epoch);
  for (int p = 0; p < mail.count; ++p)
    in_batches<T>(
        static_cast<int>(messages.of[p].received),
        [&](int at) { return __ldcv(mail.part<T>(mail.rank, p, epoch) + at); },
        [&](int at, T value) { to[received[messages.of[p].received_first + at].row] = value; });
  end_epoch(&mail.channels[Mailbox::of_parts], epoch, gridDim.x);
}

}  // namespace

template <class T>
void begin_step(cudaStream_t stream, const ExchangeTable& table, T* from, T* to, bool listed) {
  T* const room = static_cast<T*>(table.room.data());
  run<Action::copy>(stream, table.pack, static_cast<const T*>(from), room);
  if (!listed) run(stream, table.sent_rows, from, room, true, table.transposed && from == to);
  run<Action::clear>(stream, table.clears, static_cast<const T*>(from), from);
  run<Action::copy>(stream, table.own, static_cast<const T*>(from), to);
}

template <class T>
void end_step(cudaStream_t stream, const ExchangeTable& table, const T* from, T* to, bool listed) {
  T* const room = static_cast<T*>(table.room.data());
  run<Action::copy>(stream, table.unpack, static_cast<const T*>(room), to);
  for (const MoveList& adds : table.own_adds) run<Action::add>(stream, adds, from, to);
  for (const MoveList& adds : table.adds) run<Action::add>(stream, adds, static_cast<const T*>(room), to);
  if (!listed) run(stream, table.received_rows, to, room, false, table.transposed);
}

void send_by_host(cudaStream_t stream, const ExchangeTable& table, std::size_t bytes_of_value, bool through_host,
                  const Processes& processes) {
  if (table.parts.empty()) return;
  char* const there = static_cast<char*>(table.room.data());
  char* const here = through_host ? static_cast<char*>(table.host->of(table.room.bytes())) : there;
  if (through_host && table.sent > 0)
    check(cudaMemcpyAsync(here, there, static_cast<std::size_t>(table.sent) * bytes_of_value, cudaMemcpyDeviceToHost,
                          stream));
  check(cudaStreamSynchronize(stream));
  std::vector<Processes::Message> out, in;
  const auto bytes = [&](std::int64_t values) { return static_cast<std::size_t>(values) * bytes_of_value; };
  for (const ExchangeTable::Part& part : table.parts) {
    out.push_back({part.process, part.number, here + bytes(part.sent_first), bytes(part.sent)});
    in.push_back({part.process, part.number, here + bytes(part.received_first), bytes(part.received)});
  }
  processes.start(out, in)->finish();
  const std::size_t first = bytes(table.sent + table.copied), received = bytes(table.received);
  if (through_host && received > 0)
    check(cudaMemcpyAsync(there + first, here + first, received, cudaMemcpyHostToDevice, stream));
  streams_have_met = true;
}

template <class T>
void send_by_mail(cudaStream_t stream, const ExchangeTable& table, const Mailbox& mail) {
  Messages messages{};
  for (const ExchangeTable::Part& part : table.parts)
    messages.of[part.process] = {part.sent_first, part.sent, part.received_first, part.received};
  launch(messages_kernel<T>, mail_blocks(table.most), 256, stream, mail, messages, static_cast<T*>(table.room.data()));
}

bool has_lists(const ExchangeTable& table) {
  return !table.transposed && table.copied == 0 && table.sent_rows.count == table.sent &&
         table.received_rows.count == table.received;
}

template <class T>
void send_lists(cudaStream_t stream, const ExchangeTable& table, const Mailbox& mail, const T* from, T* to) {
  Messages messages{};
  for (const ExchangeTable::Part& part : table.parts)
    messages.of[part.process] = {part.sent_first, part.sent, part.received_first - table.sent, part.received};
  launch(lists_kernel<T>, mail_blocks(table.most), 256, stream, mail, messages,
         static_cast<const RowPlaces::Row*>(table.sent_rows.rows.data()),
         static_cast<const RowPlaces::Row*>(table.received_rows.rows.data()), from, to);
}

template void begin_step(cudaStream_t, const ExchangeTable&, float*, float*, bool);
template void begin_step(cudaStream_t, const ExchangeTable&, double*, double*, bool);
template void end_step(cudaStream_t, const ExchangeTable&, const float*, float*, bool);
template void end_step(cudaStream_t, const ExchangeTable&, const double*, double*, bool);
template void send_lists(cudaStream_t, const ExchangeTable&, const Mailbox&, const float*, float*);
template void send_lists(cudaStream_t, const ExchangeTable&, const Mailbox&, const double*, double*);
template void send_by_mail<float>(cudaStream_t, const ExchangeTable&, const Mailbox&);
template void send_by_mail<double>(cudaStream_t, const ExchangeTable&, const Mailbox&);

}  // namespace poisson::cuda
