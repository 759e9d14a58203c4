#include "io/pictures/marks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "io/pictures/outlines.hpp"
#include "io/pictures/strokes.hpp"
#include "io/pictures/ticks.hpp"

namespace poisson {
namespace {

constexpr Colour dark{18, 20, 26}, light{255, 255, 255};
// The flux of a plane that it crosses, or of a body without flow, is rounding below this share of the largest.
constexpr double least_flow = 1e-6;

/// Is a way to draw strokes: a core, and a halo around it, so that the core stands out on every colour.
struct Stroke {
  Colour core;
  double core_opacity = 1;
  Colour halo;
  double halo_opacity = 0, halo_width = 1;
};

constexpr Stroke outline_stroke{dark, 0.9, light, 0.5, 1.1};
constexpr Stroke streamline_stroke{light, 0.85, dark, 0.35, 1.0};
constexpr Stroke arrow_stroke{light, 1, dark, 0.8, 1.2};
constexpr double longest_reach = 4;

void blend(Canvas& canvas, int left, int top, const Strokes& strokes, const Stroke& stroke) {
  for (int y = 0; y < strokes.height(); ++y)
    for (int x = 0; x < strokes.width(); ++x) {
      const double distance = strokes.at(x, y);
      const double core = std::clamp(0.5 - distance, 0.0, 1.0);
      const double halo = std::clamp(stroke.halo_width + 0.5 - distance, 0.0, 1.0);
      if (halo > 0) canvas.blend(left + x, top + y, stroke.halo, halo * stroke.halo_opacity);
      if (core > 0) canvas.blend(left + x, top + y, stroke.core, core * stroke.core_opacity);
    }
}

/// Adds an arrow whose middle is at a point.
void add_arrow(Strokes& strokes, PicturePoint middle, PicturePoint direction, double length, double spacing) {
  const double head = std::min(0.45 * length, std::clamp(0.3 * spacing, 6.0, 14.0));
  const double half = 0.42 * head, shaft = std::clamp(0.25 * head, 1.0, 2.6);
  const auto place = [&](double along, double aside) {
    return PicturePoint{middle.x + along * direction.x - aside * direction.y,
                        middle.y + along * direction.y + aside * direction.x};
  };
  const double tip = length / 2;
  strokes.segment(place(-tip, 0), place(tip - 0.7 * head, 0), shaft);
  strokes.triangle(place(tip, 0), place(tip - head, half), place(tip - head, -half));
}

}  // namespace

Marks::Marks(const OutputGrid& grid, const PictureMarks& choice, const MarkSource& source)
    : grid_(grid), choice_(choice), source_(source) {
  if (choice_.flow() && source_.flux) flow_.emplace(grid);
}

void Marks::collect(const Processes& processes) {
  if (flow_) flow_->collect(source_.flux, processes);
}

void Marks::lay_out(const std::vector<Section>& sections) {
  sections_ = sections;
  std::size_t pixels = 0;
  double boundary = 0;
  for (const Section& section : sections_) {
    longest_side_ =
        std::max<double>({longest_side_, static_cast<double>(section.width), static_cast<double>(section.height)});
    if (!source_.regions || choice_.outlines == Outlines::hidden) continue;
    regions_.push_back(regions_of_pixels(grid_, section, *source_.regions));
    const auto count = regions_.back().size();
    boundary += boundary_share(regions_.back(), section.width, section.height) * static_cast<double>(count);
    pixels += count;
  }
  if (choice_.outlines == Outlines::automatic && boundary > most_boundary * static_cast<double>(pixels))
    regions_.clear();
  if (!flow_) return;
  largest_ = flow_->largest();
  for (std::size_t number = 0; number < sections_.size(); ++number)
    for_each_arrow(number, [&](PicturePoint, const Flow& flow) { longest_ = std::max(longest_, flow.magnitude); });
}

std::optional<Marks::Flow> Marks::flow_at(std::size_t number, PicturePoint p) const {
  const Section& s = sections_[number];
  const auto& columns = grid_.nodes[static_cast<std::size_t>(s.across)];
  const auto& rows = grid_.nodes[static_cast<std::size_t>(s.up)];
  const double across = (columns.back() - columns.front()) / s.width, up = (rows.back() - rows.front()) / s.height;
  const auto flux = flow_->at(number, columns.front() + across * p.x, rows.front() + up * (s.height - p.y));
  if (!flux) return {};
  const double magnitude = std::hypot((*flux)[0], (*flux)[1]);
  if (!(magnitude > least_flow * largest_)) return {};
  // The ratio of the axes keeps the vector within the range of numbers.
  const double x = (*flux)[0] / magnitude, y = -(*flux)[1] / magnitude * (across / up), length = std::hypot(x, y);
  return Flow{{x / length, y / length}, magnitude};
}

template <class F>
void Marks::for_each_arrow(std::size_t number, const F& f) const {
  if (choice_.arrows == 0) return;
  const Section& s = sections_[number];
  const double spacing = longest_side_ / choice_.arrows;
  const auto fitting = [&](int size) { return std::max(1, static_cast<int>(std::lround(size / spacing))); };
  const int columns = fitting(s.width), rows = fitting(s.height);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const PicturePoint p{s.width * (c + 0.5) / columns, s.height * (r + 0.5) / rows};
      if (const auto flow = flow_at(number, p)) f(p, *flow);
    }
}

void Marks::draw_outlines(Canvas& canvas, int left, int top, std::size_t number) const {
  if (regions_.empty()) return;
  Strokes strokes(sections_[number].width, sections_[number].height, longest_reach);
  trace_outlines(regions_[number], 1.8, strokes);
  blend(canvas, left, top, strokes, outline_stroke);
}

void Marks::draw_streamlines(Canvas& canvas, int left, int top, std::size_t number) const {
  const Section& s = sections_[number];
  const double separation = longest_side_ / choice_.streamlines;
  const auto lines = streamlines(s.width, s.height, separation, [&](PicturePoint p) -> std::optional<PicturePoint> {
    const auto flow = flow_at(number, p);
    if (!flow) return {};
    return flow->direction;
  });
  Strokes strokes(s.width, s.height, longest_reach);
  const double head = std::clamp(0.3 * separation, 6.0, 12.0);
  for (const Streamline& line : lines) {
    for (std::size_t i = 1; i < line.size(); ++i) strokes.segment(line[i - 1], line[i], 1.6);
    // An arrowhead in the middle of the line states the direction.
    const PicturePoint middle = line[line.size() / 2];
    const auto flow = flow_at(number, middle);
    if (!flow) continue;
    const PicturePoint d = flow->direction;
    const auto place = [&](double along, double aside) {
      return PicturePoint{middle.x + along * d.x - aside * d.y, middle.y + along * d.y + aside * d.x};
    };
    strokes.triangle(place(head / 2, 0), place(-head / 2, 0.4 * head), place(-head / 2, -0.4 * head));
  }
  blend(canvas, left, top, strokes, streamline_stroke);
}

void Marks::draw_arrows(Canvas& canvas, int left, int top, std::size_t number) const {
  if (!(longest_ > 0)) return;
  constexpr double shortest = 3;  // pixels; shorter arrows have no visible direction
  const double spacing = longest_side_ / choice_.arrows;
  Strokes strokes(sections_[number].width, sections_[number].height, longest_reach);
  for_each_arrow(number, [&](PicturePoint p, const Flow& flow) {
    const double length = 0.85 * spacing * flow.magnitude / longest_;
    if (length >= shortest) add_arrow(strokes, p, flow.direction, length, spacing);
  });
  blend(canvas, left, top, strokes, arrow_stroke);
}

void Marks::draw(Canvas& canvas, int left, int top, std::size_t number) const {
  if (flow_ && choice_.streamlines > 0) draw_streamlines(canvas, left, top, number);
  draw_outlines(canvas, left, top, number);
  if (flow_ && choice_.arrows > 0) draw_arrows(canvas, left, top, number);
}

std::string Marks::legend() const {
  if (!flow_) return {};
  if (!(largest_ > 0)) return "the flux is 0";
  if (choice_.arrows == 0) return "streamlines of the flux";
  return fmt::format("{} of the flux; the longest arrow is {}",
                     choice_.streamlines > 0 ? "arrows and streamlines" : "arrows", readable(longest_, 3));
}

}  // namespace poisson
