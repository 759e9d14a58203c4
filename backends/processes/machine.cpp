#include "backends/processes/machine.hpp"

#include <algorithm>
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

int count_on_machine(const Processes& processes) {
  return static_cast<int>(std::ranges::count(processes.gather(machine_number()), machine_number()));
}

}  // namespace poisson
