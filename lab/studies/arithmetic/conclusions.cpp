#include <algorithm>
#include <array>
#include <cmath>

#include "lab/page/curve.hpp"
#include "lab/page/sentence.hpp"
#include "lab/page/verdict.hpp"
#include "lab/studies/arithmetic/study.hpp"

namespace poisson::lab {
namespace {

double bar(const Panel& panel, std::string_view variant) {
  const Curve curve(panel, variant);
  return curve.empty() ? NAN : curve.first().value;
}

void on_functions(const Panel& rates, Lessons& lessons) {
  const double add = bar(rates, "+"), sine = bar(rates, "__sinf"), accurate = bar(rates, "sinf"),
               root = bar(rates, "rsqrtf"), accurate_root = bar(rates, "1 / sqrtf"), power = bar(rates, "__expf"),
               accurate_power = bar(rates, "expf"), quotient = bar(rates, "__fdividef"), division = bar(rates, "/");
  if (!known(add, sine, accurate, root, accurate_root, power, accurate_power, quotient, division)) return;
  lessons.say("Hardware functions give " + figure(std::min({sine, root, power, quotient})) + " to " +
              figure(std::max({sine, root, power, quotient})) + " results per clock and multiprocessor, additions " +
              figure(add) + ": use them where their error is acceptable.");
  lessons.say(rates.name, "__sinf is " + times(sine / accurate) + " as fast as sinf, rsqrtf " +
                              times(root / accurate_root) + " as 1 / sqrtf, __fdividef " + times(quotient / division) +
                              " as a division, and __expf " + times(power / accurate_power) + " as expf.");
  const double fused = bar(rates, "x * y + y"), apart = bar(rates, "__fadd_rn(__fmul_rn(x, y), y)");
  if (known(fused, apart))
    lessons.say(rates.name, "A product and a sum as one multiply-add give " + figure(fused) +
                                " results per clock, as two operations " + figure(apart) + ".");
}

void on_errors(const Panel& errors, Lessons& lessons) {
  const double sine = bar(errors, "__sinf"), power = bar(errors, "__expf"), accurate = bar(errors, "expf"),
               quotient = bar(errors, "__fdividef");
  if (known(sine, power, accurate, quotient))
    lessons.say(errors.name, "__fdividef is off by up to " + figure(quotient) + " ulp, __expf by up to " +
                                 figure(power) + " instead of " + figure(accurate) +
                                 "; the absolute error of __sinf does not shrink with the result, so it reaches " +
                                 figure(sine) + " ulp near zeros.");
}

void on_integers(const Panel& panel, Lessons& lessons) {
  const double add = bar(panel, "x + y"), variable = bar(panel, "y / x"), ten = bar(panel, "x / 10 + y"),
               eight = bar(panel, "x / 8 + y"), modulo = bar(panel, "y % x + 1"), multiply = bar(panel, "x * y"),
               narrow = bar(panel, "__umul24"), with_sign = bar(panel, "signed x / 8 + y");
  if (!known(add, variable, ten, eight, modulo, multiply, narrow, with_sign)) return;
  lessons.say(panel.name, "Divide integers by constants: a division by a variable costs " + figure(add / variable) +
                              " additions and a modulo " + figure(add / modulo) +
                              "; with the addition after it, a "
                              "division by 10 costs " +
                              figure(add / ten) + ", by 8 " + figure(add / eight) + " and with a sign " +
                              figure(add / with_sign) + ".");
  lessons.say(panel.name, "A multiplication costs " + figure(add / multiply) + " additions, __umul24 " +
                              figure(add / narrow) + ": the 24-bit form no longer saves anything.");
  const double larger = bar(panel, "max(x, y)"), exclusive = bar(panel, "x ^ y"),
               shift = bar(panel, "__funnelshift_l(x, y, 7)");
  if (known(larger, exclusive, shift))
    lessons.say(panel.name, "One comparison and one shift run at " + figure(larger) + " and " + figure(shift) +
                                " per clock, additions at " + figure(add) +
                                (std::max(larger, shift) < 0.75 * add
                                     ? ": they have half as many units, unlike on the lecture's devices"
                                     : ": comparisons and shifts run at the basic rate") +
                                (exclusive > 1.2 * shift ? "; exclusive-ors reach " + figure(exclusive) +
                                                               ", which fits an instruction that takes three operands."
                                                         : "; exclusive-ors run at " + figure(exclusive) + "."));
}

void on_conversions(const Panel& panel, Lessons& lessons) {
  const double half = bar(panel, "float to half and back"), up = bar(panel, "float to double"),
               down = bar(panel, "double to float");
  if (known(half, up, down))
    lessons.say(panel.name, "Conversions between float and double run at " + figure(std::fmin(up, down)) +
                                " per clock, between float and half at " + figure(half) +
                                ": keep double constants out of float code.");
}

// A result takes `step` + `test` / k clocks if k steps follow each test of the loop's end.
void on_unrolling(const Panel& panel, Lessons& lessons) {
  const Curve one(panel, "1 chain"), four(panel, "4 chains");
  if (one.empty() || four.empty()) return;
  const double often = 1 / one.first().value, seldom = 1 / one.last().value;
  const double test = (often - seldom) / (1 / one.first().x - 1 / one.last().x), step = often - test / one.first().x;
  lessons.say(panel.name, "Unrolling a loop of one dependent chain gains " +
                              times(one.highest().value / one.first().value) + ", of four chains " +
                              times(four.highest().value / four.first().value) +
                              (known(test, step) ? ", because a test of the loop's end costs as much as roughly " +
                                                       figure(std::round(test / step)) + " multiply-adds."
                                                 : "."));
}

void on_constant_memory(const Panel& panel, Lessons& lessons) {
  const Curve constant(panel, "constant memory"), shared(panel, "shared memory");
  if (constant.empty() || shared.empty()) return;
  lessons.say(panel.name, "Constant memory serves one address of a warp at a time: 32 different entries take " +
                              times(constant.first().value / constant.last().value) +
                              " as long as one, and shared memory reads them " +
                              times(shared.last().value / constant.last().value) + " as fast.");
}

void on_operands(const Panel& panel, Lessons& lessons) {
  const double registers = bar(panel, operand::registers), shared = bar(panel, operand::plus_shared),
               constant = bar(panel, operand::plus_constant), indexed = bar(panel, operand::plus_indexed),
               immediate = bar(panel, operand::immediate), three = bar(panel, operand::three_registers),
               in_order = bar(panel, operand::in_order), swizzled = bar(panel, operand::swizzled),
               by_index = bar(panel, operand::indexed);
  if (known(registers, shared))
    lessons.say(panel.name,
                "An operand in shared memory needs its own load: a + s[i] gives " + figure(shared) +
                    " results per clock, a + b " + figure(registers) +
                    (known(constant, indexed) ? ", a + c[i] in constant memory " + figure(constant) +
                                                    "; a constant offset, s[r + i], gives " + figure(indexed) + "."
                                              : "."));
  if (known(immediate, three, in_order, swizzled, by_index))
    lessons.say(panel.name, "Three registers give " + figure(three) + " multiply-adds per clock, two and a constant " +
                                figure(immediate) + "; tuples in order give " + figure(in_order) + ", as .zzyx " +
                                figure(swizzled) + ", and by an index that only the run knows " + figure(by_index) +
                                ", because registers have no index.");
}

void on_barrier(const Panel& panel, Lessons& lessons) {
  const Curve with(panel, "with __syncthreads"), without(panel, "without");
  if (with.empty() || without.empty()) return;
  lessons.say(panel.name, "__syncthreads adds about " +
                              figure(std::max(0.0, with.first().value - without.first().value)) +
                              " clocks to a step of one warp and about " +
                              figure(std::max(0.0, with.last().value - without.last().value)) + " to a step of " +
                              figure(with.last().x) + " warps.");
}

void on_products(const Panel& panel, Lessons& lessons) {
  if (panel.points.empty() || panel.guides.empty()) return;
  const Point& best = highest_of(panel);
  const Curve one(panel, "tile 32, unrolled");
  if (one.empty()) return;
  lessons.say(panel.name, "The fastest matrix product here, \"" + best.variant + "\", reaches " +
                              percent(best.value / panel.guides.front().points.front()[1]) +
                              " of the peak: several results per thread reuse shared memory and are " +
                              times(best.value / one.highest().value) + " as fast as one.");
}

}  // namespace

std::vector<std::string> conclude_arithmetic(const std::vector<Panel>& panels) {
  Lessons lessons;
  const auto with = [&](const char* name, void (*about)(const Panel&, Lessons&)) {
    if (const Panel* const panel = find_panel(panels, name)) about(*panel, lessons);
  };
  with("functions", on_functions);
  with("accuracy", on_errors);
  with("integers", on_integers);
  with("conversions", on_conversions);
  with("unroll", on_unrolling);
  with("constant", on_constant_memory);
  with("operands", on_operands);
  const Panel *const doubles = find_panel(panels, "doubles"), *const functions = find_panel(panels, "functions");
  if (doubles && functions && known(bar(*doubles, "fma"), bar(*functions, "fmaf")))
    lessons.say("doubles", "Double precision runs at " + figure(bar(*doubles, "fma")) +
                               " multiply-adds per clock, single precision at " + figure(bar(*functions, "fmaf")) +
                               ".");
  with("barrier", on_barrier);
  with("product", on_products);
  return lessons.take();
}

}  // namespace poisson::lab
