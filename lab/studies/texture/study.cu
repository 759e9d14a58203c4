#include <array>
#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/studies.hpp"
#include "lab/studies/texture/kernels.hpp"
#include "lab/studies/texture/study.hpp"

namespace poisson::lab {
namespace {

constexpr std::string_view row = "float, rows, array texture", column = "float, columns, array texture",
                           row4 = "float4, rows, array texture", column4 = "float4, columns, array texture",
                           plain_row = "float, rows, plain";

template <const std::string_view& variant>
double rate(const Panels& panels, const Machine&) {
  return bar_in(panels, "then", variant);
}
// Returns the texture's share of the rate of plain loads, each with its best grid.
double texture_share(const Panels& panels, const Machine&) {
  return bar_in(panels, "best", row) / bar_in(panels, "best", plain_row);
}
template <const std::string_view& variant>
double best_blocks(const Panels& panels, const Machine&) {
  return bar_in(panels, "best-blocks", variant);
}
template <const std::string_view& variant>
double best_threads(const Panels& panels, const Machine&) {
  return bar_in(panels, "best-threads", variant);
}

// Returns the smallest place of a sweep at which the texture reaches its best rate within noise. The best place itself
// varies between runs.
constexpr std::string_view threads_swept = "threads", blocks_swept = "blocks";
template <const std::string_view& sweep>
double fewest(const Panels& panels, const Machine&) {
  const Panel* const panel = find_panel(panels, sweep);
  const Curve curve(panel ? *panel : Panel{}, path_names[2]);
  for (const Point& point : curve.points())
    if (point.value * (1 + panel->noise) >= curve.highest().value) return point.x;
  return NAN;
}

constexpr const char* of_the_day = "GeForce 8800 GTX";
constexpr std::array lectures{Lecture::textures, Lecture::filipovic};
constexpr std::array history{
    Historical{Lecture::textures, of_the_day, "float, rows, 4096 blocks × 64 threads", 42.26, "GB/s", rate<row>},
    Historical{Lecture::textures, of_the_day, "float, columns, 4096 × 64", 46.12, "GB/s", rate<column>},
    Historical{Lecture::textures, of_the_day, "float4, rows, 2048 × 32", 70.98, "GB/s", rate<row4>},
    Historical{Lecture::textures, of_the_day, "float4, columns, 1024 × 64", 64.47, "GB/s", rate<column4>},
    Historical{Lecture::textures, of_the_day, "float, rows: share of the rate of plain loads", 0.57, "of it",
               texture_share},
    Historical{Lecture::textures, of_the_day, "best grid, float, rows; today one of several alike", 4096, "blocks",
               best_blocks<row>},
    Historical{Lecture::textures, of_the_day, "threads per block of that grid", 64, "threads", best_threads<row>},
    Historical{Lecture::textures, of_the_day, "best grid, float, columns; today one of several alike", 4096, "blocks",
               best_blocks<column>},
    Historical{Lecture::textures, of_the_day, "threads per block of that grid", 64, "threads", best_threads<column>},
    Historical{Lecture::textures, of_the_day, "best grid, float4, rows; today one of several alike", 2048, "blocks",
               best_blocks<row4>},
    Historical{Lecture::textures, of_the_day, "threads per block of that grid", 32, "threads", best_threads<row4>},
    Historical{Lecture::textures, of_the_day, "best grid, float4, columns; today one of several alike", 1024, "blocks",
               best_blocks<column4>},
    Historical{Lecture::textures, of_the_day, "threads per block of that grid", 64, "threads", best_threads<column4>},
    Historical{Lecture::textures, of_the_day, "best grid, float, rows, plain loads; today one of several alike", 512,
               "blocks", best_blocks<plain_row>},
    Historical{Lecture::textures, of_the_day, "threads per block of that grid", 384, "threads",
               best_threads<plain_row>},
    Historical{Lecture::textures, of_the_day,
               "threads in 4096 blocks, float, rows: fewest within the noise of the best", 64, "threads",
               fewest<threads_swept>, 128},
    Historical{Lecture::textures, of_the_day, "blocks of 128 threads, float, rows: fewest within the noise of the best",
               1904, "blocks", fewest<blocks_swept>},
};

Panels measure(Session& session) {
  verify_walks(session);
  Panels panels = measure_walks(session);
  for (Panel& panel : measure_paths(session)) panels.push_back(std::move(panel));
  return panels;
}

}  // namespace

const Study texture_study{
    .name = "texture",
    .question = "Do textures rescue reads down columns and at random, and which grid of blocks does each path want?",
    .lectures = lectures,
    .measure = measure,
    .conclude = conclude_texture,
    .history = history,
};

}  // namespace poisson::lab
