#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/reading_again.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// All threads of the host, each with its part of the set.
std::span<const ReadingWay> cpu_reading_ways();

/// The largest set of a panel "working-set" that is nearer to the cache than to the memory, on a logarithmic scale; NaN
/// where the way was not measured.
double held_bytes(const Panel& panel, std::string_view way);

/// What the panel "working-set" says: GB/s over the bytes of the set; one variant for each way.
std::vector<std::string> conclude_cache(const Panels& panels);

}  // namespace poisson::lab
