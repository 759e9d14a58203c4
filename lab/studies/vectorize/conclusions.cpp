#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/vectorize/study.hpp"

namespace poisson::lab {
namespace {

std::string points_text(double points) {
  return figure(points) + (points == 1 ? " point" : " points") + " per thread";
}

// Compares vectors with single floats at equal numbers of points per thread.
std::string effect_of_vectors(const Panel& panel, const std::string& vectors) {
  const Ratio ratio = ratio_of(panel, vectors, "float");
  if (!ratio.known()) return {};
  std::vector<std::string> each;
  for (const double points : places(panel, vectors))
    if (const Ratio here = ratio_at(panel, vectors, "float", points); here.known())
      each.push_back(figure(here.median) + " at " + points_text(points));
  const std::string what =
      vectors + " has " + rate_against(ratio) + " float with as many points (" + listed(each) + ")";
  return what + (ratio.more()    ? ": wider loads pay."
                 : ratio.less()  ? ": wider loads do not pay."
                 : ratio.alike() ? ": wider loads decide nothing by themselves."
                                 : ".");
}

}  // namespace

std::vector<std::string> conclude_vectorize(const std::vector<Panel>& panels, double copy) {
  std::vector<std::string> sentences;
  const Panel* const sweep = find_panel(panels, "sweep");
  if (!sweep) return sentences;
  const Point& best = highest_of(*sweep);
  const Curve floats(*sweep, "float");
  const double plain = floats.at(1), gain = best.value / plain;
  sentences.push_back("The fastest Jacobi sweep reaches " + gigabytes_per_second(best.value) + ", " +
                      percent(best.value / copy) + " of a copy, where every value moves once.");
  if (ratio_of(*sweep, best, floats.first()).more())
    sentences.push_back("That is " + figure(gain) + " times the plain sweep of one float per thread, which reaches " +
                        percent(plain / copy) + " of a copy; two points per thread have " +
                        rate_against(ratio_of(*sweep, Point{"", 2, 1, floats.at(2)}, floats.first())) + " one.");
  else if (ratio_of(*sweep, best, floats.first()).alike())
    sentences.push_back("The plain sweep of one float per thread is as fast: the hardware needs no help here.");
  const Ratio longer = ratio_of(*sweep, floats.highest(), floats.first());
  sentences.push_back(
      "With more points along z, whose neighbours a thread keeps in registers, single floats have at "
      "best " +
      rate_against(longer) + " one point per thread" + (longer.alike() ? ": the caches serve those neighbours." : "."));
  for (const char* const variant : {"float2", "float4"}) {
    if (std::string text = effect_of_vectors(*sweep, variant); !text.empty()) sentences.push_back(std::move(text));
  }
  return sentences;
}

}  // namespace poisson::lab
