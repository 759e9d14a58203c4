#include <algorithm>
#include <cmath>

#include "backends/memory/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/texture/study.hpp"

namespace poisson::lab {
namespace {

using Sentences = std::vector<std::string>;

double bar(const Panel& panel, const std::string& variant) {
  const Point* const point = best_of(panel, variant);
  return point ? point->value : NAN;
}

// Compares the array texture with plain loads, for each order.
void conclude_walks(const Panel& best, double copy, Sentences& sentences) {
  for (const char* const element : {"float", "float4"}) {
    std::vector<std::string> texts;
    for (const char* const walk : walk_names) {
      const std::string plain = walk_variant(element, walk, path_names[0]),
                        array = walk_variant(element, walk, path_names[2]);
      const Ratio ratio = ratio_of(best, array, plain);
      if (!ratio.known()) continue;
      const std::string by = "by " + std::string(walk) + " ", fast = figure(bar(best, array)) + " GB/s",
                        beside = figure(bar(best, plain));
      // Rates of random reads vary between runs: they are quoted with one digit and without a verdict.
      texts.push_back(std::string_view(walk) == walk_names.back()
                          ? by + "about " + fast + " (plain loads about " + beside + ")"
                          : by + fast + ", " + rate_against(ratio) + " plain loads (" + beside + ")");
    }
    if (texts.empty()) continue;
    sentences.push_back("A two-dimensional array of " + std::string(element) + " is read by its texture " +
                        listed(texts) + ", each with its own best grid; a copy moves " + figure(copy) + ".");
  }
  const Ratio rescued =
      ratio_of(best, walk_variant("float", "columns", path_names[2]), walk_variant("float", "rows", path_names[2]));
  if (rescued.known())
    sentences.push_back("By a texture over a two-dimensional array of float columns have " + rate_against(rescued) +
                        " rows" +
                        (rescued.less() ? ": laying elements out in two dimensions does not make up for walking "
                                          "against them here."
                                        : ", as the lecture found."));
}

// States the share of today's best rate that the lecture's best grids reach. Today's best grid varies between runs,
// because several differ by less than the noise.
void conclude_grids(const Panel& then, const Panel& best, Sentences& sentences) {
  std::vector<std::string> texts;
  for (const char* const element : {"float", "float4"})
    for (const char* const walk : {"rows", "columns"}) {
      const std::string variant = walk_variant(element, walk, path_names[2]);
      const double share = bar(then, variant) / bar(best, variant);
      if (std::isfinite(share)) texts.push_back(percent(share) + " for " + element + " by " + walk);
    }
  if (!texts.empty())
    sentences.push_back("The grids that were best for the lecture's texture have " + listed(texts) +
                        " of the rate of the best of those searched here.");
}

std::string reads_by(const std::string& path) {
  return path + (path.ends_with("texture") ? " reads" : " loads");
}

// Compares threads that fill warps with threads that do not.
void conclude_threads(const Panel& panel, Sentences& sentences) {
  for (const std::string& path : variants_of(panel)) {
    std::vector<double> whole, broken;
    const Curve curve(panel, path);
    for (const Point& point : curve.points()) {
      if (point.x < 64) continue;  // too few
      (std::fmod(point.x, 32) == 0 ? whole : broken).push_back(point.value);
    }
    if (whole.empty() || broken.empty() || !point_at(panel, path, 64)) continue;
    std::ranges::sort(whole);
    std::ranges::sort(broken);
    const double ratio = broken[broken.size() / 2] / whole[whole.size() / 2];
    const Ratio small = ratio_of(panel, *point_at(panel, path, 64), curve.last());
    sentences.push_back("In 4096 blocks of 64 threads " + reads_by(path) + " have " + rate_against(small) +
                        " those in blocks of " + figure(curve.last().x) + "; blocks that are no multiple of 32 have " +
                        rate_against({ratio, ratio, ratio, panel.noise}) + " those that are (medians).");
  }
}

void conclude_blocks(const Panel& panel, Sentences& sentences) {
  for (const std::string& path : variants_of(panel)) {
    const Curve curve(panel, path);
    sentences.push_back("With 128 threads a block " + reads_by(path) + " reach up to " +
                        gigabytes_per_second(curve.highest().value) + ", with " + figure(curve.first().x) + " blocks " +
                        percent(curve.first().value / curve.highest().value) + " of that and with " +
                        figure(curve.last().x) + " blocks " + percent(curve.last().value / curve.highest().value) +
                        ".");
  }
}

void conclude_offsets(const Panel& panel, Sentences& sentences) {
  std::vector<std::string> texts;
  for (const std::string& path : variants_of(panel)) {
    const Curve curve(panel, path);
    texts.push_back(percent(std::max(0.0, 1 - curve.lowest().value / curve.first().value)) + " with " + path +
                    (path.ends_with("texture") ? "" : " loads"));
  }
  sentences.push_back("An offset costs at most " + listed(texts) + " of the rate without one.");
}

void conclude_chase(const Panel& panel, Sentences& sentences) {
  const Curve plain(panel, path_names[0]), texture(panel, path_names[1]);
  if (plain.empty() || texture.empty()) return;
  std::vector<std::string> texts;
  for (const Point& point : texture.points())
    if (quotable(panel, point) && quotable(panel, *point_at(panel, path_names[0], point.x)))
      texts.push_back(figure(point.value) + " ns within " + readable_bytes(point.x) + " (plain " +
                      figure(plain.at(point.x)) + ")");
  bool slower = texture.points().size() > 1;  // wherever a cache answers: all places but the last
  for (const Point& point : texture.points())
    slower = slower && (point.x == texture.last().x || ratio_at(panel, path_names[1], path_names[0], point.x).more());
  if (texts.empty()) return;
  sentences.push_back("A load by texture that the next one waits for takes " + listed(texts) +
                      (slower ? ": where a cache answers, textures take longer." : "."));
}

}  // namespace

std::vector<std::string> conclude_texture(const Panels& panels, const Machine& machine) {
  Sentences sentences;
  const auto panel = [&](const char* name) { return find_panel(panels, name); };
  if (panel("best")) conclude_walks(*panel("best"), machine.copy, sentences);
  if (panel("then") && panel("best")) conclude_grids(*panel("then"), *panel("best"), sentences);
  if (panel("threads")) conclude_threads(*panel("threads"), sentences);
  if (panel("blocks")) conclude_blocks(*panel("blocks"), sentences);
  if (panel("offset")) conclude_offsets(*panel("offset"), sentences);
  if (panel("chase")) conclude_chase(*panel("chase"), sentences);
  return sentences;
}

}  // namespace poisson::lab
