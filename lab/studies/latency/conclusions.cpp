#include <algorithm>
#include <cmath>

#include "backends/memory/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/latency/study.hpp"

namespace poisson::lab {
namespace {

constexpr double busy = 0.9;  // share of peak

// Finds the first place of a curve that reaches a level.
double first_reaching(const Curve& curve, double level) {
  for (const Point& point : curve.points())
    if (point.value >= level) return point.x;
  return NAN;
}

void on_fma(const Panel& panel, Lessons& lessons) {
  const double latency = fma_latency(panel), peak = sustained_fma(panel), threads = threads_to_hide(panel);
  lessons.say("To hide a latency, keep latency × throughput operations in flight (Little's law): " + figure(threads) +
              " threads, " + figure(threads / warp_threads) + " warps, hide the " + figure(latency) +
              " clocks of a multiply-add.");
  std::string text;
  for (const int chains : {1, 2, 4}) {
    const Curve curve(panel, chains_name(chains));
    if (curve.empty()) continue;
    const double from = first_reaching(curve, busy * peak);
    text += (text.empty() ? "" : ", ") + chains_name(chains) + " per thread " +
            (std::isfinite(from) ? "with " + figure(from) + " warps" : "with no number of warps");
  }
  const Curve four(panel, chains_name(4)), one(panel, chains_name(1));
  // Three warps are a block of 96 threads.
  if (one.at(3) > 0 && one.at(1) > 0 && std::fabs(one.at(3) / one.at(1) / 3 - 1) < 0.02)
    text += "; a block of 96 threads runs " + times(one.at(3) / one.at(1)) +
            " as fast as one of 32: multiples of 64 threads, the old remedy against conflicts of register banks, "
            "gain nothing";
  lessons.say(panel.name, "90 % of the peak is reached by " + text + ".");
  if (four.at(4) > 0 && one.at(4) > 0)
    lessons.say(panel.name, "With four warps, one per scheduler, four chains per thread reach " +
                                percent(four.at(4) / peak) + " of the peak and one chain reaches " +
                                percent(one.at(4) / peak) + ": independent work within a thread replaces warps.");
}

void on_chase(const Panel& panel, const Machine& machine, Lessons& lessons) {
  // The curve jumps where a cache ends, and that place varies between runs. The plateaus are reproducible.
  constexpr double within_l1 = 16 << 10, within_l2 = 4 << 20;
  const Curve curve(panel, variants_of(panel).front());
  std::vector<std::string> plateaus;
  for (const double bytes : {within_l1, within_l2, curve.last().x})
    if (std::isfinite(curve.at(bytes)))
      plateaus.push_back(
          figure(curve.at(bytes)) + " ns" +
          (machine.gigahertz > 0 ? " (" + figure(curve.at(bytes) * machine.gigahertz) + " clocks)" : "") +
          (bytes == within_l1   ? " in L1"
           : bytes == within_l2 ? " in L2"
                                : " in memory"));
  lessons.say(panel.name, "A dependent load takes " + listed(plateaus) + ".");
}

void on_in_flight(const Panel& panel, const Panel& chase, const Machine& machine, Lessons& lessons) {
  const double latency = Curve(chase, variants_of(chase).front()).last().value;
  const Point& best = highest_of(panel);
  const double all = latency * best.value, needed = all / machine.multiprocessors;  // ns · GB/s = bytes
  lessons.say(panel.name, "Memory answers after " + figure(latency) + " ns and delivers up to " + rate(best.value) +
                              ": by Little's law " + figure(needed / 1024) +
                              " KiB must be in flight on each "
                              "multiprocessor, on the whole device about " +
                              figure(all / 128) + " lines of 128 bytes.");
  double least = INFINITY;
  for (const std::string& variant : variants_of(panel))
    least = std::fmin(least, Curve(panel, variant).reaches(busy * (1 + panel.noise) * best.value));
  const double narrow = Curve(panel, variants_of(panel).front()).highest().value / best.value;
  if (std::isfinite(least))
    lessons.say(panel.name, "90 % of the bandwidth needs at most " + readable_bytes(least) + " in flight, " +
                                rough(least / needed) + " times the prediction, because latency grows under load; " +
                                variants_of(panel).front() + " per thread reaches " + percent(narrow) + " at best.");
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
    if (!curve.empty()) least = std::fmin(least, first_reaching(curve, busy * sustained_fma(panel)));
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
  Lessons lessons;
  const Panel *const fma = find_panel(panels, "fma"), *const chase = find_panel(panels, "chase"),
                     *const in_flight = find_panel(panels, "in-flight");
  if (fma) on_fma(*fma, lessons);
  if (chase) on_chase(*chase, machine, lessons);
  if (chase && in_flight) on_in_flight(*in_flight, *chase, machine, lessons);
  return lessons.take();
}

}  // namespace poisson::lab
