#include "backends/cpu/mover.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "backends/cpu/many_boxes.hpp"

namespace poisson::cpu {
namespace {

// Moves values of `from` as the boxes and the orientation of a move say.
template <class T>
void move_values(const View<const T>& from, const View<T>& to, const Move& move) {
  std::array<std::int64_t, 3> stride{};
  const T* first = from.data;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto a = static_cast<std::size_t>(move.turn.axis[d]);
    const std::int64_t along = a == 0 ? 1 : a == 1 ? from.sy : from.sz;
    first += along * (move.turn.flipped[d] ? move.from.last[a] - 1 : move.from.first[a]);
    stride[d] = move.turn.flipped[d] ? -along : along;
  }
  const std::int64_t n = move.to.last[0] - move.to.first[0];
  for_each_line_of_any(move.to, [&](int j, int k) {
    const T* values = first + (j - move.to.first[1]) * stride[1] + (k - move.to.first[2]) * stride[2];
    T* line = &to(move.to.first[0], j, k);
    if (move.adds)
      for (std::int64_t i = 0; i < n; ++i) line[i] += values[i * stride[0]];
    else if (stride[0] == 1)
      std::copy_n(values, n, line);
    else
      for (std::int64_t i = 0; i < n; ++i) line[i] = values[i * stride[0]];
  });
}

// Returns contiguous memory as a view of the shape of a box.
template <class T>
View<T> packed(T* data, const Box& box) {
  View<T> view;
  view.data = data;
  for (std::size_t d = 0; d < 3; ++d) view.n[d] = box.last[d] - box.first[d];
  view.sy = view.n[0];
  view.sz = std::int64_t{1} * view.n[0] * view.n[1];
  return view;
}
Box from_zero(const Box& box) {
  return {{}, {box.last[0] - box.first[0], box.last[1] - box.first[1], box.last[2] - box.first[2]}};
}

// Copies a box of values to contiguous memory, and returns the end of that.
template <class T>
T* pack(const View<const T>& from, const Box& box, T* to) {
  move_values<T>(from, packed(to, box), {0, box, 0, from_zero(box)});
  return to + box.size();
}

// Moves values from such memory, and returns the end of that.
template <class T>
const T* unpack(const T* from, const View<T>& to, Move move) {
  const View<const T> values = packed(from, move.from);
  move.from = from_zero(move.from);
  move_values<T>(values, to, move);
  return from + move.from.size();
}

// Sets the values of a move to zero where they were.
template <class T>
void clear(const Move& move, const Field& from, Field& to) {
  if (!move.clears || &from != &to) return;
  const View<T> v = to.patch<T>(move.patch);
  for_each_line_of_any(move.from, [&](int j, int k) {
    std::fill_n(&v(move.from.first[0], j, k), move.from.last[0] - move.from.first[0], T{0});
  });
}

std::int64_t values_of(const std::vector<Move>& moves) {
  std::int64_t values = 0;
  for (const Move& move : moves) values += move.from.size();
  return values;
}

// Calls f(move) for all moves: many small ones on all threads, few large ones one after another. A region of one thread
// around the latter would make the runtime create threads for the lines of each move.
template <class F>
void for_each_move(const std::vector<Move>& moves, const F& f) {
  constexpr std::int64_t many = 16;
  if (std::ssize(moves) < many || values_of(moves) <= parallel_threshold) {
    for (const Move& move : moves) f(move);
    return;
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t m = 0; m < std::ssize(moves); ++m) f(moves[static_cast<std::size_t>(m)]);
}

}  // namespace

void Mover::begin(const ExchangeStep& step, const Field& from, Field& to) {
  dispatch(from.precision(), [&]<class T>(T) {
    std::vector<Processes::Message> out, in;
    const auto message = [](const Channel& channel, std::int64_t values, std::vector<char>& buffer) {
      buffer.resize(static_cast<std::size_t>(values) * sizeof(T));
      return Processes::Message{channel.process, channel.number, buffer.data(), buffer.size()};
    };
    out_.resize(std::max(out_.size(), step.channels.size()));
    in_.resize(out_.size());
    for (std::size_t c = 0; c < step.channels.size(); ++c) {
      const Channel& channel = step.channels[c];
      out.push_back(message(channel, values_of(channel.sent) + std::ssize(channel.sent_rows), out_[c]));
      T* at = reinterpret_cast<T*>(out_[c].data());
      for (const Move& move : channel.sent) at = pack<T>(from.patch<T>(move.patch), move.from, at);
      for (const std::int64_t row : channel.sent_rows) *at++ = from.view<T>().data[row];
      if (channel.transposed && &from == &to)
        for (const std::int64_t row : channel.sent_rows) to.view<T>().data[row] = 0;
      in.push_back(message(channel, values_of(channel.received) + std::ssize(channel.received_rows), in_[c]));
    }
    std::int64_t added = 0;
    for (const Move& move : step.own) added += move.adds ? move.from.size() : 0;
    added_.resize(static_cast<std::size_t>(added) * sizeof(T));
    T* at = reinterpret_cast<T*>(added_.data());
    for (const Move& move : step.own)
      if (move.adds) at = pack<T>(from.patch<T>(move.patch), move.from, at);
    for (const Move& move : step.own) clear<T>(move, from, to);
    for (const Channel& channel : step.channels)
      for (const Move& move : channel.sent) clear<T>(move, from, to);
    if (!out.empty()) transit_ = to.space().processes().start(out, in);
    for_each_move(step.own, [&](const Move& move) {
      if (!move.adds) move_values<T>(from.patch<T>(move.patch), to.patch<T>(move.to_patch), move);
    });
  });
}

void Mover::end(const ExchangeStep& step, Field& to) {
  if (transit_) std::exchange(transit_, nullptr)->finish();
  dispatch(to.precision(), [&]<class T>(T) {
    const T* at = reinterpret_cast<const T*>(added_.data());
    for (const Move& move : step.own)
      if (move.adds) at = unpack<T>(at, to.patch<T>(move.to_patch), move);
    for (std::size_t c = 0; c < step.channels.size(); ++c) {
      const Channel& channel = step.channels[c];
      at = reinterpret_cast<const T*>(in_[c].data());
      for (const Move& move : channel.received) at = unpack<T>(at, to.patch<T>(move.to_patch), move);
      T* const rows = to.view<T>().data;
      for (const std::int64_t row : channel.received_rows) rows[row] = channel.transposed ? rows[row] + *at++ : *at++;
    }
  });
}

}  // namespace poisson::cpu
