// Values move between fields of two spaces that cut one grid differently, on any device and number of processes.

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tests/device.hpp"
#include "tests/patches.hpp"
#include "tests/processes.hpp"

namespace poisson::between_spaces_tests {
namespace {

// Returns the number of a patch among those of its process.
int local_number(const Space& space, int number) {
  int at = 0;
  for (const PatchGroup& group : space.groups())
    for (const PatchGroup::Patch& patch : group.patches) {
      if (patch.number == number) return at;
      ++at;
    }
  return -1;
}

// Returns the program of a process that moves all values from the patches of one cut to those of another. Patch p of
// `count` belongs to process p · processes/count.
ExchangeProgram program_between(const Cuts& from, const Space& source, const Cuts& to, const Space& target, bool adds) {
  const Processes& processes = source.processes();
  ExchangeStep step;
  const auto channel_to = [&](int partner) -> Channel& {
    const auto known = std::ranges::find(step.channels, partner, &Channel::process);
    return known != step.channels.end() ? *known : step.channels.emplace_back(Channel{partner});
  };
  for (int a = 0; a < from.patches(); ++a)
    for (int b = 0; b < to.patches(); ++b) {
      const Box common = intersection(from.patch(a), to.patch(b));
      if (common.size() == 0) continue;
      Move move{local_number(source, a), common, local_number(target, b), common};
      for (std::size_t d = 0; d < 3; ++d) {
        move.from.first[d] -= from.patch(a).first[d];
        move.from.last[d] -= from.patch(a).first[d];
        move.to.first[d] -= to.patch(b).first[d];
        move.to.last[d] -= to.patch(b).first[d];
      }
      move.adds = adds;
      const int sender = a * processes.count() / from.patches(), receiver = b * processes.count() / to.patches();
      if (sender == processes.rank() && receiver == processes.rank()) step.own.push_back(move);
      if (sender == processes.rank() && receiver != sender) channel_to(receiver).sent.push_back(move);
      if (receiver == processes.rank() && receiver != sender) channel_to(sender).received.push_back(move);
    }
  return {step};
}

template <class T>
T value_at(const std::array<int, 3>& place) {
  return static_cast<T>(1 + place[0] + 20 * place[1] + 400 * place[2]);
}

// Calls f(value, place in the grid) for all values of the patches of a field of the host.
template <class T, class F>
void for_each_place_of(const Cuts& cuts, Field& field, const F& f) {
  int at = 0;
  for (const PatchGroup& group : field.space().groups())
    for (const PatchGroup::Patch& patch : group.patches) {
      const auto v = field.patch<T>(at++);
      const auto first = cuts.patch(patch.number).first;
      for_each_value(v, false, [&](int i, int j, int k) {
        f(v(i, j, k), std::array{i + first[0], j + first[1], k + first[2]});
      });
    }
}

template <class T>
void move_and_compare(const Cuts& from, const Cuts& to, const std::shared_ptr<const Processes>& processes) {
  const auto backend = test_backend(), host = make_cpu_backend();
  const Space source = patches_of(from, processes), target = patches_of(to, processes);
  Field given(*host, source, precision_of<T>), x(*backend, source, precision_of<T>),
      y(*backend, target, precision_of<T>);
  for_each_place_of<T>(from, given, [](T& value, const std::array<int, 3>& place) { value = value_at<T>(place); });
  transfer(given, x);
  for (const bool adds : {false, true})  // a copy, then the same values again
    backend->run_exchange(Exchange(program_between(from, source, to, target, adds)), x, y);
  Field found(*host, target, precision_of<T>);
  transfer(y, found);
  std::int64_t others = 0;
  for_each_place_of<T>(
      to, found, [&](T value, const std::array<int, 3>& place) { others += value == 2 * value_at<T>(place) ? 0 : 1; });
  EXPECT_EQ(others, 0) << processes->count() << " processes, " << sizeof(T) << " bytes";
}

TEST(BetweenSpaces, ValuesKeepTheirPlaces) {
  const Layout layout{{19, 17, 23}};
  const Cuts slabs = cut_along(2, layout, {6, 4, 13}), whole = cut_along(2, layout, {23});
  Cuts blocks = cut_along(1, layout, {5, 12});
  blocks.first[0] = {0, 7, 11};
  for (const int count : {1, 2, 3})
    for (const auto& [from, to] : {std::pair{slabs, blocks}, {blocks, slabs}, {slabs, whole}, {whole, blocks}})
      as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
        move_and_compare<float>(from, to, processes);
        move_and_compare<double>(from, to, processes);
      });
}

}  // namespace
}  // namespace poisson::between_spaces_tests
