#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "io/terminal/console.hpp"

namespace poisson {

/// Prints the answers for the first faces and their parts; the summary has all of them.
void Console::faces(const Summary& s) {
  constexpr std::size_t most = 20;
  std::string_view label = "faces";
  for (std::size_t i = 0; i < std::min(most, s.faces.size()); ++i) {
    const Summary::Face& f = s.faces[i];
    std::string text = fmt::format("{} ({}): ", f.name, f.condition);
    if (std::isfinite(f.mean))
      text += fmt::format("{:.6g} to {:.6g}, mean {:.6g}, flow in {:.6g}", f.min, f.max, f.mean, f.flow + 0.0);
    if (std::isfinite(f.mean) && f.cells > 0)
      text += fmt::format(", area {:.6g}", f.area);
    else if (f.cells > 0)
      text += fmt::format("area {:.6g}, no solution", f.area);
    else if (!std::isfinite(f.mean))
      text += "no cell";
    row(label, text);
    label = "";
  }
  if (s.faces.size() > most) row(label, fmt::format("and {} more in summary.json", s.faces.size() - most));
}

void Console::line(const std::string& text) {
  erase_live_line();
  if (quiet_) return;
  fmt::print(out_, "{}\n", text);
  flush();
}

void Console::report(int level, const std::string& text) {
  erase_live_line();
  flush();
  log_->log(static_cast<spdlog::level::level_enum>(level), text);
}

void Console::warning(const std::string& text) {
  warnings_.push_back(text);
  if (!quiet_) report(spdlog::level::warn, text);
}

void Console::error(const std::string& text) {
  report(spdlog::level::err, text);
}

const std::string& Console::lost() {
  flush();
  return lost_;
}

}  // namespace poisson
