#include "backends/spaces/patches.hpp"

#include <algorithm>
#include <cstddef>

namespace poisson {
namespace {

// A multiple of 128 bytes. Shorter lines cost more for each line, longer ones leave threads without work.
constexpr int row_line = 4096;

// Returns lines without halo, of which `values` values are rows and the others received.
PatchGroup lines_of_rows(int values, int received, int lines, int first_line) {
  PatchGroup group{{{values + received, lines, 1}, {}, {0, 0, 0}}, {}, {{}, {values, lines, 1}}};
  group.patches.push_back({group.values, group.values, first_line});
  return group;
}

}  // namespace

std::vector<PatchGroup> groups_of(const std::vector<PatchOfAll>& all, int process) {
  std::vector<PatchGroup> groups;
  for (std::size_t number = 0; number < all.size(); ++number) {
    const auto& [owner, layout, patch] = all[number];
    if (owner != process) continue;
    auto group = std::ranges::find(groups, layout, &PatchGroup::layout);
    if (group == groups.end()) group = groups.insert(group, {layout, {}, layout.box()});
    group->patches.push_back(patch);
    group->patches.back().number = static_cast<int>(number);
  }
  return groups;
}

ExchangeProgram program_of(const std::vector<PatchOfAll>& all, const std::vector<std::vector<Move>>& steps,
                           int process) {
  std::vector<int> local(all.size(), -1);
  int count = 0;
  for (const PatchGroup& group : groups_of(all, process))
    for (const PatchGroup::Patch& patch : group.patches) local[static_cast<std::size_t>(patch.number)] = count++;
  ExchangeProgram program;
  for (const std::vector<Move>& moves : steps) {
    ExchangeStep& step = program.emplace_back();
    const auto channel_to = [&](int partner) -> Channel& {
      const auto known = std::ranges::find(step.channels, partner, &Channel::process);
      return known != step.channels.end() ? *known : step.channels.emplace_back(Channel{partner});
    };
    for (Move move : moves) {
      const auto from = static_cast<std::size_t>(move.patch), to = static_cast<std::size_t>(move.to_patch);
      const int sender = all[from].process, receiver = all[to].process;
      move.patch = local[from];
      move.to_patch = local[to];
      if (sender == process && receiver == process) step.own.push_back(move);
      if (sender == process && receiver != process) channel_to(receiver).sent.push_back(move);
      if (sender != process && receiver == process) channel_to(sender).received.push_back(move);
    }
  }
  return program;
}

std::vector<PatchGroup> groups_of_rows(std::int64_t rows, std::int64_t received) {
  const auto lines = static_cast<int>(rows / row_line), rest = static_cast<int>(rows % row_line);
  std::vector<PatchGroup> groups;
  if (lines > 0) groups.push_back(lines_of_rows(row_line, 0, lines, 0));
  if (rest + received > 0) groups.push_back(lines_of_rows(rest, static_cast<int>(received), 1, lines));
  return groups;
}

}  // namespace poisson
