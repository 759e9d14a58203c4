#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "io/terminal/console.hpp"

namespace poisson {

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
