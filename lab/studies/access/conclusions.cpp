#include <algorithm>
#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/access/study.hpp"

namespace poisson::lab {
namespace {

// Returns the largest loss over a curve, relative to its first place.
double largest_loss(const Panel& panel, std::string_view variant) {
  const Curve curve(panel, variant);
  return curve.empty() ? NAN : std::max(0.0, 1 - curve.lowest().value / curve.first().value);
}

void on_offsets(const Panel& panel, Lessons& lessons) {
  const double read = largest_loss(panel, "read"), write = largest_loss(panel, "write");
  if (!std::isfinite(read) || !std::isfinite(write)) return;
  lessons.say(panel.name, "Shifting the reads by up to 32 elements costs " + at_most(read) + ", shifting the writes " +
                              at_most(write) +
                              (std::max(read, write) < 0.1 ? ": alignment hardly matters here."
                                                           : ": start rows on sector boundaries if that is free."));
}

void on_strides(const Panel& panel, double copy, Lessons& lessons) {
  const Curve read(panel, "read"), write(panel, "write");
  if (read.empty() || write.empty()) return;
  const double far = read.last().x;
  const Ratio reads = ratio_of(panel, read.first(), read.last()), writes = ratio_of(panel, write.first(), write.last());
  if (!reads.more() || !writes.more()) {
    lessons.say(panel.name, "A stride costs nothing here: no effect of sectors is visible.");
    return;
  }
  lessons.say("Let neighbouring threads access neighbouring addresses: with a stride of " + figure(far) +
              ", a copy that reads so is " + times(reads.median) + " slower, one that writes so " +
              times(writes.median) + ".");
  lessons.say(panel.name, "At a stride of " + figure(far) + " an element of 4 bytes costs as much as " +
                              figure(bytes_moved(panel, "read", far, copy)) + " bytes of traffic when it is read and " +
                              figure(bytes_moved(panel, "write", far, copy)) +
                              " when it is written: memory moves whole sectors, and the rest of each is wasted.");
  const Ratio asked = ratio_of(panel, narrow_fetches, "read");
  if (!asked.known()) return;
  double most = 0, where = 0;
  for (const double x : places(panel, narrow_fetches))
    if (const Ratio here = ratio_at(panel, narrow_fetches, "read", x); here.median > most) {
      most = here.median;
      where = x;
    }
  lessons.say(panel.name, asked.more() ? "Fetches of 32 instead of 64 bytes (cudaLimitMaxL2FetchGranularity) make "
                                         "strided reads up to " +
                                             times(most) + " as fast, at a stride of " + figure(where) + "."
                                       : "Fetches of 32 bytes (cudaLimitMaxL2FetchGranularity) do not help here.");
}

void on_records(const Panel& panel, Lessons& lessons) {
  const Curve interleaved(panel, "array of structures"), vectors(panel, "array of structures, vector loads"),
      separate(panel, "structure of arrays");
  if (interleaved.empty() || separate.empty() || vectors.empty()) return;
  const Ratio gain = ratio_of(panel, separate.first(), interleaved.first());
  lessons.say(panel.name,
              "If a kernel uses one field of " + std::to_string(record_fields) + ", a structure of arrays is " +
                  (gain.more() ? times(gain.median) + " as fast as an array of structures" : "no faster") +
                  "; if it uses all of them, an array of structures reaches " +
                  percent(interleaved.last().value / separate.last().value) + " of its rate, with vector loads " +
                  percent(vectors.last().value / separate.last().value) + ".");
}

void on_orders(const Panel& panel, Lessons& lessons) {
  const auto share = [&](std::size_t order) {
    const Point *const one = best_of(panel, order_names[order]), *const all = best_of(panel, order_names[0]);
    return one && all ? one->value / all->value : NAN;
  };
  if (!known(share(1), share(2), share(3))) return;
  lessons.say(panel.name, "The order of threads within a segment of 128 bytes keeps " + percent(share(1)) +
                              " of the rate, random segments keep " + percent(share(2)) + ", random floats " +
                              percent(share(3)) + ".");
  if (known(share(4), share(5)))
    lessons.say(panel.name, "If half of each warp is idle, the words of the other half still move at " +
                                percent(share(4)) + " of the rate; if every other thread is idle, at " +
                                percent(share(5)) + ", because idle words travel in the same sectors.");
}

void on_pieces(const Panel& panel, Lessons& lessons) {
  const Curve through(panel, piece_names[0]);
  if (through.empty()) return;
  // Each thread also writes its sum.
  const auto moved = [](const Point& point) { return point.value * (1 + 1 / point.x); };
  const double longest = through.last().x;
  lessons.say(panel.name, "If each thread reads its own run of " + figure(longest) + " floats, it gets " +
                              percent(moved(through.last()) / moved(through.first())) +
                              " of the rate of neighbouring reads: each load fetches a sector of 32 bytes for 4.");
  const Ratio brief = ratio_at(panel, piece_names[0], piece_names[1], 8),
              long_run = ratio_at(panel, piece_names[1], piece_names[0], 32);
  constexpr double clear = 1.5;  // two runs differ by up to 1.3
  if (brief.more())
    lessons.say(panel.name, "For runs of 8 floats L1 keeps the sector for the thread's next load (" +
                                times(brief.median) + " as fast as ld.cg)" +
                                (long_run.more() && long_run.median >= clear
                                     ? "; for runs of 32 it is too small, and bypassing it is " +
                                           times(long_run.median) + " as fast."
                                     : "."));
}

}  // namespace

double bytes_moved(const Panel& strides, std::string_view side, double stride, double copy) {
  // Solve value = copy · 2e/(moved + e) for the bytes moved per element of e bytes.
  return copy * 2 * element_bytes / Curve(strides, side).at(stride) - element_bytes;
}

std::vector<std::string> conclude_access(const std::vector<Panel>& panels, double copy) {
  Lessons lessons;
  if (const Panel* const panel = find_panel(panels, "stride")) on_strides(*panel, copy, lessons);
  if (const Panel* const panel = find_panel(panels, "offset")) on_offsets(*panel, lessons);
  if (const Panel* const panel = find_panel(panels, "structures")) on_records(*panel, lessons);
  if (const Panel* const panel = find_panel(panels, "orders")) on_orders(*panel, lessons);
  if (const Panel* const panel = find_panel(panels, "pieces")) on_pieces(*panel, lessons);
  return lessons.take();
}

}  // namespace poisson::lab
