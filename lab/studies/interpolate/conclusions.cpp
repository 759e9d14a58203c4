#include <cmath>

#include "lab/page/curve.hpp"
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

// The geometric mean of the ratio of two variants over the places that both have.
double ratio(const Panel& panel, std::string_view a, std::string_view b) {
  double sum = 0;
  int count = 0;
  const Curve one(panel, a), other(panel, b);
  for (const Point& point : one.points())
    if (const double value = other.at(point.x); value > 0) {
      sum += std::log(point.value / value);
      ++count;
    }
  return count == 0 ? std::nan("") : std::exp(sum / count);
}

std::string compared(double factor, const std::string& faster, const std::string& slower, const std::string& alike) {
  if (factor > 1.05) return faster + " " + figure(factor) + " times as fast";
  if (factor < 1 / 1.05) return slower + " " + figure(1 / factor) + " times as fast";
  return alike;
}

void judge_speed(const Panel& panel, const std::string& dimensions, std::vector<std::string>& sentences) {
  const double texture = ratio(panel, filtered, hoisted), index = ratio(panel, hoisted, recomputed),
               copy = ratio(panel, refilled, hoisted);
  if (!std::isnan(texture)) {
    std::string sentence = "In " + dimensions + " " +
                           compared(texture, "texture filtering is", "arithmetic with hoisted indices is",
                                    "texture filtering and arithmetic with hoisted indices are equally fast") +
                           (texture > 1.05   ? " as arithmetic with hoisted indices"
                            : texture < 0.95 ? " as texture filtering"
                                             : "");
    if (!std::isnan(copy))
      sentence += "; where the coarse values are new each time and must first be copied into the texture's array, " +
                  compared(copy, "filtering is", "arithmetic is", "they are equally fast");
    sentences.push_back(sentence + ".");
  }
  if (!std::isnan(index))
    sentences.push_back("In " + dimensions + " " +
                        compared(index, "arithmetic with the indices hoisted out of the inner loop is",
                                 "arithmetic that computes every index anew is",
                                 "hoisting the index arithmetic makes no difference: memory hides it") +
                        (index > 1.05 ? " as with every index computed anew: divide once per line, not once per point."
                         : index < 0.95 ? " as with hoisted ones."
                                        : "."));
  if (!panel.points.empty() && !panel.guides.empty()) {
    const Point& best = highest_of(panel);
    sentences.push_back("In " + dimensions + " the best variant, \"" + best.variant + "\", reaches " +
                        percent(best.value / panel.guides.front().points.front()[1]) +
                        " of a device copy's bandwidth.");
  }
}

void judge_error(const Panel& panel, const std::string& dimensions, std::vector<std::string>& sentences) {
  constexpr double rounding = 1e-6;  // of fp32 arithmetic on values below 1
  const int d = dimensions == "two dimensions" ? 2 : 3;
  double exact = -1, inexact = -1;
  std::vector<std::string> factors;
  const Curve curve(panel, filtered);
  for (const Point& point : curve.points()) {
    const bool held = exact_in_filter(static_cast<int>(point.x), d);
    double& worst = held ? exact : inexact;
    worst = std::max(worst, point.value);
    if (held) factors.push_back(figure(point.x));
  }
  if (exact >= 0)
    sentences.push_back("In " + dimensions + ", for the factor" + (factors.size() > 1 ? "s " : " ") + listed(factors) +
                        ", all weights are multiples of 1/256, which the texture's filter " +
                        (exact < rounding ? "holds exactly: what is left is fp32's rounding."
                                          : "does not hold: an error of " + figure(exact) + " is left."));
  if (inexact < 0) return;
  std::string sentence =
      "In " + dimensions + ", for other factors, filtering is off by up to " + figure(inexact) + " of the data's range";
  if (inexact < rounding) {
    sentences.push_back(sentence + ", no more than arithmetic is: this device filters with wider weights.");
    return;
  }
  if (inexact > filter_error(d))
    sentence += ", more than rounding each direction's weight explains (" + figure(filter_error(d)) +
                "), for their products are rounded as well";
  sentences.push_back(sentence + ": enough for a picture, not for a multigrid cycle that shall converge.");
}

void judge_neighbours(const Panel& panel, std::vector<std::string>& sentences) {
  const double last = places(panel).back();
  const Ratio hoisting = ratio_at(panel, neighbours_hoisted, neighbours_anew, last),
              texture = ratio_at(panel, neighbours_texture, neighbours_hoisted, last);
  if (!hoisting.known() || !texture.known()) return;
  sentences.push_back(
      "Over " + figure(last) + " x " + figure(last) + " points a Jacobi sweep with hoisted indices has " +
      rate_against(hoisting) + " one that works out each neighbour's row and column" +
      (hoisting.more()    ? ": what the lecture let the rasterizer interpolate, a thread keeps in a register, "
                            "for CUDA has no interpolants."
       : hoisting.alike() ? ": the memory hides the index arithmetic here."
                          : "."));
  sentences.push_back("By texture coordinates, which need no test at the ends of the grid, the sweep has " +
                      rate_against(texture) + " the one with hoisted indices.");
}

}  // namespace

std::vector<std::string> conclude_interpolate(const std::vector<Panel>& panels) {
  std::vector<std::string> sentences;
  for (const std::string d : {"2", "3"}) {
    const std::string dimensions = d == "2" ? "two dimensions" : "three dimensions";
    if (const Panel* speed = find_panel(panels, "speed-" + d + "d")) judge_speed(*speed, dimensions, sentences);
    if (const Panel* error = find_panel(panels, "error-" + d + "d")) judge_error(*error, dimensions, sentences);
  }
  if (const Panel* jacobi = find_panel(panels, "jacobi")) judge_neighbours(*jacobi, sentences);
  return sentences;
}

}  // namespace poisson::lab
