#include "backends/lines/parts_of_lines.hpp"

#include <algorithm>
#include <numeric>

#include "backends/memory/round_up.hpp"

namespace poisson {
namespace {

// Counts the numbers that a process sends and receives for each line of a batch.
constexpr int stored_of_line = 2 * PartOfLine::count;

// Returns the numbers in a batch of lines. On a CPU a batch stays in the cache. On a GPU a batch has half the values
// that elimination stores later, because both use the same memory. It has at least as many as justify the kernel
// launches, and a message has at most 8 MB. In two dimensions there is one place along the slower axis, so all lines
// are one batch.
std::int64_t numbers_at_a_time(const LinesInParts& lines, std::int64_t kept, bool gpu) {
  if (!gpu) return std::int64_t{1} << 16;
  constexpr std::int64_t worth_launches = std::int64_t{1} << 18, largest_message = std::int64_t{1} << 20;
  return std::min(std::max(kept / 2, worth_launches), 2 * lines.parts * largest_message);
}

// This many numbers occupy a multiple of part_alignment bytes in either precision.
constexpr int aligned_lines = part_alignment / sizeof(float);

}  // namespace

Members members_along(const Cuts& cuts, const std::shared_ptr<const Processes>& processes, int axis) {
  const auto d = static_cast<std::size_t>(axis);
  const std::array<int, 3> step{1, cuts.count(0), cuts.count(0) * cuts.count(1)};
  const int first = processes->rank() - cuts.place(processes->rank())[d] * step[d];
  Members members{processes, {}};
  for (int part = 0; part < cuts.count(d); ++part) members.ranks.push_back(first + part * step[d]);
  return members;
}

PartsOfLines::Size::Size(const LinesInParts& lines, bool gpu)
    : parts(lines.parts), kept(gpu ? kept_of_lines(lines.values, std::int64_t{lines.lanes} * lines.slows) : 0) {
  const std::int64_t all = std::int64_t{stored_of_line} * lines.lanes * lines.slows;
  // All batches but the last have the same number of places along the slower axis.
  const std::int64_t turns =
      std::clamp<std::int64_t>(divide_up(all, numbers_at_a_time(lines, kept, gpu)), 1, std::max(lines.slows, 1));
  slows = static_cast<int>(divide_up(lines.slows, turns));
  const std::int64_t of_process = divide_up(std::int64_t{lines.lanes} * slows, parts);
  share = static_cast<int>(round_up(of_process, aligned_lines));
}

std::size_t PartsOfLines::Size::bytes_of_message(Precision precision, int numbers) const {
  return static_cast<std::size_t>(numbers) * static_cast<std::size_t>(share) * bytes_of(precision);
}

std::size_t PartsOfLines::Size::half(Precision precision) const {
  return static_cast<std::size_t>(parts) * bytes_of_message(precision);
}

std::size_t PartsOfLines::Size::bytes(Precision precision) const {
  return std::max(2 * half(precision), static_cast<std::size_t>(kept) * bytes_of(precision));
}

PartsOfLines::PartsOfLines(Backend& backend, Precision precision, const Members& members, const LinesInParts& lines)
    : precision_(precision),
      own_(static_cast<int>(members.own())),
      size_(lines, backend.on_gpu()),
      messages_(make_part_swap(backend, members, size_.bytes_of_message(precision))),
      memory_(backend.allocate(size_.bytes(precision))) {}

int PartsOfLines::share(std::int64_t lines) const {
  const std::int64_t before = std::int64_t{own_} * size_.share;
  return static_cast<int>(std::clamp<std::int64_t>(lines - before, 0, size_.share));
}

}  // namespace poisson
