#include "backends/spaces/mailbox_layout.hpp"

#include <cstdint>
#include <utility>

#include "backends/memory/round_up.hpp"
#include "backends/spaces/is_box.hpp"

namespace poisson {
namespace {

constexpr std::size_t bytes_of_word = sizeof(std::uint64_t), bytes_in_word = sizeof(std::uint32_t);

// Kernels that overlap an exchange with work can send more values as words: up to 1024² fp32 values between devices.
std::size_t word_room_of(MailPlace place, std::size_t layer_bytes) {
  const std::size_t few = std::min(layer_bytes / bytes_in_word, MailboxLayout::few_words(place));
  const std::size_t words_of_one_layer = layer_bytes / (cut_halo * bytes_in_word);  // fp64 values
  return place == MailPlace::devices ? std::max(few, std::min(words_of_one_layer, std::size_t{1} << 20)) : few;
}

}  // namespace

MailSizes MailSizes::of(const Space& space) {
  MailSizes sizes;
  const auto& most = space.part().most_values();
  for (std::size_t d = 0; d < 3; ++d) {
    if (space.part().cuts().count(d) == 1) continue;
    sizes.layers[d] = cut_halo * sizeof(double);
    for (std::size_t e = 0; e < 3; ++e)
      if (e != d) sizes.layers[d] *= static_cast<std::size_t>(most[e] + 2 * cut_halo);
  }
  // There is one sum for each plane across y or z of a box that may extend one plane past both ends. One more number is
  // the count of planes. Several planes share a sum if there are more planes than sums (cuda/plane_sums.cuh).
  constexpr int most_planes = 1 << 16;
  const int own_planes = is_box(space) ? std::max(most[1], most[2]) : space.most_planes();
  sizes.sums = static_cast<std::size_t>(std::min(own_planes, most_planes)) + 3;
  return sizes;
}

MailSizes MailSizes::of_gathered(const Space& space) {
  // The box is that of Space::with_ends.
  std::size_t part = sizeof(double);
  for (std::size_t d = 0; d < 3; ++d)
    if (d == 0 || space.part().all()[d] > 1) part *= static_cast<std::size_t>(space.part().most_values()[d] + 2);
  return of_parts(part);
}

void MailSizes::include(const MailSizes& more) {
  for (std::size_t d = 0; d < 3; ++d) layers[d] = std::max(layers[d], more.layers[d]);
  part = std::max(part, more.part);
  sums = std::max(sums, more.sums);
}

MailboxLayout::MailboxLayout(const MailSizes& sizes, int processes, MailPlace place) {
  const auto aligned = [](std::size_t of) { return round_up(of, std::size_t{256}); };
  const auto take = [&](std::size_t of) { return std::exchange(bytes, bytes + aligned(of)); };
  flags = take(flag_count * sizeof(unsigned));
  sum_room = sizes.sums;
  sums = take(most_processes * slots * sum_room * (sizeof(double) / bytes_in_word) * bytes_of_word);
  part_bytes = aligned(sizes.part);
  parts = take(static_cast<std::size_t>(processes) * slots * part_bytes);
  for (std::size_t d = 0; d < 3; ++d) {
    layer_bytes[d] = aligned(sizes.layers[d]);
    layers[d] = take(sides * slots * layer_bytes[d]);
    word_room[d] = word_room_of(place, sizes.layers[d]);
    words[d] = take(sides * slots * word_room[d] * bytes_of_word);
  }
}

}  // namespace poisson
