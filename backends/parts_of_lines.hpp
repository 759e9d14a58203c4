#pragma once

#include <memory>

#include "backends/backend.hpp"

namespace poisson {

/// Where processes tell each other what their parts of lines are reduced to (reduced_line.hpp): fields with the lines
/// along x and y and the numbers of PartOfLine along z. Some lines at a time, so many as devices send each other.
class PartsOfLines {
 public:
  /// All processes call it together. Lines lie at so many places along two axes.
  PartsOfLines(Backend& backend, Precision precision, const std::shared_ptr<const Processes>& processes, int lanes,
               int slows);
  /// Of `processes` parts.
  static std::size_t bytes(Precision precision, int processes, int lanes, int slows);

  /// Places along the second axis at a time.
  int slows() const { return own_.layout().n[1]; }
  Field& own() { return own_; }
  /// Of all parts, one after another, once gathered.
  Field& all() { return all_; }
  void gather() { own_.backend().gather(own_, all_); }
  int parts() const { return own_.space().cuts().count(2); }
  int part() const { return own_.space().processes().rank(); }

 private:
  Field own_, all_;
};

}  // namespace poisson
