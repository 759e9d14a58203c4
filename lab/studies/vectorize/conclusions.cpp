#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/vectorize/study.hpp"

namespace poisson::lab {
namespace {

constexpr double noticeable = Panel::gpu_noise;

std::string points_text(double points) {
  return figure(points) + (points == 1 ? " point" : " points") + " per thread";
}

// Vectors against single floats wherever a thread has equally many points.
std::string effect_of_vectors(const Panel& panel, const std::string& vectors) {
  const Ratio ratio = ratio_of(panel, vectors, "float");
  if (!ratio.known()) return {};
  std::vector<std::string> each;
  for (const double points : places(panel, vectors))
    if (const Ratio here = ratio_at(panel, vectors, "float", points); here.known())
      each.push_back(figure(here.median) + " at " + points_text(points));
  const std::string what =
      vectors + " has " + rate_against(ratio) + " float with as many points (" + listed(each) + ")";
  if (ratio.more()) return "Wider loads pay: " + what + ".";
  if (ratio.less()) return "Wider loads do not pay: " + what + ".";
  return "Wider loads decide nothing by themselves: " + what + ".";
}

}  // namespace

std::vector<std::string> conclude_vectorize(const std::vector<Panel>& panels, double copy) {
  std::vector<std::string> sentences;
  const Panel* const sweep = find_panel(panels, "sweep");
  if (!sweep) return sentences;
  const Point& best = highest_of(*sweep);
  const Curve floats(*sweep, "float");
  const double plain = floats.at(1), gain = best.value / plain;
  sentences.push_back("The fastest Jacobi sweep takes " + best.variant + " with " + points_text(best.x) + ": " +
                      figure(best.value) + " GB/s, " + percent(best.value / copy) +
                      " of a copy, where every value moves once.");
  if (gain > 1 + noticeable)
    sentences.push_back("That is " + figure(gain) + " times the plain sweep of one float per thread, which reaches " +
                        percent(plain / copy) + " of a copy; two points per thread have " +
                        rate_against(ratio_of(*sweep, Point{"", 2, 1, floats.at(2)}, floats.first())) + " one.");
  else
    sentences.push_back("The plain sweep of one float per thread is as fast: the hardware needs no help here.");
  const Point& floats_best = floats.highest();
  if (floats_best.value > (1 + noticeable) * plain)
    sentences.push_back("More points along z let a thread keep neighbours in registers: with single floats " +
                        points_text(floats_best.x) + " are " + figure(floats_best.value / plain) +
                        " times as fast as one.");
  else
    sentences.push_back("More points along z gain nothing with single floats: the caches serve those neighbours.");
  for (const char* const variant : {"float2", "float4"}) {
    if (std::string text = effect_of_vectors(*sweep, variant); !text.empty()) sentences.push_back(std::move(text));
  }
  return sentences;
}

}  // namespace poisson::lab
