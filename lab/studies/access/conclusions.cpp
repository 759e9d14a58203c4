#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/studies/access/study.hpp"

namespace poisson::lab {
namespace {

using Sentences = std::vector<std::string>;

constexpr double noticeable = 0.05;  // differences below this share are the measurement's

void conclude_offsets(const Panel& panel, Sentences& sentences) {
  for (const std::string& side : variants_of(panel)) {
    const Curve curve(panel, side);
    const double aligned = curve.first().value, loss = 1 - curve.lowest().value / aligned;
    if (loss < noticeable)
      sentences.push_back("Shifting the " + side + " side of a copy by up to " + figure(curve.last().x) +
                          " elements costs at most " + percent(std::max(loss, 0.0)) +
                          ": on this device alignment of 4-byte accesses is no concern.");
    else
      sentences.push_back("Shifting the " + side + " side of a copy costs up to " + percent(loss) + " (at offset " +
                          figure(curve.lowest().x) + "): let rows begin on sector boundaries where that is free.");
  }
}

void conclude_strides(const Panel& panel, double copy, Sentences& sentences) {
  for (const std::string& side : variants_of(panel)) {
    const Curve curve(panel, side);
    const Point& widest = curve.last();
    // value = copy · 2e/(moved + e): solved for the bytes moved per element of e bytes.
    const double moved = copy * 2 * element_bytes / widest.value - element_bytes;
    if (widest.value > (1 - noticeable) * curve.first().value) {
      sentences.push_back("A stride on the " + side + " side costs nothing here: no effect of sectors is seen.");
      continue;
    }
    sentences.push_back("With a stride of " + figure(widest.x) + " on the " + side + " side a copy runs at " +
                        percent(widest.value / curve.first().value) +
                        " of its speed with stride 1: each element of 4 bytes costs as much as moving " +
                        figure(moved) + " bytes" +
                        (moved > 1.5 * sector_bytes ? ", more than the sector of " + std::to_string(sector_bytes) +
                                                          " bytes around it, for memory is made to move larger pieces"
                                                    : " (a sector has " + std::to_string(sector_bytes) + ")") +
                        ". Let neighbouring threads take neighbouring elements.");
  }
}

void conclude_records(const Panel& panel, Sentences& sentences) {
  const Curve interleaved(panel, "array of structures"), vectors(panel, "array of structures, vector loads"),
      separate(panel, "structure of arrays");
  if (interleaved.empty() || separate.empty()) return;
  const double gain = separate.first().value / interleaved.first().value;
  if (gain > 1 + noticeable)
    sentences.push_back("Where one field of a record of " + std::to_string(record_fields) +
                        " is used, a structure of arrays is " + figure(gain) +
                        " times as fast as an array of structures, which moves the other fields too.");
  else
    sentences.push_back("Even where one field of a record is used, a structure of arrays gains nothing here.");
  const double all = interleaved.last().value / separate.last().value;
  std::string whole =
      "Where all fields are used, an array of structures reaches " + percent(all) + " of the structure of arrays";
  if (!vectors.empty())
    whole += ", and " + percent(vectors.last().value / separate.last().value) + " with vector loads";
  sentences.push_back(whole + (all > 1 - noticeable ? ": the layout then does not matter." : "."));
}

void conclude_paths(const Panel& rows, const Panel& columns, double copy, Sentences& sentences) {
  for (const char* const element : {"float", "float4"}) {
    const std::string name = element;
    double slowest = INFINITY, fastest = 0;
    std::string best, last;
    for (const char* const path : {"plain", "read-only", "texture"}) {
      const Curve curve(rows, name + ", " + path);
      if (curve.empty()) continue;
      if (curve.first().value < slowest) {
        slowest = curve.first().value;
        last = path;
      }
      if (curve.first().value > fastest) {
        fastest = curve.first().value;
        best = path;
      }
    }
    const Curve plain(rows, name + ", plain");
    // Plain loads count as the best where no other path is faster by more than the measurement's error.
    if (!plain.empty() && plain.first().value > (1 - noticeable) * fastest) best = "plain";
    const Curve along(rows, name + ", " + best), down(columns, name + ", " + best);
    if (best.empty() || down.empty()) continue;
    sentences.push_back(
        slowest > (1 - noticeable) * fastest
            ? "Along rows of " + name + " the plain, read-only and texture paths are equally fast (" + figure(fastest) +
                  " GB/s, " + percent(fastest / copy) + " of a copy): take plain loads."
            : "Along rows of " + name + " the " + best + " path is " +
                  (best == "plain" ? "as fast as any" : "the fastest") + " with " + figure(along.first().value) +
                  " GB/s (" + percent(along.first().value / copy) + " of a copy), the " + last +
                  " path the slowest with " + percent(slowest / along.first().value) + " of it.");
    const double loss = along.first().value / down.first().value;
    sentences.push_back(loss > 1 + noticeable
                            ? "Walking down the columns of a row-major matrix of " + name + " takes " + figure(loss) +
                                  " times as long as along its rows."
                            : "Walking down the columns of a matrix of " + name + " costs nothing against its rows.");
  }
}

void conclude_grids(const Panel& threads, const Panel& blocks, Sentences& sentences) {
  for (const std::string& variant : variants_of(threads)) {
    const Curve by_threads(threads, variant), by_blocks(blocks, variant);
    if (by_blocks.empty()) continue;
    const Point& best = by_threads.highest();
    const double enough = 0.95 * best.value;
    std::string sentence = "Texture reads of " + variant + ": the best grid is " + figure(by_blocks.highest().x) +
                           " blocks × " + figure(best.x) + " threads with " + figure(best.value) + " GB/s";
    const double from = by_blocks.reaches(enough);
    std::vector<std::string> near;
    for (const Point& point : by_blocks.points())
      if (point.value >= enough) near.push_back(figure(point.x));
    if (!std::isfinite(from))
      sentence += ", and more blocks lose again: choose their number by measuring.";
    else if (near.size() == 1)
      sentence += "; only this largest number of blocks comes within 5 % of it.";
    else if (near.front() == figure(from))
      sentence += ", and every number of blocks from " + near.front() + " on comes within 5 % of it.";
    else
      sentence += "; within 5 % of it come " + listed(near) + " blocks, and not those between: choose by measuring.";
    sentences.push_back(sentence);
  }
}

}  // namespace

std::vector<std::string> conclude_access(const std::vector<Panel>& panels, double copy) {
  Sentences sentences;
  const auto panel = [&](const char* name) { return find_panel(panels, name); };
  if (const Panel* const offset = panel("offset")) conclude_offsets(*offset, sentences);
  if (const Panel* const stride = panel("stride")) conclude_strides(*stride, copy, sentences);
  if (const Panel* const structures = panel("structures")) conclude_records(*structures, sentences);
  if (panel("rows") && panel("columns")) conclude_paths(*panel("rows"), *panel("columns"), copy, sentences);
  if (panel("threads") && panel("blocks")) conclude_grids(*panel("threads"), *panel("blocks"), sentences);
  return sentences;
}

}  // namespace poisson::lab
