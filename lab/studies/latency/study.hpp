#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/harness/chase.hpp"
#include "lab/harness/noise.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

// Little's law states: bytes or operations in flight = latency × throughput. A multiprocessor that finishes P
// operations per clock, each after L clocks, is busy only with P·L independent operations in flight. The same applies
// to bytes from memory.

/// Returns the throughput with `under_way` operations in flight, limited to `peak` per unit of the latency.
constexpr double predicted_throughput(double under_way, double latency, double peak) {
  return std::min(under_way / latency, peak);
}

// Chains of dependent multiply-adds compute x = x·multiplier + addend, which neither converges nor overflows fp32 soon.
inline constexpr float chain_multiplier = 0.9999f, chain_addend = 0.001f;
inline constexpr int most_chains = 8, most_block_threads = 1024, warp_threads = 32;
/// A timed chain has enough steps that the start and the end of a kernel, 1400 clocks on an H200, cost at most 2 %.
inline constexpr int chain_iterations = 16384;

/// Returns the start of chain c of a block's thread t.
constexpr float chain_start(int thread, int chain) {
  return 1 + noise_float(static_cast<std::uint64_t>(thread) * most_chains + static_cast<std::uint64_t>(chain));
}

/// The oracle returns the ends of all chains of a largest block after `iterations` steps, [chain][thread].
std::vector<float> chain_ends(int iterations);

/// Returns "1 chain", "3 chains" and so on.
std::string chains_name(int chains);

/// Returns Little's law for the panel "fma": a curve for some numbers of chains, and the level. The law uses the
/// latency of one warp with one chain and the largest throughput measured.
std::vector<Guide> fma_guides(const Panel& panel);

/// Returns the clocks from a multiply-add to the next one that needs its result. One warp with one chain finishes 32
/// per latency.
double fma_latency(const Panel& fma);
/// Returns the throughput per clock with the most warps, as the median over all numbers of chains.
double sustained_fma(const Panel& fma);
/// Returns the threads of one chain each that keep a multiprocessor busy (Little's law).
double threads_to_hide(const Panel& fma);
/// Returns the share of the peak that one chain in each of four warps reaches, one warp for every scheduler.
double share_of_one_chain(const Panel& fma);
/// Returns the same share for two chains, the number in the lecture's example.
double share_of_two_chains(const Panel& fma);
/// Returns the smallest share of the resident warps with which at most `most` chains per thread reach nine tenths of
/// the peak; NaN if none does.
double occupancy_that_suffices(const Panel& fma, int most);
/// Returns the fewest chains that reach nine tenths of the peak with a third of the warps that one chain would need;
/// NaN if none do.
double chains_for_a_third(const Panel& fma);

/// Derives the conclusions from the panels.
std::vector<std::string> conclude_latency(const Panels& panels, const Machine& machine);

}  // namespace poisson::lab
