#include "io/expressions/expression_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include "grids/rows/expression_functions.hpp"

namespace poisson {

namespace {

namespace fn = expression;

/// These tables list the functions of one and of two arguments. Some functions of two arguments chain to accept more:
/// min(min(a, b), c).
struct Unary {
  std::string_view name, source;
  double (*value)(double);
};
constexpr std::array<Unary, 21> unary_functions{{
    {"sin", "sin", &fn::sin},       {"cos", "cos", &fn::cos},       {"tan", "tan", &fn::tan},
    {"asin", "asin", &fn::asin},    {"acos", "acos", &fn::acos},    {"atan", "atan", &fn::atan},
    {"sinh", "sinh", &fn::sinh},    {"cosh", "cosh", &fn::cosh},    {"tanh", "tanh", &fn::tanh},
    {"asinh", "asinh", &fn::asinh}, {"acosh", "acosh", &fn::acosh}, {"atanh", "atanh", &fn::atanh},
    {"exp", "exp", &fn::exp},       {"ln", "ln", &fn::ln},          {"log", "ln", &fn::ln},
    {"log2", "log2", &fn::log2},    {"log10", "log10", &fn::log10}, {"sqrt", "sqrt", &fn::sqrt},
    {"rint", "rint", &fn::rint},    {"sign", "sign", &fn::sign},    {"abs", "abs", &fn::abs},
}};
struct Binary {
  std::string_view name;
  double (*value)(double, double);
  bool chains;
};
constexpr std::array<Binary, 3> binary_functions{
    {{"atan2", &fn::atan2, false}, {"min", &fn::min, true}, {"max", &fn::max, true}}};

/// These powers with small constant exponents become products.
constexpr std::array<Unary, 3> powers{{{"2", "pow2", &fn::pow2}, {"3", "pow3", &fn::pow3}, {"4", "pow4", &fn::pow4}}};

enum class Kind { number, variable, negate, operation, choice, unary, binary, sum, average };

// The operators are sorted by precedence, the loosest first. Each level associates to the left.
constexpr std::array<std::array<std::string_view, 6>, 5> levels{{
    {"||"},
    {"&&"},
    {"<=", ">=", "==", "!=", "<", ">"},
    {"+", "-"},
    {"*", "/"},
}};

double apply(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  if (op == "^") return fn::pow(a, b);
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "&&") return a != 0 && b != 0;
  return a != 0 || b != 0;
}

bool yields_truth(std::string_view op) {
  return op != "+" && op != "-" && op != "*" && op != "/" && op != "^";
}

std::string literal(double value) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  std::string number(text.data(), end);
  if (number.find_first_of(".e") == std::string::npos) number += ".0";
  return std::signbit(value) ? "(" + number + ")" : number;  // x--1 would be a decrement
}

}  // namespace

struct ExpressionTree::Node {
  Kind kind = Kind::number;
  double value = 0;         // for number
  int axis = 0;             // for variable
  std::string_view name{};  // an operator's sign
  const Unary* unary = nullptr;
  const Binary* binary = nullptr;
  std::vector<Node> parts{};

  double at(double x, double y, double z) const {
    const auto part = [&](std::size_t i) { return parts[i].at(x, y, z); };
    double result = 0;
    switch (kind) {
      case Kind::number:
        return value;
      case Kind::variable:
        return axis == 0 ? x : axis == 1 ? y : z;
      case Kind::negate:
        return -part(0);
      case Kind::operation:
        return apply(name, part(0), part(1));
      case Kind::choice:
        return part(0) != 0 ? part(1) : part(2);
      case Kind::unary:
        return unary->value(part(0));
      case Kind::binary:
        result = part(0);
        for (std::size_t i = 1; i < parts.size(); ++i) result = binary->value(result, part(i));
        return result;
      case Kind::sum:
      case Kind::average:
        for (std::size_t i = 0; i < parts.size(); ++i) result += part(i);
        return kind == Kind::sum ? result : result / static_cast<double>(parts.size());
    }
    return result;
  }

  std::string source() const {
    const auto part = [&](std::size_t i) { return parts[i].source(); };
    std::string text;
    switch (kind) {
      case Kind::number:
        return literal(value);
      case Kind::variable:
        return std::string(1, "xyz"[axis]);
      case Kind::negate:
        return "(-" + part(0) + ")";
      case Kind::operation:
        if (name == "^" || name == "*")
          return std::string("poisson::expression::") + (name == "^" ? "pow(" : "product(") + part(0) + "," + part(1) +
                 ")";
        if (name == "&&" || name == "||")
          text = part(0) + "!=0.0" + std::string(name) + part(1) + "!=0.0";
        else
          text = part(0) + std::string(name) + part(1);
        return yields_truth(name) ? "(" + text + "?1.0:0.0)" : "(" + text + ")";
      case Kind::choice:
        return "(" + part(0) + "!=0.0?" + part(1) + ":" + part(2) + ")";
      case Kind::unary:
        return "poisson::expression::" + std::string(unary->source) + "(" + part(0) + ")";
      case Kind::binary:
        text = part(0);
        for (std::size_t i = 1; i < parts.size(); ++i)
          text = "poisson::expression::" + std::string(binary->name) + "(" + text + "," + part(i) + ")";
        return text;
      case Kind::sum:
      case Kind::average:
        text = "(0.0";
        for (std::size_t i = 0; i < parts.size(); ++i) text += "+" + part(i);
        text += ")";
        return kind == Kind::sum ? text : "(" + text + "/" + literal(static_cast<double>(parts.size())) + ")";
    }
    return text;
  }

  bool varies() const {
    return kind == Kind::variable || std::ranges::any_of(parts, [](const Node& n) { return n.varies(); });
  }
};

namespace {

using Node = ExpressionTree::Node;

/// The parser throws it for text outside the grammar.
struct Foreign {};

class Parser {
 public:
  Parser(std::string_view text, const Parameters& parameters) : text_(text), parameters_(parameters) {}

  Node run() {
    Node all = choice();
    skip();
    if (at_ != text_.size()) throw Foreign();
    return all;
  }

 private:
  // Parses condition ? a : b, nested to the right.
  Node choice() {
    const Depth depth(*this);
    Node condition = level(0);
    if (!take("?")) return condition;
    Node first = choice();
    expect(":");
    Node second = choice();
    return join(Kind::choice, std::move(condition), std::move(first), std::move(second));
  }

  Node level(std::size_t precedence) {
    if (precedence == levels.size()) return sign();
    Node left = level(precedence + 1);
    for (std::string_view op; !(op = operator_of(precedence)).empty();) {
      Node right = level(precedence + 1);
      if (precedence < 2 && !left.varies() && !right.varies()) throw Foreign();
      left = join(Kind::operation, std::move(left), std::move(right));
      left.name = op;
    }
    return left;
  }

  // A sign binds less tightly than a power and more tightly than a product. An exponent may have a sign.
  Node sign() {
    const Depth depth(*this);
    if (take("-")) return join(Kind::negate, sign());
    if (take("+")) return sign();
    return power();
  }

  // Powers associate to the right: 2^3^x is 2^(3^x).
  Node power() {
    Node base = primary();
    if (!take("^")) return base;
    Node exponent = sign();
    if (exponent.kind == Kind::number)
      for (std::size_t i = 0; i < powers.size(); ++i)
        if (exponent.value == static_cast<double>(i + 2)) {
          Node product = join(Kind::unary, std::move(base));
          product.unary = &powers[i];
          return product;
        }
    Node all = join(Kind::operation, std::move(base), std::move(exponent));
    all.name = "^";
    return all;
  }

  Node primary() {
    skip();
    if (take("(")) {
      Node inside = choice();
      expect(")");
      return inside;
    }
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) return number();
    const std::string_view found = word();
    for (int axis = 0; axis < 3; ++axis)
      if (found == std::string_view("xyz").substr(static_cast<std::size_t>(axis), 1)) {
        Node variable;
        variable.kind = Kind::variable;
        variable.axis = axis;
        return variable;
      }
    if (found == "pi" || found == "_pi") return constant(std::numbers::pi);
    if (found == "_e") return constant(std::numbers::e);
    if (const auto parameter = parameters_.find(found); parameter != parameters_.end())
      return constant(parameter->second);
    return call(found);
  }

  Node call(std::string_view name) {
    Node all;
    expect("(");
    do all.parts.push_back(choice());
    while (take(","));
    expect(")");
    const auto unary = std::ranges::find(unary_functions, name, &Unary::name);
    const auto binary = std::ranges::find(binary_functions, name, &Binary::name);
    if (unary != unary_functions.end() && all.parts.size() == 1) {
      all.kind = Kind::unary;
      all.unary = &*unary;
    } else if (binary != binary_functions.end() && (binary->chains || all.parts.size() == 2)) {
      all.kind = Kind::binary;
      all.binary = &*binary;
    } else if (name == "sum" || name == "avg") {
      all.kind = name == "sum" ? Kind::sum : Kind::average;
    } else {
      throw Foreign();
    }
    return all;
  }

  Node number() {
    double value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) throw Foreign();
    at_ = static_cast<std::size_t>(stop - text_.data());
    return constant(value);
  }

  static Node constant(double value) {
    Node node;
    node.value = value;
    return node;
  }
  template <class... Nodes>
  static Node join(Kind kind, Nodes... parts) {
    Node node;
    node.kind = kind;
    (node.parts.push_back(std::move(parts)), ...);
    return node;
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(std::string_view sign) {
    skip();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) throw Foreign();
  }
  std::string_view operator_of(std::size_t precedence) {
    for (const std::string_view op : levels[precedence])
      if (!op.empty() && take(op)) return op;
    return {};
  }
  std::string_view word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    if (at_ == start) throw Foreign();
    return text_.substr(start, at_ - start);
  }

  struct Depth {
    explicit Depth(Parser& p) : parser(p) {
      if (++parser.depth_ > 200) throw Foreign();
    }
    ~Depth() { --parser.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Parser& parser;
  };

  std::string_view text_;
  const Parameters& parameters_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

using Operation = ExpressionStep::Operation;

Operation operation_of(std::string_view op) {
  constexpr std::array<std::pair<std::string_view, Operation>, 12> all{{{"+", Operation::add},
                                                                        {"-", Operation::subtract},
                                                                        {"*", Operation::multiply},
                                                                        {"/", Operation::divide},
                                                                        {"<", Operation::less},
                                                                        {">", Operation::greater},
                                                                        {"<=", Operation::not_greater},
                                                                        {">=", Operation::not_less},
                                                                        {"==", Operation::equal},
                                                                        {"!=", Operation::unequal},
                                                                        {"&&", Operation::both},
                                                                        {"||", Operation::either}}};
  return std::ranges::find(all, op, &std::pair<std::string_view, Operation>::first)->second;
}

// Returns the operation for functions that a loop computes without calls; unary otherwise.
Operation operation_of(const Unary& f) {
  constexpr std::array<std::pair<double (*)(double), Operation>, 5> all{{{&fn::pow2, Operation::square},
                                                                         {&fn::pow3, Operation::cube},
                                                                         {&fn::pow4, Operation::fourth},
                                                                         {&fn::sqrt, Operation::root},
                                                                         {&fn::abs, Operation::absolute}}};
  for (const auto& [function, operation] : all)
    if (function == f.value) return operation;
  return Operation::unary;
}
Operation operation_of(const Binary& f) {
  return f.value == &fn::min ? Operation::least : f.value == &fn::max ? Operation::largest : Operation::binary;
}

// Collects the steps of a tree. Equal steps are stored once.
class Steps {
 public:
  int add(const Node& node) {
    std::vector<int> parts;
    for (const Node& part : node.parts) parts.push_back(add(part));
    // This chains operations on two values, starting from the left.
    const auto chain = [&](int all, std::size_t next, const ExpressionStep& step) {
      for (; next < parts.size(); ++next) all = put(step, {all, parts[next], -1});
      return all;
    };
    switch (node.kind) {
      case Kind::number:
        return number(node.value);
      case Kind::variable:
        return put({.operation = Operation::variable, .axis = node.axis});
      case Kind::negate:
        return put({.operation = Operation::negate}, {parts[0], -1, -1});
      case Kind::operation:
        if (node.name == "^")
          return put({.operation = Operation::binary, .binary = &fn::pow}, {parts[0], parts[1], -1});
        return put({.operation = operation_of(node.name)}, {parts[0], parts[1], -1});
      case Kind::choice:
        return put({.operation = Operation::choose}, {parts[0], parts[1], parts[2]});
      case Kind::unary: {
        const Operation operation = operation_of(*node.unary);
        return put({.operation = operation, .unary = operation == Operation::unary ? node.unary->value : nullptr},
                   {parts[0], -1, -1});
      }
      case Kind::binary: {
        const Operation operation = operation_of(*node.binary);
        return chain(parts[0], 1,
                     {.operation = operation, .binary = operation == Operation::binary ? node.binary->value : nullptr});
      }
      case Kind::sum:
      case Kind::average:
        break;
    }
    const int sum = chain(number(0), 0, {.operation = Operation::add});
    if (node.kind == Kind::sum) return sum;
    return put({.operation = Operation::divide}, {sum, number(static_cast<double>(parts.size())), -1});
  }

  std::vector<ExpressionStep> take() { return std::move(steps_); }

 private:
  int number(double value) { return put({.operation = Operation::number, .value = value}); }
  int put(ExpressionStep step, std::array<int, 3> from = {-1, -1, -1}) {
    step.from = from;
    const auto [place, fresh] = numbers_.emplace(key(step), static_cast<int>(steps_.size()));
    if (fresh) steps_.push_back(step);
    return place->second;
  }

  using Key = std::array<std::uint64_t, 8>;
  static Key key(const ExpressionStep& s) {
    const auto bits = [](auto value) { return static_cast<std::uint64_t>(value); };
    return {bits(s.operation),
            std::bit_cast<std::uint64_t>(s.value),
            bits(s.axis),
            std::bit_cast<std::uint64_t>(s.unary),
            std::bit_cast<std::uint64_t>(s.binary),
            bits(s.from[0]),
            bits(s.from[1]),
            bits(s.from[2])};
  }

  std::vector<ExpressionStep> steps_;
  std::map<Key, int> numbers_;
};

}  // namespace

std::optional<ExpressionTree> ExpressionTree::parse(const std::string& text, const Parameters& parameters) {
  if (text.size() > 10'000) return std::nullopt;
  try {
    return ExpressionTree(std::make_shared<const Node>(Parser(text, parameters).run()));
  } catch (const Foreign&) {
    return std::nullopt;
  }
}

double ExpressionTree::operator()(double x, double y, double z) const {
  return root_->at(x, y, z);
}

std::string ExpressionTree::source() const {
  return root_->source();
}

std::vector<ExpressionStep> ExpressionTree::steps() const {
  Steps all;
  all.add(*root_);
  return all.take();
}

}  // namespace poisson
