#include "io/expressions/expression_check.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "backends/memory/error.hpp"
#include "io/config/spelling.hpp"

namespace poisson {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct Foreign {
  std::string_view name, remedy;
};

/// For these functions of other languages, the nearest known name would mislead.
constexpr std::array foreign_functions{
    Foreign{"pow", "write a^b"},
    Foreign{"power", "write a^b"},
    Foreign{"if", "write condition ? a : b"},
    Foreign{"where", "write condition ? a : b"},
    Foreign{"select", "write condition ? a : b"},
    Foreign{"conditional", "write condition ? a : b"},
    Foreign{"heaviside", "write x > 0 ? 1 : 0"},
    Foreign{"step", "write x > 0 ? 1 : 0"},
};

constexpr std::string_view no_time = "the equation has no time; use a parameter instead";
constexpr std::string_view linear = "the equation is linear; its data may depend on x, y and z only";

/// These names of other programs need the given expression here.
constexpr std::array foreign_symbols{
    Foreign{"r", "write sqrt(x^2 + y^2)"},
    Foreign{"R", "write sqrt(x^2 + y^2)"},
    Foreign{"rho", "write sqrt(x^2 + y^2)"},
    Foreign{"radius", "write sqrt(x^2 + y^2)"},
    Foreign{"theta", "write atan2(y, x)"},
    Foreign{"phi", "write atan2(y, x)"},
    Foreign{"e", "write exp(1), or _e"},
    Foreign{"and", "write &&"},
    Foreign{"or", "write ||"},
    Foreign{"not", "write (...) == 0"},
    Foreign{"true", "write 1"},
    Foreign{"false", "write 0"},
    Foreign{"t", no_time},
    Foreign{"time", no_time},
    Foreign{"u", linear},
    Foreign{"T", linear},
};

class Scanner {
 public:
  Scanner(const std::string& text, std::span<const std::string> functions, const Parameters& parameters)
      : text_(text), functions_(functions), symbols_(expression_symbols().begin(), expression_symbols().end()) {
    for (const auto& [name, value] : parameters) symbols_.push_back(name);
  }

  void run() {
    if (text_.size() > longest_expression)
      throw InputError("the expression has " + std::to_string(text_.size()) + " characters (at most " +
                       std::to_string(longest_expression) + " are allowed); use a dataset instead");
    if (std::ranges::all_of(text_, is_space)) throw InputError("an empty expression; write a number or an expression");
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_space(c))
        ++at_;
      else if (is_digit(c) || (c == '.' && is_digit(peek(1))))
        number();
      else if (is_letter(c))
        name();
      else if (c == '(' || c == ')' || c == ',')
        bracket(c);
      else
        operation(c);
    }
    if (!calls_.empty()) fail(text_.size() - 1, "a parenthesis is not closed", "add the missing ')'");
  }

 private:
  [[noreturn]] void fail(std::size_t position, const std::string& what, const std::string& remedy) const {
    throw InputError(what + " at character " + std::to_string(position + 1) + " of " + quoted_around(text_, position) +
                     "; " + remedy);
  }

  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void number() {
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
  }

  std::string_view word() const {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    return std::string_view(text_).substr(at_, end - at_);
  }

  void name() {
    const std::size_t start = at_;
    const std::string found(word());
    at_ += found.size();
    std::size_t next = at_;
    while (next < text_.size() && is_space(text_[next])) ++next;
    called_ = next < text_.size() && text_[next] == '(';
    const bool function = std::ranges::find(functions_, found) != functions_.end();
    const bool symbol = std::ranges::find(symbols_, found) != symbols_.end();
    if (called_ ? function : symbol) return;
    const std::string quoted = "'" + found + "'";
    if (function) fail(start, quoted + " without its arguments", "write " + found + "(...)");
    if (symbol) fail(start, quoted + " is called as a function", "write an operator before the parenthesis");
    const auto foreign = std::ranges::find(foreign_functions, found, &Foreign::name);
    if (foreign != foreign_functions.end()) fail(start, "unknown function " + quoted, std::string(foreign->remedy));
    if (called_) fail(start, "unknown function " + quoted, suggest(found, functions_, "functions are"));
    const auto other = std::ranges::find(foreign_symbols, found, &Foreign::name);
    if (other != foreign_symbols.end())
      fail(start, "unknown symbol " + quoted, std::string(other->remedy) + near_parameter(found));
    fail(start, "unknown symbol " + quoted, suggest(found, symbols_, "symbols are"));
  }

  std::string near_parameter(const std::string& found) const {
    const std::span<const std::string> own = std::span(symbols_).subspan(expression_symbols().size());
    const std::string near = nearest(found, own);
    return near.empty() ? "" : "; or did you mean '" + near + "'?";
  }

  void bracket(char c) {
    if (c == '(') {
      calls_.push_back(called_);
      compared_.push_back(false);
      called_ = false;
    } else if (c == ')') {
      if (calls_.empty()) fail(at_, "a parenthesis closes that was never opened", "remove it or add a '('");
      calls_.pop_back();
      compared_.pop_back();
    } else if (calls_.empty() || !calls_.back()) {
      fail(at_, "a list (a comma outside a function's arguments)", "write one expression, and decimals with a point");
    } else {
      compared_.back() = false;
    }
    ++at_;
  }

  void operation(char c) {
    const std::string_view pair = std::string_view(text_).substr(at_, 2);
    static constexpr std::array<std::string_view, 6> pairs{"<=", ">=", "==", "!=", "&&", "||"};
    if (std::ranges::find(pairs, pair) != pairs.end()) {
      if (pair == "&&" || pair == "||")
        compared_.back() = false;
      else
        comparison();
      at_ += 2;
      return;
    }
    if (pair == "**") fail(at_, "'**' is not an operator", "write ^ for powers");
    if (c == '=') fail(at_, "an assignment", "write == to compare");
    if (c == '"' || c == '\'') fail(at_, "a string", "write numbers, x, y, z, operators and functions only");
    if (c == '[' || c == ']') fail(at_, "a bracket", "write x, y and z for the coordinates, and () for groups");
    if (c == '!') fail(at_, "'!' is not an operator", "write (...) == 0 for not");
    if (std::string_view("+-*/^<>?:").find(c) == std::string_view::npos) {
      std::size_t end = at_ + 1;  // one character may have several bytes in UTF-8
      while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
      fail(at_, "unexpected '" + printable(text_.substr(at_, end - at_)) + "'",
           "operators are + - * / ^ < > <= >= == != && || ?:");
    }
    if (c == '<' || c == '>') comparison();
    if (c == '?' || c == ':') compared_.back() = false;
    ++at_;
  }

  void comparison() {
    if (compared_.back())
      fail(at_, "a chained comparison, which compares 0 or 1,",
           "write 0 < x && x < 1, or parentheses around the first");
    compared_.back() = true;
  }

  const std::string& text_;
  std::span<const std::string> functions_;
  std::vector<std::string> symbols_;
  std::size_t at_ = 0;
  bool called_ = false;                // the last name is followed by '('
  std::vector<bool> calls_{};          // is true for each open parenthesis around a function's arguments
  std::vector<bool> compared_{false};  // outside and in each parenthesis: the current operand is a comparison
};

}  // namespace

std::string quoted_around(const std::string& text, std::size_t position) {
  constexpr std::size_t most = 200;
  if (text.size() <= most) return '"' + printable(text) + '"';
  const auto inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };  // is a continuation byte
  std::size_t begin = position > most / 2 ? std::min(position - most / 2, text.size() - most) : 0;
  while (begin > 0 && inside(text[begin])) --begin;
  std::size_t end = std::min(begin + most, text.size());
  while (end < text.size() && inside(text[end])) ++end;
  return (begin > 0 ? "\"... " : "\"") + printable(text.substr(begin, end - begin)) +
         (end < text.size() ? " ...\"" : "\"");
}

std::span<const std::string> expression_symbols() {
  static const std::array<std::string, 6> symbols{"x", "y", "z", "pi", "_pi", "_e"};
  return symbols;
}

void check_expression(const std::string& text, std::span<const std::string> functions, const Parameters& parameters) {
  Scanner(text, functions, parameters).run();
}

}  // namespace poisson
