#include <algorithm>
#include <cmath>

#include "backends/memory/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/latency/study.hpp"

namespace poisson::lab {
namespace {

using Sentences = std::vector<std::string>;

constexpr double busy = 0.9;  // share of peak

// Finds the first place of a curve that reaches a level, and the later places that miss it.
struct Reached {
  double from = NAN;
  std::vector<std::string> dips;
};
Reached reached(const Curve& curve, double level) {
  Reached found;
  for (const Point& point : curve.points()) {
    if (point.value >= level) {
      if (std::isnan(found.from)) found.from = point.x;
    } else if (!std::isnan(found.from)) {
      found.dips.push_back(figure(point.x));
    }
  }
  return found;
}

void conclude_fma(const Panel& panel, Sentences& sentences) {
  const double latency = fma_latency(panel), peak = sustained_fma(panel), threads = threads_to_hide(panel);
  sentences.push_back("A multiply-add returns after " + figure(latency) +
                      " clocks, and a multiprocessor finishes up to " + figure(peak) +
                      " of them per clock: by Little's law " + figure(threads) + " must be under way, " +
                      figure(threads / warp_threads) + " warps if each thread has one dependent chain.");
  std::string text;
  std::vector<std::string> uneven;
  for (int chains = 1; chains <= most_chains; ++chains) {
    const Curve curve(panel, chains_name(chains));
    if (curve.empty()) continue;
    const double predicted = std::ceil(busy * threads / warp_threads / chains);
    const Reached found = reached(curve, busy * peak);
    if (!text.empty()) text += "; ";
    text += chains_name(chains) + ": " +
            (std::isfinite(found.from) ? figure(found.from)
                                       : "none, " + percent(curve.highest().value / peak) + " at best") +
            " (predicted " + figure(predicted) + ")";
    for (const std::string& warps : found.dips)
      if (std::ranges::find(uneven, warps) == uneven.end()) uneven.push_back(warps);
  }
  sentences.push_back("The fewest warps per multiprocessor that reach 90 % of that: " + text + "." +
                      (uneven.empty() ? ""
                                      : " With " + listed(uneven) +
                                            " some fall below it again: warps that are no multiple of the four "
                                            "schedulers leave some of these with less work."));
  const Curve four(panel, chains_name(4)), most(panel, chains_name(most_chains));
  if (four.at(4) > 0 && most.at(4) > 0) {
    const Ratio more = ratio_at(panel, chains_name(most_chains), chains_name(4), 4);
    sentences.push_back("With 4 warps, 4 chains per thread reach " + percent(four.at(4) / peak) +
                        " of the peak and one " + percent(share_of_one_chain(panel)) +
                        ": independent work within a thread replaces threads. " + std::to_string(most_chains) +
                        " chains have " + rate_against(more) + " 4" +
                        (more.more() ? "." : ": more than hides the latency brings nothing."));
  }
}

void conclude_chase(const Panel& panel, Sentences& sentences) {
  // The curve jumps where a cache ends, and that place varies between runs. The plateaus are reproducible.
  constexpr double shared_cache = 4 << 20;
  const Curve curve(panel, variants_of(panel).front());
  std::vector<std::string> plateaus;
  for (const double bytes : {curve.first().x, shared_cache, curve.last().x})
    if (std::isfinite(curve.at(bytes)))
      plateaus.push_back(figure(curve.at(bytes)) + " ns within " + readable_bytes(bytes));
  const Ratio rise = ratio_of(panel, curve.last(), curve.first());
  sentences.push_back("A dependent load takes " + listed(plateaus) +
                      (rise.more() ? ": each cache answers sooner than the next." : ": no cache shows."));
}

void conclude_in_flight(const Panel& panel, const Panel& chase, const Machine& machine, Sentences& sentences) {
  const double latency = Curve(chase, variants_of(chase).front()).last().value;
  const Point& best = highest_of(panel);
  const double all = latency * best.value, needed = all / machine.multiprocessors;  // ns · GB/s = bytes
  std::string law = "Memory answers after " + figure(latency) + " ns";
  if (machine.gigahertz > 0) law += " (" + figure(latency * machine.gigahertz) + " clocks)";
  sentences.push_back(law + " and delivers up to " + figure(best.value) +
                      " GB/s: by Little's law each multiprocessor must have " + figure(needed / 1024) +
                      " KiB under way, the device " + figure(all / (1 << 20)) + " MiB or " + figure(all / 128) +
                      " lines of 128 bytes.");
  std::vector<std::string> enough;
  double least = INFINITY, most = 0;
  for (const std::string& variant : variants_of(panel)) {
    const Curve curve(panel, variant);
    const double from = curve.reaches(busy * best.value);
    if (!std::isfinite(from)) {
      sentences.push_back("Threads with " + variant +
                          " under way do not reach 90 % of it: " + percent(curve.highest().value / best.value) +
                          " with " + readable_bytes(curve.highest().x) + ". Give each thread more or wider loads.");
      continue;
    }
    enough.push_back(variant);
    least = std::min(least, from);
    most = std::max(most, from);
  }
  if (!enough.empty())
    sentences.push_back("Threads with " + listed(enough) + " reach 90 % of it from at latest " + readable_bytes(most) +
                        " per multiprocessor on, " + rough(least / needed) + " times the prediction" +
                        (least >= 1.5 * needed ? ": under load an answer takes longer than to a single thread." : "."));
}

}  // namespace

std::vector<float> chain_ends(int iterations) {
  std::vector<float> ends(static_cast<std::size_t>(most_chains) * most_block_threads);
#pragma omp parallel for
  for (int chain = 0; chain < most_chains; ++chain) {
    float* const x = ends.data() + chain * most_block_threads;
    for (int thread = 0; thread < most_block_threads; ++thread) x[thread] = chain_start(thread, chain);
    for (int i = 0; i < iterations; ++i)
      for (int thread = 0; thread < most_block_threads; ++thread)
        x[thread] = std::fma(x[thread], chain_multiplier, chain_addend);
  }
  return ends;
}

std::string chains_name(int chains) {
  return std::to_string(chains) + (chains == 1 ? " chain" : " chains");
}

std::vector<Guide> fma_guides(const Panel& panel) {
  const double latency = fma_latency(panel), peak = sustained_fma(panel);
  std::vector<Guide> guides{{"throughput with the most warps", {{1, peak}}}};
  for (int chains = 1; chains <= most_chains; chains *= 2) {
    Guide guide{"Little's law, " + chains_name(chains), {}};
    const Curve curve(panel, chains_name(chains));
    for (const Point& point : curve.points())
      guide.points.push_back({point.x, predicted_throughput(point.x * chains * warp_threads, latency, peak)});
    if (!guide.points.empty()) guides.push_back(guide);
  }
  return guides;
}

double fma_latency(const Panel& panel) {
  return warp_threads / Curve(panel, chains_name(1)).at(1);
}

double sustained_fma(const Panel& panel) {
  std::vector<double> ends;
  for (const std::string& variant : variants_of(panel)) ends.push_back(Curve(panel, variant).last().value);
  std::ranges::sort(ends);
  return ends[ends.size() / 2];
}

double threads_to_hide(const Panel& panel) {
  return fma_latency(panel) * sustained_fma(panel);
}

double share_of_one_chain(const Panel& panel) {
  return Curve(panel, chains_name(1)).at(4) / sustained_fma(panel);
}

double share_of_two_chains(const Panel& panel) {
  return Curve(panel, chains_name(2)).at(4) / sustained_fma(panel);
}

double occupancy_that_suffices(const Panel& panel, int most) {
  double least = NAN;
  for (int chains = 1; chains <= most; ++chains) {
    const Curve curve(panel, chains_name(chains));
    if (!curve.empty()) least = std::fmin(least, reached(curve, busy * sustained_fma(panel)).from);
  }
  return least / Curve(panel, chains_name(1)).last().x;
}

double chains_for_a_third(const Panel& panel) {
  const double warps = threads_to_hide(panel) / warp_threads / 3;
  for (int chains = 1; chains <= most_chains; ++chains) {
    const Curve curve(panel, chains_name(chains));
    for (const Point& point : curve.points())
      if (point.x <= warps && point.value >= busy * sustained_fma(panel)) return chains;
  }
  return NAN;
}

std::vector<std::string> conclude_latency(const Panels& panels, const Machine& machine) {
  Sentences sentences;
  const Panel *const fma = find_panel(panels, "fma"), *const chase = find_panel(panels, "chase"),
                     *const in_flight = find_panel(panels, "in-flight");
  if (fma) conclude_fma(*fma, sentences);
  if (chase) conclude_chase(*chase, sentences);
  if (chase && in_flight) conclude_in_flight(*in_flight, *chase, machine, sentences);
  return sentences;
}

}  // namespace poisson::lab
