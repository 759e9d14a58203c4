#include "backends/memory/memory.hpp"

#include <array>
#include <cstdio>

namespace poisson {

std::string readable_bytes(double bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
  return text.data();
}

}  // namespace poisson
