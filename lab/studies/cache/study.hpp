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

/// Returns the largest set of a panel "working-set" whose rate is closer to the cache's than to memory's on a
/// logarithmic scale. NaN if the way was not measured.
double held_bytes(const Panel& panel, std::string_view way);

/// Derives the conclusions from the panel "working-set": GB/s over the bytes of the set, one variant for each way.
std::vector<std::string> conclude_cache(const Panels& panels);

}  // namespace poisson::lab
