#pragma once

#include <span>
#include <string>
#include <string_view>

namespace poisson {

/// Words of the trade and of other programs for one key.
struct KeyWords {
  std::string_view key;        ///< the key's path, in which `*` is any face or any axis
  std::string_view words;      ///< separated by blanks: lower case, without `_`, `-` and blanks
  std::string_view also{};     ///< what messages add to the key's name
  std::string_view instead{};  ///< not empty: the whole remedy, where there is no such key
};

/// The same for one choice of a key.
struct ChoiceWords {
  std::string_view key;
  std::string_view words;
  std::string_view choice;
  std::string_view instead{};  ///< the whole remedy, where `choice` is empty
};

/// The tables. The first row that fits is taken.
std::span<const KeyWords> key_words();
std::span<const ChoiceWords> choice_words();

/// What to say of meshes, wherever one is given.
inline constexpr std::string_view mesh_remedy =
    "meshes are not read; write the box as domain and grid, and bodies as expressions or datasets";
/// Whether the file's ending is that of a mesh or a surface.
bool is_mesh(std::string_view file);

/// The remedy for an unknown key of the map at `path` ("" at the top): "did you mean 'coefficient'?". Empty where the
/// table has no such word for a key of that map or of the maps in it; at the top only its own keys count.
std::string meant_nearby(std::string_view word, std::string_view path);
/// The same for a key of any place.
std::string meant_anywhere(std::string_view word, std::string_view path);
/// The remedy for an unknown choice of the key at `path`, or empty.
std::string meant_choice(std::string_view word, std::string_view path);
/// The choice of the key at `path` that the word means, or empty.
std::string choice_named(std::string_view word, std::string_view path);
/// Whether the word means this key of the map at `path`.
bool means(std::string_view word, std::string_view path, std::string_view key);
/// Whether the word means this key of the map at `path`, or a key within that one.
bool means_within(std::string_view word, std::string_view path, std::string_view key);

}  // namespace poisson
