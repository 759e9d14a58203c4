#include "io/config/diagnostics.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "io/config/spelling.hpp"

namespace poisson {

namespace {

std::vector<std::string> printable_lines(std::vector<std::string> lines) {
  for (std::string& line : lines) line = printable(line);
  return lines;
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += (all.empty() ? "" : "\n") + line;
  return all;
}

}  // namespace

std::string Mark::text() const {
  const std::string name = source ? *source : std::string("configuration");
  return line > 0 ? name + ":" + std::to_string(line) + ":" + std::to_string(column) : name;
}

ConfigError::ConfigError(std::vector<std::string> lines)
    : InputError(join_lines(printable_lines(lines))), errors(printable_lines(std::move(lines))) {}

void Diagnostics::add(const Mark& mark, std::string_view key, std::string_view message) {
  std::string text = mark.text() + ": ";
  if (!key.empty()) text.append(key).append(": ");
  text.append(message);
  // An alias puts one value under several keys; its error is reported once.
  if (std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.text == text; })) return;
  entries_.push_back({mark.line > 0 ? mark.line : std::numeric_limits<int>::max(), mark.column, std::move(text)});
}

void Diagnostics::raise() const {
  if (entries_.empty()) return;
  std::vector<Entry> ordered = entries_;
  std::ranges::stable_sort(ordered, {}, [](const Entry& entry) { return std::tuple(entry.line, entry.column); });
  std::vector<std::string> lines;
  lines.reserve(ordered.size());
  for (Entry& entry : ordered) lines.push_back(std::move(entry.text));
  throw ConfigError(std::move(lines));
}

}  // namespace poisson
