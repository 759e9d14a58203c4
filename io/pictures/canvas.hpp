#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace poisson {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};

enum class Align { left, centre, right };

struct TextStyle {
  double size = 24;  ///< in pixels
  Colour colour{};
  Align align = Align::left;
  bool bold = false;
  bool upwards = false;  ///< is turned by 90°, readable from the right
};

/// A canvas is an image in memory; x counts from the left, y from the top.
class Canvas {
 public:
  Canvas(int width, int height, Colour background);

  int width() const { return width_; }
  int height() const { return height_; }
  /// Ignores pixels outside the canvas.
  void set(int x, int y, Colour);
  void blend(int x, int y, Colour, double opacity);
  /// Fills the pixels x0 ≤ x < x1, y0 ≤ y < y1.
  void fill(int x0, int y0, int x1, int y1, Colour);
  /// Draws a frame of the given `thickness` outside these pixels.
  void frame(int x0, int y0, int x1, int y1, int thickness, Colour);
  /// Draws a line of UTF-8 text whose baseline starts, is centred or ends at (x, y).
  void text(double x, double y, std::string_view text, const TextStyle&);
  /// Writes an RGB PNG file. Throws RunError if that fails.
  std::filesystem::path write_png(const std::filesystem::path& place) const;

 private:
  int width_, height_;
  std::vector<Colour> pixels_;
};

/// Returns the width of a line of text in pixels.
double text_width(std::string_view text, const TextStyle&);

}  // namespace poisson
