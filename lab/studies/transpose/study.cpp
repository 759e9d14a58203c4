#include "lab/studies/transpose/study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "lab/harness/session.hpp"
#include "lab/harness/with_cuda.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/studies.hpp"
#include "lab/studies/transpose/matrix_contents.hpp"

namespace poisson::lab {
namespace {

using namespace transpose_names;

constexpr std::string_view name = "transpose", gtx = "GeForce GTX 280, 4000 x 4000, fp32";

// Returns the bar of the lecture's matrix.
template <const std::string_view& variant>
double at_4000(const Panels& panels, const Machine&) {
  return bar_in(panels, "bars-4000-fp32", variant);
}
// Returns the lowest rate of the padded tile at widths that are multiples of `divisor` but not of twice that. For 512
// all multiples count.
template <int divisor>
double dip(const Panels& panels, const Machine&) {
  const Panel* const panel = find_panel(panels, "sweep-fp32");
  double least = NAN;
  if (!panel) return least;
  for (const Point& point : panel->points) {
    const auto n = static_cast<std::int64_t>(point.x);
    if (point.variant == padded && n % divisor == 0 && (divisor == 512 || n % (2 * divisor) != 0))
      least = std::fmin(least, point.value);
  }
  return least;
}
double all_steps(const Panels& panels, const Machine& machine) {
  return at_4000<padded>(panels, machine) / at_4000<naive_read>(panels, machine);
}

// Returns the side of the fastest of the lecture's padded tiles.
double best_side(const Panels& panels, const Machine& machine) {
  const std::array<std::pair<double, double>, 3> rates{{{at_4000<padded_16>(panels, machine), 16},
                                                        {at_4000<padded>(panels, machine), 32},
                                                        {at_4000<padded_48>(panels, machine), 48}}};
  return std::ranges::any_of(rates, [](const auto& rate) { return std::isnan(rate.first); })
             ? NAN
             : std::ranges::max(rates).second;
}

constexpr std::string_view side_row = "side of the best square tile, of 16, 32 and 48",
                           other_sides = "padded tiles of 16 × 16 and of 48 × 48 elements";
constexpr std::array lectures{Lecture::filipovic, Lecture::optimizing};
constexpr std::array history{
    Historical{Lecture::filipovic, gtx, naive_read, 5.3, "GB/s", at_4000<naive_read>},
    Historical{Lecture::filipovic, gtx, copy, 112.4, "GB/s", at_4000<copy>},
    Historical{Lecture::filipovic, gtx, strided_copy, 2.7, "GB/s", at_4000<strided_copy>},
    Historical{Lecture::filipovic, gtx, tiled, 75.1, "GB/s", at_4000<tiled>},
    Historical{Lecture::filipovic, gtx, in_tile_copy, 94.9, "GB/s", at_4000<in_tile_copy>},
    Historical{Lecture::filipovic, gtx, padded, 93.4, "GB/s", at_4000<padded>},
    Historical{Lecture::filipovic, "GeForce GTX 280, n a multiple of 128", "diagonal block order, about", 80, "GB/s",
               at_4000<diagonal>},
    Historical{Lecture::filipovic, gtx, side_row, 32, "elements", best_side},
    Historical{Lecture::filipovic, "GeForce GTX 280, n a multiple of 512", "padded tile at the slowest such width", 19,
               "GB/s", dip<512>},
    Historical{Lecture::filipovic, "GeForce GTX 280, of 256, not of 512", "padded tile at the slowest such width", 35,
               "GB/s", dip<256>},
    Historical{Lecture::filipovic, "GeForce GTX 280, of 128, not of 256", "padded tile at the slowest such width", 62,
               "GB/s", dip<128>},
    Historical{Lecture::filipovic, gtx, "all steps together, padded tile over plain loop", 17.6, "times", all_steps},
};
constexpr std::array additions{
    Addition{"bars-4000-fp32", padded_16, other_sides, side_row},
    Addition{"bars-4000-fp32", padded_48, other_sides, side_row},
    Addition{"bars-4000-fp32", threads_4, "other numbers of threads of the padded tile"},
    Addition{"bars-4000-fp32", threads_16, "other numbers of threads of the padded tile"},
    Addition{"bars-4000-fp32", threads_32, "other numbers of threads of the padded tile"},
};

std::vector<TransposeVariant> variants_of(Session& session) {
  std::vector<TransposeVariant> all;
  if constexpr (with_cuda)
    if (session.on_gpu())
      for (const auto& some :
           {gpu_transpose_variants(), gpu_transpose_tilings(), bulk_transpose_variants(), geam_variants()})
        all.insert(all.end(), some.begin(), some.end());
  if (all.empty()) all = cpu_transpose_variants();
  if (session.with_broken_variant()) all.push_back(broken_transpose_variant());
  return all;
}

struct Shape {
  std::string name, title;
  std::int64_t rows, columns, batch;
};

// Lists the places of the study: the same questions for a GPU and, with smaller matrices, for a CPU.
struct Places {
  std::vector<std::int64_t> bars, sweep, sizes;
  std::vector<Shape> shapes;
};

Places places_of(const Session& session) {
  if (session.on_gpu()) {
    Places all{
        {4000, 4096},
        {3584, 3840, 3904, 3968, 4000, 4032, 4064, 4088, 4095, 4096, 4097, 4104, 4128, 4160, 4200, 4224, 4352, 4608},
        {8192, 12288, 16384, 24576, 32768},
        {{"tall", "A tall matrix, 2097152 x 64", 1 << 21, 64, 1},
         {"narrow", "A narrow matrix, 16777216 x 8", 1 << 24, 8, 1},
         {"wide", "A wide matrix, 64 x 2097152", 64, 1 << 21, 1},
         {"batch", "512 planes of 512 x 512", 512, 512, 512}}};
    if (session.quick()) {
      all.sweep = {3840, 3968, 4000, 4095, 4096, 4200};
      all.sizes = {8192, 16384};
    }
    return all;
  }
  Places all{{1000, 1024},
             {1000, 1008, 1016, 1023, 1024, 1025, 1032, 1040},
             {2048, 4096},
             {{"tall", "A tall matrix, 65536 x 16", 1 << 16, 16, 1},
              {"wide", "A wide matrix, 16 x 65536", 16, 1 << 16, 1},
              {"batch", "64 planes of 128 x 128", 128, 128, 64}}};
  if (session.quick()) {
    all.sweep = {1000, 1023, 1024, 1025};
    all.sizes = {2048};
  }
  return all;
}

std::string precision_name(std::size_t element) {
  return element == 4 ? "fp32" : "fp64";
}

double gigabytes(const Transposition& shape, double seconds) {
  return 1e-9 * shape.bytes() / seconds;
}

// Owns a source and a destination for all shapes of one element size.
class Matrices {
 public:
  Matrices(Session& session, std::size_t bytes)
      : session_(session), from_(session.backend().allocate(bytes)), to_(session.backend().allocate(bytes)) {}

  void fill(std::size_t element) {
    fill_elements(session_.backend(), element, from_.data(), static_cast<std::int64_t>(from_.bytes() / element), seed);
  }
  bool fits(const Transposition& shape) const { return shape.from_extent() <= from_.bytes(); }

  // Adds the variant's point at a place of the panel. The result is checked at the timed size.
  void measure(Panel& panel, double x, const TransposeVariant& variant, const Transposition& shape) {
    if (variant.permitted && !variant.permitted(shape, from_.data(), to_.data())) return;
    Backend& backend = session_.backend();
    poison(backend, to_.data(), shape.to_extent());
    const Timing seconds = session_.time([&] { variant.launch(backend, shape, from_.data(), to_.data()); });
    const std::int64_t wrong = misplaced(backend, shape, variant.transposes, seed, to_.data());
    session_.check(wrong == 0, name, variant.name,
                   std::to_string(wrong) + " elements of " + std::to_string(shape.batch) + " matrices of " +
                       std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + " are wrong");
    panel.points.push_back({variant.name, x, seconds, gigabytes(shape, seconds)});
  }
  // Returns the GB/s of the backend's own copy of the same size.
  double copy_rate(const Transposition& shape) {
    const Timing seconds =
        session_.time([&] { copy_bytes(session_.backend(), from_.data(), to_.data(), shape.from_extent()); });
    return gigabytes(shape, seconds);
  }

 private:
  static constexpr std::uint64_t seed = 11;
  Session& session_;
  Buffer from_, to_;
};

// Returns the variants of those names.
std::vector<TransposeVariant> some(std::span<const TransposeVariant> all,
                                   std::initializer_list<std::string_view> names) {
  std::vector<TransposeVariant> chosen;
  std::ranges::copy_if(all, std::back_inserter(chosen),
                       [&](const auto& variant) { return std::ranges::find(names, variant.name) != names.end(); });
  return chosen;
}

Panel panel_of(std::string_view kind, std::string title, std::size_t element) {
  return {.name = std::string(kind) + '-' + precision_name(element),
          .title = std::move(title) + ", " + precision_name(element),
          .x_label = "n (columns)",
          .y_label = "GB/s read and written"};
}

// Measures one place: a bar per variant, and a guide for a copy of the same size. x is the number of columns.
Panel bars(Matrices& matrices, std::span<const TransposeVariant> variants, Panel panel, double x,
           const Transposition& shape) {
  for (const TransposeVariant& variant : variants) matrices.measure(panel, x, variant, shape);
  panel.guides.push_back({"a copy of the same size", {{x, matrices.copy_rate(shape)}}});
  return panel;
}

// Applies the remedy of "dummy data": the pitch exceeds the row length by a few sectors.
Transposition with_pitch(Transposition shape) {
  constexpr std::size_t more_bytes = 64;
  const auto more = static_cast<std::int64_t>(more_bytes / shape.element);
  shape.from_pitch += more;
  shape.to_pitch += more;
  shape.from_stride = shape.rows * shape.from_pitch;
  shape.to_stride = shape.columns * shape.to_pitch;
  return shape;
}

// Measures a curve per variant over square matrices. If `pitched`, it adds the padded tile on rows with a larger pitch.
Panel curves(Matrices& matrices, std::span<const TransposeVariant> variants, Panel panel,
             std::span<const std::int64_t> sizes, std::size_t element, bool pitched = false) {
  Guide copies{"a copy of the same size", {}};
  const auto plain = std::ranges::find(variants, padded, &TransposeVariant::name);
  for (const std::int64_t n : sizes) {
    const Transposition shape = packed(n, n, element);
    if (!matrices.fits(shape)) continue;
    const auto x = static_cast<double>(n);
    for (const TransposeVariant& variant : variants) matrices.measure(panel, x, variant, shape);
    if (pitched && plain != variants.end()) {
      TransposeVariant remedy = *plain;
      remedy.name = std::string(padded_pitch);
      const Transposition apart = with_pitch(shape);
      if (matrices.fits(apart)) matrices.measure(panel, x, remedy, apart);
    }
    copies.points.push_back({x, matrices.copy_rate(shape)});
  }
  panel.guides.push_back(std::move(copies));
  return panel;
}

void verify(Session& session, std::span<const TransposeVariant> variants) {
  for (const TransposeVariant& variant : variants)
    for (const std::size_t element : {4, 8})
      for (const Transposition& shape : awkward_transpositions(element, variant.transposes)) {
        const std::string wrong = wrong_transposition(session.backend(), variant, shape);
        session.check(wrong.empty(), name, variant.name, wrong);
      }
}

Panels measure(Session& session) {
  const std::vector<TransposeVariant> all = variants_of(session);
  verify(session, all);
  const Places places = places_of(session);
  const std::int64_t largest = std::ranges::max(places.sizes);
  std::size_t bytes = 0;
  for (const Shape& s : places.shapes) bytes = std::max(bytes, packed(s.rows, s.columns, 8, s.batch).from_extent());
  Matrices matrices(session, std::min(std::max(bytes, packed(largest, largest, 8).from_extent()),
                                      std::max(bytes, session.memory() / 2)));

  const auto in_sweep = some(all, {naive_write, tiled, padded, diagonal, "tiled", vectorized, bulk, library, geam});
  const auto in_sizes = some(all, {naive_read, "tiled", padded, vectorized, bulk, library, geam});
  Panels panels;
  for (const std::size_t element : {4, 8}) {
    matrices.fill(element);
    for (const std::int64_t n : places.bars)
      panels.push_back(bars(
          matrices, all, panel_of("bars-" + std::to_string(n), std::to_string(n) + " x " + std::to_string(n), element),
          static_cast<double>(n), packed(n, n, element)));
    panels.push_back(curves(matrices, in_sweep, panel_of("sweep", "Widths next to each other", element), places.sweep,
                            element, true));
    panels.push_back(curves(matrices, in_sizes, panel_of("size", "Large matrices", element), places.sizes, element));
    for (const Shape& s : places.shapes)
      panels.push_back(bars(matrices, in_sizes, panel_of("shape-" + s.name, s.title, element),
                            static_cast<double>(s.columns), packed(s.rows, s.columns, element, s.batch)));
  }
  return panels;
}

}  // namespace

const Study transpose_study{
    .name = name,
    .question = "What does it take to transpose a matrix as fast as it can be copied?",
    .lectures = lectures,
    .needs_gpu = false,
    .measure = measure,
    .conclude = [](const Panels& panels, const Machine&) { return conclude_transpose(panels); },
    .history = history,
    .additions = additions,
};

}  // namespace poisson::lab
