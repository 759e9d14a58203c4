#pragma once

// Returns panels with synthetic numbers, for tests of the conclusions.

#include <functional>
#include <string>
#include <vector>

#include "lab/harness/study.hpp"

namespace poisson::lab {

struct Line {
  std::string variant;
  std::function<double(double)> value;  ///< function of x
};

inline Panel synthetic_panel(const std::string& name, const std::vector<double>& places,
                             const std::vector<Line>& lines) {
  Panel panel;
  panel.name = name;
  for (const Line& line : lines)
    for (const double x : places) panel.points.push_back({line.variant, x, 1e-3, line.value(x)});
  return panel;
}

inline std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

inline bool says(const std::vector<std::string>& sentences, const std::string& part) {
  return joined(sentences).find(part) != std::string::npos;
}

}  // namespace poisson::lab
