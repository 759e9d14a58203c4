#include "io/pictures/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace poisson {
namespace {

std::string with_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

std::string power_of_ten(int exponent) {
  constexpr std::array digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "×10";
  for (const char c : fmt::format("{}", exponent)) text += c == '-' ? "⁻" : digits[static_cast<std::size_t>(c - '0')];
  return text;
}

/// Returns true if numbers of this decimal exponent are written out; others get a power of ten.
bool is_plain(int exponent) {
  return exponent >= -3 && exponent <= 4;
}

/// Returns the decimal exponent. Zero and numbers below the normal range have exponent 0.
int decimal_exponent(double value) {
  return std::abs(value) > 1e-300 ? static_cast<int>(std::floor(std::log10(std::abs(value)))) : 0;
}

}  // namespace

std::string readable(double value, int digits) {
  if (!std::isfinite(value)) return std::isnan(value) ? "not a number" : value > 0 ? "infinity" : "−infinity";
  if (std::abs(value) <= 1e-300) return "0";
  // Rounding may reach the next power of ten: 9.9999 becomes 10.00.
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  const auto e = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(e + 1));
  std::string mantissa = scientific.substr(0, e);
  if (is_plain(exponent)) mantissa = fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
  if (mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.ends_with('.')) mantissa.pop_back();
  }
  return with_minus(mantissa) + (is_plain(exponent) ? "" : power_of_ten(exponent));
}

Ticks round_ticks(double lower, double upper, int at_most) {
  const double size = std::max(std::abs(lower), std::abs(upper));
  const double half_range = upper / 2 - lower / 2;  // the range may overflow
  if (!(half_range > 0.5e-9 * size) || size <= 1e-300) return {{lower}, {readable(lower, 6)}, ""};

  if (half_range < 0.5e-4 * size) {
    // Digits that all values share are written once.
    const double grid = std::pow(10.0, decimal_exponent(2 * half_range) + 1);
    const double offset = std::floor(lower / grid) * grid;
    Ticks ticks = round_ticks(lower - offset, upper - offset, at_most);
    for (auto& value : ticks.values) value += offset;
    ticks.factor +=
        std::string(ticks.factor.empty() ? "" : " ") + (offset < 0 ? "− " : "+ ") + readable(std::abs(offset), 12);
    return ticks;
  }

  const int exponent = is_plain(decimal_exponent(size)) ? 0 : decimal_exponent(size);
  const double power = std::pow(10.0, exponent);
  const double low = lower / power, high = upper / power;
  const double smallest = (high - low) / std::max(1, at_most);
  int decimals = -static_cast<int>(std::floor(std::log10(smallest)));
  double step = 0;
  for (const double mantissa : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    step = mantissa * std::pow(10.0, -decimals);
    if (step < smallest * (1 - 1e-9)) continue;
    if (mantissa == 2.5) ++decimals;
    if (mantissa == 10.0) --decimals;
    break;
  }
  Ticks ticks;
  if (exponent != 0) ticks.factor = power_of_ten(exponent);
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
    ticks.values.push_back(k * step * power);
    ticks.labels.push_back(k == 0 ? "0" : with_minus(fmt::format("{:.{}f}", k * step, std::max(0, decimals))));
  }
  return ticks;
}

Ticks decade_ticks(double lower, double upper, int at_most) {
  const double low = lower * (1 - 1e-9), high = upper * (1 + 1e-9);
  const int first = decimal_exponent(low), last = decimal_exponent(high);
  const auto add = [&](Ticks& to, double value) {
    if (value < low || value > high) return;
    to.values.push_back(value);
    to.labels.push_back(readable(value, 6));
  };
  Ticks ticks;
  for (int e = first; e <= last; ++e)
    for (const double mantissa : {1.0, 2.0, 5.0}) add(ticks, mantissa * std::pow(10.0, e));
  if (ticks.values.size() < 2) return round_ticks(lower, upper, at_most);
  const auto most = static_cast<std::size_t>(std::max(1, at_most)) + 1;
  if (ticks.values.size() <= most) return ticks;
  Ticks powers;
  int step = 1;
  while (static_cast<std::size_t>((last - first) / step) + 1 > most) ++step;
  for (int e = first; e <= last; e += step) add(powers, std::pow(10.0, e));
  return powers.values.size() < 2 ? ticks : powers;
}

}  // namespace poisson
