#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backends/processes/processes.hpp"
#include "grids/problem/media.hpp"
#include "io/files/output.hpp"
#include "io/pictures/canvas.hpp"
#include "io/pictures/flow_sections.hpp"
#include "io/pictures/picture_choice.hpp"
#include "io/pictures/shown_field.hpp"
#include "io/pictures/streamlines.hpp"

namespace poisson {

/// Draws outlines of materials, arrows and streamlines over the colours of a picture.
class Marks {
 public:
  Marks(const OutputGrid& grid, const PictureMarks& choice, const MarkSource& source);

  /// Gathers the flux on the first process. Collective.
  void collect(const Processes& processes);
  /// Sets the sizes of arrows and the distance of lines. Call it on the first process, before the functions below, with
  /// all sections of the picture.
  void lay_out(const std::vector<Section>& sections);
  /// Draws on the panel of a section, whose upper left pixel is given.
  void draw(Canvas& canvas, int left, int top, std::size_t number) const;
  /// Returns a line for the foot of the picture; empty without arrows and streamlines.
  std::string legend() const;

 private:
  /// Is the flux at a point of a panel: its direction in pixels, of length 1, and its magnitude in the plane.
  struct Flow {
    PicturePoint direction;
    double magnitude;
  };
  std::optional<Flow> flow_at(std::size_t number, PicturePoint p) const;
  /// Calls f(point, flow) for the places of arrows.
  template <class F>
  void for_each_arrow(std::size_t number, const F& f) const;
  void draw_outlines(Canvas& canvas, int left, int top, std::size_t number) const;
  void draw_streamlines(Canvas& canvas, int left, int top, std::size_t number) const;
  void draw_arrows(Canvas& canvas, int left, int top, std::size_t number) const;

  const OutputGrid& grid_;
  PictureMarks choice_;
  MarkSource source_;
  std::optional<FlowSections> flow_;
  std::vector<Section> sections_;
  std::vector<std::vector<RegionNumber>> regions_;  ///< of each section's pixels; empty without outlines
  double longest_side_ = 0;                         ///< of all panels, in pixels
  double largest_ = 0;                              ///< magnitude in the sections
  double longest_ = 0;                              ///< magnitude of the longest arrow
};

/// Draws the field. Only the first process, which has all data, may call it.
std::filesystem::path write_png(const std::filesystem::path& directory, const OutputGrid& grid, const ShownField& shown,
                                Marks& marks, const OutputNote& note);

}  // namespace poisson
