#include "io/terminal/console.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <unistd.h>

#include "grids/problem/problem.hpp"

namespace poisson {
namespace {

bool has_colour(std::FILE* stream) {
  const char* terminal = std::getenv("TERM");
  const char* refused = std::getenv("NO_COLOR");  // https://no-color.org
  return isatty(fileno(stream)) && terminal && std::string_view(terminal) != "dumb" && !(refused && *refused);
}

/// Returns 1234567 as 1 234 567.
std::string grouped(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  for (auto i = std::ssize(digits) - 3; i > (count < 0 ? 1 : 0); i -= 3)
    digits.insert(static_cast<std::size_t>(i), 1, ' ');
  return digits;
}

std::string bytes(double count) {
  constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; count >= 1024 && unit + 1 < units.size(); ++unit) count /= 1024;
  return fmt::format("{:.{}f} {}", count, unit == 0 || count >= 100 ? 0 : 1, units[unit]);
}

/// Returns three digits with a suitable unit: 850 µs, 12.3 ms, 4.56 s, 3 min 20 s.
std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto three = [](double value, const char* unit) {
    return fmt::format("{:.{}f} {}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, unit);
  };
  if (seconds <= 0) return "0 s";
  if (seconds < 1e-3) return three(seconds * 1e6, "µs");
  if (seconds < 1) return three(seconds * 1e3, "ms");
  if (seconds < 120) return three(seconds, "s");
  const auto whole = static_cast<long long>(std::lround(seconds));
  if (whole < 7200) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string speed(double per_second) {
  constexpr std::array<std::pair<double, const char*>, 3> units{
      {{1e9, "billion"}, {1e6, "million"}, {1e3, "thousand"}}};
  for (const auto& [unit, name] : units)
    if (per_second >= unit) return fmt::format("{:.3g} {} unknowns per second", per_second / unit, name);
  return fmt::format("{:.3g} unknowns per second", per_second);
}

/// Draws a bar in steps of an eighth of a character, so that a short bar still moves smoothly.
std::string bar(double share, int width) {
  constexpr std::array parts{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::clamp(share, 0.0, 1.0) * width * 8);
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  text += parts[eighths % 8];
  const int used = eighths / 8 + (eighths % 8 ? 1 : 0);
  for (int i = used; i < width; ++i) text += "·";
  return text;
}

/// Returns the width of UTF-8 text in columns. It assumes that each character is one column wide.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string joined(std::span<const std::string> words, std::string_view between) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : std::string(between)) + word;
  return all;
}

/// Returns text such as " at (0.5, 0.25)"; empty if the place is unknown.
std::string place(std::string_view before, const std::vector<double>& point) {
  if (point.empty()) return {};
  std::vector<std::string> numbers;
  numbers.reserve(point.size());
  for (const double x : point) numbers.push_back(fmt::format("{:.4g}", x));
  return fmt::format("{}({})", before, joined(numbers, ", "));
}

}  // namespace

Console::Console(bool quiet, std::FILE* out, std::FILE* errors)
    : quiet_(quiet),
      out_(out),
      terminal_(isatty(fileno(out)) && std::getenv("TERM") && std::string_view(std::getenv("TERM")) != "dumb"),
      colour_(has_colour(out)) {
  auto sink = std::make_shared<spdlog::sinks::ansicolor_sink<spdlog::details::console_nullmutex>>(
      errors, has_colour(errors) ? spdlog::color_mode::always : spdlog::color_mode::never);
  sink->set_pattern("%^%l:%$ %v");
  log_ = std::make_unique<spdlog::logger>("poisson", std::move(sink));
  log_->flush_on(spdlog::level::warn);
}

Console::~Console() {
  erase_live_line();
}

std::string Console::styled(Style style, const std::string& text) const {
  if (!colour_ || style == Style::plain) return text;
  constexpr std::array codes{"0", "1", "2", "1;32", "1;31", "1;33"};
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<std::size_t>(style)], text);
}

/// Prints a labelled row. Long texts continue on further lines, so that 80 columns suffice.
void Console::row(std::string_view label, const std::string& text) {
  constexpr std::size_t room = 80 - 13;
  std::string line;
  const auto print = [&] {
    fmt::print(out_, "  {}  {}\n", styled(Style::dim, fmt::format("{:<9}", label)), line);
    label = "";
    line.clear();
  };
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (!line.empty() && columns(line) + 1 + columns(word) > room) print();
    line += (line.empty() ? "" : " ") + word;
    start = end + 1;
  }
  if (!line.empty()) print();
}

/// Redirects a failed stream to /dev/null, because results must not depend on the reader of the output. (fmt throws if
/// a full buffer cannot be written; no buffer fills up between two flushes.)
void Console::flush() {
  errno = 0;
  if (std::fflush(out_) == 0 && !std::ferror(out_)) return;
  if (lost_.empty()) lost_ = errno != 0 ? std::strerror(errno) : "its stream has failed";
  if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) {
    dup2(nowhere, fileno(out_));
    close(nowhere);
  }
  std::clearerr(out_);
}

void Console::erase_live_line() {
  if (!live_) return;
  fmt::print(out_, "\r\x1b[K");
  flush();
  live_ = false;
}

void Console::header(const RunHeader& h) {
  if (quiet_) return;
  fmt::print(out_, "{} {}\n", styled(Style::bold, "poisson"), styled(Style::dim, h.version));
  if (!h.title.empty()) fmt::print(out_, "{}\n", styled(Style::bold, h.title));
  fmt::print(out_, "\n");
  row("with", h.parameters);
  row("problem", h.problem);
  row("boundary", h.boundary);
  std::vector<std::string> cells, box;
  for (std::size_t axis = 0; axis < h.cells.size(); ++axis) {
    cells.push_back(grouped(h.cells[axis]));
    box.push_back(fmt::format("[{:.6g}, {:.6g}]", h.lower[axis], h.upper[axis]));
  }
  row("box", joined(box, " × "));
  row("matrix", h.matrix);
  if (!h.grid.empty())
    row("grid", h.grid);
  else
    row("grid", fmt::format("{} cells, {}{}{}", joined(cells, " × "), h.equidistant ? "equidistant" : "tensor-product",
                            h.widths.empty() ? "" : ", ", h.widths));
  row("unknowns", grouped(h.unknowns) + (h.levels > 1 ? fmt::format(" on {} levels", h.levels) : ""));
  row("method", h.method);
  row("assembly", h.assembly);
  row("device", h.device);
  if (!h.processes.empty()) row("processes", h.processes);
  if (h.memory_bytes > 0) {
    const auto memory = static_cast<double>(h.memory_bytes);
    row("memory", h.unknowns > 0 ? fmt::format("{}, {:.0f} bytes per unknown", bytes(memory),
                                               memory / static_cast<double>(h.unknowns))
                                 : bytes(memory));
  }
  row("hint", h.hint);
  flush();
}

void Console::floor(double relative, double tolerance) {
  if (quiet_) return;
  if (relative > 0)  // else there is nothing to solve, or the estimate underflowed
    row("rounding", fmt::format("relative residual of about {:.1e} (predicted){}", relative,
                                tolerance > 0 && tolerance < relative ? ", above the tolerance" : ""));
  fmt::print(out_, "\n");
  flush();
}

void Console::progress(int cycle, int limit, const CycleRecord& now, double tolerance) {
  if (quiet_) return;
  const auto clock = std::chrono::steady_clock::now();
  if (!terminal_) {
    if (now.elapsed < 1 || clock - drawn_ < std::chrono::seconds(1)) return;
    drawn_ = clock;
    line(fmt::format("  cycle {:>3}   residual {:.2e}   {}", cycle, now.relative, duration(now.elapsed)));
    return;
  }
  if (live_ && clock - drawn_ < std::chrono::milliseconds(50)) return;
  drawn_ = clock;
  double share = limit > 0 ? static_cast<double>(cycle) / limit : 0;
  if (tolerance > 0) share = now.relative > 0 ? std::log(std::min(1.0, now.relative)) / std::log(tolerance) : 1;
  fmt::print(out_, "\r\x1b[K  {}  cycle {:>3}   residual {:.2e}   {}", bar(share, 24), cycle, now.relative,
             duration(now.elapsed));
  flush();
  live_ = true;
}

void Console::fallback(const std::string& text) {
  erase_live_line();
  if (quiet_) return;
  row("fallback", text);
  flush();
}

void Console::table(std::span<const CycleRecord> history) {
  erase_live_line();
  if (quiet_ || history.empty()) return;
  if (!terminal_ && drawn_.time_since_epoch().count() != 0) fmt::print(out_, "\n");  // after progress lines
  fmt::print(out_, "  {}\n", styled(Style::dim, "cycle   relative residual   contraction      elapsed"));
  constexpr std::size_t most = 40, kept = 15;
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (history.size() > most && i == kept) {
      const std::size_t next = history.size() - kept;
      // One line with the mean contraction replaces the omitted cycles.
      const double mean =
          std::pow(history[next - 1].relative / history[i - 1].relative, 1.0 / static_cast<double>(next - i));
      fmt::print(out_, "  {:>5}   {:>17}   {:>11.3f}   {}\n", "⋮", "", mean,
                 styled(Style::dim, fmt::format("mean of {} cycles not shown", next - i)));
      i = next;
    }
    const auto& now = history[i];
    const std::string factor = i == 0 ? "" : fmt::format("{:.3f}", now.relative / history[i - 1].relative);
    fmt::print(out_, "  {:>5}   {:>17.3e}   {:>11}   {:>10}\n", i, now.relative, factor, duration(now.elapsed));
  }
  fmt::print(out_, "\n");
  flush();
}

/// Prints the first probes; the summary has all of them.
void Console::probes(const Summary& s) {
  constexpr std::size_t most = 10;
  std::string_view label = "probes";
  for (std::size_t i = 0; i < std::min(most, s.probes.size()); ++i) {
    row(label, fmt::format("{:.6g}{}", s.probes[i].u, place(" at ", s.probes[i].point)));
    label = "";
  }
  if (s.probes.size() > most) row(label, fmt::format("and {} more in summary.json", s.probes.size() - most));
}

/// Prints the answers for the first bodies; the summary has all of them.
void Console::bodies(const Summary& s) {
  constexpr std::size_t most = 20;
  std::string_view label = "bodies";
  for (std::size_t i = 0; i < std::min(most, s.bodies.size()); ++i) {
    const Summary::Body& b = s.bodies[i];
    std::string text = fmt::format("{}: ", b.name);
    if (b.cells == 0)
      text += "no cell";
    else if (!std::isfinite(b.mean))
      text += "no solution";
    else
      text += fmt::format("{:.6g} to {:.6g}, mean {:.6g}, flow out {:.6g}", b.min, b.max, b.mean, b.flow + 0.0);
    if (b.power != 0) text += fmt::format(", power {:.6g}", b.power);
    row(label, text);
    label = "";
  }
  if (s.bodies.size() > most) row(label, fmt::format("and {} more in summary.json", s.bodies.size() - most));
}

/// Prints the values and charges of the first floating bodies.
void Console::floating_bodies(const Summary& s) {
  constexpr std::size_t most = 20;
  std::string_view label = "floating";
  for (std::size_t i = 0; i < std::min(most, s.floating_bodies.size()); ++i) {
    const Summary::FloatingBody& b = s.floating_bodies[i];
    row(label,
        fmt::format("{}: value {:.6g}{}, charge {:.6g}", b.name, b.value, b.held ? " of a face" : "", b.charge + 0.0));
    label = "";
  }
  if (s.floating_bodies.size() > most)
    row(label, fmt::format("and {} more in summary.json", s.floating_bodies.size() - most));
}

/// Prints the effective coefficient along each axis, and the matrix of conductors.
void Console::answers(const Summary& s) {
  if (s.effective) {
    std::string_view label = "effective";
    for (const int axis : s.effective->axes) {
      const auto a = static_cast<std::size_t>(axis);
      const double k = s.effective->tensor[a][a];
      if (std::ranges::find(s.effective->failed, axis) != s.effective->failed.end())
        row(label, fmt::format("along {} unknown: the solve did not converge; raise solver.max_iterations", "xyz"[a]));
      else
        row(label,
            s.effective->percolates[a]
                ? fmt::format("along {} {:.6g}, tortuosity factor {:.6g}", "xyz"[a], k, s.effective->tortuosity[a])
                : fmt::format("along {} 0: no conducting path connects both faces", "xyz"[a]));
      label = "";
    }
    row("porosity", fmt::format("{:.6g}", s.effective->porosity));
  }
  if (!s.capacitance) return;
  std::string_view label = "matrix";
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < std::min(most, s.capacitance->names.size()); ++i) {
    std::string text = s.capacitance->names[i] + ":";
    for (std::size_t j = 0; j < std::min(most, s.capacitance->names.size()); ++j)
      text += fmt::format(" {:.6g}", s.capacitance->entries[i][j]);
    row(label, text);
    label = "";
  }
}

/// Prints the inflows, the outflows and their balance. Prints nothing if there are no fluxes, as for matrices.
void Console::balance(const Summary& s) {
  if (!std::isfinite(s.balance.source)) return;
  std::string source = fmt::format("{:.6g} in total", s.balance.source);
  if (s.balance.extrapolated) source += fmt::format(", extrapolation {:.6g}", *s.balance.extrapolated);
  if (s.balance.reaction != 0) source += fmt::format(", reaction {:.6g}", s.balance.reaction);
  row("source", source);
  // The faces of other geometries than boxes are listed with their flows.
  for (std::size_t face = 0; s.dimension > 0 && face < s.flux.size(); face += 2) {
    std::string pair = fmt::format("{} {:.6g}", s.flux.name(face), s.flux[face]);
    if (face + 1 < s.flux.size()) pair += fmt::format(", {} {:.6g}", s.flux.name(face + 1), s.flux[face + 1]);
    row(face == 0 ? "flux in" : "", pair);
  }
  const double relative = s.balance.relative();
  const bool projected = std::abs(s.balance.projected) > 1e-10 * s.balance.flow;
  row("balance", fmt::format("residual {:.2g}{}{}", s.balance.residual + 0.0,  // avoids −0
                             std::isfinite(relative) ? fmt::format(", {:.2g} of the throughput", relative) : "",
                             projected ? fmt::format("; {:.3g} removed by projection", s.balance.projected) : ""));
  if (!s.balance.in_cells) return;
  constexpr double aim = 1e-10, near_floor = 4;
  std::string_view why;
  if (*s.balance.in_cells > aim)
    why =
        s.residual.relative <= near_floor * s.residual.rounding_floor ? ": rounding limits this" : ": more than 1e-10";
  row("in cells", fmt::format("flows and sources differ by at most {:.2g} of the largest flow through a face{}",
                              *s.balance.in_cells, why));
}

void Console::closing(const Summary& s, double tolerance, const std::string& directory) {
  erase_live_line();
  if (quiet_) return;
  const std::string count = fmt::format("{} iteration{}", s.iterations, s.iterations == 1 ? "" : "s");
  if (s.converged)
    fmt::print(out_, "  {} in {}: relative residual {:.2e}", styled(Style::good, "Converged"), count,
               s.residual.relative);
  else
    fmt::print(out_, "  {} after {} ({}): relative residual {:.2e}", styled(Style::caution, "Not converged"), count,
               s.reason, s.residual.relative);
  const bool settled = s.converged && s.residual.relative > tolerance && tolerance > 0;
  fmt::print(out_, "{}\n",
             settled         ? "; the flow has settled"
             : tolerance > 0 ? fmt::format(", tolerance {:g}", tolerance)
                             : "");

  const std::string named =
      s.quantity == "u" && s.unit.empty() ? "" : s.quantity + (s.unit.empty() ? " " : " in " + s.unit + " ");
  row("solution",
      named + fmt::format("{:.6g}{} to {:.6g}{}, integral {:.6g}", s.solution.min, place(" at ", s.solution.min_at),
                          s.solution.max, place(" at ", s.solution.max_at), s.solution.integral));
  if (s.error) row("error", fmt::format("{:.3e} in the maximum norm, {:.3e} in L2", s.error->max, s.error->l2));
  if (s.flux_error) row("flux error", fmt::format("{:.2g} in energy, estimated by recovered gradients", *s.flux_error));
  probes(s);
  bodies(s);
  floating_bodies(s);
  faces(s);
  answers(s);
  balance(s);
  row("times", fmt::format("input {}, set-up {}, solve {}, output {}", duration(s.time.input), duration(s.time.setup),
                           duration(s.time.solve), duration(s.time.output)));
  if (s.time.solve > 0) row("speed", speed(static_cast<double>(s.unknowns) / s.time.solve));
  if (s.peak_memory_bytes > 0) row("memory", bytes(static_cast<double>(s.peak_memory_bytes)) + " peak");
  std::string_view label = "files";
  const auto show = [&](const std::string& file) {
    row(label, directory.empty() ? file : directory + "/" + file);
    label = "";
  };
  for (const auto& file : s.files) show(file.name);
  show("summary.json");
  flush();
}

}  // namespace poisson
