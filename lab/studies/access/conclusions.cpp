#include <algorithm>
#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/access/study.hpp"

namespace poisson::lab {
namespace {

using Sentences = std::vector<std::string>;

constexpr double tolerable = 0.1;  // a smaller loss justifies no new layout

void conclude_offsets(const Panel& panel, Sentences& sentences) {
  for (const std::string& side : variants_of(panel)) {
    const Curve curve(panel, side);
    const double usual = 1 - typical(panel, side) / curve.first().value,
                 most = 1 - curve.lowest().value / curve.first().value;
    const std::string text = "Shifting the " + side + " side of a copy by up to " + figure(curve.last().x) +
                             " elements costs " + percent(std::max(usual, 0.0)) + " of its rate (the median of all " +
                             "offsets; at most " + percent(std::max(most, 0.0)) + ")";
    sentences.push_back(text + (usual < tolerable ? ": alignment of 4-byte accesses is no concern on this device."
                                                  : ": let rows begin on sector boundaries where that is free."));
  }
}

void conclude_strides(const Panel& panel, double copy, Sentences& sentences) {
  for (const std::string& side : {std::string("read"), std::string("write")}) {
    const Curve curve(panel, side);
    if (curve.empty()) continue;
    const Ratio widest = ratio_of(panel, curve.last(), curve.first());
    if (!widest.less()) {
      sentences.push_back("A stride on the " + side + " side costs nothing here: no effect of sectors is seen.");
      continue;
    }
    std::string text = "With a stride of " + figure(curve.last().x) + " on the " + side + " side a copy runs at " +
                       percent(widest.median) +
                       " of its speed with stride 1: an element of 4 bytes costs as much as moving " +
                       figure(bytes_moved(panel, side, curve.last().x, copy)) + " bytes";
    // The first stride at which no two elements share a sector, and the first at which none share a pair of sectors.
    constexpr double apart = static_cast<double>(sector_bytes) / element_bytes;
    const double one = bytes_moved(panel, side, apart, copy), two = bytes_moved(panel, side, 2 * apart, copy);
    if (std::isfinite(one) && std::isfinite(two)) {
      text += ", at a stride of " + figure(apart) + " " + figure(one) + " and at " + figure(2 * apart) + " " +
              figure(two) + ", where the sector around it has " + std::to_string(sector_bytes);
      if (side == "read" && one < 1.25 * sector_bytes && two > 1.5 * sector_bytes)
        text += ", which fits a memory that delivers two sectors at a time";
      if (side == "write" && one > 1.5 * sector_bytes)
        text += std::string(
                    ": a sector that is written in part costs twice, which fits reading it before it is written "
                    "back") +
                (two > 1.15 * one ? ", and sectors that lie further apart cost still more" : "");
    }
    sentences.push_back(text + ". Let neighbouring threads take neighbouring elements.");
  }
  const Ratio asked = ratio_of(panel, narrow_fetches, "read");
  if (!asked.known()) return;
  double most = 0, where = 0;
  for (const double x : places(panel, narrow_fetches))
    if (const Ratio here = ratio_at(panel, narrow_fetches, "read", x); here.median > most) {
      most = here.median;
      where = x;
    }
  std::string text = "Asking the device for fetches of 32 bytes (cudaLimitMaxL2FetchGranularity) gives " +
                     rate_against(asked) + " the default in the median of these strides";
  if (asked.more()) text += ", and " + times(most) + " at a stride of " + figure(where);
  sentences.push_back(text + ".");
}

void conclude_records(const Panel& panel, double copy, Sentences& sentences) {
  const Curve interleaved(panel, "array of structures"), vectors(panel, "array of structures, vector loads"),
      separate(panel, "structure of arrays");
  if (interleaved.empty() || separate.empty()) return;
  const Ratio gain = ratio_of(panel, separate.first(), interleaved.first());
  if (gain.more()) {
    const double by_bytes = (record_fields + 1) / 2.0;
    std::string text = "Where one field of a record of " + std::to_string(record_fields) +
                       " is used, a structure of arrays is " + figure(gain.median) +
                       " times as fast as an array of structures, which moves the other fields too";
    if (gain.median < 0.8 * by_bytes)
      text += "; by bytes alone it would be " + figure(by_bytes) + " times, but it has only " +
              percent(separate.first().value / copy) +
              " of a copy's rate, which fits too few bytes under way with one load of 4 bytes per thread";
    sentences.push_back(text + ".");
  } else
    sentences.push_back("Even where one field of a record is used, a structure of arrays gains nothing here.");
  const Ratio whole_records = ratio_of(panel, interleaved.last(), separate.last());
  const double all = whole_records.median;
  std::string whole =
      "Where all fields are used, an array of structures reaches " + percent(all) + " of the structure of arrays";
  if (!vectors.empty())
    whole += ", and " + percent(vectors.last().value / separate.last().value) + " with vector loads";
  sentences.push_back(whole + (whole_records.less() ? "." : ": the layout then does not matter."));
}

void conclude_orders(const Panel& panel, Sentences& sentences) {
  const auto against_rows = [&](const char* name) { return ratio_at(panel, name, order_names[0], 0); };
  const Ratio permuted = against_rows(order_names[1]), segments = against_rows(order_names[2]),
              scattered = against_rows(order_names[3]);
  if (!permuted.known() || !segments.known() || !scattered.known()) return;
  sentences.push_back("Reading each segment of 128 bytes in a permuted order has " + rate_against(permuted) +
                      " reading it in order" +
                      (permuted.less() ? "." : ": which thread of a warp takes which element does not matter."));
  sentences.push_back("Whole segments scattered over the memory have " + rate_against(segments) +
                      " segments in order; single elements scattered have " + rate_against(scattered) +
                      " them, for each moves a sector of its own. Scatter what is large, not what is small.");
  const Ratio half = against_rows(order_names[4]), alternate = against_rows(order_names[5]);
  if (!half.known() || !alternate.known()) return;
  sentences.push_back("Where the upper half of each warp reads nothing, what is left moves with " + rate_against(half) +
                      " all threads' words; where every other thread reads nothing, with " + rate_against(alternate) +
                      " them" +
                      (half.alike() && alternate.less()
                           ? ": idle threads cost nothing, but sectors of which a part is wanted move as a whole."
                           : "."));
}

void conclude_pieces(const Panel& panel, Sentences& sentences) {
  const Curve plain(panel, piece_names[0]);
  if (plain.empty()) return;
  // The panel counts reads only. Each thread also writes the sum of its piece: with one element a piece, as much as it
  // reads.
  const auto moved = [](Point point) {
    point.value *= 1 + 1 / point.x;
    return point;
  };
  const Point side_by_side = moved(plain.first()), longest = moved(plain.last());
  const Ratio loss = ratio_of(panel, longest, side_by_side);
  std::string text = "Where each thread walks a piece of memory of its own, " + figure(longest.x) +
                     " elements long, memory moves about " + percent(loss.median) +
                     " of what it moves where threads read side by side, the sums that they write included";
  text += loss.less() ? ": neighbours in a thread are strangers in a warp." : ".";
  // Pieces that fill a sector: the sector is fetched once, or once for each of its elements.
  constexpr int sector = sector_bytes / element_bytes;
  if (const Point* const short_piece = point_at(panel, piece_names[0], sector))
    text += " With " + std::to_string(sector) + " elements, a sector for each thread, it moves " +
            (ratio_of(panel, moved(*short_piece), side_by_side).less() ? "less, too." : "no less.");
  const Ratio bypass = ratio_at(panel, piece_names[1], piece_names[0], sector);
  if (bypass.known())
    text += " There reading past the first-level cache (ld.cg) has " + rate_against(bypass) + " reading through it" +
            (bypass.less()   ? ": the cache keeps the rest of a sector until the thread comes back for it."
             : bypass.more() ? ": what the cache fetches is thrown out before it is used."
                             : ".");
  sentences.push_back(text);
}

}  // namespace

double bytes_moved(const Panel& strides, std::string_view side, double stride, double copy) {
  // Solve value = copy · 2e/(moved + e) for the bytes moved per element of e bytes.
  return copy * 2 * element_bytes / Curve(strides, side).at(stride) - element_bytes;
}

std::vector<std::string> conclude_access(const std::vector<Panel>& panels, double copy) {
  Sentences sentences;
  const auto panel = [&](const char* name) { return find_panel(panels, name); };
  if (const Panel* const offset = panel("offset")) conclude_offsets(*offset, sentences);
  if (const Panel* const stride = panel("stride")) conclude_strides(*stride, copy, sentences);
  if (const Panel* const structures = panel("structures")) conclude_records(*structures, copy, sentences);
  if (const Panel* const orders = panel("orders")) conclude_orders(*orders, sentences);
  if (const Panel* const pieces = panel("pieces")) conclude_pieces(*pieces, sentences);
  return sentences;
}

}  // namespace poisson::lab
