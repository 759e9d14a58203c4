#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "lab/page/curve.hpp"
#include "lab/studies/arithmetic/study.hpp"

namespace poisson::lab {
namespace {

double bar(const Panel& panel, std::string_view variant) {
  const Curve curve(panel, variant);
  return curve.empty() ? std::nan("") : curve.first().value;
}

// Differences of a tenth count as none.
bool more(double a, double b) {
  return a > 1.1 * b;
}

struct Pair {
  std::string_view fast, accurate;
};
constexpr std::array pairs{Pair{"__sinf", "sinf"},
                           Pair{"__cosf", "cosf"},
                           Pair{"__expf", "expf"},
                           Pair{"__fdividef", "/"},
                           Pair{"__fdividef(1, x)", "1 / x"},
                           Pair{"rsqrtf", "1 / sqrtf"}};

void compare_functions(const Panel& rates, const Panel* errors, std::vector<std::string>& sentences) {
  for (const auto& [fast, accurate] : pairs) {
    const double a = bar(rates, fast), b = bar(rates, accurate);
    if (std::isnan(a) || std::isnan(b)) continue;
    std::string sentence = std::string(fast) + " gives " + figure(a) + " results per clock and multiprocessor, " +
                           std::string(accurate) + " " + figure(b);
    sentence +=
        more(a, b) ? ": " + figure(a / b) + " times as many" : ": on this device it saves nothing worth an error";
    if (errors && !std::isnan(bar(*errors, fast)) && !std::isnan(bar(*errors, accurate))) {
      const double loss = bar(*errors, fast), kept = bar(*errors, accurate);
      sentence += ", with errors of up to " + figure(loss) + " ulp instead of " + figure(kept);
      if (loss > 1000)
        sentence += " (its absolute error does not shrink with the result, so keep it away from results near zero)";
    }
    sentences.push_back(sentence + ".");
  }
}

void compare_integers(const Panel& panel, std::vector<std::string>& sentences) {
  const double add = bar(panel, "x + y");
  struct Row {
    std::string_view what, general, constant, power;
  };
  for (const auto& [what, general, constant, power] :
       {Row{"division", "y / x", "x / 10 + y", "x / 8 + y"}, Row{"modulo", "y % x + 1", "x % 10 + y", "x % 8 + y"}}) {
    const double g = bar(panel, general), c = bar(panel, constant), p = bar(panel, power);
    if (std::isnan(add) || std::isnan(g) || std::isnan(c) || std::isnan(p)) continue;
    std::string sentence = "An integer " + std::string(what) + " by a variable takes the time of " + figure(add / g) +
                           " additions, by the constant 10 of " + figure(add / c) + ", by the constant 8 of " +
                           figure(add / p);
    sentence += more(p, g)
                    ? ": divisors that the compiler knows, powers of two best of all, keep index arithmetic cheap"
                    : ": on this device the divisor makes no difference";
    sentences.push_back(sentence + ".");
  }
  for (const auto& [operation, trick] : {std::pair{"x / 8 + y", "(x >> 3) + y"}, {"x % 8 + y", "(x & 7) + y"}}) {
    const double written = bar(panel, operation), by_hand = bar(panel, trick);
    if (more(by_hand, written))
      sentences.push_back("Write " + std::string(trick) + " instead of " + operation + ": it is " +
                          figure(by_hand / written) + " times as fast.");
    else if (by_hand <= written * 1.1)
      sentences.push_back(std::string(operation) + " is as fast as " + trick +
                          ", which fits a compiler that writes the one for the other.");
  }
  const double multiply = bar(panel, "x * y");
  if (add > 80)
    sentences.push_back("Integer additions run at " + figure(add) +
                        " per clock, more than the 64 of NVIDIA's tables, which fits a compiler that writes some "
                        "of them as multiply-adds for another pipe.");
  if (!std::isnan(add) && !std::isnan(multiply)) {
    const double narrow = bar(panel, "__umul24");
    sentences.push_back((more(add, multiply)
                             ? "An integer multiplication takes the time of " + figure(add / multiply) + " additions"
                             : std::string("An integer multiplication costs no more than an addition")) +
                        (more(narrow, multiply)     ? ", __umul24 that of " + figure(add / narrow) + "."
                         : narrow <= 1.1 * multiply ? "; __umul24, four times as fast once, saves nothing."
                                                    : "."));
  }
  // Each of these operations is followed by an addition, so that the compiler cannot merge it with the next one.
  std::vector<std::string> simple, dear;
  for (const std::string_view two : {"min(x + 1, y)", "(x ^ y) + y", "(x & 7) + y", "(x >> 3) + y"})
    if (const double rate = bar(panel, two); !std::isnan(rate) && !std::isnan(add))
      (more(add / 2, rate) ? dear : simple).emplace_back(two);
  if (simple.size() > 1)
    sentences.push_back(listed(simple) +
                        ", two operations each, take no longer than two additions: comparisons and bit operations "
                        "run at the basic rate, as the lecture says" +
                        (dear.empty() ? "." : "; " + listed(dear) + " take longer."));
  const double plain = bar(panel, "x / 8 + y"), with_sign = bar(panel, "signed x / 8 + y");
  if (more(plain, with_sign))
    sentences.push_back("Division by 8 of a signed number, which rounds towards zero, takes " +
                        figure(plain / with_sign) + " times as long as of an unsigned one.");
}

void compare_conversions(const Panel& panel, const Panel* rates, std::vector<std::string>& sentences) {
  const double half = bar(panel, "float to half and back"), up = bar(panel, "float to double"),
               down = bar(panel, "double to float");
  if (std::isnan(half) || std::isnan(up) || std::isnan(down)) return;
  const double slower = std::fmin(up, down), add = rates ? bar(*rates, "+") : std::nan("");
  std::string sentence = "Conversions between float and double run at " + figure(slower) +
                         " per clock and multiprocessor, between float and half at " + figure(half);
  if (!std::isnan(add) && more(add, slower))
    sentence += ": a double constant among floats brings conversions that take the time of " + figure(add / slower) +
                " additions each";
  else if (!more(half, slower))
    sentence += ": the wider format converts no slower";
  sentences.push_back(sentence + ".");
}

void judge_unrolling(const Panel& panel, std::vector<std::string>& sentences) {
  for (const std::string& variant : variants_of(panel)) {
    const Curve curve(panel, variant);
    const Point &first = curve.first(), &best = curve.highest();
    if (!more(best.value, first.value)) {
      sentences.push_back("With " + variant +
                          " per thread unrolling gains nothing: the loop's end is tested for free.");
      continue;
    }
    std::string sentence = "With " + variant + " per thread unrolling gives up to " + figure(best.value / first.value) +
                           " times the throughput";
    const double from = curve.reaches(0.95 * best.value),
                 peak = panel.guides.empty() ? std::nan("") : panel.guides.front().points.front()[1];
    if (best.value > 0.95 * peak)
      sentence += ", and " + figure(best.x) + " steps between two tests are enough";
    else if (from < curve.last().x)
      sentence += "; from " + figure(from) + " steps between two tests on, less than 5 % is left to gain";
    else
      sentence += ", and " + figure(curve.last().x) + " steps between two tests are not yet the end of it";
    if (!std::isnan(peak)) sentence += ": " + percent(best.value / peak) + " of the peak is reached";
    sentences.push_back(sentence + ".");
  }
}

void judge_constant_memory(const Panel& panel, std::vector<std::string>& sentences) {
  const Curve constant(panel, "constant memory"), shared(panel, "shared memory");
  if (constant.empty() || shared.empty()) return;
  const double equal = constant.first().value, different = constant.last().value;
  if (!more(equal, different)) {
    sentences.emplace_back("Constant memory is as fast where the threads of a warp read different entries.");
    return;
  }
  sentences.push_back(
      "Constant memory is read " + figure(equal / different) + " times as fast if all threads of a warp " +
      "read the same entry as if they read " + figure(constant.last().x) + " different ones, where " +
      (more(shared.last().value, different) ? "shared memory is " + figure(shared.last().value / different) +
                                                  " times as fast: tables indexed by thread belong there."
                                            : "shared memory is no faster."));
  const Curve global(panel, "global memory, cached");
  std::string text = "Where all read the same entry, loads from constant memory run at " + figure(equal) +
                     " per clock, from shared memory at " + figure(shared.first().value);
  if (!global.empty()) text += ", from global memory by way of its cache at " + figure(global.first().value);
  sentences.push_back(text + (more(shared.first().value, equal)
                                  ? ": an entry whose index only the run knows takes a load of its own."
                                  : "."));
}

void judge_operands(const Panel& panel, std::vector<std::string>& sentences) {
  const double registers = bar(panel, operand::registers), shared = bar(panel, operand::plus_shared),
               fused = bar(panel, operand::product_shared), immediate = bar(panel, operand::immediate),
               three = bar(panel, operand::three_registers), constant = bar(panel, operand::plus_constant),
               indexed = bar(panel, operand::plus_indexed);
  if (!std::isnan(registers) && !std::isnan(shared) && !std::isnan(fused))
    sentences.push_back("a + s[i] with s in shared memory gives " + figure(shared) +
                        " results per clock, a + b * s[i] " + figure(fused) + ", where a + b in registers gives " +
                        figure(registers) +
                        (more(registers, shared)
                             ? ": every operand from there takes a load of its own, so copy what is used twice into a "
                               "register."
                             : ": shared memory is as fast as registers."));
  if (!std::isnan(registers) && !std::isnan(constant))
    sentences.push_back("a + c[i] with c in constant memory and i known to the compiler gives " + figure(constant) +
                        " results per clock" +
                        (more(registers, constant)
                             ? ", fewer than registers do."
                             : ": such a constant is as good as a register, as the lecture says."));
  if (!std::isnan(shared) && !std::isnan(indexed))
    sentences.push_back("a + s[r + i] with r in a register gives " + figure(indexed) + " where a + s[i] gives " +
                        figure(shared) +
                        (more(shared, indexed) ? ": the sum of both is paid for."
                                               : ": adding a constant to an address costs nothing."));
  if (!std::isnan(immediate) && !std::isnan(three))
    sentences.push_back(
        more(immediate, three)
            ? "A multiply-add of registers alone runs at " + figure(three) +
                  " per clock, with a constant "
                  "in the instruction at " +
                  figure(immediate) +
                  ": registers have banks too, and the compiler cannot always spread operands over them."
            : "A multiply-add of registers alone is as fast as one with a constant in the instruction: no "
              "conflict of register banks shows.");
}

void judge_swizzles(const Panel& panel, std::vector<std::string>& sentences) {
  const double in_order = bar(panel, operand::in_order), swizzled = bar(panel, operand::swizzled),
               indexed = bar(panel, operand::indexed);
  if (std::isnan(in_order) || std::isnan(swizzled) || std::isnan(indexed)) return;
  sentences.push_back(
      "Tuples of four give " + figure(in_order) + " multiply-adds per clock with components in order, and as .zzyx " +
      figure(swizzled) +
      (more(in_order, swizzled) ? ", though no MOV is added (SASS of compute capability 9.0), which fits "
                                  "registers that meet in one bank. "
                                : ": it names other registers and is free, as the lecture says. ") +
      "By indices that the compiler does not know they give " + figure(indexed) +
      (more(swizzled, indexed) ? ": registers have no index, so each step selects or goes by memory." : ", no fewer."));
}

void judge_doubles(const Panel& panel, const Panel& functions, std::vector<std::string>& sentences) {
  const double fused = bar(panel, "fma"), single = bar(functions, "fmaf");
  if (!std::isnan(fused) && !std::isnan(single))
    sentences.push_back("In double precision a multiprocessor finishes " + figure(fused) +
                        " multiply-adds per clock, in single " + figure(single) + ": " + percent(fused / single) +
                        " of them.");
}

void judge_rounding(const Panel& rates, const Panel& errors, std::vector<std::string>& sentences) {
  const std::string_view twice = "__fadd_rn(__fmul_rn(x, y), y)", written = "x * y + y";
  const double fast = bar(rates, written), kept = bar(rates, twice);
  if (std::isnan(fast) || std::isnan(kept)) return;
  sentences.push_back(
      "x * y + y as it is written gives " + figure(fast) + " results per clock with errors of up to " +
      figure(bar(errors, written)) + " ulp, with __fmul_rn and __fadd_rn " + figure(kept) + " with up to " +
      figure(bar(errors, twice)) + " ulp" +
      (fast > 1.7 * kept
           ? ": the compiler makes one multiply-add of both where it is allowed to. Without multiply-adds "
             "a code reaches half the device's peak at best."
           : "."));
}

void judge_barrier(const Panel& panel, std::vector<std::string>& sentences) {
  const Curve with(panel, "with __syncthreads"), without(panel, "without");
  if (with.empty() || without.empty()) return;
  sentences.push_back("__syncthreads adds about " + figure(std::max(0.0, with.first().value - without.first().value)) +
                      " clocks to a step through shared memory in blocks of " + figure(with.first().x) +
                      " warp, and about " + figure(std::max(0.0, with.last().value - without.last().value)) +
                      " in blocks of " + figure(with.last().x) + " warps.");
}

void judge_products(const Panel& panel, std::vector<std::string>& sentences) {
  if (panel.points.empty()) return;
  for (const std::string tile : {"tile 16", "tile 32", "tile 32, 8 results per thread"}) {
    const Curve rolled(panel, tile + ", rolled"), unrolled(panel, tile + ", unrolled");
    if (rolled.empty() || unrolled.empty()) continue;
    const double ratio = unrolled.last().value / rolled.last().value;
    sentences.push_back("Unrolling the inner loop of the matrix product (" + tile + ", n = " + figure(rolled.last().x) +
                        ") " +
                        (more(ratio, 1) ? "makes it " + figure(ratio) + " times as fast."
                                        : "does not pay: it runs at " + figure(ratio) + " times the speed."));
  }
  const Point& best = highest_of(panel);
  std::string sentence =
      "The fastest matrix product is \"" + best.variant + "\" with " + figure(best.value) + " GFLOP/s";
  if (!panel.guides.empty())
    sentence += ", " + percent(best.value / panel.guides.front().points.front()[1]) + " of the peak";
  const Curve one(panel, "tile 32, unrolled");
  if (!one.empty() && best.variant.find("results per thread") != std::string::npos)
    sentence +=
        ": several results per thread reuse what was read from shared memory; with one result per thread it is " +
        figure(one.highest().value) + " GFLOP/s, which fits a limit of shared memory's bandwidth";
  sentences.push_back(sentence + ".");
}

}  // namespace

std::vector<std::string> conclude_arithmetic(const std::vector<Panel>& panels) {
  std::vector<std::string> sentences;
  if (const Panel* p = find_panel(panels, "functions"))
    compare_functions(*p, find_panel(panels, "accuracy"), sentences);
  if (const Panel* p = find_panel(panels, "integers")) compare_integers(*p, sentences);
  if (const Panel* p = find_panel(panels, "conversions"))
    compare_conversions(*p, find_panel(panels, "functions"), sentences);
  if (const Panel* p = find_panel(panels, "unroll")) judge_unrolling(*p, sentences);
  if (const Panel* p = find_panel(panels, "constant")) judge_constant_memory(*p, sentences);
  if (const Panel* p = find_panel(panels, "operands")) {
    judge_operands(*p, sentences);
    judge_swizzles(*p, sentences);
  }
  if (const Panel* p = find_panel(panels, "doubles"), *f = find_panel(panels, "functions"); p && f)
    judge_doubles(*p, *f, sentences);
  if (const Panel* p = find_panel(panels, "functions"), *e = find_panel(panels, "accuracy"); p && e)
    judge_rounding(*p, *e, sentences);
  if (const Panel* p = find_panel(panels, "barrier")) judge_barrier(*p, sentences);
  if (const Panel* p = find_panel(panels, "product")) judge_products(*p, sentences);
  return sentences;
}

}  // namespace poisson::lab
