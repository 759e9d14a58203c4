#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace poisson {

/// Lists words that mean a key of materials, bodies, contacts, sheets or images.
struct MediaWords {
  std::string_view key;
  std::string_view words;   ///< are separated by blanks: lower case, without `_`, `-` and blanks
  std::string_view note{};  ///< added to the key's name in messages
};

std::span<const MediaWords> media_words();
/// Returns whether a map at this path belongs to materials, bodies, contacts, sheets or an image.
bool is_in_media(std::string_view path);
/// Returns the remedy for an unknown key of such a map, "did you mean 'radius'?", if the word means one of the keys
/// there (`candidates`); otherwise an empty text.
std::string meant_in_media(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace poisson
