#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/curve.hpp"
#include "lab/study.hpp"

namespace poisson::lab {

// What conclusions ask of a panel's points.

/// The value of a variant at a place; nothing where it was not measured.
std::optional<double> value_at(const Panel& panel, std::string_view variant, double x);
/// Places of a sweep, ascending; of one variant where it is named.
std::vector<double> places(const Panel& panel, std::string_view variant = {});
/// The variant of the largest value at a place among those that `among` holds; a null pointer where there is none.
const Point* best_at(const Panel& panel, double x, std::span<const std::string> among);
/// The point of a variant's largest value; a null pointer where there is none.
const Point* best_of(const Panel& panel, std::string_view variant);

/// "6.2 times"; "12 times".
std::string times(double factor);
/// "4107 GB/s", of a value in these units.
std::string gigabytes_per_second(double value);
/// Factors below count as no difference.
inline constexpr double noticeable_factor = 1.05;

}  // namespace poisson::lab
