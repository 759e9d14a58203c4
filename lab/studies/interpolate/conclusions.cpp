#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/interpolate/neighbours.hpp"
#include "lab/studies/interpolate/study.hpp"

namespace poisson::lab {

double interpolated(const Refinement& refinement, int i, int j, int k) {
  const std::array<int, 3> c = refinement.coarse(), at{i, j, k};
  double sum = 0;
  for (int corner = 0; corner < 1 << refinement.dimension; ++corner) {
    double weight = 1;
    std::int64_t position = 0, stride = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(refinement.dimension); ++d) {
      const bool right = (corner >> d & 1) != 0;
      const double fraction = static_cast<double>(at[d] % refinement.factor) / refinement.factor;
      weight *= right ? fraction : 1 - fraction;
      position += stride * (at[d] / refinement.factor + (right ? 1 : 0));
      stride *= c[d];
    }
    sum += weight * static_cast<double>(noise_float(static_cast<std::uint64_t>(position)));
  }
  return sum;
}

namespace {

constexpr std::string_view filtered = "texture", refilled = "texture, filled anew", hoisted = "arithmetic, hoisted",
                           recomputed = "arithmetic, recomputed";

void on_speed(const Panel& panel, const std::string& dimensions, Lessons& lessons) {
  const Ratio texture = ratio_of(panel, hoisted, filtered), index = ratio_of(panel, hoisted, recomputed);
  if (!texture.known() || !index.known()) return;
  if (dimensions == "2-D" && index.more())
    lessons.say(
        "Hoist index arithmetic out of the inner loop: with one division per line instead of one per point, a "
        "2-D prolongation is " +
        times(index.median) + " as fast.");
  double low = INFINITY, high = 0;
  const Curve best(panel, hoisted);
  if (!panel.guides.empty())
    for (const Point& point : best.points()) {
      low = std::fmin(low, point.value / panel.guides.front().points.front()[1]);
      high = std::fmax(high, point.value / panel.guides.front().points.front()[1]);
    }
  lessons.say(panel.name, "In " + dimensions + ", arithmetic with hoisted indices is " + times(texture.median) +
                              " as fast as texture filtering, and reaches " + percent(low) + " to " + percent(high) +
                              " of a copy, depending on the factor.");
}

// Returns "in 2-D only the factors 2, 4 and 8 are exact, others are off by up to 0.0046".
std::string on_error(const Panel& panel, const std::string& dimensions) {
  constexpr double rounding = 1e-6;  // fp32, values below 1
  std::vector<std::string> exact;
  const Curve curve(panel, filtered);
  for (const Point& point : curve.points())
    if (point.value < rounding) exact.push_back(figure(point.x));
  return "in " + dimensions +
         (exact.empty() ? " no factor is exact" : " only the factors " + listed(exact) + " are exact") +
         ", others are off by up to " + figure(curve.highest().value);
}

void on_errors(const Panels& panels, Lessons& lessons) {
  const Panel *const flat = find_panel(panels, "error-2d"), *const solid = find_panel(panels, "error-3d");
  if (!flat || !solid || !best_of(*flat, filtered) || !best_of(*solid, filtered)) return;
  lessons.say(flat->name, "Filtering rounds its weights to 8 bits: " + on_error(*flat, "2-D") +
                              " of the data's range, " + on_error(*solid, "3-D") + ".");
}

void on_neighbours(const Panel& panel, Lessons& lessons) {
  const double last = places(panel).back();
  const Ratio large = ratio_at(panel, neighbours_hoisted, neighbours_anew, last),
              old = ratio_at(panel, neighbours_hoisted, neighbours_anew, 1024),
              texture = ratio_at(panel, neighbours_texture, neighbours_hoisted, last);
  if (!large.known() || !old.known() || !texture.known()) return;
  lessons.say(panel.name, "Hoisting the indices of a Jacobi sweep gains " + times(old.median) +
                              " at the lecture's 1024 × 1024 points, where 4 · 1024² computations become 4, and " +
                              times(large.median) + " at " + figure(last) + " × " + figure(last) +
                              ", where memory hides most of them; texture coordinates reach " +
                              percent(texture.median) + " of the hoisted rate.");
}

}  // namespace

std::vector<std::string> conclude_interpolate(const std::vector<Panel>& panels) {
  Lessons lessons;
  for (const int d : {2, 3}) {
    const std::string name = std::to_string(d) + "d";
    if (const Panel* speed = find_panel(panels, "speed-" + name)) on_speed(*speed, std::to_string(d) + "-D", lessons);
    if (d == 2) on_errors(panels, lessons);
  }
  if (const Panel* jacobi = find_panel(panels, "jacobi")) on_neighbours(*jacobi, lessons);
  return lessons.take();
}

}  // namespace poisson::lab
