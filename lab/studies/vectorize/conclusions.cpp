#include "lab/page/curve.hpp"
#include "lab/studies/vectorize/study.hpp"

namespace poisson::lab {
namespace {

constexpr double noticeable = 0.03;

std::string points_text(double points) {
  return figure(points) + (points == 1 ? " point" : " points") + " per thread";
}

// Vectors against single floats where a thread has equally many points.
std::string effect_of_vectors(const Curve& vectors, const Curve& floats) {
  const double points = vectors.highest().x, ratio = vectors.highest().value / floats.at(points);
  const std::string what = vectors.first().variant + " with " + points_text(points);
  if (ratio > 1 + noticeable)
    return "Wider loads pay: " + what + " is " + figure(ratio) + " times as fast as float with as many points.";
  if (ratio < 1 - noticeable)
    return "Wider loads do not pay: " + what + " reaches " + percent(ratio) + " of float with as many points.";
  return "Wider loads make no difference: " + what + " is as fast as float with as many points.";
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
                        percent(plain / copy) + " of a copy: one point per thread has too few loads under way.");
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
    const Curve vectors(*sweep, variant);
    if (!vectors.empty()) sentences.push_back(effect_of_vectors(vectors, floats));
  }
  return sentences;
}

}  // namespace poisson::lab
