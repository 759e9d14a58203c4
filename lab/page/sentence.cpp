#include "lab/page/sentence.hpp"

#include <cmath>
#include <cstdio>

#include "lab/page/curve.hpp"

namespace poisson::lab {

Sentence sentence_of(const std::string& conclusion) {
  const std::size_t end = conclusion.find("] ");
  if (!conclusion.starts_with('[') || end == std::string::npos) return {{}, conclusion};
  return {conclusion.substr(1, end - 1), conclusion.substr(end + 2)};
}

void Lessons::say(std::string_view panel, const std::string& text) {
  std::string all("[");
  all_.push_back(all.append(panel).append("] ").append(text));
}

// A value that is a whole percent up to rounding stays as it is.
std::string at_least(double fraction) {
  return "at least " + figure(std::floor(100 * fraction + 1e-6)) + " %";
}

std::string at_most(double fraction) {
  return "at most " + figure(std::fmax(0, std::ceil(100 * fraction - 1e-6))) + " %";
}

std::string rate(double gigabytes_per_second) {
  return gigabytes_per_second >= 999.5 ? figure(gigabytes_per_second / 1000) + " TB/s"
                                       : lab::gigabytes_per_second(gigabytes_per_second);
}

}  // namespace poisson::lab
