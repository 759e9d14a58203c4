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

// Returns "texture filtering is 2.1 times as fast", for the median over all factors.
std::string compared(const Ratio& ratio, const std::string& faster, const std::string& slower,
                     const std::string& alike) {
  if (ratio.more()) return faster + " " + figure(ratio.median) + " times as fast";
  if (ratio.less()) return slower + " " + figure(1 / ratio.median) + " times as fast";
  return alike;
}

void judge_speed(const Panel& panel, const std::string& dimensions, std::vector<std::string>& sentences) {
  const Ratio texture = ratio_of(panel, filtered, hoisted), index = ratio_of(panel, hoisted, recomputed),
              copy = ratio_of(panel, refilled, hoisted);
  const std::string start = "In " + dimensions + " and the median of the factors ";
  if (texture.known()) {
    std::string sentence = start +
                           compared(texture, "texture filtering is", "arithmetic with hoisted indices is",
                                    "texture filtering and arithmetic with hoisted indices are about equally fast") +
                           (texture.more()   ? " as arithmetic with hoisted indices"
                            : texture.less() ? " as texture filtering"
                                             : "");
    if (copy.known())
      sentence += "; where the coarse values are new each time and must first be copied into the texture's array, " +
                  compared(copy, "filtering is", "arithmetic is", "they are about equally fast");
    sentences.push_back(sentence + ".");
  }
  if (index.known())
    sentences.push_back(start +
                        compared(index, "arithmetic with the indices hoisted out of the inner loop is",
                                 "arithmetic that computes every index anew is",
                                 "hoisting the index arithmetic makes no clear difference") +
                        (index.more() ? " as with every index computed anew: divide once per line, not once per point."
                         : index.less() ? " as with hoisted ones."
                                        : "."));
  if (!panel.points.empty() && !panel.guides.empty()) {
    const Point& best = highest_of(panel);
    sentences.push_back("In " + dimensions + " the best variant, \"" + best.variant + "\", reaches " +
                        percent(best.value / panel.guides.front().points.front()[1]) +
                        " of a device copy's bandwidth.");
  }
}

void judge_error(const Panel& panel, const std::string& dimensions, std::vector<std::string>& sentences) {
  constexpr double rounding = 1e-6;  // fp32, values below 1
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
                "), which fits products that are rounded as well";
  sentences.push_back(
      sentence + "; a step of a picture of 8 bits is 0.0039, and arithmetic is off by " +
      (highest_in({panel}, panel.name, hoisted) < rounding ? "less than a millionth." : "more than a millionth."));
}

void judge_neighbours(const Panel& panel, std::vector<std::string>& sentences) {
  const double last = places(panel).back();
  const Ratio hoisting = ratio_at(panel, neighbours_hoisted, neighbours_anew, last),
              texture = ratio_at(panel, neighbours_texture, neighbours_hoisted, last);
  if (!hoisting.known() || !texture.known()) return;
  std::string share;
  if (!panel.guides.empty())
    share = ", which has " +
            percent(point_at(panel, neighbours_anew, last)->value / panel.guides.front().points.front()[1]) +
            " of what a copy's bandwidth allows";
  sentences.push_back(
      "Over " + figure(last) + " x " + figure(last) + " points a Jacobi sweep with hoisted indices has " +
      rate_against(hoisting) + " one that works out each neighbour's row and column" + share +
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
