#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "grids/problem/problem.hpp"
#include "io/config/schema.hpp"

namespace poisson {

/// One kind of face that `boundary` may name: all that the schema and the reader know of it. A kind whose condition is
/// one of BoundaryKind's is one row of `face_choices()`.
struct FaceChoice {
  struct Datum {
    std::string_view key;   ///< below the kind's name; empty: that name's own value
    std::string_view mark;  ///< what the face's key gets added where messages name the datum
    Quantity Boundary::*member;
    std::string_view factor{};  ///< the key of a datum that is multiplied with this one to give the member
  };

  std::string_view name;
  std::string_view doc;
  BoundaryKind kind;
  std::vector<Datum> data{};   ///< none: the kind is written as a word
  std::vector<Schema> keys{};  ///< of data below the kind's name
  std::string_view example{};
};

/// The table, in the order of the reference.
std::span<const FaceChoice> face_choices();
/// How a face may be written.
std::vector<Schema> face_forms();

}  // namespace poisson
