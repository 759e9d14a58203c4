#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace poisson::lab {

// A sentence about one panel begins with the panel's name in brackets: "[chase] A load from L1 takes 18 ns." The page
// shows it under that panel. Sentences without a name are shown at the top of the study.

/// Contains a sentence and the name of its panel, which is empty for the whole study.
struct Sentence {
  std::string panel, text;
};
Sentence sentence_of(const std::string& conclusion);

/// Collects the sentences of a study.
class Lessons {
 public:
  void say(std::string text) { all_.push_back(std::move(text)); }
  void say(std::string_view panel, const std::string& text);
  std::vector<std::string> take() { return std::move(all_); }

 private:
  std::vector<std::string> all_;
};

/// Return bounds that are rounded towards caution: "at least 94 %" for 0.949, "at most 6 %" for 0.051.
std::string at_least(double fraction);
std::string at_most(double fraction);

/// Returns "2.9 TB/s" for 2900 (GB/s), "870 GB/s" for 870.
std::string rate(double gigabytes_per_second);

/// Returns whether all values are finite and positive, so that a sentence may quote them.
template <class... Values>
bool known(Values... values) {
  return ((values > 0 && values < 1e300) && ...);
}

}  // namespace poisson::lab
