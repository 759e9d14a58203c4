#include "lab/harness/block_time.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <vector>

namespace poisson::lab {

double results_per_clock(std::span<const BlockTime> blocks, double results) {
  struct Work {
    long long first = std::numeric_limits<long long>::max(), last = std::numeric_limits<long long>::min();
    int blocks = 0;
  };
  std::map<unsigned, Work> work;
  for (const BlockTime& block : blocks) {
    Work& there = work[block.multiprocessor];
    there.first = std::min(there.first, block.start);
    there.last = std::max(there.last, block.stop);
    ++there.blocks;
  }
  std::vector<double> rates;
  rates.reserve(work.size());
  for (const auto& [multiprocessor, w] : work)
    rates.push_back(results * w.blocks / static_cast<double>(w.last - w.first));
  if (rates.empty()) return 0;
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  return *middle;
}

}  // namespace poisson::lab
