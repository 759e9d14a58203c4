#include "io/pictures/panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace poisson {
namespace {

std::string axis_name(int axis, const Ticks& ticks) {
  return fmt::format("{}{}", "xyz"[axis], ticks.factor.empty() ? "" : "  (" + ticks.factor + ")");
}

/// Returns the pixels from the lower end of an axis that is drawn with `length` pixels.
double pixels_to(const std::vector<double>& nodes, double x, int length) {
  return (x - nodes.front()) / (nodes.back() - nodes.front()) * length;
}

/// Returns the largest number of round ticks whose labels fit below an axis.
Ticks ticks_below(const std::vector<double>& nodes, int length) {
  constexpr double gap = 14;
  const auto fit = [&](const Ticks& ticks) {
    double end = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < ticks.values.size(); ++i) {
      const double at = pixels_to(nodes, ticks.values[i], length), half = text_width(ticks.labels[i], axis_label) / 2;
      if (at - half < end + gap) return false;
      end = at + half;
    }
    return true;
  };
  int most = std::clamp(length / 90, 1, 8);
  Ticks ticks = round_ticks(nodes.front(), nodes.back(), most);
  while (!fit(ticks) && most > 1) ticks = round_ticks(nodes.front(), nodes.back(), --most);
  if (!fit(ticks)) {
    ticks.values.resize(1);
    ticks.labels.resize(1);
  }
  return ticks;
}

}  // namespace

std::string title_of(const Section& section) {
  return fmt::format("{} = {}", "xyz"[section.normal], readable(section.position, 4));
}

Panel lay_out(const OutputGrid& grid, const Section& section, bool titled) {
  constexpr double name_height = 26;
  const auto& columns = grid.nodes[section.across];
  const auto& rows = grid.nodes[section.up];
  Panel panel{section, ticks_below(columns, section.width),
              round_ticks(rows.front(), rows.back(), std::clamp(section.height / 90, 1, 8))};
  for (const std::string& text : panel.up.labels) panel.widest = std::max(panel.widest, text_width(text, axis_label));
  double before = frame_width + tick_length + 22 + panel.widest + name_height, after = frame_width;
  const auto centred = [&](double at, const std::string& text, const TextStyle& style) {
    const double half = text_width(text, style) / 2;
    before = std::max(before, half - at);
    after = std::max(after, at + half - section.width);
  };
  for (std::size_t i = 0; i < panel.across.values.size(); ++i)
    centred(pixels_to(columns, panel.across.values[i], section.width), panel.across.labels[i], axis_label);
  centred(section.width / 2.0, axis_name(section.across, panel.across), axis_label);
  if (titled) centred(section.width / 2.0, title_of(section), panel_title);
  panel.before = static_cast<int>(std::ceil(before));
  panel.after = static_cast<int>(std::ceil(after));
  return panel;
}

void draw_axes(Canvas& canvas, int left, int top, const OutputGrid& grid, const Panel& panel) {
  const Section& section = panel.section;
  const int right = left + section.width, bottom = top + section.height;
  canvas.frame(left, top, right, bottom, frame_width, ink);
  const auto position = [&](int axis, double x, int length) {
    return static_cast<int>(std::lround(pixels_to(grid.nodes[axis], x, length)));
  };
  for (std::size_t i = 0; i < panel.across.values.size(); ++i) {
    const int x = left + position(section.across, panel.across.values[i], section.width);
    canvas.fill(x - 1, bottom + frame_width, x + 1, bottom + frame_width + tick_length, ink);
    canvas.text(x, bottom + frame_width + tick_length + 24, panel.across.labels[i], axis_label);
  }
  canvas.text((left + right) / 2.0, bottom + 68, axis_name(section.across, panel.across), axis_label);
  TextStyle to_the_left = axis_label;
  to_the_left.align = Align::right;
  for (std::size_t i = 0; i < panel.up.values.size(); ++i) {
    const int y = bottom - position(section.up, panel.up.values[i], section.height);
    canvas.fill(left - frame_width - tick_length, y - 1, left - frame_width, y + 1, ink);
    canvas.text(left - frame_width - tick_length - 6, y + 8, panel.up.labels[i], to_the_left);
  }
  TextStyle turned = axis_label;
  turned.upwards = true;
  canvas.text(left - frame_width - tick_length - 22 - panel.widest, (top + bottom) / 2.0,
              axis_name(section.up, panel.up), turned);
}

}  // namespace poisson
