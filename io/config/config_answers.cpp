// Reads the questions of a run: the effective coefficient and the capacitance matrix.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "grids/problem/media.hpp"
#include "io/config/config_parts.hpp"
#include "io/config/spelling.hpp"
#include "solver/capacitance.hpp"
#include "solver/effective.hpp"

namespace poisson {
namespace {

class AnswerReader {
 public:
  explicit AnswerReader(ConfigParts& parts) : parts_(parts), config_(parts.config) {}

  void read() {
    const Value* effective = parts_.document.at("output.effective");
    if (given(effective)) read_effective(*effective);
    const Value* capacitance = parts_.document.at("output.capacitance");
    if (!capacitance || capacitance->items.empty()) return;
    if (given(effective))
      return fail(*capacitance, "output.capacitance", "excludes output.effective (each sets its own data); keep one");
    read_conductors(*capacitance);
  }

 private:
  void fail(const Value& value, const std::string& path, const std::string& message) {
    parts_.errors.add(value.mark, path, message);
  }

  void read_effective(const Value& value) {
    Config::Output::Effective effective;
    if (const Value* faces = value.find("faces")) effective.periodic = faces->choice == 1;
    const Value* axes = value.find("axes");
    if (!axes) return;  // a value that validation has reported
    if (axes->kind == Value::Kind::list) {
      for (const Value& item : axes->items) effective.axes.push_back(item.choice);
    } else {
      for (int axis = 0; axis < config_.problem.dimension; ++axis)
        if (axes->choice == axis || axes->choice == 3) effective.axes.push_back(axis);
    }
    for (const int axis : effective.axes)
      if (axis >= config_.problem.dimension)
        return fail(*axes, "output.effective.axes", "names z in two dimensions; give x, y or all");
    if (effective.axes.empty()) return fail(*axes, "output.effective.axes", "names no axis of this problem");
    if (const Value* boundary = parts_.document.find("boundary"); boundary && boundary->given && some_face(*boundary))
      return fail(*boundary, "boundary",
                  "conflicts with output.effective, which sets all faces; remove one of the two");
    if (const Value* source = parts_.document.at("equation.source"); source && source->given)
      return fail(*source, "equation.source", "conflicts with output.effective (nothing may flow in); remove it");
    if (config_.problem.media) {
      const Media& media = *config_.problem.media;
      for (const MediaRegion& region : media.regions) {
        const Material& m = media.materials[region.material];
        if (m.fixed || (m.power && *m.power != 0) || !(m.source.constant() && *m.source.constant() == 0))
          return fail(value, "output.effective",
                      "does not support material " + m.name +
                          ", which has a fixed value, a power or a source; give a coefficient or insulator");
      }
    }
    config_.output.effective = effective;
    drive(config_, effective.axes[0]);
  }

  static bool some_face(const Value& boundary) {
    return std::ranges::any_of(boundary.entries,
                               [](const Value::Entry& e) { return e.value.given && given(&e.value); });
  }

  void read_conductors(const Value& list) {
    if (!config_.problem.media) {
      if (parts_.errors.empty())
        fail(list, "output.capacitance",
             "needs bodies with a fixed value; add bodies and materials such as {fixed: 1}");
      return;
    }
    auto media = std::make_shared<Media>(*config_.problem.media);
    for (std::size_t n = 0; n < list.items.size(); ++n) {
      const Value& item = list.items[n];
      const std::string path = "output.capacitance[" + std::to_string(n) + "]";
      const auto region = std::ranges::find(media->regions, item.text, &MediaRegion::name);
      if (region == media->regions.end()) {
        std::vector<std::string> names;
        for (const MediaRegion& r : media->regions)
          if (media->materials[r.material].fixed) names.push_back(r.name);
        fail(item, path,
             "unknown body \"" + item.text + "\"; " +
                 (names.empty() ? "no body has a fixed value"
                                : suggest(item.text, names, "bodies with a fixed value are")));
        continue;
      }
      if (!media->materials[region->material].fixed) {
        fail(item, path, "body " + item.text + " has no fixed value; give its material fixed: 1");
        continue;
      }
      config_.output.conductors.push_back(static_cast<RegionNumber>(region - media->regions.begin()));
      separate_conductor(*media, config_.output.conductors.back());
    }
    config_.problem.media = std::move(media);
  }

  ConfigParts& parts_;
  Config& config_;
};

}  // namespace

void drive(Config& config, int axis) {
  const bool periodic = config.output.effective->periodic;
  config.driven_axis = periodic ? axis : -1;
  drive_faces(config.problem, axis, periodic);
}

void read_answers(ConfigParts& parts, bool grid_known) {
  if (grid_known && !parts.config.matrix) AnswerReader(parts).read();
}

}  // namespace poisson
