#include "io/config/yaml_scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>

namespace poisson {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view without_sign(std::string_view s) {
  return !s.empty() && (s[0] == '+' || s[0] == '-') ? s.substr(1) : s;
}

bool is_decimal_integer(std::string_view s) {
  return !s.empty() && std::ranges::all_of(s, is_digit);
}

/// Matches (\.[0-9]+ | [0-9]+(\.[0-9]*)?) ([eE][-+]?[0-9]+)?
bool is_float(std::string_view s) {
  const auto digits = [&s] {
    const std::size_t count = static_cast<std::size_t>(std::ranges::find_if_not(s, is_digit) - s.begin());
    s.remove_prefix(count);
    return count;
  };
  const std::size_t whole = digits();
  if (!s.empty() && s[0] == '.') {
    s.remove_prefix(1);
    if (digits() == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (s.empty()) return true;
  if (s[0] != 'e' && s[0] != 'E') return false;
  return is_decimal_integer(without_sign(s.substr(1)));
}

/// Returns the magnitude of a decimal number. from_chars ignores the locale, but leaves the value unset out of range.
double decimal(std::string_view s) {
  double value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc::result_out_of_range) return value;
  const std::size_t exponent = s.find_first_of("eE");
  const bool tiny = exponent == std::string_view::npos ? s.find('.') <= 1 : s.substr(exponent + 1).starts_with('-');
  return tiny ? 0 : std::numeric_limits<double>::infinity();
}

bool based_integer(std::string_view s, double& value) {
  if (s.size() < 3 || s[0] != '0' || (s[1] != 'o' && s[1] != 'x')) return false;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(s.data() + 2, s.data() + s.size(), number, s[1] == 'o' ? 8 : 16);
  value = error == std::errc::result_out_of_range ? std::numeric_limits<double>::infinity() : double(number);
  return end == s.data() + s.size() && s[2] != '-';
}

template <std::size_t N>
bool is_any(std::string_view s, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, s) != words.end();
}

}  // namespace

Value plain_scalar(const std::string& text) {
  Value value;
  value.text = text;
  const std::string_view magnitude = without_sign(text);
  const auto number = [&](double size, bool integer) {
    value.kind = Value::Kind::number;
    value.number = text[0] == '-' ? -size : size;
    value.integer = integer;
  };
  double based = 0;
  if (is_any<5>(text, {"", "~", "null", "Null", "NULL"})) return value;
  if (is_any<6>(text, {"true", "True", "TRUE", "false", "False", "FALSE"})) {
    value.kind = Value::Kind::boolean;
    value.truth = text[0] == 't' || text[0] == 'T';
  } else if (based_integer(text, based)) {
    number(based, true);
  } else if (is_decimal_integer(magnitude)) {
    number(decimal(magnitude), true);
  } else if (is_float(magnitude)) {
    number(decimal(magnitude), false);
  } else if (is_any<3>(magnitude, {".inf", ".Inf", ".INF"})) {
    number(std::numeric_limits<double>::infinity(), false);
  } else if (is_any<3>(text, {".nan", ".NaN", ".NAN"})) {
    number(std::numeric_limits<double>::quiet_NaN(), false);
  } else {
    value.kind = Value::Kind::string;
  }
  return value;
}

std::size_t invalid_utf8(const std::string& text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = byte(i);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length == 0 || lead == 0) return i;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(i + k) & 0xC0) != 0x80) return i;
    // The second byte reveals overlong forms, surrogates and code points beyond U+10FFFF.
    const unsigned second = byte(i + 1);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
        (lead == 0xF4 && second > 0x8F))
      return i;
    i += length;
  }
  return std::string::npos;
}

}  // namespace poisson
