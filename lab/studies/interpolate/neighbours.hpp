#pragma once

#include <string_view>

#include "lab/harness/noise.hpp"
#include "lab/harness/session.hpp"
#include "lab/harness/study.hpp"

namespace poisson::lab {

/// Returns the lecture's step with spacing 1: the mean of four neighbours and f.
constexpr float lecture_step(float left, float right, float down, float up, float f) {
  return (((left + right) + (down + up)) + f) * 0.25f;
}

/// Generates u (which = 0) and f (1) by index.
struct SquareNoise {
  int which = 0;
  constexpr float operator()(std::uint64_t point) const {
    return noise_float(2 * point + static_cast<std::uint64_t>(which));
  }
};

/// The oracle returns value number `point` of a sweep over n × n points. Beyond the ends the last value repeats.
struct SweptSquare {
  int n = 0;
  constexpr float operator()(std::int64_t point) const {
    const std::int64_t i = point % n, j = point / n;
    const auto u = [this](std::int64_t a, std::int64_t b) {
      const std::int64_t x = a < 0 ? 0 : a >= n ? n - 1 : a, y = b < 0 ? 0 : b >= n ? n - 1 : b;
      return SquareNoise{0}(static_cast<std::uint64_t>(y * n + x));
    };
    return lecture_step(u(i - 1, j), u(i + 1, j), u(i, j - 1), u(i, j + 1),
                        SquareNoise{1}(static_cast<std::uint64_t>(point)));
  }
};

inline constexpr std::string_view neighbours_anew = "indices anew for each neighbour",
                                  neighbours_hoisted = "indices hoisted", neighbours_texture = "texture coordinates";

/// Measures billions of points per second over the size of a square, panel "jacobi". Needs a GPU. Throws WrongResult.
Panel measure_neighbours(Session& session);

}  // namespace poisson::lab
