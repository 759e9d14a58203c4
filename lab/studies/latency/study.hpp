#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/harness/chase.hpp"
#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

// Little's law: what is under way = latency × throughput. A multiprocessor that finishes P operations per clock, each
// after L clocks, is busy only with P·L independent ones under way; the same holds for bytes on their way from memory.

/// Throughput with so many operations under way, of which `peak` can finish per unit of the latency.
constexpr double predicted_throughput(double under_way, double latency, double peak) {
  return std::min(under_way / latency, peak);
}

// Chains of dependent multiply-adds: x = x·multiplier + addend, neither converging nor growing out of fp32 soon.
inline constexpr float chain_multiplier = 0.9999f, chain_addend = 0.001f;
inline constexpr int most_chains = 8, most_block_threads = 1024, warp_threads = 32;
/// Steps of a timed chain: so many that what a kernel's start and end take, 1400 clocks on an H200, is 2 % at most.
inline constexpr int chain_iterations = 16384;

/// Where chain c of a block's thread t starts.
constexpr float chain_start(int thread, int chain) {
  return 1 + noise_float(static_cast<std::uint64_t>(thread) * most_chains + static_cast<std::uint64_t>(chain));
}

/// The oracle: where all chains of a largest block end after so many steps, [chain][thread].
std::vector<float> chain_ends(int iterations);

/// "1 chain", "3 chains".
std::string chains_name(int chains);

/// Little's law for the multiply-adds of a panel "fma", with the latency that one warp with one chain shows and the
/// largest throughput measured: a curve for some numbers of chains, and the level.
std::vector<Guide> fma_guides(const Panel& panel);

/// Clocks from a multiply-add to the next that needs its result: one warp with one chain finishes 32 per latency.
double fma_latency(const Panel& fma);
/// What is finished per clock with the most warps: the median of all numbers of chains.
double sustained_fma(const Panel& fma);
/// Little's law: threads of one chain each that keep a multiprocessor busy.
double threads_to_hide(const Panel& fma);
/// What one chain in each of four warps, one for every scheduler, reaches of the peak.
double share_of_one_chain(const Panel& fma);
/// The same of two chains, as many as the lecture's example has.
double share_of_two_chains(const Panel& fma);
/// The smallest share of the warps that a multiprocessor can hold with which up to so many chains per thread reach nine
/// tenths of the peak; NaN where they do not.
double occupancy_that_suffices(const Panel& fma, int most);
/// The fewest chains with which a third of the warps that one chain would need reach nine tenths of the peak; NaN where
/// none do.
double chains_for_a_third(const Panel& fma);

/// What the panels say.
std::vector<std::string> conclude_latency(const Panels& panels, const Machine& machine);

}  // namespace poisson::lab
