#include "lab/studies/reduce/study.hpp"

#include <algorithm>
#include <array>

#include "lab/harness/session.hpp"
#include "lab/harness/with_cuda.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

constexpr std::string_view name = "reduce";
constexpr std::array lectures{Lecture::optimizing, Lecture::goeddeke};
constexpr std::uint64_t seed_x = 1, seed_y = 2;

std::vector<ReduceVariant> variants_of(Session& session) {
  std::vector<ReduceVariant> all;
  const auto append = [&](const std::vector<ReduceVariant>& some) { all.insert(all.end(), some.begin(), some.end()); };
  if constexpr (with_cuda)
    if (session.on_gpu()) {
      append(gpu_reduce_variants());
      append(gpu_reduce_libraries());
    }
  if (!session.on_gpu()) append(cpu_reduce_variants());
  append(library_reduce_variants());
  if (session.with_broken_variant()) all.push_back(broken_reduce_variant());
  return all;
}

// Returns powers of two, ascending, of which two arrays fit.
std::vector<std::int64_t> counts_of(const Session& session) {
  std::vector<int> exponents;
  if (session.on_gpu())
    exponents = session.quick() ? std::vector{10, 14, 17, 20, 24, 27}
                                : std::vector{10, 12, 14, 16, 18, 20, 22, 24, 26, 27, 28, 30};
  else
    exponents = session.quick() ? std::vector{10, 16, 20} : std::vector{10, 12, 14, 16, 18, 20, 22, 24};
  std::vector<std::int64_t> counts;
  for (const int exponent : exponents)
    if ((std::size_t{2 * sizeof(double)} << exponent) <= session.memory())
      counts.push_back(std::int64_t{1} << exponent);
  return counts;
}

// Owns the arrays of the largest reduction. Smaller ones use their beginnings.
class Arrays {
 public:
  Arrays(Session& session, std::int64_t most)
      : session_(session),
        x_(session.backend().allocate(static_cast<std::size_t>(most) * sizeof(double))),
        y_(session.backend().allocate(x_.bytes())),
        space_(session.backend(), most) {
    fill_values(session.backend(), static_cast<double*>(x_.data()), most, seed_x);
    fill_values(session.backend(), static_cast<double*>(y_.data()), most, seed_y);
  }

  // Returns the point of one variant, checked at this size: every right answer is exact.
  Point measure(const ReduceVariant& variant, std::int64_t count, double exact) {
    const bool two = variant.kind == Reduction::dot;
    const Values x{static_cast<const double*>(x_.data()), count};
    const Values y = two ? Values{static_cast<const double*>(y_.data()), count} : Values{};
    const double found = reduced(session_.backend(), variant, x, y, space_);
    session_.check(found == exact, name, variant.name,
                   "of " + std::to_string(count) + " values it makes " + std::to_string(found) + " instead of " +
                       std::to_string(exact));
    const Timing seconds = session_.time([&] { variant.launch(session_.backend(), x, y, space_); });
    return {variant.name, static_cast<double>(count), seconds,
            1e-9 * (two ? 2 : 1) * static_cast<double>(count) * sizeof(double) / seconds};
  }

 private:
  Session& session_;
  Buffer x_, y_;
  ReduceSpace space_;
};

Panel panel_of(Arrays& arrays, std::span<const ReduceVariant> variants, Reduction kind,
               std::span<const std::int64_t> counts) {
  const std::string what(std::ranges::find(reductions, kind, &ReductionName::kind)->name);
  Panel panel{
      .name = what, .title = what + " of fp64 values", .x_label = "values", .y_label = "GB/s read", .log_x = true};
  const std::vector<double> exact = exact_reductions(kind, counts, seed_x, seed_y);
  for (const ReduceVariant& variant : variants) {
    if (variant.kind != kind) continue;
    for (std::size_t i = 0; i < counts.size(); ++i)
      panel.points.push_back(arrays.measure(variant, counts[i], exact[i]));
  }
  return panel;
}

Panels measure(Session& session) {
  const std::vector<ReduceVariant> variants = variants_of(session);
  for (const ReduceVariant& variant : variants) {
    const std::string wrong = wrong_reduction(session.backend(), variant);
    session.check(wrong.empty(), name, variant.name, wrong);
  }
  const std::vector<std::int64_t> counts = counts_of(session);
  Arrays arrays(session, counts.back());
  Panels panels;
  for (const Reduction kind : {Reduction::sum, Reduction::dot, Reduction::max_norm}) {
    panels.push_back(panel_of(arrays, variants, kind, counts));
    panels.back().guides.push_back({"a copy beyond all caches, read and written", {{0, session.machine().copy}}});
  }
  return panels;
}

}  // namespace

const Study reduce_study{
    .name = name,
    .question = "How do millions of values become one at the speed of reading them, with the same bits every time?",
    .lectures = lectures,
    .needs_gpu = false,
    .measure = measure,
    .conclude = conclude_reduce,
};

}  // namespace poisson::lab
