#include "io/expressions/expression_parser.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <map>
#include <numbers>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "backends/memory/error.hpp"
#include "io/config/spelling.hpp"
#include "io/expressions/grammar.hpp"

namespace poisson {

namespace {

using namespace grammar;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool inside_a_character(char c) {  // one character may have several bytes in UTF-8
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Parses by recursive descent. Each function returns the number of the step that computes the parsed text.
class Parser {
 public:
  Parser(const std::string& text, const Parameters& parameters, bool products)
      : text_(text), parameters_(parameters), products_(products) {}

  std::vector<ExpressionStep> run() {
    if (text_.size() > longest_expression)
      throw InputError("the expression has " + std::to_string(text_.size()) + " characters (at most " +
                       std::to_string(longest_expression) + " are allowed); use a dataset instead");
    if (std::ranges::all_of(text_, is_space)) throw InputError("an empty expression; write a number or an expression");
    choice();
    if (at_ < text_.size()) unexpected();
    return std::move(steps_);
  }

 private:
  // ---- grammar ----

  // Parses condition ? a : b. A loop parses long chains, as in a table of layers.
  int choice() {
    std::vector<std::array<int, 2>> chain;
    int last = operation(0);
    while (take('?')) {
      const int first = choice();
      if (!take(':')) unexpected();
      chain.push_back({last, first});
      last = operation(0);
    }
    for (; !chain.empty(); chain.pop_back())
      last = put({.operation = Operation::choose}, {chain.back()[0], chain.back()[1], last});
    return last;
  }

  // Parses operators of at least this precedence.
  int operation(int precedence) {
    int left = sign();
    bool compared = false;
    while (const Operator* const op = next_operator(precedence)) {
      if (compared && op->precedence == comparison)
        fail(at_, "a chained comparison, which compares 0 or 1,",
             "write 0 < x && x < 1, or parentheses around the first");
      compared = op->precedence == comparison;
      at_ += op->sign.size();
      const int right = operation(op->precedence + 1);
      left = put({.operation = op->operation}, {left, right, -1});
    }
    return left;
  }

  // A sign binds less tightly than a power and more tightly than a product. An exponent may have a sign.
  int sign() {
    if (++depth_ > 1000) fail(at_, "an expression nested too deeply", "use fewer parentheses and signs inside others");
    int value = 0;
    if (take('-'))
      value = put({.operation = Operation::negate}, {sign(), -1, -1});
    else
      value = take('+') ? sign() : power();
    --depth_;
    return value;
  }

  // Powers associate to the right: 2^3^x is 2^(3^x).
  int power() {
    const int base = primary();
    if (!take('^')) return base;
    const int exponent = sign();
    const ExpressionStep& step = steps_[static_cast<std::size_t>(exponent)];
    if (products_ && step.operation == Operation::number)
      for (std::size_t i = 0; i < powers.size(); ++i)
        if (step.value == static_cast<double>(i + 2)) return put(powers[i].step, {base, -1, -1});
    return put(binary("pow", &fn::pow).step, {base, exponent, -1});
  }

  int primary() {
    const char c = next();
    if (take('(')) {
      ++open_;
      const int inside = choice();
      if (next() == ',') refuse_list();
      close();
      return inside;
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (is_letter(c)) return name();
    unexpected();
  }

  int call(const Function& function) {
    std::vector<int> arguments;
    ++open_;
    take('(');
    do arguments.push_back(choice());
    while (take(','));
    if (next() == ')' && !function.chains && arguments.size() != function.arguments)
      syntax((arguments.size() > function.arguments ? "Too many parameters for function \""
                                                    : "Too few parameters for function \"") +
             std::string(function.name) + "\"");
    close();
    const bool adds = function.step.operation == Operation::add;
    int value = adds ? constant(0) : arguments[0];
    if (function.arguments == 1) return put(function.step, {value, -1, -1});
    for (std::size_t i = adds ? 0 : 1; i < arguments.size(); ++i) value = put(function.step, {value, arguments[i], -1});
    if (function.name != "avg") return value;
    return put({.operation = Operation::divide}, {value, constant(static_cast<double>(arguments.size())), -1});
  }

  void close() {
    if (!take(')')) unexpected();
    --open_;
  }

  int name() {
    const std::string found(word());
    const bool called = is_called(found);
    if (!is_known(found, called)) refuse_name(found, called);
    at_ += found.size();
    if (called) return call(*std::ranges::find(functions, found, &Function::name));
    if (const auto parameter = parameters_.find(found); parameter != parameters_.end())
      return constant(parameter->second);
    const auto symbol = std::ranges::find(expression_symbols(), found) - expression_symbols().begin();
    if (symbol < 3) return put({.operation = Operation::variable, .axis = static_cast<int>(symbol)});
    return constant(symbol < 5 ? std::numbers::pi : std::numbers::e);
  }

  int number() {
    const auto digits = [this] {
      while (is_digit(peek(0))) ++at_;
    };
    const std::size_t start = at_;
    digits();
    if (peek(0) == '.') ++at_;
    digits();
    const bool exponent = peek(0) == 'e' || peek(0) == 'E';
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (exponent && is_digit(peek(1 + sign))) {
      at_ += 2 + sign;
      digits();
    }
    if (is_letter(peek(0)))
      fail(at_, "a name follows a number directly",
           "write an operator between them, such as " + text_.substr(start, at_ - start) + "*" + std::string(word()));
    long double value = 0;  // a tiny number rounds to 0
    double rounded = 0;
    const char *const begin = text_.data() + start, *const end = text_.data() + at_;
    if (std::from_chars(begin, end, rounded).ec != std::errc()) {
      if (std::from_chars(begin, end, value).ec != std::errc())
        fail(start, "a number out of range", "numbers are at most 1.8e308");
      rounded = static_cast<double>(value);
    }
    return constant(rounded);
  }

  int constant(double value) { return put({.operation = Operation::number, .value = value}); }

  // ---- steps ----

  int put(ExpressionStep step, const std::array<int, 3>& from = {-1, -1, -1}) {
    step.from = from;
    const auto [place, fresh] = numbers_.emplace(
        std::tuple(step.operation, std::bit_cast<std::uint64_t>(step.value), step.axis, step.source, step.from),
        static_cast<int>(steps_.size()));
    if (fresh) steps_.push_back(step);
    return place->second;
  }

  // ---- text ----

  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  // Returns the next character after spaces; '\0' at the end.
  char next() {
    while (is_space(peek(0))) ++at_;
    return peek(0);
  }
  bool take(char c) {
    if (at_ >= text_.size() || next() != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() const {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    return std::string_view(text_).substr(at_, end - at_);
  }
  bool is_called(const std::string& name) const {
    const std::size_t next = text_.find_first_not_of(" \t\n\r", at_ + name.size());
    return next != std::string::npos && text_[next] == '(';
  }
  bool is_known(const std::string& name, bool called) const {
    if (called) return std::ranges::find(functions, name, &Function::name) != functions.end();
    return parameters_.contains(name) || std::ranges::find(expression_symbols(), name) != expression_symbols().end();
  }
  // Returns the next operator, or null if there is none or it binds less tightly.
  const Operator* next_operator(int precedence) {
    next();
    const std::string_view rest = std::string_view(text_).substr(at_);
    if (rest.starts_with("**")) unexpected();
    const auto op = std::ranges::find_if(operators, [&](const Operator& o) { return rest.starts_with(o.sign); });
    return op == operators.end() || op->precedence < precedence ? nullptr : &*op;
  }

  // ---- errors ----

  [[noreturn]] void fail(std::size_t position, const std::string& what, const std::string& remedy) const {
    throw InputError(what + " at character " + std::to_string(position + 1) + " of " + quoted_around(text_, position) +
                     "; " + remedy);
  }
  [[noreturn]] void syntax(const std::string& why) const {
    const std::size_t position = std::min(at_, text_.size() - 1);
    throw InputError("syntax error at character " + std::to_string(position + 1) + " of " +
                     quoted_around(text_, position) + " (" + why + "); check the operators and parentheses there");
  }

  // Explains why the next character cannot be there.
  [[noreturn]] void unexpected() {
    const char c = next();
    if (at_ == text_.size()) {
      if (open_ > 0) fail(text_.size() - 1, "a parenthesis is not closed", "add the missing ')'");
      syntax("Unexpected end of expression");
    }
    if (c == ')' && open_ == 0) fail(at_, "a parenthesis closes that was never opened", "remove it or add a '('");
    if (c == ',' && open_ == 0) refuse_list();
    const std::string_view rest = std::string_view(text_).substr(at_);
    if (rest.starts_with("**")) fail(at_, "'**' is not an operator", "write ^ for powers");
    const auto op = std::ranges::find_if(operators, [&](const Operator& o) { return rest.starts_with(o.sign); });
    if (op != operators.end()) syntax("Unexpected operator \"" + std::string(op->sign) + "\"");
    if (c == '=') fail(at_, "an assignment", "write == to compare");
    if (c == '"' || c == '\'') fail(at_, "a string", "write numbers, x, y, z, operators and functions only");
    if (c == '[' || c == ']') fail(at_, "a bracket", "write x, y and z for the coordinates, and () for groups");
    if (c == '!') fail(at_, "'!' is not an operator", "write (...) == 0 for not");
    if (const std::string found(word()); is_letter(c) && !is_known(found, is_called(found)))
      refuse_name(found, is_called(found));
    if (is_letter(c) || is_digit(c)) syntax("Unexpected \"" + std::string(word()) + "\"");
    if (std::string_view("^?:(),").find(c) != std::string_view::npos) syntax(std::string("Unexpected \"") + c + "\"");
    std::size_t end = at_ + 1;
    while (end < text_.size() && inside_a_character(text_[end])) ++end;
    fail(at_, "unexpected '" + printable(text_.substr(at_, end - at_)) + "'",
         "operators are + - * / ^ < > <= >= == != && || ?:");
  }

  [[noreturn]] void refuse_list() const {
    fail(at_, "a list (a comma outside a function's arguments)", "write one expression, and decimals with a point");
  }

  [[noreturn]] void refuse_name(const std::string& found, bool called) const {
    std::vector<std::string> own;
    for (const auto& [name, value] : parameters_) own.push_back(name);
    std::vector<std::string> symbols(expression_symbols().begin(), expression_symbols().end());
    symbols.insert(symbols.end(), own.begin(), own.end());
    const std::string quoted = "'" + found + "'";
    if (std::ranges::find(expression_functions(), found) != expression_functions().end())
      fail(at_, quoted + " without its arguments", "write " + found + "(...)");
    if (std::ranges::find(symbols, found) != symbols.end())
      fail(at_, quoted + " is called as a function", "write an operator before the parenthesis");
    const auto foreign = std::ranges::find(foreign_functions, found, &Foreign::name);
    if (foreign != foreign_functions.end()) fail(at_, "unknown function " + quoted, std::string(foreign->remedy));
    if (called) fail(at_, "unknown function " + quoted, suggest(found, expression_functions(), "functions are"));
    const auto other = std::ranges::find(foreign_symbols, found, &Foreign::name);
    if (other == foreign_symbols.end()) fail(at_, "unknown symbol " + quoted, suggest(found, symbols, "symbols are"));
    const std::string near = nearest(found, own);
    fail(at_, "unknown symbol " + quoted,
         std::string(other->remedy) + (near.empty() ? "" : "; or did you mean '" + near + "'?"));
  }

  const std::string& text_;
  const Parameters& parameters_;
  bool products_;
  std::size_t at_ = 0;
  int open_ = 0;   // parentheses
  int depth_ = 0;  // counts signs, exponents and parentheses inside one another
  std::vector<ExpressionStep> steps_{};
  std::map<std::tuple<Operation, std::uint64_t, int, std::string_view, std::array<int, 3>>, int> numbers_{};
};

}  // namespace

std::string quoted_around(const std::string& text, std::size_t position) {
  constexpr std::size_t most = 200;
  if (text.size() <= most) return '"' + printable(text) + '"';
  std::size_t begin = position > most / 2 ? std::min(position - most / 2, text.size() - most) : 0;
  while (begin > 0 && inside_a_character(text[begin])) --begin;
  std::size_t end = std::min(begin + most, text.size());
  while (end < text.size() && inside_a_character(text[end])) ++end;
  return (begin > 0 ? "\"... " : "\"") + printable(text.substr(begin, end - begin)) +
         (end < text.size() ? " ...\"" : "\"");
}

std::span<const std::string> expression_symbols() {
  static const std::array<std::string, 6> symbols{"x", "y", "z", "pi", "_pi", "_e"};
  return symbols;
}

std::span<const std::string> expression_functions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Function& function : functions) all.emplace_back(function.name);
    return all;
  }();
  return names;
}

std::vector<ExpressionStep> parse_steps(const std::string& text, const Parameters& parameters, bool products) {
  return Parser(text, parameters, products).run();
}

}  // namespace poisson
