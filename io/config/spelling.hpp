#pragma once

#include <span>
#include <string>
#include <string_view>

namespace poisson {

/// Returns the candidate nearest to a misspelt name. It counts edits and swaps of neighbours and ignores letter case.
/// Returns an empty text if no candidate is near enough.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

/// Returns the remedy for a misspelt name: "did you mean 'x'?", or "`otherwise` a, b, c" if no candidate is near.
std::string suggest(std::string_view name, std::span<const std::string> candidates, std::string_view otherwise);

/// Returns the text with control characters as escapes. A message is one line, and a byte 0 would end it.
std::string printable(std::string_view text);

/// Returns "a, b, c".
std::string join(std::span<const std::string> words);

}  // namespace poisson
