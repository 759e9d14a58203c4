#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "grids/problem/problem.hpp"
#include "io/config/schema.hpp"

namespace poisson {

/// Describes one kind of face of `boundary` for the schema and the reader. A kind that uses a condition of BoundaryKind
/// needs only a row in `face_choices()`.
struct FaceChoice {
  struct Datum {
    std::string_view key;   ///< below the kind's name; empty: that name's own value
    std::string_view mark;  ///< is appended to the face's key in messages
    Quantity Boundary::*member;
    std::string_view factor{};  ///< key of a datum that multiplies this one
  };

  std::string_view name;
  std::string_view doc;
  BoundaryKind kind;
  std::vector<Datum> data{};   ///< empty: the kind is a word
  std::vector<Schema> keys{};  ///< data below the kind's name
  std::string_view example{};
};

/// Returns the table, in the order of the reference.
std::span<const FaceChoice> face_choices();
/// Returns the forms in which a face may be written.
std::vector<Schema> face_forms();

}  // namespace poisson
