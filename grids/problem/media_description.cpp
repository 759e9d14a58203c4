#include "grids/problem/media_description.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "grids/problem/label_bytes.hpp"

namespace poisson {
namespace {

// Assigns the regions of labels to cells.
class LabelMap final : public RegionMap, public MapOfBytes {
 public:
  LabelMap(ByteImage image, const std::array<RegionNumber, 256>& regions) : image_(image), regions_(regions) {}

  void fill(const std::array<std::vector<double>, 3>& nodes, const Box& cells,
            std::span<RegionNumber> numbers) const override {
    std::array<std::vector<std::int64_t>, 3> voxels;
    for (std::size_t d = 0; d < 3; ++d) voxels[d] = along(nodes, d, cells);
    std::size_t at = 0;
    for (const std::int64_t z : voxels[2])
      for (const std::int64_t y : voxels[1])
        for (const std::int64_t x : voxels[0]) {
          const bool inside = x >= 0 && y >= 0 && z >= 0;
          const std::int64_t voxel = inside ? (z * image_.counts[1] + y) * image_.counts[0] + x : 0;
          numbers[at++] = inside ? regions_[image_.labels[static_cast<std::size_t>(voxel)]] : RegionNumber{0};
        }
  }

  std::optional<LabelBytes> bytes(const std::array<std::vector<double>, 3>& nodes) const override {
    LabelBytes bytes{image_.labels.data(), {}, regions_, {}};
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      Box all{{0, 0, 0}, {1, 1, 1}};
      if (!nodes[d].empty()) all.last[d] = static_cast<int>(nodes[d].size()) - 1;
      bytes.offset[d] = along(nodes, d, all);
      if (std::ranges::find(bytes.offset[d], -1) != bytes.offset[d].end()) return {};
      for (std::int64_t& voxel : bytes.offset[d]) voxel *= stride;
      stride *= image_.counts[d];
    }
    return bytes;
  }

 private:
  std::vector<std::int64_t> along(const std::array<std::vector<double>, 3>& nodes, std::size_t d,
                                  const Box& cells) const {
    return voxels_of_cells(nodes[d], cells.first[d], cells.last[d], image_.lower[d], image_.voxel[d], image_.counts[d]);
  }

  ByteImage image_;
  std::array<RegionNumber, 256> regions_;
};

void check(const ByteImage& image) {
  std::int64_t voxels = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (image.counts[d] < 1 || !(image.voxel[d] > 0) || !std::isfinite(image.voxel[d]))
      throw std::invalid_argument("an image needs voxels along each axis, and widths > 0");
    voxels *= image.counts[d];
  }
  if (static_cast<std::int64_t>(image.labels.size()) != voxels)
    throw std::invalid_argument("an image has " + std::to_string(image.labels.size()) +
                                " labels, but its counts need " + std::to_string(voxels));
}

}  // namespace

Problem problem_of(const ByteImage& image) {
  check(image);
  Problem problem;
  problem.centering = Centering::cell;
  problem.dimension = image.counts[2] == 1 ? 2 : 3;
  for (std::size_t d = 0; d < static_cast<std::size_t>(problem.dimension); ++d)
    for (std::int64_t i = 0; i <= image.counts[d]; ++i)
      problem.nodes[d].push_back(image.lower[d] + image.voxel[d] * static_cast<double>(i));
  return problem;
}

MediaDescription& MediaDescription::material(Material material) {
  if (std::ranges::find(materials_, material.name, &Material::name) != materials_.end())
    throw std::invalid_argument("material '" + material.name + "' is given twice");
  materials_.push_back(std::move(material));
  return *this;
}

namespace {

Material named(const std::string& name) {
  Material material;
  material.name = name;
  return material;
}

Material conductor(const std::string& name, Quantity coefficient) {
  Material material = named(name);
  material.coefficient[0] = std::move(coefficient);
  return material;
}

}  // namespace

MediaDescription& MediaDescription::material(const std::string& name, Quantity coefficient) {
  return material(conductor(name, std::move(coefficient)));
}

MediaDescription& MediaDescription::material(const std::string& name, const std::array<Quantity, 3>& coefficient) {
  Material added = named(name);
  added.coefficient = coefficient;
  added.isotropic = false;
  return material(std::move(added));
}

MediaDescription& MediaDescription::heated(const std::string& name, Quantity coefficient, double power) {
  Material added = conductor(name, std::move(coefficient));
  added.power = power;
  return material(std::move(added));
}

MediaDescription& MediaDescription::fixed(const std::string& name, double value) {
  Material added = named(name);
  added.fixed = value;
  return material(std::move(added));
}

MediaDescription& MediaDescription::floating(const std::string& name, double charge) {
  Material added = named(name);
  added.floating = charge;
  return material(std::move(added));
}

MediaDescription& MediaDescription::insulator(const std::string& name) {
  Material added = named(name);
  added.insulator = true;
  return material(std::move(added));
}

MediaDescription& MediaDescription::background(const std::string& material) {
  background_ = number(material);
  return *this;
}

MediaDescription& MediaDescription::image(const ByteImage& image, const std::map<int, std::string>& materials) {
  check(image);
  image_ = image;
  labels_.clear();
  for (const auto& [label, name] : materials) {
    if (label < 0 || label > 255)
      throw std::invalid_argument("label " + std::to_string(label) + " is no byte: give 0 to 255");
    labels_[label] = number(name);
  }
  return *this;
}

MediaDescription& MediaDescription::body(const std::string& material, ShapePtr shape, const std::string& name) {
  if (!shape) throw std::invalid_argument("a body of '" + material + "' has no shape");
  bodies_.push_back({number(material), std::move(shape), name.empty() ? material : name});
  return *this;
}

MediaDescription& MediaDescription::surfaces(Surfaces surfaces) {
  surfaces_ = surfaces;
  return *this;
}

MediaDescription& MediaDescription::contact(const std::string& a, const std::string& b, double resistance) {
  contacts_.push_back({{number(a), number(b)}, resistance});
  if (a == b || !(resistance > 0))
    throw std::invalid_argument("a contact needs two different materials and a resistance > 0");
  return *this;
}

MediaDescription& MediaDescription::sheet(const std::string& on, double thickness, double coefficient) {
  if (!(thickness > 0) || !(coefficient > 0))
    throw std::invalid_argument("a sheet needs a thickness > 0 and a coefficient > 0");
  sheets_.push_back({number(on), thickness, coefficient});
  return *this;
}

std::size_t MediaDescription::number(const std::string& name) const {
  const auto found = std::ranges::find(materials_, name, &Material::name);
  if (found != materials_.end()) return static_cast<std::size_t>(found - materials_.begin());
  std::string known;
  for (const Material& m : materials_) known += (known.empty() ? "'" : "', '") + m.name;
  throw std::invalid_argument("there is no material '" + name + "'" +
                              (known.empty() ? "; add it first" : "; the materials are " + known + "'"));
}

void MediaDescription::use(Problem& problem) const {
  if (problem.centering != Centering::cell)
    throw std::invalid_argument("materials need unknowns in cells: set centering to Centering::cell");
  auto media = std::make_shared<Media>();
  media->materials = materials_;
  media->surfaces = surfaces_;
  media->contacts = contacts_;
  media->sheets = sheets_;
  if (background_) {
    media->regions.push_back({materials_[*background_].name, *background_, MediaRegion::Origin::background});
  } else {
    media->regions.push_back({"background", materials_.size(), MediaRegion::Origin::background});
    Material around = named("background");
    around.coefficient = problem.coefficient;
    around.isotropic = problem.isotropic;
    media->materials.push_back(std::move(around));
  }
  if (image_) {
    std::array<RegionNumber, 256> regions{};
    for (const auto& [label, material] : labels_) {
      const auto same = std::ranges::find_if(media->regions, [&, m = material](const MediaRegion& r) {
        return r.material == m && r.origin == MediaRegion::Origin::image;
      });
      regions[static_cast<std::size_t>(label)] = static_cast<RegionNumber>(same - media->regions.begin());
      if (same == media->regions.end())
        media->regions.push_back({materials_[material].name, material, MediaRegion::Origin::image});
    }
    media->map = std::make_shared<LabelMap>(*image_, regions);
  }
  std::vector<Body> bodies;
  for (const Placed& placed : bodies_) {
    if (media->regions.size() >= most_regions) throw std::invalid_argument("there are too many bodies: repeat shapes");
    std::string name = placed.name;
    for (int n = 2; std::ranges::find(media->regions, name, &MediaRegion::name) != media->regions.end(); ++n)
      name = placed.name + " " + std::to_string(n);
    bodies.push_back({placed.shape, static_cast<RegionNumber>(media->regions.size())});
    media->regions.push_back({name, placed.material, MediaRegion::Origin::body});
  }
  if (!media->map || !bodies.empty()) {
    media->bodies = std::make_shared<const Bodies>(std::move(bodies), std::move(media->map));
    media->map = media->bodies;
  }
  use_media(problem, std::move(media));
}

}  // namespace poisson
