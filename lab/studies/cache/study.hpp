#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/reading_again.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Returns the ways of the host: all threads read, each its own part of the set.
std::span<const ReadingWay> cpu_reading_ways();

/// Returns the rate of sets that a GPU's cache holds: the median up to 128 KiB through L1, from 1 to 20 MiB past it.
double cached_rate(const Panel& panel, std::string_view way);
/// Names the vertical guide at the bytes of L2, as the device reports them; and returns these bytes, NaN without it.
inline constexpr std::string_view l2_of_device = "L2 of the device";
double l2_size(const Panel& panel);
/// Returns the largest set of a panel "working-set" that keeps nine tenths of L1's rate, or six of L2's, NaN if none
/// does.
double held_bytes(const Panel& panel, std::string_view way);

/// Derives the conclusions from the panel "working-set": GB/s over the bytes of the set, one variant for each way.
std::vector<std::string> conclude_cache(const Panels& panels);

}  // namespace poisson::lab
