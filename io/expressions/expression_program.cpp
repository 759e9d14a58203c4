#include "io/expressions/expression_program.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "grids/rows/expression_functions.hpp"

namespace poisson {
namespace {

using Operation = ExpressionStep::Operation;

// Returns the number of points evaluated together, chosen so that the values of all steps fit in the cache.
std::size_t most_points(std::size_t steps) {
  return std::clamp<std::size_t>((std::size_t{1} << 17) / steps, 256, 4096);
}

bool same(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

bool all_equal(std::span<const double> v) {
  const double first = v.front();
  std::size_t others = 0;
  for (const double x : v) others += x != first || std::signbit(x) != std::signbit(first) ? 1 : 0;
  return others == 0;
}

std::string literal(double value) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  std::string number(text.data(), end);
  if (number.find_first_of(".e") == std::string::npos) number += ".0";
  return std::signbit(value) ? "(" + number + ")" : number;  // x--1 would be a decrement
}

// Returns the source of a step from the sources of its operands. Products are functions, so that no compiler fuses them
// with sums.
std::string source_of(const ExpressionStep& step, const std::string& a, const std::string& b, const std::string& c) {
  const auto call = [&](std::string_view f) {
    return "poisson::expression::" + std::string(f) + "(" + a + (b.empty() ? "" : "," + b) + ")";
  };
  const auto arithmetic = [&](const char* sign) { return "(" + a + sign + b + ")"; };
  const auto truth = [&](const char* sign) { return "(" + a + sign + b + "?1.0:0.0)"; };
  switch (step.operation) {
    using enum Operation;
    case number:
      return literal(step.value);
    case variable:
      return {"xyz"[step.axis]};
    case negate:
      return "(-" + a + ")";
    case add:
      return arithmetic("+");
    case subtract:
      return arithmetic("-");
    case divide:
      return arithmetic("/");
    case multiply:
      return call("product");
    case less:
      return truth("<");
    case greater:
      return truth(">");
    case not_greater:
      return truth("<=");
    case not_less:
      return truth(">=");
    case equal:
      return truth("==");
    case unequal:
      return truth("!=");
    case both:
      return "(" + a + "!=0.0&&" + b + "!=0.0?1.0:0.0)";
    case either:
      return "(" + a + "!=0.0||" + b + "!=0.0?1.0:0.0)";
    case choose:
      return "(" + a + "!=0.0?" + b + ":" + c + ")";
    default:
      return call(step.source);
  }
}

}  // namespace

bool varies(const std::vector<ExpressionStep>& steps) {
  return std::ranges::any_of(steps, [](const ExpressionStep& s) { return s.operation == Operation::variable; });
}

std::string source_of(const std::vector<ExpressionStep>& steps) {
  std::vector<std::string> sources;
  const auto operand = [&](int part) { return part < 0 ? std::string() : sources[static_cast<std::size_t>(part)]; };
  for (const ExpressionStep& s : steps)
    sources.push_back(source_of(s, operand(s.from[0]), operand(s.from[1]), operand(s.from[2])));
  return sources.back();
}

ExpressionProgram::ExpressionProgram(std::vector<ExpressionStep> steps)
    : steps_(std::move(steps)), states_(steps_.size()), most_points_(most_points(steps_.size())) {
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (steps_[s].operation == Operation::variable) states_[s].variables = 1U << steps_[s].axis;
    for (const int part : steps_[s].from)
      if (part >= 0) states_[s].variables |= states_[static_cast<std::size_t>(part)].variables;
  }
}

void ExpressionProgram::operator()(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                                   std::span<double> values) {
  for (std::size_t first = 0; first < values.size(); first += most_points_) {
    const std::size_t n = std::min(most_points_, values.size() - first);
    points_ = n;
    set(0, x.subspan(first, n));
    set(1, y.subspan(first, n));
    set(2, z.subspan(first, n));
    const Values& found = value_of(static_cast<int>(steps_.size()) - 1);
    double* const out = values.data() + first;
    if (found.uniform)
      std::fill_n(out, n, *found.at);
    else
      std::copy_n(found.at, n, out);
  }
}

void ExpressionProgram::set(std::size_t axis, std::span<const double> at) {
  Coordinate& c = coordinates_[axis];
  if (c.version != 0 && same(c.at, at)) return;
  c.at.assign(at.begin(), at.end());
  c.uniform = all_equal(at);
  ++c.version;
}

// Returns whether the values of a step belong to the coordinates. From now on they count as current.
bool ExpressionProgram::take_as_current(std::size_t step) {
  State& state = states_[step];
  bool current = state.values.at != nullptr;
  for (std::size_t d = 0; d < 3; ++d) {
    if ((state.variables >> d & 1U) == 0) continue;
    current = current && state.seen[d] == coordinates_[d].version;
    state.seen[d] = coordinates_[d].version;
  }
  return current;
}

// Sums of thousands of terms nest deeply in their first operands: a loop computes these, the innermost first.
const ExpressionProgram::Values& ExpressionProgram::value_of(int step) {
  const std::size_t outer = pending_.size();
  for (int s = step; s >= 0 && !take_as_current(static_cast<std::size_t>(s));
       s = steps_[static_cast<std::size_t>(s)].from[0])
    pending_.push_back(s);
  while (pending_.size() > outer) {
    const auto innermost = static_cast<std::size_t>(pending_.back());
    pending_.pop_back();
    compute(steps_[innermost], states_[innermost]);
  }
  return states_[static_cast<std::size_t>(step)].values;
}

template <class F>
void ExpressionProgram::map(State& state, const Values& a, const F& f) {
  const std::size_t n = a.uniform ? 1 : points_;
  state.own.resize(n);
  double* const out = state.own.data();
  const double* const in = a.at;
  for (std::size_t i = 0; i < n; ++i) out[i] = f(in[i]);
  state.values = {out, a.uniform};
}

template <class F>
void ExpressionProgram::map(State& state, const Values& a, const Values& b, const F& f) {
  if (b.uniform) return map(state, a, [&f, second = *b.at](double v) { return f(v, second); });
  if (a.uniform) return map(state, b, [&f, first = *a.at](double v) { return f(first, v); });
  state.own.resize(points_);
  double* const out = state.own.data();
  const double *const first = a.at, *const second = b.at;
  for (std::size_t i = 0; i < points_; ++i) out[i] = f(first[i], second[i]);
  state.values = {out, false};
}

void ExpressionProgram::compute(const ExpressionStep& step, State& state) {
  namespace fn = expression;
  using enum Operation;
  const auto one = [&](const auto& f) { map(state, value_of(step.from[0]), f); };
  const auto two = [&](const auto& f) {
    const Values& a = value_of(step.from[0]);  // states stay at their addresses
    map(state, a, value_of(step.from[1]), f);
  };
  switch (step.operation) {
    case number:
      state.values = {&step.value, true};
      return;
    case variable: {
      const Coordinate& c = coordinates_[static_cast<std::size_t>(step.axis)];
      state.values = {c.at.data(), c.uniform};
      return;
    }
    case negate:
      return one([](double a) { return -a; });
    case square:
      return one([](double a) { return fn::pow2(a); });
    case cube:
      return one([](double a) { return fn::pow3(a); });
    case fourth:
      return one([](double a) { return fn::pow4(a); });
    case root:
      return one([](double a) { return fn::sqrt(a); });
    case absolute:
      return one([](double a) { return fn::abs(a); });
    case unary:
      return one(step.unary);
    case add:
      return two([](double a, double b) { return a + b; });
    case subtract:
      return two([](double a, double b) { return a - b; });
    case multiply:
      return two([](double a, double b) { return a * b; });
    case divide:
      return two([](double a, double b) { return a / b; });
    case less:
      return two([](double a, double b) { return a < b ? 1.0 : 0.0; });
    case greater:
      return two([](double a, double b) { return a > b ? 1.0 : 0.0; });
    case not_greater:
      return two([](double a, double b) { return a <= b ? 1.0 : 0.0; });
    case not_less:
      return two([](double a, double b) { return a >= b ? 1.0 : 0.0; });
    case equal:
      return two([](double a, double b) { return a == b ? 1.0 : 0.0; });
    case unequal:
      return two([](double a, double b) { return a != b ? 1.0 : 0.0; });
    case least:
      return two([](double a, double b) { return fn::min(a, b); });
    case largest:
      return two([](double a, double b) { return fn::max(a, b); });
    case binary:
      return two(step.binary);
    case both:
    case either:
      return decide(step, state);
    case choose:
      return choose_branch(step, state);
  }
}

// Computes a && b or a || b.
void ExpressionProgram::decide(const ExpressionStep& step, State& state) {
  const bool either = step.operation == Operation::either;
  const Values& a = value_of(step.from[0]);
  if (a.uniform && (*a.at != 0) == either) {  // the second operand is irrelevant
    state.own.assign(1, either ? 1.0 : 0.0);
    state.values = {state.own.data(), true};
    return;
  }
  const Values& b = value_of(step.from[1]);
  if (either)
    map(state, a, b, [](double p, double q) { return p != 0 || q != 0 ? 1.0 : 0.0; });
  else
    map(state, a, b, [](double p, double q) { return p != 0 && q != 0 ? 1.0 : 0.0; });
}

// Computes condition ? a : b, and only one branch if the condition has the same result at all points.
void ExpressionProgram::choose_branch(const ExpressionStep& step, State& state) {
  const Values& condition = value_of(step.from[0]);
  const std::size_t n = condition.uniform ? 1 : points_;
  std::size_t holds = 0;
  for (std::size_t i = 0; i < n; ++i) holds += condition.at[i] != 0 ? 1 : 0;
  if (holds == n || holds == 0) {
    state.values = value_of(step.from[holds == n ? 1 : 2]);
    return;
  }
  const Values &a = value_of(step.from[1]), &b = value_of(step.from[2]);
  state.own.resize(n);
  double* const out = state.own.data();
  const double *const c = condition.at, *const p = a.at, *const q = b.at;
  const std::size_t sa = a.uniform ? 0 : 1, sb = b.uniform ? 0 : 1;
  if (sa == 0 && sb == 0) {
    const double first = *p, second = *q;
    for (std::size_t i = 0; i < n; ++i) out[i] = c[i] != 0 ? first : second;
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = c[i] != 0 ? p[sa * i] : q[sb * i];
  }
  state.values = {out, false};
}

}  // namespace poisson
