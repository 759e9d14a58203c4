#include "io/pictures/colour_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace poisson {

Colour colour_map(double t) {
  constexpr std::array<std::array<double, 3>, 10> anchors{{{0x44, 0x01, 0x54},
                                                           {0x48, 0x28, 0x78},
                                                           {0x3E, 0x4A, 0x89},
                                                           {0x31, 0x68, 0x8E},
                                                           {0x26, 0x82, 0x8E},
                                                           {0x1F, 0x9E, 0x89},
                                                           {0x35, 0xB7, 0x79},
                                                           {0x6D, 0xCD, 0x59},
                                                           {0xB4, 0xDE, 0x2C},
                                                           {0xFD, 0xE7, 0x25}}};
  constexpr int last = static_cast<int>(anchors.size()) - 1;
  const double position = std::clamp(t, 0.0, 1.0) * last;
  const int i = std::min(static_cast<int>(position), last - 1);
  const double s = position - i;
  // Uses Catmull-Rom splines between the anchors: with straight pieces, changes of slope would be visible as bands.
  const auto channel = [&](int c) {
    const auto value = [&](int k) {
      if (k < 0) return 2 * anchors[0][c] - anchors[1][c];
      if (k > last) return 2 * anchors[last][c] - anchors[last - 1][c];
      return anchors[k][c];
    };
    const double a = value(i - 1), b = value(i), d = value(i + 1), e = value(i + 2);
    const double curve = b + 0.5 * s * (d - a + s * (2 * a - 5 * b + 4 * d - e + s * (3 * (b - d) + e - a)));
    return static_cast<std::uint8_t>(std::lround(std::clamp(curve, 0.0, 255.0)));
  };
  return {channel(0), channel(1), channel(2)};
}

double lightness(Colour c) {
  return (0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue) / 255;
}

}  // namespace poisson
