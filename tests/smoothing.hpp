#pragma once

#include <optional>
#include <string_view>

#include "solver/smoothers/smoother.hpp"

namespace poisson {

/// Selects a smoother by its type and form in a configuration.
inline void choose(SmootherOptions& options, std::string_view type, std::string_view form = {}) {
  const bool lines = type == "line", planes = type == "plane";
  options.kind = type == "auto" ? nullptr : &smoother_kind(lines || planes ? "chebyshev" : type, form);
  options.extent = lines    ? std::optional(RelaxationChoice::lines)
                   : planes ? std::optional(RelaxationChoice::planes)
                            : std::nullopt;
}

inline SmootherOptions smoothing(std::string_view type, std::string_view form, int pre, int post) {
  SmootherOptions options;
  choose(options, type, form);
  options.pre = pre;
  options.post = post;
  return options;
}

/// Runs one Gauss–Seidel sweep over all colours.
inline void relax_colours(const Operator& A, double omega, bool reversed, const Field& b, Field& u) {
  const PolynomialStep step{omega, 0};
  Iterate iterate{&u, &u, false};
  A.split_by_colours()->take({&step, 1}, reversed, b, iterate);
}

}  // namespace poisson
