#include "bench/commit.hpp"

#include <cstdio>

namespace poisson::bench {

std::string commit() {
  std::string text;
  if (std::FILE* pipe =
          popen("git -C '" POISSON_ROOT "' describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null", "r")) {
    char buffer[256];
    if (std::fgets(buffer, sizeof buffer, pipe)) text = buffer;
    if (pclose(pipe) != 0) text.clear();
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace poisson::bench
