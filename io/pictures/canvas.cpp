// This file draws text from the outlines of VTK's embedded font and writes PNG files. With outlines, the size and place
// of text need not be integers of pixels, and superscripts are possible.

#include "io/pictures/canvas.hpp"

// VTK 9.1 deprecates its Unicode strings, but it draws only ASCII without them.
#define VTK_DEPRECATION_LEVEL 0

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <vtkFreeTypeTools.h>
#include <vtkImageData.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPNGWriter.h>
#include <vtkPath.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkTextProperty.h>
#include <vtkUnsignedCharArray.h>
#include <vtkVersionMacros.h>

#include "io/files/pending_file.hpp"
#include "io/terminal/coverage.hpp"

namespace poisson {
namespace {

constexpr double em = 1000;  // size of the requested outlines
constexpr double script_size = 0.68, script_rise = 0.36;

/// A run is a part of a line of text in one size.
struct Run {
  vtkSmartPointer<vtkPath> outline;
  double x = 0, rise = 0, scale = 1;  // in font sizes
};

// Since VTK 9.2, plain strings are UTF-8 and the other type is gone.
#if VTK_VERSION_NUMBER < 90200000000ULL
vtkUnicodeString vtk_text(const std::string& text) {
  return vtkUnicodeString::from_utf8(text);
}
#else
const std::string& vtk_text(const std::string& text) {
  return text;
}
#endif

std::vector<char32_t> decode_utf8(std::string_view text) {
  std::vector<char32_t> points;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    char32_t point = more == 0 ? lead : lead & (0x3F >> more);
    for (; more > 0 && i < text.size(); --more) point = point << 6 | (static_cast<unsigned char>(text[i++]) & 0x3F);
    points.push_back(point);
  }
  return points;
}

/// Returns the name of a mathematical letter that the font lacks.
std::string_view spelled(char32_t point) {
  constexpr std::array<std::pair<char32_t, std::string_view>, 16> names{{{U'α', "alpha"},
                                                                         {U'β', "beta"},
                                                                         {U'γ', "gamma"},
                                                                         {U'δ', "delta"},
                                                                         {U'ε', "epsilon"},
                                                                         {U'θ', "theta"},
                                                                         {U'κ', "kappa"},
                                                                         {U'λ', "lambda"},
                                                                         {U'π', "pi"},
                                                                         {U'ρ', "rho"},
                                                                         {U'σ', "sigma"},
                                                                         {U'φ', "phi"},
                                                                         {U'ω', "omega"},
                                                                         {U'∇', "grad "},
                                                                         {U'⋅', "·"},
                                                                         {U'→', "->"}}};
  for (const auto& [letter, name] : names)
    if (letter == point) return name;
  return "?";
}

/// Returns the digit or sign of a superscript character, or 0.
char32_t raised(char32_t point) {
  constexpr std::u32string_view from = U"⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", to = U"0123456789+\u2212n";
  const auto at = from.find(point);
  return at == from.npos ? 0 : to[at];
}

std::string encode_utf8(char32_t point) {
  if (point < 0x80) return {static_cast<char>(point)};
  std::string tail;
  char32_t lead = 0x40;  // exceeds the lead byte
  while (point >= lead) {
    tail.insert(tail.begin(), static_cast<char>(0x80 | (point & 0x3F)));
    point >>= 6;
    lead >>= 1;
  }
  const unsigned mark = 0xFFu & ~(0xFFu >> (tail.size() + 1));
  return static_cast<char>(mark | point) + tail;
}

vtkNew<vtkTextProperty> font(bool bold) {
  vtkNew<vtkTextProperty> property;
  property->SetFontFamilyToArial();
  property->SetFontSize(static_cast<int>(em));
  property->SetBold(bold);
  return property;
}

/// Computes the outline of a text and returns its width, both in thousandths of the font size. Its baseline is not at
/// 0.
double outline_of(const std::string& text, vtkTextProperty* property, vtkPath* outline) {
  auto* tools = vtkFreeTypeTools::GetInstance();
  tools->StringToPath(property, vtk_text(text), 72, outline);
  int box[4] = {0, -1, 0, -1};
  tools->GetBoundingBox(property, vtk_text(text), 72, box);
  return box[1] - box[0] + 1;
}

/// Contains a line of text for a font of size 1.
struct Line {
  std::vector<Run> runs;
  double width = 0;
};

Line shape_anew(std::string_view text, bool bold) {
  const auto property = font(bold);
  const auto exists = [&](char32_t point) {
    if (point == U' ' || point == U'\u00A0') return true;
    const auto glyph = vtkFreeTypeTools::GetInstance()->GetUnscaledGlyphOutline(property, point);
    return glyph.Path && glyph.Path->GetNumberOfPoints() > 0;
  };
  std::vector<Run> runs;
  double x = 0;
  std::string part;
  bool script = false;  // the part is a superscript
  const auto finish = [&] {
    if (part.empty()) return;
    const double scale = script ? script_size : 1;
    auto outline = vtkSmartPointer<vtkPath>::New();
    const double width = outline_of(part, property, outline) / em * scale;
    runs.push_back({outline, x, script ? script_rise : 0, scale});
    x += width;
    part.clear();
  };
  for (const char32_t point : decode_utf8(text)) {
    const char32_t base = raised(point);
    if (script != (base != 0)) finish();
    script = base != 0;
    const char32_t shown = base ? base : point < U' ' ? U' ' : point;
    part += exists(shown) ? encode_utf8(shown) : std::string(spelled(shown));
  }
  finish();
  return {std::move(runs), x};
}

/// Returns the shape of a line. VTK draws all letters to measure a line, each line is measured and drawn, and labels
/// repeat. So each thread has a bounded cache of shapes, which its next picture reuses.
const Line& shape(std::string_view text, bool bold) {
  constexpr std::size_t most = 1000;
  thread_local std::map<std::pair<std::string, bool>, Line> known;
  if (known.size() > most) known.clear();
  const auto [at, added] = known.try_emplace({std::string(text), bold});
  if (added) at->second = shape_anew(text, bold);
  return at->second;
}

/// VTK puts the lowest descender at 0; the letter H has its lower end on the baseline.
double baseline_of(bool bold) {
  return shape("H", bold).runs.front().outline->GetPoints()->GetBounds()[2];
}

/// Adds the outline to the coverage. `place` maps the outline's coordinates to pixels.
template <class Place>
void trace(const Run& run, double baseline, Coverage& coverage, const Place& place) {
  std::array<Coverage::Point, 4> control{};
  std::size_t pending = 0;
  Coverage::Point start{}, at{};
  const auto line_to = [&](Coverage::Point to) {
    coverage.edge(at, to);
    at = to;
  };
  const auto curve = [&](int degree) {
    constexpr int pieces = 8;
    const Coverage::Point from = at;
    for (int i = 1; i <= pieces; ++i) {
      const double t = static_cast<double>(i) / pieces, s = 1 - t;
      const auto mix = [&](double Coverage::Point::*c) {
        return degree == 2 ? s * s * from.*c + 2 * s * t * control[0].*c + t * t * control[1].*c
                           : s * s * s * from.*c + 3 * s * s * t * control[0].*c + 3 * s * t * t * control[1].*c +
                                 t * t * t * control[2].*c;
      };
      line_to({mix(&Coverage::Point::x), mix(&Coverage::Point::y)});
    }
    pending = 0;
  };
  for (vtkIdType i = 0; i < run.outline->GetNumberOfPoints(); ++i) {
    const double* p = run.outline->GetPoint(i);
    const Coverage::Point to = place(run.x + p[0] / em * run.scale, run.rise + (p[1] - baseline) / em * run.scale);
    switch (run.outline->GetCodes()->GetValue(i)) {
      case vtkPath::MOVE_TO:
        line_to(start);
        start = at = to;
        break;
      case vtkPath::LINE_TO:
        line_to(to);
        break;
      case vtkPath::CONIC_CURVE:
        control[pending++] = to;
        if (pending == 2) curve(2);
        break;
      default:
        control[pending++] = to;
        if (pending == 3) curve(3);
    }
  }
  line_to(start);
}

}  // namespace

Canvas::Canvas(int width, int height, Colour background)
    : width_(width), height_(height), pixels_(static_cast<std::size_t>(width) * height, background) {}

void Canvas::set(int x, int y, Colour colour) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  pixels_[static_cast<std::size_t>(y) * width_ + x] = colour;
}

void Canvas::blend(int x, int y, Colour colour, double opacity) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  Colour& pixel = pixels_[static_cast<std::size_t>(y) * width_ + x];
  const auto mix = [opacity](std::uint8_t& below, std::uint8_t above) {
    below = static_cast<std::uint8_t>(std::lround(below + (above - below) * opacity));
  };
  mix(pixel.red, colour.red);
  mix(pixel.green, colour.green);
  mix(pixel.blue, colour.blue);
}

void Canvas::fill(int x0, int y0, int x1, int y1, Colour colour) {
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) set(x, y, colour);
}

void Canvas::frame(int x0, int y0, int x1, int y1, int thickness, Colour colour) {
  fill(x0 - thickness, y0 - thickness, x1 + thickness, y0, colour);
  fill(x0 - thickness, y1, x1 + thickness, y1 + thickness, colour);
  fill(x0 - thickness, y0, x0, y1, colour);
  fill(x1, y0, x1 + thickness, y1, colour);
}

double text_width(std::string_view text, const TextStyle& style) {
  return shape(text, style.bold).width * style.size;
}

void Canvas::text(double x, double y, std::string_view text, const TextStyle& style) {
  const auto [runs, width] = shape(text, style.bold);
  const double shift = style.align == Align::left ? 0 : style.align == Align::centre ? width / 2 : width;
  // No glyph leaves this window around the text.
  const int border = static_cast<int>(std::ceil(1.5 * style.size));
  const int length = static_cast<int>(std::ceil(width * style.size)) + 2 * border;
  const int start = static_cast<int>(std::floor(-shift * style.size)) - border;
  const int x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
  const int left = style.upwards ? x0 - border : x0 + start;
  const int top = style.upwards ? y0 - start - length : y0 - border;
  Coverage coverage(style.upwards ? 2 * border : length, style.upwards ? length : 2 * border);
  const double baseline = baseline_of(style.bold);
  for (const auto& run : runs)
    trace(run, baseline, coverage, [&](double along, double up) -> Coverage::Point {
      along = (along - shift) * style.size;
      up *= style.size;
      return style.upwards ? Coverage::Point{x - left - up, y - top - along}
                           : Coverage::Point{x - left + along, y - top - up};
    });
  coverage.visit([&](int column, int row, double part) { blend(left + column, top + row, style.colour, part); });
}

std::filesystem::path Canvas::write_png(const std::filesystem::path& place) const {
  // VTK counts rows from the bottom.
  vtkNew<vtkUnsignedCharArray> rgb;
  rgb->SetNumberOfComponents(3);
  rgb->SetNumberOfTuples(static_cast<vtkIdType>(width_) * height_);
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) {
      const Colour c = pixels_[static_cast<std::size_t>(y) * width_ + x];
      const unsigned char tuple[3] = {c.red, c.green, c.blue};
      rgb->SetTypedTuple(static_cast<vtkIdType>(height_ - 1 - y) * width_ + x, tuple);
    }
  vtkNew<vtkImageData> image;
  image->SetDimensions(width_, height_, 1);
  image->GetPointData()->SetScalars(rgb);

  // The image is encoded in memory, because libpng prints its file errors.
  vtkNew<vtkPNGWriter> writer;
  writer->WriteToMemoryOn();
  writer->SetInputData(image);
  writer->Write();
  vtkUnsignedCharArray* png = writer->GetResult();
  PendingFile file(place);
  file.write({reinterpret_cast<const char*>(png->GetPointer(0)), static_cast<std::size_t>(png->GetNumberOfValues())});
  return file.commit();
}

}  // namespace poisson
