#include <algorithm>
#include <array>

#include "lab/page/verdict.hpp"
#include "lab/studies/studies.hpp"
#include "lab/studies/transfer/bus.cuh"
#include "lab/studies/transfer/study.hpp"

namespace poisson::lab {
namespace {

using namespace transfer_names;

constexpr std::string_view name = "transfer";
constexpr std::array lectures{Lecture::goeddeke, Lecture::filipovic, Lecture::optimizing};
constexpr std::array history{
    Historical{Lecture::goeddeke, "graphics cards of 2005", "from the host to the device, often less than", 1, "GB/s",
               [](const Panels& panels, const Machine&) { return highest_in(panels, "size", pinned_up); }},
};

constexpr std::array ways{
    Way{pageable_up, false, true, false}, Way{pageable_down, false, false, true},
    Way{pinned_up, true, true, false},    Way{pinned_down, true, false, true},
    Way{both, true, true, true},
};
constexpr const Way& pinned_way_up = ways[2];

// Times `move` and checks that all bytes have arrived.
Point measure(Session& session, Bus& bus, const Way& way, std::size_t bytes, const std::function<void()>& move) {
  bus.poison_targets(way, bytes);
  Point point{.variant = std::string(way.name), .seconds = {}};
  point.seconds = session.time(move);
  session.check(bus.arrived(way, bytes), name, way.name, std::to_string(bytes) + " bytes did not all arrive");
  point.value = 1e-9 * static_cast<double>(bytes) * (way.up && way.down ? 2 : 1) / point.seconds;
  return point;
}

Panel size_panel(Session& session, Bus& bus) {
  Panel panel{.name = "size",
              .title = "One copy between host and device",
              .x_label = "bytes in each direction",
              .y_label = "GB/s",
              .log_x = true};
  for (const Way& way : ways)
    for (std::size_t bytes = 4096; bytes <= bus.bytes(); bytes *= session.quick() ? 16 : 4) {
      panel.points.push_back(measure(session, bus, way, bytes, [&] { bus.move(way, bytes); }));
      panel.points.back().x = static_cast<double>(bytes);
    }
  return panel;
}

Panel pieces_panel(Session& session, Bus& bus) {
  constexpr std::size_t bytes = std::size_t{4} << 20;
  Panel panel{.name = "pieces",
              .title = "4 MiB in many copies, one after another",
              .x_label = "copies",
              .y_label = "GB/s",
              .log_x = true};
  for (int pieces = 1; pieces <= 1024; pieces *= session.quick() ? 32 : 4) {
    panel.points.push_back(
        measure(session, bus, pinned_way_up, bytes, [&] { bus.move_in_pieces(pinned_way_up, bytes, pieces); }));
    panel.points.back().x = pieces;
  }
  return panel;
}

Panels measure_all(Session& session) {
  const std::size_t bytes = session.quick() ? std::size_t{64} << 20 : std::size_t{256} << 20;
  Bus bus(session, bytes);
  Panels panels{size_panel(session, bus), pieces_panel(session, bus)};
  Panel &sizes = panels[0], &pieces = panels[1];
  const auto best = std::ranges::max_element(
      sizes.points, {}, [](const Point& point) { return point.variant == pinned_up ? point.value : 0; });
  pieces.guides.push_back({"one large copy", {{1, best->value}}});
  for (Panel& panel : pipeline_panels(session, bus)) panels.push_back(std::move(panel));
  panels.push_back(coprocessor_panel(session, bus));
  return panels;
}

}  // namespace

const Study transfer_study{
    .name = name,
    .question = "How fast are transfers between host and device, and how much can overlap with them?",
    .lectures = lectures,
    .measure = measure_all,
    .conclude = [](const Panels& panels, const Machine&) { return conclude_transfer(panels); },
    .history = history,
};

}  // namespace poisson::lab
