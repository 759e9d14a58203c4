#pragma once

// Returns panels with synthetic numbers, for tests of the conclusions.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "lab/harness/study.hpp"
#include "lab/page/sentence.hpp"

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

/// Returns the names of panels that have a sentence, and "" if a sentence is about the whole study.
inline std::set<std::string> panels_with_sentences(const std::vector<std::string>& sentences) {
  std::set<std::string> names;
  for (const std::string& sentence : sentences) names.insert(sentence_of(sentence).panel);
  return names;
}

/// Returns those of `wanted` that have no sentence.
inline std::vector<std::string> silent(const std::vector<std::string>& sentences,
                                       const std::vector<std::string>& wanted) {
  const std::set<std::string> names = panels_with_sentences(sentences);
  std::vector<std::string> missing;
  for (const std::string& name : wanted)
    if (!names.contains(name)) missing.push_back(name.empty() ? "the whole study" : name);
  return missing;
}

inline bool says(const std::vector<std::string>& sentences, const std::string& part) {
  return joined(sentences).find(part) != std::string::npos;
}

}  // namespace poisson::lab
