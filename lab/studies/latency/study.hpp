#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

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

// A walk through memory in which each load yields the address of the next. Nodes lie on lines of their own.
inline constexpr int line_words = 32;  // 128 bytes

/// The node after `node` on a closed walk through all of 2^k nodes in scattered order: a linear congruential generator
/// of full period (Hull and Dobell, SIAM Review 4, 1962).
constexpr std::uint32_t next_node(std::uint32_t node, std::uint32_t nodes) {
  return (node * 1664525u + 1013904223u) & (nodes - 1);
}

/// The oracle: the node `steps` steps after node 0.
std::uint32_t walk_end(std::uint32_t nodes, int steps);

/// "1 chain", "3 chains".
std::string chains_name(int chains);

/// Little's law for the multiply-adds of a panel "fma", with the latency that one warp with one chain shows and the
/// largest throughput measured: a curve for some numbers of chains, and the level.
std::vector<Guide> fma_guides(const Panel& panel);

/// What the panels say, of a device with so many multiprocessors.
std::vector<std::string> conclude_latency(const std::vector<Panel>& panels, int multiprocessors);

}  // namespace poisson::lab
