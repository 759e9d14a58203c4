#include "lab/studies/copy/study.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include "backends/memory/memory.hpp"
#include "lab/harness/contents.hpp"
#include "lab/harness/session.hpp"
#include "lab/harness/with_cuda.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

constexpr std::string_view name = "copy";
constexpr std::array lectures{Lecture::filipovic, Lecture::goeddeke, Lecture::choi};
constexpr std::array history{
    Historical{Lecture::choi, "Tesla M2090 (384 bit, 1.85 GHz)", "bandwidth in theory: clock × bus width × 2", 177,
               "GB/s", [](const Panels&, const Machine& machine) { return machine.theory > 0 ? machine.theory : NAN; }},
};

std::vector<CopyVariant> variants_of(Session& session) {
  std::span<const CopyVariant> all = cpu_copy_variants();
  if constexpr (with_cuda)
    if (session.on_gpu()) all = gpu_copy_variants();
  std::vector<CopyVariant> variants(all.begin(), all.end());
  if (session.with_broken_variant()) variants.push_back(broken_copy_variant());
  return variants;
}

// Returns powers of two from 1 MiB; every second or third one when quick.
std::vector<std::size_t> sizes(const Session& session) {
  const std::size_t most = std::size_t{session.on_gpu() ? (session.quick() ? 1024U : 8192U) : 256U} << 20;
  const int step = session.quick() ? (session.on_gpu() ? 2 : 4) : 1;
  std::vector<std::size_t> all;
  for (std::size_t size = std::size_t{1} << 20; size <= most && (all.empty() || 2 * size <= session.memory());
       size <<= step)
    all.push_back(size);
  return all;
}

// Owns two arrays of one size and times copies between them.
class Arrays {
 public:
  Arrays(Session& session, std::size_t bytes)
      : session_(session), from_(session.backend().allocate(bytes)), to_(session.backend().allocate(bytes)) {
    fill_random(session.backend(), from_.data(), bytes, 2);
  }

  // Returns the point of a variant without its place. The copy is checked at the timed size.
  Point measure(const CopyVariant& variant, std::size_t bytes) {
    Backend& backend = session_.backend();
    poison(backend, to_.data(), bytes);
    Point point{.variant = variant.name, .seconds = {}};
    point.seconds = session_.time([&] { variant.launch(backend, from_.data(), to_.data(), bytes); });
    point.value = 2e-9 * static_cast<double>(bytes) / point.seconds;
    const std::size_t wrong = differing_bytes(backend, from_.data(), to_.data(), bytes);
    session_.check(wrong == 0, name, variant.name,
                   std::to_string(wrong) + " of " + std::to_string(bytes) + " bytes are wrong");
    return point;
  }

 private:
  Session& session_;
  Buffer from_, to_;
};

Panel size_panel(Session& session, std::span<const CopyVariant> variants) {
  Panel panel{.name = "size",
              .title = session.on_gpu() ? "Copying arrays of growing size, one access per thread"
                                        : "Copying arrays of growing size",
              .x_label = "bytes in the array",
              .y_label = "GB/s read and written",
              .log_x = true};
  const std::vector<std::size_t> all = sizes(session);
  Arrays arrays(session, all.back());
  for (const CopyVariant& variant : variants) {
    if (variant.per_thread > 1) continue;
    for (const std::size_t bytes : all) {
      panel.points.push_back(arrays.measure(variant, bytes));
      panel.points.back().x = static_cast<double>(bytes);
    }
  }
  return panel;
}

// A width is one curve here, whatever the number of accesses per thread.
Panel per_thread_panel(Session& session, std::span<const CopyVariant> variants) {
  const std::size_t bytes = std::min(session.beyond_caches(), session.memory() / 2);
  Panel panel{
      .name = "per-thread",
      .title = "Copying " + readable_bytes(static_cast<double>(bytes)) + " with more accesses in flight in each thread",
      .x_label = "accesses per thread",
      .y_label = "GB/s read and written"};
  Arrays arrays(session, bytes);
  for (const CopyVariant& variant : variants) {
    if (variant.width == 0 || (session.quick() && variant.per_thread % 2 == 1 && variant.per_thread > 1)) continue;
    panel.points.push_back(arrays.measure(variant, bytes));
    panel.points.back().variant = std::to_string(variant.width) + " B";
    panel.points.back().x = variant.per_thread;
  }
  return panel;
}

Panels measure(Session& session) {
  const std::vector<CopyVariant> variants = variants_of(session);
  for (const CopyVariant& variant : variants)
    for (const std::size_t bytes : awkward_sizes(variant)) {
      const std::string wrong = wrong_copy(session.backend(), variant, bytes);
      session.check(wrong.empty(), name, variant.name, wrong);
    }
  Panels panels{size_panel(session, variants)};
  if (session.on_gpu()) panels.push_back(per_thread_panel(session, variants));
  const Machine& machine = session.machine();
  for (Panel& panel : panels) {
    panel.guides.push_back({"the backend's own copy, beyond caches", {{0, machine.copy}}});
    if (machine.theory > 0) panel.guides.push_back({"in theory: clock × bus width × 2", {{0, machine.theory}}});
  }
  return panels;
}

}  // namespace

std::vector<std::size_t> awkward_sizes(const CopyVariant& variant) {
  std::vector<std::size_t> all;
  for (const std::size_t count : {1, 31, 255, 257, 2047, 100'003})
    all.push_back(count * static_cast<std::size_t>(std::max(1, variant.width)));
  return all;
}

std::string wrong_copy(Backend& backend, const CopyVariant& variant, std::size_t bytes) {
  constexpr std::size_t guard = 64;  // bytes before and after, where nothing may be written
  std::vector<unsigned char> given(bytes), expected(bytes + 2 * guard, 0xFF), found(bytes + 2 * guard);
  for (std::size_t i = 0; i < bytes; ++i)
    given[i] = static_cast<unsigned char>(random_word(bytes, i / sizeof(std::uint64_t)) >> (8 * (i % 8)));
  std::memcpy(expected.data() + guard, given.data(), bytes);

  const Buffer from = backend.allocate(bytes), to = backend.allocate(expected.size());
  backend.write(given.data(), from.data(), bytes);
  poison(backend, to.data(), expected.size());
  variant.launch(backend, from.data(), static_cast<char*>(to.data()) + guard, bytes);
  backend.read(to.data(), found.data(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != expected[i])
      return "copying " + std::to_string(bytes) + " bytes, byte " +
             std::to_string(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(guard)) + " is wrong";
  return {};
}

const Study copy_study{
    .name = name,
    .question = "Which share of the memory bandwidth does a plain copy reach, and how must its threads work for it?",
    .lectures = lectures,
    .needs_gpu = false,
    .measure = measure,
    .conclude = conclude_copy,
    .history = history,
};

}  // namespace poisson::lab
