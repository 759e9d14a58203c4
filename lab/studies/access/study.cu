#include <algorithm>
#include <array>
#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/access/kernels.hpp"
#include "lab/studies/access/study.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

// Returns the worst offset's share of the aligned rate.
double misaligned(const Panels& panels, const char* side) {
  const Panel* const panel = find_panel(panels, "offset");
  if (!panel) return NAN;
  const Curve curve(*panel, side);
  return curve.empty() ? NAN : curve.lowest().value / curve.first().value;
}

constexpr std::array lectures{Lecture::filipovic, Lecture::optimizing};
constexpr std::array history{
    Historical{Lecture::filipovic, "compute capability below 1.2", "reading from any offset: share of the aligned rate",
               0.125, "of it", [](const Panels& panels, const Machine&) { return misaligned(panels, "read"); }},

    Historical{Lecture::filipovic, "compute capability 1.x", "smallest transaction, for one word", 32, "bytes",
               [](const Panels& panels, const Machine& machine) {
                 const Panel* const panel = find_panel(panels, "stride");
                 return panel ? bytes_moved(*panel, narrow_fetches, 16, machine.copy) : NAN;
               }},
};

constexpr std::array additions{
    Addition{"orders", order_names[4], "reads by half of the threads of each warp"},
    Addition{"orders", order_names[5], "reads by half of the threads of each warp"},
};

Panels measure(Session& session) {
  verify_patterns(session);
  verify_orders(session);
  Panels panels;
  for (const auto part : {measure_patterns, measure_orders})
    for (Panel& panel : part(session)) panels.push_back(std::move(panel));
  return panels;
}

}  // namespace

const Study access_study{
    .name = "access",
    .question = "How much does the order of memory accesses cost?",
    .lectures = lectures,
    .measure = measure,
    .conclude = [](const Panels& panels, const Machine& machine) { return conclude_access(panels, machine.copy); },
    .history = history,
    .additions = additions,
};

}  // namespace poisson::lab
