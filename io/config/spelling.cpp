#include "io/config/spelling.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace poisson {

namespace {

/// Returns the Damerau-Levenshtein distance with swaps of neighbours (optimal string alignment). Ignores letter case.
std::size_t distance(std::string_view a, std::string_view b) {
  const auto equal = [](char p, char q) {
    return std::tolower(static_cast<unsigned char>(p)) == std::tolower(static_cast<unsigned char>(q));
  };
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> edits((a.size() + 1) * width);
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& here = edits[i * width + j];
      if (i == 0 || j == 0) {
        here = i + j;
        continue;
      }
      const std::size_t replaced = edits[(i - 1) * width + j - 1] + (equal(a[i - 1], b[j - 1]) ? 0 : 1);
      here = std::min({replaced, edits[(i - 1) * width + j] + 1, edits[i * width + j - 1] + 1});
      if (i > 1 && j > 1 && equal(a[i - 1], b[j - 2]) && equal(a[i - 2], b[j - 1]))
        here = std::min(here, edits[(i - 2) * width + j - 2] + 1);
    }
  }
  return edits.back();
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  // A third of the letters may be wrong. A short name may have one wrong letter, but at least one letter must match.
  if (name.size() > 64) return {};
  const std::size_t most = std::max<std::size_t>(1, name.size() / 3);
  std::string best;
  std::size_t least = 2 * most + 2;
  for (const std::string& candidate : candidates) {
    const std::size_t edits = distance(name, candidate);
    if (edits > most || edits >= std::max(name.size(), candidate.size())) continue;
    // Among equals, a candidate that is a prefix wins: sinn means sin, not sign.
    const std::size_t rank = 2 * edits + (name.starts_with(candidate) || candidate.starts_with(name) ? 0 : 1);
    if (rank < least) {
      least = rank;
      best = candidate;
    }
  }
  return best;
}

std::string suggest(std::string_view name, std::span<const std::string> candidates, std::string_view otherwise) {
  const std::string near = nearest(name, candidates);
  if (!near.empty()) return "did you mean '" + near + "'?";
  return std::string(otherwise) + " " + join(candidates);
}

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string all;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      all += "\\n";
    else if (c == '\t')
      all += "\\t";
    else if (byte < 0x20 || byte == 0x7f)
      all.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    else
      all += c;
  }
  return all;
}

std::string join(std::span<const std::string> words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

}  // namespace poisson
