#pragma once

#include <string>
#include <vector>

#include "io/files/output.hpp"
#include "io/pictures/canvas.hpp"
#include "io/pictures/shown_field.hpp"
#include "io/pictures/ticks.hpp"

namespace poisson {

inline constexpr Colour ink{34, 36, 40};
inline constexpr double small_text = 22;                ///< pixels
inline constexpr int frame_width = 2, tick_length = 8;  ///< pixels

inline const TextStyle axis_label{.size = small_text, .colour = ink, .align = Align::centre};
inline const TextStyle panel_title{.size = 26, .colour = ink, .align = Align::centre};

/// A panel is a section with its axes and the space in pixels that labels need outside its frame.
struct Panel {
  Section section;
  Ticks across, up;
  double widest = 0;  ///< widest `up` label
  int before = 0, after = 0;
};

/// Returns the position of a section as text, such as "x = 0.5".
std::string title_of(const Section& section);

/// Lays out a panel. `titled` puts the section's position above it.
Panel lay_out(const OutputGrid& grid, const Section& section, bool titled);

/// Draws frame, ticks and labels of a panel whose upper left pixel is given.
void draw_axes(Canvas& canvas, int left, int top, const OutputGrid& grid, const Panel& panel);

}  // namespace poisson
