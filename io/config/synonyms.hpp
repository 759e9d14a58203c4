#pragma once

#include <span>
#include <string>
#include <string_view>

namespace poisson {

/// Lists technical terms and keywords of other programs that mean one key.
struct KeyWords {
  std::string_view key;        ///< the key's path; `*` matches any face or axis
  std::string_view words;      ///< are separated by blanks: lower case, without `_`, `-` and blanks
  std::string_view also{};     ///< added to the key's name in messages
  std::string_view instead{};  ///< the complete remedy if the key does not exist
};

/// Lists the words that mean one choice of a key.
struct ChoiceWords {
  std::string_view key;
  std::string_view words;
  std::string_view choice;
  std::string_view instead{};  ///< the complete remedy if `choice` is empty
};

/// Return the tables. The first matching row counts.
std::span<const KeyWords> key_words();
std::span<const ChoiceWords> choice_words();

/// Returns whether a list, separated by blanks, has a word in any spelling: `_`, `-`, blanks and capitals do not
/// matter.
bool has_word(std::string_view words, std::string_view word);

/// Messages about meshes end with this remedy.
inline constexpr std::string_view mesh_remedy =
    "write grid: {type: unstructured, file: part.msh} for a mesh of Gmsh or VTK, and "
    "bodies: [{material: steel, mesh: part.stl}] for a surface of triangles";
/// Returns true if the file's ending belongs to a mesh or a surface.
bool is_mesh(std::string_view file);

/// Returns the remedy for an unknown key of the map at `path` ("" at the top): "did you mean 'coefficient'?". Returns
/// an empty text if the table has no such word for a key of that map or of its nested maps. At the top, only its own
/// keys count.
std::string meant_nearby(std::string_view word, std::string_view path);
/// Returns the same remedy for a key at any place.
std::string meant_anywhere(std::string_view word, std::string_view path);
/// Returns the remedy for an unknown choice of the key at `path`, or an empty text.
std::string meant_choice(std::string_view word, std::string_view path);
/// Returns the choice of the key at `path` that the word means, or an empty text.
std::string choice_named(std::string_view word, std::string_view path);
/// Returns true if the word means this key of the map at `path`.
bool means(std::string_view word, std::string_view path, std::string_view key);
/// Returns true if the word means this key of the map at `path`, or a key inside it.
bool means_within(std::string_view word, std::string_view path, std::string_view key);

}  // namespace poisson
