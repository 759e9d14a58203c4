#include <cmath>

#include "backends/memory.hpp"
#include "lab/page/curve.hpp"
#include "lab/studies/latency/study.hpp"

namespace poisson::lab {
namespace {

using Sentences = std::vector<std::string>;

constexpr double busy = 0.9;  // of the peak: reached

// Clocks from a multiply-add to the next that needs its result: one warp finishes 32 per latency.
double fma_latency(const Panel& panel) {
  return warp_threads / Curve(panel, chains_name(1)).at(1);
}

// What is finished per clock with the most warps: a single place may be measured wrong, all curves' ends hardly.
double sustained(const Panel& panel) {
  double most = 0;
  for (const std::string& variant : variants_of(panel)) most = std::max(most, Curve(panel, variant).last().value);
  return most;
}

void conclude_fma(const Panel& panel, Sentences& sentences) {
  const double latency = fma_latency(panel), peak = sustained(panel);
  const double threads = latency * peak;
  sentences.push_back("A multiply-add returns after " + figure(latency) +
                      " clocks, and a multiprocessor finishes up to " + figure(peak) +
                      " of them per clock: by Little's law " + figure(threads) + " must be under way, " +
                      figure(threads / warp_threads) + " warps if each thread has one dependent chain.");
  std::string reached;
  bool held_back = false;  // with enough under way
  for (int chains = 1; chains <= most_chains; ++chains) {
    const Curve curve(panel, chains_name(chains));
    if (curve.empty()) continue;
    const double warps = curve.reaches(busy * peak), predicted = std::ceil(busy * threads / warp_threads / chains);
    if (!reached.empty()) reached += "; ";
    reached += chains_name(chains) + ": ";
    if (std::isfinite(warps)) {
      reached += figure(warps) + " (predicted " + figure(predicted) + ")";
    } else {
      reached += "none, " + percent(curve.last().value / peak) + " with " + figure(curve.last().x) + " (predicted " +
                 figure(predicted) + ")";
      held_back = held_back || predicted <= curve.last().x;
    }
  }
  sentences.push_back("Warps per multiprocessor from which on 90 % of that are reached: " + reached + "." +
                      (held_back ? " Chains that stay below although enough is under way are held back by something "
                                   "other than latency, such as the ports of the register file."
                                 : ""));
  const Curve one(panel, chains_name(1)), most(panel, chains_name(most_chains));
  if (!one.empty() && !most.empty()) {
    const double warps = 4, gain = most.at(warps) / one.at(warps);
    if (std::isfinite(gain))
      sentences.push_back(gain > 1.2
                              ? "With only 4 warps, " + chains_name(most_chains) + " per thread are " + figure(gain) +
                                    " times as fast as one: independent work within a thread replaces threads."
                              : "With 4 warps more chains per thread gain nothing on this device.");
  }
}

void conclude_chase(const Panel& panel, Sentences& sentences) {
  const Curve curve(panel, variants_of(panel).front());
  std::vector<std::string> steps;
  for (std::size_t i = 1; i < curve.points().size(); ++i) {
    const Point &before = curve.points()[i - 1], &here = curve.points()[i];
    if (here.value > 1.25 * before.value)
      steps.push_back("to " + figure(here.value) + " ns at " + readable_bytes(here.x));
  }
  std::string sentence = "A dependent load takes " + figure(curve.first().value) + " ns within " +
                         readable_bytes(curve.first().x) + " and " + figure(curve.last().value) + " ns within " +
                         readable_bytes(curve.last().x);
  sentence += steps.empty() ? ": no cache shows."
                            : "; it rises " + listed(steps) + ", where a cache, or what it knows of addresses, ends.";
  sentences.push_back(sentence);
}

void conclude_in_flight(const Panel& panel, const Panel& chase, int multiprocessors, Sentences& sentences) {
  const double latency = Curve(chase, variants_of(chase).front()).last().value;
  const Point& best = highest_of(panel);
  const double needed = latency * best.value / multiprocessors;  // ns · GB/s = bytes
  sentences.push_back("Memory answers after " + figure(latency) + " ns and delivers up to " + figure(best.value) +
                      " GB/s: by Little's law each multiprocessor must have " + figure(needed / 1024) +
                      " KiB under way.");
  for (const std::string& variant : variants_of(panel)) {
    const Curve curve(panel, variant);
    const double from = curve.reaches(busy * best.value);
    sentences.push_back("Threads with " + variant + " under way " +
                        (std::isfinite(from)
                             ? "reach 90 % of it from " + readable_bytes(from) + " per multiprocessor on, " +
                                   figure(from / needed) + " times the prediction" +
                                   (from > 1.2 * needed ? ": under load an answer takes " +
                                                              figure(from * multiprocessors / curve.at(from)) + " ns."
                                                        : ".")
                             : "do not reach 90 % of it: " + percent(curve.highest().value / best.value) + " with " +
                                   readable_bytes(curve.highest().x) + ". Give each thread more or wider loads."));
  }
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

std::uint32_t walk_end(std::uint32_t nodes, int steps) {
  std::uint32_t node = 0;
  for (int i = 0; i < steps; ++i) node = next_node(node, nodes);
  return node;
}

std::string chains_name(int chains) {
  return std::to_string(chains) + (chains == 1 ? " chain" : " chains");
}

std::vector<Guide> fma_guides(const Panel& panel) {
  const double latency = fma_latency(panel), peak = sustained(panel);
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

std::vector<std::string> conclude_latency(const std::vector<Panel>& panels, int multiprocessors) {
  Sentences sentences;
  const Panel *const fma = find_panel(panels, "fma"), *const chase = find_panel(panels, "chase"),
                     *const in_flight = find_panel(panels, "in-flight");
  if (fma) conclude_fma(*fma, sentences);
  if (chase) conclude_chase(*chase, sentences);
  if (chase && in_flight) conclude_in_flight(*in_flight, *chase, multiprocessors, sentences);
  return sentences;
}

}  // namespace poisson::lab
