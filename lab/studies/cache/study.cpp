#include "lab/studies/cache/study.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "lab/harness/array.hpp"
#include "lab/harness/chip.hpp"
#include "lab/harness/session.hpp"
#include "lab/harness/with_cuda.hpp"
#include "lab/page/curve.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

constexpr std::string_view name = "cache";

std::span<const ReadingWay> ways_on(bool gpu) {
  if constexpr (with_cuda)
    if (gpu) return gpu_reading_ways();
  return cpu_reading_ways();
}

// Reads only half of the set, on either device.
std::int64_t read_half(Backend& backend, const std::uint64_t* data, std::int64_t words, double bytes,
                       std::uint64_t* sums) {
  return ways_on(backend.on_gpu()).front().read(backend, data, words / 2, bytes, sums);
}

std::vector<ReadingWay> ways_of(const Session& session, bool gpu) {
  const std::span<const ReadingWay> all = ways_on(gpu);
  std::vector<ReadingWay> ways(all.begin(), all.end());
  if (session.with_broken_variant()) ways.push_back({"broken on purpose", read_half});
  return ways;
}

// Returns the sets of a GPU, dense where its caches end: L1 at some 200 KiB, L2 at some ten reading units.
std::vector<std::size_t> gpu_sets([[maybe_unused]] bool quick, [[maybe_unused]] std::size_t most) {
  std::vector<std::size_t> sets;
  if constexpr (with_cuda) {
    constexpr std::size_t kibibyte = 1024;
    std::vector<std::size_t> small{32, 64, 128, 160, 192, 208, 224, 240, 256, 320, 512, 1024, 2048, 4096};
    std::vector<std::size_t> units{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 20, 24, 32, 64, 128};
    if (quick) {
      small = {64, 192, 256, 1024, 4096};
      units = {2, 4, 8, 12, 16, 64};
    }
    for (const std::size_t count : small) sets.push_back(count * kibibyte);
    for (const std::size_t count : units) sets.push_back(count * gpu_reading_unit());
    sets.push_back(most / gpu_reading_unit() * gpu_reading_unit());
    std::erase_if(sets, [most](std::size_t bytes) { return bytes > most; });
    std::ranges::sort(sets);
  }
  return sets;
}
std::vector<std::size_t> host_sets(bool quick, std::size_t most) {
  std::vector<std::size_t> sets;
  for (std::size_t bytes = std::size_t{16} << 10; bytes <= most; bytes <<= quick ? 2 : 1) sets.push_back(bytes);
  return sets;
}

Panels measure(Session& session) {
  Backend& backend = session.backend();
  const std::size_t most =
      session.on_gpu() ? session.beyond_caches() : session.beyond_caches() / (session.quick() ? 4 : 1);
  const auto most_words = static_cast<std::int64_t>(most / sizeof(std::uint64_t));
  const std::vector<std::uint64_t> words = words_to_read(most_words);
  const Array<std::uint64_t> set(backend, words), sums(backend, most_sums);

  Panel panel{"working-set",
              "Reading a working set repeatedly, on all multiprocessors or cores",
              "bytes in the working set",
              "GB/s read",
              true,
              true};
  const std::vector<std::size_t> sets =
      session.on_gpu() ? gpu_sets(session.quick(), most) : host_sets(session.quick(), most);
  for (const ReadingWay& way : ways_of(session, session.on_gpu())) {
    for (const std::size_t bytes : sets) {
      const std::span<const std::uint64_t> part(words.data(), bytes / sizeof(std::uint64_t));
      const double all = session.on_gpu() ? 8e9 : 4e6;  // makes the start-up cost negligible
      verify(session, name, way, set, part, all, sums);
      std::int64_t read = 0;
      const Timing seconds = session.time(
          [&] { read = way.read(backend, set.data(), static_cast<std::int64_t>(part.size()), all, sums.data()); });
      panel.points.push_back(
          {std::string(way.name), static_cast<double>(bytes), seconds, 8e-9 * static_cast<double>(read) / seconds});
    }
  }
  panel.guides = {
      {"the backend's own copy, read and written", {{static_cast<double>(sets.front()), session.machine().copy}}}};
  if constexpr (with_cuda)
    if (session.on_gpu()) {
      const auto [low, high] = std::ranges::minmax(panel.points, {}, &Point::value);
      panel.guides.push_back(
          {std::string(l2_of_device), {{gpu::l2_bytes(), low.value}, {gpu::l2_bytes(), high.value}}});
    }
  return {panel};
}

// Returns the KiB that fit into a cache.
double cached(const Panels& panels, std::string_view way) {
  const Panel* const panel = find_panel(panels, "working-set");
  return panel ? held_bytes(*panel, way) / 1024 : std::numeric_limits<double>::quiet_NaN();
}

constexpr std::array lectures{Lecture::today, Lecture::goeddeke, Lecture::filipovic};
constexpr std::array history{
    Historical{Lecture::filipovic, "Fermi", "L1 of a multiprocessor", 16, "KiB",
               [](const Panels& panels, const Machine&) { return cached(panels, by_first_level); }, 48},
    Historical{Lecture::filipovic, "Fermi", "L2, which all multiprocessors share", 768, "KiB",
               [](const Panels& panels, const Machine&) {
                 const Panel* const panel = find_panel(panels, "working-set");
                 return panel ? l2_size(*panel) / 1024 : std::numeric_limits<double>::quiet_NaN();
               }},
};

}  // namespace

constexpr std::string_view sets = "sets that every multiprocessor reads";
constexpr std::array additions{Addition{"working-set", "", sets, "L1 of a multiprocessor"},
                               Addition{"working-set", "", sets, "L2, which all multiprocessors share"}};

const Study cache_study{
    .name = name,
    .question = "How fast is each level of the memory hierarchy, and up to which working set?",
    .lectures = lectures,
    .needs_gpu = false,
    .measure = measure,
    .conclude = [](const Panels& panels, const Machine&) { return conclude_cache(panels); },
    .history = history,
    .additions = additions,
};

}  // namespace poisson::lab
