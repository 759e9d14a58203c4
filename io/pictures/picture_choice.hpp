#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace poisson {

class RegionMap;

/// Is a plane that a picture shows.
struct PicturePlane {
  int normal = 2;       ///< axis across the plane
  double position = 0;  ///< on that axis
};

/// Describes how values become colours.
struct ColourScale {
  std::optional<std::array<double, 2>> range;  ///< null: the range of the field
  bool logarithmic = false;                    ///< colours follow log(value); values must be positive
};

/// Selects outlines of materials. `automatic` leaves them out if they would fill the picture.
enum class Outlines { automatic, drawn, hidden };

/// Selects the lines and arrows that a picture draws over its colours. Counts are across the longer side of the longest
/// panel; 0 draws none.
struct PictureMarks {
  Outlines outlines = Outlines::automatic;
  int arrows = 0;
  int streamlines = 0;

  bool flow() const { return arrows > 0 || streamlines > 0; }
};

/// Fills a vector for each cell of the planes first ≤ k < last of this process, like Pieces::fill.
using CellVectors = std::function<void(int first, int last, std::span<double> values)>;

/// Provides the data of outlines, arrows and streamlines.
struct MarkSource {
  std::shared_ptr<const RegionMap> regions;  ///< null: no outlines
  CellVectors flux;  ///< −κ∇u with `dimension` components; empty: no arrows and streamlines
};

}  // namespace poisson
