// Reads materials, bodies, contacts and sheets into Problem::media.

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grids/problem/bodies.hpp"
#include "grids/problem/body_error.hpp"
#include "grids/problem/media.hpp"
#include "io/config/config_parts.hpp"
#include "io/config/config_shapes.hpp"
#include "io/config/schema_media.hpp"
#include "io/config/spelling.hpp"

namespace poisson {
namespace {

using Kind = Value::Kind;

Quantity quantity_of(const Value& value) {
  return value.kind == Kind::number ? Quantity(value.number) : *value.quantity;
}

class MediaReader {
 public:
  explicit MediaReader(ConfigParts& parts) : parts_(parts), problem_(parts.config.problem) {}

  void read() {
    read_materials();
    read_background();
    media_.map = read_image(parts_, media_);
    read_bodies();
    if (const Value* surfaces = parts_.document.find("surfaces"))
      media_.surfaces = static_cast<Surfaces>(surfaces->choice);
    read_contacts();
    read_sheets();
    for (const MediaRegion& region : media_.regions) used_[region.material] = true;
    warn_of_unused();
    if (!parts_.errors.empty()) return;
    if (!media_.map || !bodies_.empty()) {
      media_.bodies = std::make_shared<const Bodies>(std::move(bodies_), std::move(media_.map));
      media_.map = media_.bodies;
    }
    use_media(problem_, std::make_shared<const Media>(std::move(media_)));
  }

 private:
  void fail(const Mark& mark, const std::string& path, const std::string& message) {
    parts_.errors.add(mark, path, message);
  }

  void read_materials() {
    const Value* materials = parts_.document.find("materials");
    if (!materials) return;
    for (const Value::Entry& entry : materials->entries) {
      const std::string path = "materials." + entry.key;
      const std::optional<Value> value =
          validate_part(entry.value, schema::material(), path, parts_.config.parameters, parts_.errors);
      Material material;
      material.name = entry.key;
      used_.emplace_back(false);
      marks_.push_back(entry.mark);
      if (value) read_material(*value, entry.value, path, material);
      media_.materials.push_back(std::move(material));
    }
  }

  // `raw` also has the keys whose values are invalid.
  void read_material(const Value& value, const Value& raw, const std::string& path, Material& material) {
    if (value.kind == Kind::string) {
      material.insulator = true;
      return;
    }
    const Value *kappa = value.find("coefficient"), *power = value.find("power"), *source = value.find("source"),
                *fixed = value.find("fixed"), *floating = value.find("floating");
    if (given(floating)) {
      const Value* charge = floating->find("charge");
      material.floating = charge ? charge->number : 0;
      for (const Value* other : {kappa, power, source, fixed})
        if (other && other->given && given(other))
          fail(other->mark, path,
               "has both floating and another property (its cells leave the system); keep one of them");
      return;
    }
    if (given(fixed)) {
      material.fixed = fixed->number;
      for (const Value* other : {kappa, power, source})
        if (other && other->given && given(other))
          fail(other->mark, path, "has both fixed and another property (its cells leave the system); keep one of them");
      return;
    }
    if (!given(kappa)) {
      if (given(raw.find("coefficient")) || given(raw.find("fixed")) || given(raw.find("floating"))) return;
      fail(value.mark, path, "has neither coefficient nor fixed nor floating; add coefficient: 1, or write insulator");
      return;
    }
    if (kappa->kind == Kind::list) {
      if (kappa->items.size() != static_cast<std::size_t>(problem_.dimension))
        fail(kappa->mark, path + ".coefficient",
             "has " + std::to_string(kappa->items.size()) + " numbers in " + std::to_string(problem_.dimension) +
                 " dimensions; give one, or one for each axis");
      material.isotropic = false;
      for (std::size_t d = 0; d < std::min<std::size_t>(3, kappa->items.size()); ++d)
        material.coefficient[d] = quantity_of(kappa->items[d]);
    } else {
      material.coefficient.fill(quantity_of(*kappa));
    }
    for (const auto& [key, value_of] :
         {std::pair{".coefficient", kappa}, std::pair{".source", source}, std::pair{".power", power}})
      if (value_of) parts_.config.marks[path + key] = value_of->mark.text() + ": " + path + key;
    if (given(power)) material.power = power->number;
    if (source) material.source = quantity_of(*source);
  }

  // Returns the number of a material; reports an unknown name.
  std::optional<std::size_t> material_named(const Value& name, const std::string& path) {
    const auto found = std::ranges::find(media_.materials, name.text, &Material::name);
    if (found != media_.materials.end()) return static_cast<std::size_t>(found - media_.materials.begin());
    std::vector<std::string> names;
    for (const Material& m : media_.materials) names.push_back(m.name);
    fail(name.mark, path,
         "unknown material \"" + name.text + "\"; " +
             (names.empty() ? "add it to materials" : suggest(name.text, names, "the materials are")));
    return {};
  }

  // Errors of the coefficient without a name are those of the equation's.
  void mark_background(const Value* kappa) {
    if (kappa) parts_.config.marks["materials.background.coefficient"] = kappa->mark.text() + ": equation.coefficient";
  }

  void add_named_background(const Value& name, std::size_t material) {
    parts_.config.marks[BodyError::key(name.text)] = name.mark.text() + ": background";
    media_.regions.push_back({name.text, material, MediaRegion::Origin::background});
  }

  void read_background() {
    const Value* name = parts_.document.find("background");
    const Value* kappa = parts_.document.at("equation.coefficient");
    if (given(name)) {
      if (kappa && kappa->given)
        fail(kappa->mark, "equation.coefficient", "conflicts with background, a material; keep one of the two");
      if (const auto number = material_named(*name, "background")) add_named_background(*name, *number);
      return;
    }
    Material material;
    material.name = "background";
    material.isotropic = problem_.isotropic;
    material.coefficient = problem_.coefficient;
    mark_background(kappa);
    used_.emplace_back(true);
    marks_.push_back(kappa ? kappa->mark : Mark());
    media_.materials.push_back(std::move(material));
    media_.regions.push_back({"background", media_.materials.size() - 1, MediaRegion::Origin::background});
  }

  void read_bodies() {
    const Value* bodies = parts_.document.find("bodies");
    if (!bodies) return;
    std::map<std::string, int> count;
    for (const MediaRegion& region : media_.regions) ++count[region.name];
    for (std::size_t b = 0; b < bodies->items.size(); ++b) {
      const Value& body = bodies->items[b];
      const std::string path = "bodies[" + std::to_string(b) + "]";
      const Value *name = body.find("material"), *title = body.find("name");
      if (media_.regions.size() >= most_regions) return fail(body.mark, path, "is one body too many; use repeat");
      constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
      std::size_t material = name ? material_named(*name, path + ".material").value_or(none) : none;
      ShapePtr shape = read_shape(body, path, parts_);
      if (material != none) used_[material] = true;
      if (material == none || !shape) continue;
      if (const Value* floating = body.find("floating"); given(floating)) material = let_float(material, *floating);
      std::string called = given(title) ? title->text : media_.materials[material].name;
      if (const int same = count[called]++; same > 0) called.append(" ").append(std::to_string(same + 1));
      parts_.config.marks[BodyError::key(called)] = body.mark.text() + ": " + path;
      bodies_.push_back({std::move(shape), static_cast<RegionNumber>(media_.regions.size())});
      media_.regions.push_back({called, material, MediaRegion::Origin::body});
    }
  }

  // Returns the material of a body that floats whatever its material, with this name.
  std::size_t let_float(std::size_t number, const Value& floating) {
    Material own;
    own.name = media_.materials[number].name;
    const Value* charge = floating.find("charge");
    own.floating = charge ? charge->number : 0;
    const auto same = std::ranges::find_if(
        media_.materials, [&](const Material& m) { return m.name == own.name && m.floating == own.floating; });
    if (same != media_.materials.end()) return static_cast<std::size_t>(same - media_.materials.begin());
    media_.materials.push_back(own);
    used_.emplace_back(true);
    marks_.push_back(floating.mark);
    return media_.materials.size() - 1;
  }

  void read_contacts() {
    const Value* contacts = parts_.document.find("contacts");
    if (!contacts) return;
    for (std::size_t c = 0; c < contacts->items.size(); ++c) {
      const Value& item = contacts->items[c];
      const std::string path = "contacts[" + std::to_string(c) + "]";
      const Value *pair = item.find("between"), *resistance = item.find("resistance");
      if (!pair || !resistance) continue;
      const auto a = material_named(pair->items[0], path + ".between[0]");
      const auto b = material_named(pair->items[1], path + ".between[1]");
      if (!a || !b) continue;
      if (*a == *b)
        fail(pair->mark, path + ".between", "names " + pair->items[0].text + " twice; give two different materials");
      media_.contacts.push_back({{*a, *b}, resistance->number});
    }
  }

  void read_sheets() {
    const Value* sheets = parts_.document.find("sheets");
    if (!sheets) return;
    for (std::size_t s = 0; s < sheets->items.size(); ++s) {
      const Value& item = sheets->items[s];
      const std::string path = "sheets[" + std::to_string(s) + "]";
      const Value *on = item.find("on"), *thickness = item.find("thickness"), *kappa = item.find("coefficient");
      if (!on || !thickness || !kappa) continue;
      if (const auto material = material_named(*on, path + ".on"))
        media_.sheets.push_back({*material, thickness->number, kappa->number});
    }
  }

  // Warns of materials that no region has. One whose name is near that of a used one is probably misspelt.
  void warn_of_unused() {
    std::vector<std::string> names;
    for (std::size_t m = 0; m < used_.size(); ++m)
      if (used_[m]) names.push_back(media_.materials[m].name);
    for (std::size_t m = 0; m < used_.size(); ++m) {
      if (used_[m]) continue;
      const std::string& name = media_.materials[m].name;
      const std::string near = nearest(name, names);
      parts_.config.warnings.push_back(
          marks_[m].text() + ": materials." + name + ": no body, image or background uses this material" +
          (near.empty() ? "" : "; they use '" + near + "', which is spelt nearly the same"));
    }
  }

  ConfigParts& parts_;
  Problem& problem_;
  Media media_;
  std::vector<Body> bodies_;
  std::vector<bool> used_;
  std::vector<Mark> marks_;
};

}  // namespace

bool uses_media(const Value& document) {
  const Value* bodies = document.find("bodies");
  return given(document.at("output.effective")) || given(document.find("background")) ||
         given(document.find("image")) || (bodies && !bodies->items.empty());
}

void read_media(ConfigParts& parts, bool grid_known) {
  if (!uses_media(parts.document)) {
    const Value* materials = parts.document.find("materials");
    if (materials && !materials->entries.empty())
      parts.config.warnings.push_back(materials->mark.text() + ": materials: nothing uses materials; add bodies");
    return;
  }
  if (!grid_known || parts.config.matrix) return;
  MediaReader(parts).read();
}

}  // namespace poisson
