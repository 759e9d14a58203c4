#include "backends/spaces/exchange.hpp"

#include <algorithm>
#include <utility>

namespace poisson {

std::array<int, 3> Cuts::place(int number) const {
  return {number % count(0), number / count(0) % count(1), number / (count(0) * count(1))};
}

Box Cuts::patch(int number) const {
  const std::array<int, 3> at = place(number);
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto part = static_cast<std::size_t>(at[d]);
    box.first[d] = first[d][part];
    box.last[d] = part + 1 < first[d].size() ? first[d][part + 1] : n[d];
  }
  return box;
}

Exchange::Exchange(const Cuts& cuts, int patch) {
  const std::array<int, 3> here = cuts.place(patch);
  const Box own = cuts.patch(patch);
  std::size_t last_cut = 3;
  for (std::size_t d = 0; d < 3; ++d) {
    n_[d] = own.last[d] - own.first[d];
    if (cuts.count(d) > 1) last_cut = d;
  }
  for (int width = 1; width <= cut_halo; ++width) {
    Box box;  // planes that are copied along an axis
    for (std::size_t d = 0; d < 3; ++d) box.last[d] = own.last[d] - own.first[d];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axis > 0 && cuts.n[axis] == 1) continue;  // such an axis has no halo
      const int parts = cuts.count(axis), wide = parts > 1 ? width : 1, n = own.last[axis] - own.first[axis];
      Step step, sent;
      for (const int side : {-1, 1}) {
        int next = here[axis] + side;
        if (next < 0 || next >= parts) {
          if (!cuts.periodic[axis]) continue;
          next = (next + parts) % parts;
        }
        std::array<int, 3> at = here;
        at[axis] = next;
        const int neighbour = at[0] + cuts.count(0) * (at[1] + cuts.count(1) * at[2]);
        const Box there = cuts.patch(neighbour);
        const int m = there.last[axis] - there.first[axis];
        // Data past open ends of the following axes are sent as well: no later step sends them.
        Box across = box;
        for (std::size_t d = axis + 1; d < 3 && parts > 1; ++d) {
          if (cuts.n[d] == 1) continue;
          --across.first[d];
          ++across.last[d];
        }
        // Returns the layers next to an end, inside a patch of `values` values or in its halo.
        const auto layers = [&](int end, int values, bool inside) {
          Box part = across;
          part.first[axis] = end < 0 ? (inside ? 0 : -wide) : (inside ? values - wide : values);
          part.last[axis] = part.first[axis] + wide;
          return part;
        };
        late_[axis][side < 0 ? 0 : 1] = axis >= last_cut;
        step.push_back({neighbour, side, layers(-side, m, true), layers(side, n, false)});
        if (parts > 1) sent.push_back({neighbour, -side, layers(side, n, true), layers(-side, m, false)});
      }
      if (!step.empty()) {
        if (axis == last_cut) in_flight_ = steps_[static_cast<std::size_t>(width - 1)].size();
        if (parts == 1 && width == 1) own_steps_.push_back(step);
        with_others_ = with_others_ || parts > 1;
        steps_[static_cast<std::size_t>(width - 1)].push_back(std::move(step));
        sent_[static_cast<std::size_t>(width - 1)].push_back(std::move(sent));
      }
      box.first[axis] -= wide;
      box.last[axis] += wide;
    }
  }
  if (!with_others_) in_flight_ = steps_[0].size();
  add_programs();
}

// Two neighbours may be one process: their layers are one message, in the order of the halos of the receiver.
void Exchange::add_programs() {
  for (std::size_t w = 0; w < programs_.size(); ++w)
    for (std::size_t t = 0; t < steps_[w].size(); ++t) {
      ExchangeStep step;
      const auto channel_to = [&](int process) -> Channel& {
        const auto known = std::ranges::find(step.channels, process, &Channel::process);
        return known != step.channels.end() ? *known : step.channels.emplace_back(Channel{process});
      };
      for (const int side : {-1, 1}) {
        for (const Piece& piece : steps_[w][t]) {
          if (piece.side != side) continue;
          std::vector<Move>& moves = sent_[w][t].empty() ? step.own : channel_to(piece.patch).received;
          moves.push_back({0, piece.from, 0, piece.to});
        }
        for (const Piece& piece : sent_[w][t])
          if (piece.side == side) channel_to(piece.patch).sent.push_back({0, piece.from, 0, piece.to});
      }
      programs_[w].push_back(std::move(step));
    }
}

Exchange::Exchange(ExchangeProgram program) {
  programs_.fill(std::move(program));
  set_in_flight();
}

void Exchange::set_in_flight() {
  const ExchangeProgram& program = programs_[0];
  in_flight_ = program.size();
  for (std::size_t t = 0; t < program.size(); ++t)
    if (!program[t].channels.empty()) in_flight_ = t;
  with_others_ = in_flight_ < program.size();
}

Exchange Exchange::of_lists(std::span<const RowList> lists) {
  ExchangeStep step;
  for (const RowList& list : lists) step.channels.push_back({list.process, 0, {}, {}, list.sent, list.received});
  return Exchange({std::move(step)});  // also without partners: others may have some, and each step is collective
}

Exchange Exchange::transposed() const {
  const auto turned = [](const std::vector<Move>& moves) {
    std::vector<Move> back;
    for (const Move& move : moves) back.push_back(move.transposed());
    return back;
  };
  Exchange result;
  for (std::size_t w = 0; w < programs_.size(); ++w)
    for (auto step = programs_[w].rbegin(); step != programs_[w].rend(); ++step) {
      ExchangeStep& back = result.programs_[w].emplace_back(ExchangeStep{turned(step->own)});
      for (const Channel& c : step->channels)
        back.channels.push_back(
            {c.process, c.number, turned(c.received), turned(c.sent), c.received_rows, c.sent_rows, true});
    }
  result.set_in_flight();
  return result;
}

Box Exchange::inner(const Box& box) const {
  if (with_others_ && steps_[0].empty()) return {};  // not the exchange of a box
  Box inside = box;
  for (std::size_t d = 0; d < 3; ++d) {
    if (late_[d][0]) inside.first[d] = std::max(box.first[d], 1);
    if (late_[d][1]) inside.last[d] = std::min(box.last[d], n_[d] - 1);
    inside.first[d] = std::min(inside.first[d], box.last[d]);
    inside.last[d] = std::max(inside.last[d], inside.first[d]);
  }
  return inside;
}

std::vector<Box> around(const Box& box, const Box& inner) {
  std::vector<Box> parts;
  Box rest = box;
  for (const std::size_t d : {2, 1, 0}) {
    Box below = rest, above = rest;
    below.last[d] = rest.first[d] = inner.first[d];
    above.first[d] = rest.last[d] = inner.last[d];
    for (const Box& part : {below, above})
      if (part.size() > 0) parts.push_back(part);
  }
  return parts;
}

}  // namespace poisson
