#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "backends/memory/memory.hpp"
#include "lab/page/report.hpp"

namespace poisson::lab {
namespace {

// Columns of text; the first one is left-aligned.
using Cells = std::vector<std::vector<std::string>>;  // by row

// Counts letters, not bytes, because names may contain × and ².
std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string aligned(const Cells& cells, std::span<const std::size_t> columns, std::span<const std::size_t> widths) {
  std::string text;
  for (const auto& row : cells) {
    std::string line = "  ";
    for (const std::size_t column : columns) {
      const std::string padding(widths[column] - letters(row[column]), ' ');
      line += column == 0 ? row[column] + padding : "  " + padding + row[column];
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

// Repeats the first column in each table, with the other columns that fit into a line.
std::string broken(const Cells& cells, std::size_t width) {
  std::vector<std::size_t> widths(cells.front().size());
  for (const auto& row : cells)
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], letters(row[column]));
  std::string text;
  for (std::size_t next = 1; next < widths.size();) {
    std::vector<std::size_t> columns{0};
    std::size_t used = 2 + widths[0];
    do {
      used += 2 + widths[next];
      columns.push_back(next++);
    } while (next < widths.size() && used + 2 + widths[next] <= width);
    text += (text.empty() ? "" : "\n") + aligned(cells, columns, widths);
  }
  return text;
}

template <class T>
std::size_t place_of(const T& value, std::vector<T>& seen) {
  const auto found = std::ranges::find(seen, value);
  if (found != seen.end()) return static_cast<std::size_t>(found - seen.begin());
  seen.push_back(value);
  return seen.size() - 1;
}

std::string formatted(const char* format, double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

std::string readable_value(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  return formatted(size >= 1000 && size < 1e6 ? "%.0f" : "%.4g", value);
}

std::string readable_then(const Historical& then) {
  std::string text = readable_value(then.value);
  if (then.up_to > 0) text += " to " + readable_value(then.up_to);
  return text + ' ' + std::string(then.unit);
}

std::string readable_place(double x, const Panel& panel) {
  const bool bytes = panel.x_label.starts_with("byte");
  if (bytes && x >= 0 && x == std::floor(x)) return readable_bytes(x);
  return formatted(std::abs(x) < 1e7 ? "%.7g" : "%.4g", x);
}

std::string text_table(const Panel& panel, std::size_t width) {
  if (panel.points.empty()) return "  (no points)\n";
  std::vector<std::string> variants;
  std::vector<double> places;
  std::map<std::pair<std::size_t, std::size_t>, std::string> values;  // variant, place
  for (const Point& point : panel.points)
    values[{place_of(point.variant, variants), place_of(point.x, places)}] = readable_value(point.value);
  std::vector<std::size_t> order(places.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return places[i]; });

  const auto value = [&](std::size_t variant, std::size_t place) {
    const auto found = values.find({variant, place});
    return found == values.end() ? std::string() : found->second;
  };
  Cells cells;
  if (panel.bars) {
    cells.push_back({"", panel.y_label});
    for (const Point& point : panel.points) cells.push_back({point.variant, readable_value(point.value)});
  } else if (places.size() == 1) {
    cells.push_back({"", panel.y_label});
    for (std::size_t v = 0; v < variants.size(); ++v) cells.push_back({variants[v], value(v, 0)});
  } else if (variants.size() <= places.size()) {
    cells.push_back({panel.x_label});
    cells.back().insert(cells.back().end(), variants.begin(), variants.end());
    for (const std::size_t p : order) {
      cells.push_back({readable_place(places[p], panel)});
      for (std::size_t v = 0; v < variants.size(); ++v) cells.back().push_back(value(v, p));
    }
  } else {
    cells.push_back({panel.x_label});
    for (const std::size_t p : order) cells.front().push_back(readable_place(places[p], panel));
    for (std::size_t v = 0; v < variants.size(); ++v) {
      cells.push_back({variants[v]});
      for (const std::size_t p : order) cells.back().push_back(value(v, p));
    }
  }
  return broken(cells, width);
}

}  // namespace poisson::lab
