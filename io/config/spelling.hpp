#pragma once

#include <span>
#include <string>
#include <string_view>

namespace poisson {

/// The candidate nearest to a misspelt name (edits and swaps of neighbours counted, letter case ignored), empty where
/// none is near enough to be meant.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

/// The remedy for a misspelt name: "did you mean 'x'?", or "`otherwise` a, b, c" where nothing is near.
std::string suggest(std::string_view name, std::span<const std::string> candidates, std::string_view otherwise);

/// The text with control characters written as escapes: a message is one line, and would end at a byte 0.
std::string printable(std::string_view text);

/// "a, b, c".
std::string join(std::span<const std::string> words);

}  // namespace poisson
