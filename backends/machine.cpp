#include "backends/machine.hpp"

#include <array>
#include <functional>

#include <unistd.h>

namespace poisson {

std::string machine_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::size_t machine_number() {
  return std::hash<std::string>()(machine_name());
}

}  // namespace poisson
