#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/files/output.hpp"
#include "io/pictures/canvas.hpp"
#include "io/pictures/colour_map.hpp"
#include "io/pictures/marks.hpp"
#include "io/pictures/panel.hpp"
#include "io/pictures/shown_field.hpp"
#include "io/pictures/ticks.hpp"

namespace poisson {
namespace {

constexpr Colour paper{255, 255, 255}, grey{108, 112, 120}, alarm{196, 43, 43};
constexpr int margin = 56, bar_width = 30;
constexpr double large_text = 40;
constexpr const char* file_name = "solution.png";

/// Returns the values of a section, one per pixel, starting with the top row.
std::vector<double> sample(const OutputGrid& grid, const ShownField& shown, const Section& section,
                           std::size_t number) {
  const auto places = [&](int axis, int count) {
    const auto& nodes = grid.nodes[axis];
    std::vector<Place> list(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      list[i] = shown.locate_along(axis, nodes.front() + (nodes.back() - nodes.front()) * (i + 0.5) / count);
    return list;
  };
  const auto columns = places(section.across, section.width), rows = places(section.up, section.height);
  const Place depth = shown.depth(number);
  const auto interpolate = [&](const Place& place, auto&& value) {
    // A value with zero weight must not count, even if it is not finite.
    if (place.weight == 0) return value(false);
    if (place.weight == 1) return value(true);
    return (1 - place.weight) * value(false) + place.weight * value(true);
  };
  std::vector<double> pixels;
  pixels.reserve(columns.size() * rows.size());
  for (std::size_t r = rows.size(); r-- > 0;)  // the top row is first
    for (const auto& column : columns)
      pixels.push_back(interpolate(depth, [&](bool deeper) {
        return interpolate(rows[r], [&](bool higher) {
          return interpolate(column, [&](bool further) {
            return shown.at(number, deeper, further ? column.upper : column.lower,
                            higher ? rows[r].upper : rows[r].lower);
          });
        });
      }));
  return pixels;
}

/// Isolines are light on dark colours and dark on light ones.
struct LineStyle {
  Colour colour;
  double opacity;
};

LineStyle line_style(double share) {
  if (lightness(colour_map(share)) < 0.55) return {{255, 255, 255}, 0.4};
  return {{0, 0, 0}, 0.25};
}

/// Returns the levels of isolines as shares of the range, without its ends.
std::vector<double> isolines(const ShownField& shown) {
  std::vector<double> shares;
  if (!shown.any() || shown.constant() || !shown.smooth()) return shares;
  const Ticks ticks =
      shown.logarithmic() ? decade_ticks(shown.lower, shown.upper, 20) : round_ticks(shown.lower, shown.upper, 20);
  for (const double level : ticks.values)
    if (const double share = shown.share(level); share > 0.005 && share < 0.995) shares.push_back(share);
  return shares;
}

/// Draws isolines. The distance to an isoline is the difference from its level over the slope per pixel.
void draw_isolines(Canvas& canvas, int left, int top, const Section& section, const std::vector<double>& shares,
                   const std::vector<double>& levels) {
  if (levels.empty()) return;
  const auto at = [&](int x, int y) { return shares[static_cast<std::size_t>(y) * section.width + x]; };
  constexpr double reach = 1.3;  // pixels
  for (int y = 1; y + 1 < section.height; ++y)
    for (int x = 1; x + 1 < section.width; ++x) {
      const double dx = at(x + 1, y) - at(x - 1, y), dy = at(x, y + 1) - at(x, y - 1);
      const double slope = std::sqrt(dx * dx + dy * dy) / 2;
      if (!(slope > 1e-6) || !std::isfinite(slope)) continue;  // plateaus have only noise
      const double here = at(x, y);
      for (auto level = std::ranges::lower_bound(levels, here - reach * slope);
           level != levels.end() && *level < here + reach * slope; ++level) {
        const auto style = line_style(*level);
        const double nearness = reach - std::abs(here - *level) / slope;
        canvas.blend(left + x, top + y, style.colour, std::min(1.0, nearness) * style.opacity);
      }
    }
}

/// Says how values without a number are shown. Bodies and images have cells without a solution.
struct WithoutValue {
  Colour colour;
  const char* words;

  explicit WithoutValue(const OutputNote& note)
      : colour(note.mark_source.regions ? no_solution : not_finite),
        words(note.mark_source.regions ? "no solution" : "not finite") {}
};

void draw_panel(Canvas& canvas, int left, int top, const OutputGrid& grid, const ShownField& shown, const Panel& panel,
                const Marks& marks, std::size_t number, const std::vector<double>& levels, Colour without_value) {
  const Section& section = panel.section;
  std::vector<double> shares = sample(grid, shown, section, number);
  for (double& value : shares)
    value = std::isfinite(value) ? shown.share(value) : std::numeric_limits<double>::quiet_NaN();
  for (int y = 0; y < section.height; ++y)
    for (int x = 0; x < section.width; ++x) {
      const double share = shares[static_cast<std::size_t>(y) * section.width + x];
      canvas.set(left + x, top + y, std::isfinite(share) ? colour_map(share) : without_value);
    }
  draw_isolines(canvas, left, top, section, shares, levels);
  marks.draw(canvas, left, top, number);
  draw_axes(canvas, left, top, grid, panel);
}

std::string bar_name(const ShownField& shown, const Ticks& ticks) {
  return shown.name() + (ticks.factor.empty() ? "" : "  (" + ticks.factor + ")");
}

/// Returns the width of the bar with its labels.
int bar_room(const ShownField& shown, const Ticks& ticks) {
  constexpr int least = 180, beside = bar_width + frame_width + tick_length + 8;
  double widest = 0;
  for (const std::string& text : ticks.labels) widest = std::max(widest, text_width(text, axis_label));
  const double room = std::max(text_width(bar_name(shown, ticks), axis_label), beside + widest) + margin / 2.0;
  return std::max(least, static_cast<int>(std::ceil(room)));
}

void draw_bar(Canvas& canvas, int left, int top, int bottom, const ShownField& shown, const Ticks& ticks,
              const std::vector<double>& levels, const WithoutValue& without) {
  constexpr int width = bar_width;
  const TextStyle label{.size = small_text, .colour = ink};
  const int length = bottom - top;
  if (shown.any()) {
    for (int y = top; y < bottom; ++y)
      canvas.fill(left, y, left + width, y + 1,
                  colour_map(shown.constant() ? 0.5 : 1 - (y - top + 0.5) / static_cast<double>(length)));
    for (const double level : levels)
      for (int x = left; x < left + width; ++x)
        canvas.blend(x, bottom - static_cast<int>(std::lround(level * length)), line_style(level).colour,
                     line_style(level).opacity);
    canvas.frame(left, top, left + width, bottom, frame_width, ink);
    for (std::size_t i = 0; i < ticks.values.size(); ++i) {
      const int y = bottom - static_cast<int>(std::lround(shown.share(ticks.values[i]) * length));
      canvas.fill(left + width + frame_width, y - 1, left + width + frame_width + tick_length, y + 1, ink);
      canvas.text(left + width + frame_width + tick_length + 8, y + 8, ticks.labels[i], label);
    }
    canvas.text(left, top - 18, bar_name(shown, ticks), label);
  }
  if (!shown.complete) {
    canvas.fill(left, bottom + 30, left + width, bottom + 52, without.colour);
    canvas.text(left + width + frame_width + tick_length + 8, bottom + 49, without.words, label);
  }
}

/// Returns the drawn lengths of the axes; the longest is 1. They are to scale up to a ratio of 8 and bounded beyond it.
std::array<double, 3> drawn_lengths(const OutputGrid& grid, bool& bounded) {
  std::array<double, 3> lengths{};
  for (int axis = 0; axis < grid.dimension; ++axis) lengths[axis] = grid.nodes[axis].back() - grid.nodes[axis].front();
  const double longest = *std::max_element(lengths.begin(), lengths.end());
  bounded = false;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    lengths[axis] /= longest;
    bounded = bounded || lengths[axis] < 0.125;
    lengths[axis] = std::max(lengths[axis], 0.125);
  }
  return lengths;
}

std::vector<Section> sections(const OutputGrid& grid, const std::array<double, 3>& lengths) {
  std::vector<Section> list = shown_planes(grid);
  double width = 0, height = 0;
  for (const auto& s : list) {
    width += lengths[s.across];
    height = std::max(height, lengths[s.up]);
  }
  const double scale =
      grid.dimension == 2 ? std::min(1100 / width, 900 / height) : std::min(1500 / width, 640 / height);
  for (auto& s : list) {
    s.width = static_cast<int>(std::lround(lengths[s.across] * scale));
    s.height = static_cast<int>(std::lround(lengths[s.up] * scale));
  }
  return list;
}

/// Returns the text cut to a width, with an ellipsis.
std::string fitted(std::string text, const TextStyle& style, double width) {
  if (text_width(text, style) <= width) return text;
  while (!text.empty() && text_width(text + "…", style) > width) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
    if (!text.empty()) text.pop_back();
  }
  return text + "…";
}

void draw_heading(Canvas& canvas, const OutputGrid& grid, const ShownField& shown, const OutputNote& note,
                  bool bounded) {
  const double room = canvas.width() - 2.0 * margin;
  TextStyle title{.size = large_text, .colour = ink, .bold = true};
  const std::string text = note.title.empty() ? shown.name() : note.title;
  title.size = std::clamp(large_text * room / std::max(1.0, text_width(text, title)), 0.65 * large_text, large_text);
  canvas.text(margin, margin + 34, fitted(text, title, room), title);

  std::string cells;
  const auto n = grid.shape(Location::cell);
  for (int axis = 0; axis < grid.dimension; ++axis) cells += fmt::format("{}{}", axis ? " × " : "", n[axis]);
  std::string line = cells + " cells";
  // A narrow range needs enough digits to distinguish its ends.
  const double size = std::max(std::abs(shown.lower), std::abs(shown.upper));
  const double same = shown.any() && !shown.constant() ? std::log10(size / 2 / (shown.upper / 2 - shown.lower / 2)) : 0;
  const int digits = 4 + std::max(0, static_cast<int>(std::ceil(same)));
  // An end that is zero up to rounding is shown as 0.
  const auto end_of_range = [&](double end) { return readable(std::abs(end) < 1e-13 * size ? 0 : end, digits); };
  if (shown.any())
    line += shown.constant() ? fmt::format("  ·  {} = {}", shown.name(), readable(shown.lower, 5))
                             : fmt::format("  ·  {} from {} to {}", shown.name(), end_of_range(shown.lower),
                                           end_of_range(shown.upper));
  if (bounded) line += "  ·  axes not to scale";
  TextStyle subtitle{.size = 24, .colour = grey};
  const std::string verdict = note.converged ? "" : "not converged";
  const double warned = note.converged ? 0 : text_width(verdict, subtitle) + 30;
  line = fitted(line, subtitle, room - warned);
  canvas.text(margin, margin + 78, line, subtitle);
  const double x = margin + text_width(line, subtitle) + 30;
  subtitle.colour = alarm;
  canvas.text(x, margin + 78, verdict, subtitle);
}

class PictureFile final : public FieldFile {
 public:
  PictureFile(std::filesystem::path directory, OutputGrid grid, const FieldHead& head, OutputNote note,
              std::shared_ptr<const Processes> processes)
      : directory_(std::move(directory)),
        grid_(std::move(grid)),
        shown_(grid_, head),
        note_(std::move(note)),
        marks_(grid_, note_.marks, note_.mark_source),
        processes_(std::move(processes)) {}

  void write(std::span<const double> values) override { shown_.add(values); }
  std::vector<std::filesystem::path> close() override {
    shown_.collect(*processes_);
    marks_.collect(*processes_);
    together(*processes_, [&] {
      shown_.use(note_.colours);
      if (processes_->first()) write_png(directory_, grid_, shown_, marks_, note_);
    });
    return {directory_ / file_name};
  }

 private:
  std::filesystem::path directory_;
  OutputGrid grid_;
  ShownField shown_;
  OutputNote note_;
  Marks marks_;
  std::shared_ptr<const Processes> processes_;
};

}  // namespace

std::unique_ptr<FieldFile> open_picture(const std::filesystem::path& directory, const OutputGrid& grid,
                                        std::vector<FieldHead> fields, const OutputNote& note,
                                        const std::shared_ptr<const Processes>& processes) {
  return std::make_unique<PictureFile>(directory, grid, fields.front(), note, processes);
}

std::filesystem::path write_png(const std::filesystem::path& directory, const OutputGrid& grid, const ShownField& shown,
                                Marks& marks, const OutputNote& note) {
  bool bounded = false;
  const auto list = sections(grid, drawn_lengths(grid, bounded));
  int highest = 0;
  for (const auto& section : list) highest = std::max(highest, section.height);
  const int most = std::clamp(highest / 62, 2, 10);
  const auto ticks = !shown.any()          ? Ticks{}
                     : shown.logarithmic() ? decade_ticks(shown.lower, shown.upper, most)
                                           : round_ticks(shown.lower, shown.upper, most);
  const auto levels = isolines(shown);
  const WithoutValue without(note);

  std::vector<Panel> panels;
  panels.reserve(list.size());
  for (const auto& section : list) panels.push_back(lay_out(grid, section, grid.dimension == 3));
  constexpr int heading = 2 * margin + 62, gap = 24, footing = 68 + margin / 2, legend_height = 40;
  marks.lay_out(list);
  const std::string legend = marks.legend();
  const int top = heading + (grid.dimension == 3 ? 54 : 36);
  int width = margin / 2;
  for (const Panel& panel : panels) width += panel.before + panel.section.width + panel.after + gap;
  const int bar_left = width + gap;
  Canvas canvas(std::max(bar_left + bar_room(shown, ticks), 760),
                top + highest + footing + (legend.empty() ? 0 : legend_height), paper);
  draw_heading(canvas, grid, shown, note, bounded);
  int left = margin / 2;
  for (std::size_t number = 0; number < panels.size(); ++number) {
    const Panel& panel = panels[number];
    left += panel.before;
    const int panel_top = top + highest - panel.section.height;
    draw_panel(canvas, left, panel_top, grid, shown, panel, marks, number, levels, without.colour);
    if (grid.dimension == 3)
      canvas.text(left + panel.section.width / 2.0, panel_top - 18, title_of(panel.section), panel_title);
    left += panel.section.width + panel.after + gap;
  }
  draw_bar(canvas, bar_left, top, top + highest, shown, ticks, levels, without);
  canvas.text(margin, top + highest + footing + 22, legend, {.size = small_text, .colour = grey});
  return canvas.write_png(directory / file_name);
}

}  // namespace poisson
