#include "lab/page/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "lab/page/verdict.hpp"

namespace poisson::lab {
namespace {

// A sentence is read as words with gaps and the figures in the gaps.
enum class Firmness { plain, about, some, bound };
struct Figure {
  double value = 0;
  Firmness firmness = Firmness::plain;
  bool percent = false;
};
struct Reading {
  std::string words;
  std::vector<Figure> figures;
};

bool digit(char c) {
  return c >= '0' && c <= '9';
}

Reading reading_of(std::string_view text, double noise) {
  constexpr char gap = '#';
  Reading reading;
  const auto put = [&](double value, bool percent, std::string_view after) {
    const auto behind = [&reading](std::string_view word) { return reading.words.ends_with(word); };
    const Firmness firmness = behind("about ")                                          ? Firmness::about
                              : behind("roughly ")                                      ? Firmness::some
                              : !percent && (behind("at least ") || behind("at most ")) ? Firmness::bound
                                                                                        : Firmness::plain;
    reading.words += gap;
    reading.words += after;
    reading.figures.push_back({value, firmness, percent});
  };
  const auto take = [&text](std::string_view start) {
    const bool found = text.starts_with(start);
    if (found) text.remove_prefix(start.size());
    return found;
  };
  while (!text.empty()) {
    // All verdicts become the same words and a factor.
    const double factor = take(verdict::alike)         ? 1
                          : take(verdict::hardly_more) ? 1 + 1.5 * noise
                          : take(verdict::hardly_less) ? 1 / (1 + 1.5 * noise)
                                                       : 0;
    if (factor > 0) {
      put(factor, false, verdict::times);
      continue;
    }
    if (text.starts_with(verdict::only) && text.size() > verdict::only.size() && digit(text[verdict::only.size()])) {
      const std::string_view rest = text.substr(verdict::only.size());
      std::size_t end = 0;
      const double share = std::stod(std::string(rest), &end) / 100;
      if (rest.substr(end).starts_with(verdict::percent)) {
        put(share, false, verdict::times);
        text = rest.substr(end + verdict::percent.size());
        continue;
      }
    }
    if (digit(text.front())) {
      std::size_t length = 0;
      const double value = std::stod(std::string(text), &length);
      if (text[length - 1] == '.') --length;  // ends the sentence
      text.remove_prefix(length);
      put(value, text.starts_with(" %"), "");
      continue;
    }
    reading.words += text.front();
    text.remove_prefix(1);
  }
  return reading;
}

bool close(const Figure& a, const Figure& b, double noise) {
  const double larger = std::max(a.value, b.value), smaller = std::min(a.value, b.value);
  const double apart = a.firmness == Firmness::bound   ? bounds_apart
                       : a.firmness == Firmness::some  ? 2
                       : a.firmness == Firmness::about ? std::pow(1 + noise, 4)
                                                       : std::pow(1 + noise, 2);
  return larger <= smaller * apart || (a.percent && larger - smaller <= 100 * noise);
}

// Returns whether the longer text begins with the shorter one and goes on after the end of a clause.
bool goes_on(std::string_view longer, std::string_view shorter) {
  while (!shorter.empty() && (shorter.back() == '.' || shorter.back() == ' ')) shorter.remove_suffix(1);
  if (!longer.starts_with(shorter)) return false;
  const std::string_view rest = longer.substr(shorter.size());
  return rest.empty() || std::string_view(".,:;").find(rest.front()) != std::string_view::npos;
}

// Returns the sentences of two runs that confirm each other, each once. Pairs with the longest common beginning come
// first, because titles of two panels may differ by a figure alone.
std::vector<std::pair<std::size_t, std::size_t>> partners(std::span<const std::string> first,
                                                          std::span<const std::string> second, double noise) {
  struct Pair {
    std::ptrdiff_t alike;
    std::size_t first, second;
  };
  std::vector<Pair> possible;
  for (std::size_t i = 0; i < first.size(); ++i)
    for (std::size_t j = 0; j < second.size(); ++j)
      if (agree(first[i], second[j], noise))
        possible.push_back({std::ranges::mismatch(first[i], second[j]).in1 - first[i].begin(), i, j});
  std::ranges::stable_sort(possible, std::ranges::greater{}, &Pair::alike);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const Pair& pair : possible)
    if (std::ranges::none_of(pairs, [&](const auto& p) { return p.first == pair.first || p.second == pair.second; }))
      pairs.emplace_back(pair.first, pair.second);
  return pairs;
}

}  // namespace

bool agree(const std::string& first, const std::string& second, double noise) {
  const Reading a = reading_of(first, noise), b = reading_of(second, noise);
  const Reading &longer = a.words.size() >= b.words.size() ? a : b, &shorter = &longer == &a ? b : a;
  if (!goes_on(longer.words, shorter.words)) return false;
  for (std::size_t i = 0; i < shorter.figures.size(); ++i)
    if (!close(shorter.figures[i], longer.figures[i], noise)) return false;
  return true;
}

std::vector<Disagreement> disagreements(const Report& first, const Report& second) {
  std::vector<Disagreement> all;
  for (const Outcome& outcome : first.outcomes) {
    const auto other = std::ranges::find(second.outcomes, outcome.study, &Outcome::study);
    if (other == second.outcomes.end()) continue;
    double noise = 0;
    for (const Panel& panel : outcome.findings.panels) noise = std::max(noise, panel.noise);
    std::vector<std::string> alone = outcome.findings.conclusions, left = other->findings.conclusions;
    for (const auto& [mine, theirs] : partners(alone, left, noise)) {
      alone[mine].clear();
      left[theirs].clear();
    }
    std::erase(alone, "");
    std::erase(left, "");
    // Unmatched sentences of both sides form pairs in the order of the page.
    for (std::size_t i = 0; i < std::max(alone.size(), left.size()); ++i)
      all.push_back({std::string(outcome.study->name), i < alone.size() ? alone[i] : std::string(),
                     i < left.size() ? left[i] : std::string()});
  }
  return all;
}

}  // namespace poisson::lab
