#include "io/config/config_image.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "io/config/config_parts.hpp"
#include "io/config/schema_image.hpp"
#include "io/config/spelling.hpp"
#include "io/expressions/expression.hpp"
#include "io/images/image_map.hpp"

namespace poisson {
namespace {

using Kind = Value::Kind;

Value number_value(double number, bool integer, const Mark& mark) {
  Value value;
  value.kind = Kind::number;
  value.mark = mark;
  value.number = number;
  value.integer = integer;
  value.text = shortest(number);
  return value;
}

// Returns the numbers of a raw list of constants, or nothing if some are wrong.
std::optional<std::vector<double>> constants(const Value* list, const Parameters& parameters) {
  if (!list || list->kind != Kind::list) return {};
  std::vector<double> all;
  for (const Value& item : list->items) {
    if (item.kind == Kind::number) {
      all.push_back(item.number);
      continue;
    }
    try {
      all.push_back(parse_constant(item.text, parameters));
    } catch (const InputError&) {
      return {};
    }
  }
  return all;
}

class ImageOpener {
 public:
  ImageOpener(Value& raw, const Value& image, const std::filesystem::path& folder, const Parameters& parameters,
              std::shared_ptr<const ImageSource> array, Diagnostics& errors)
      : raw_(raw), image_(image), folder_(folder), parameters_(parameters), errors_(errors) {
    input_.source = std::move(array);
  }

  std::shared_ptr<const ImageInput> open() {
    const Value *file = image_.find("file"), *files = image_.find("files");
    const bool pattern = given(files);
    if (pattern && given(file)) return fail(*files, "image.files", "conflicts with image.file; keep one of the two");
    const Value& named = pattern ? *files : *file;
    if (!find(named, pattern) || !read_crop()) return nullptr;
    if (is_one_slice()) dimension_ = 2;
    if (!place() || !complete()) return nullptr;
    return std::make_shared<const ImageInput>(std::move(input_));
  }

 private:
  std::nullptr_t fail(const Value& value, const std::string& path, const std::string& message) {
    errors_.add(value.mark, path, message);
    return nullptr;
  }

  // Opens the file, unless the image is an array.
  bool find(const Value& named, bool pattern) {
    const ImageFile from = describe(named, pattern);
    if (from.type.has_value() == from.shape.empty()) {
      fail(image_, "image", "has type without shape, or shape without type; a raw file needs both, others neither");
      return false;
    }
    input_.path = input_.source ? "array" : from.path;
    if (input_.source) {
      if (!from.type && from.offset == 0 && from.dataset.empty()) return true;
      fail(image_, "image", "has keys of files (type, shape, offset, dataset) with an array; remove them");
      return false;
    }
    try {
      input_.source = open_image(from);
    } catch (const InputError& error) {
      fail(named, pattern ? "image.files" : "image.file", error.what());
    }
    return input_.source != nullptr;
  }

  ImageFile describe(const Value& named, bool pattern) const {
    ImageFile from;
    from.path = named.mark.line == 0 ? std::filesystem::path(named.text) : folder_ / named.text;
    from.pattern = pattern;
    if (const Value* dataset = image_.find("dataset"); given(dataset)) from.dataset = dataset->text;
    if (const Value* type = image_.find("type"); given(type)) from.type = voxel_type_named(type->text);
    for (const double n : numbers(image_.find("shape"))) from.shape.push_back(static_cast<std::int64_t>(n));
    if (const Value* offset = image_.find("offset")) from.offset = static_cast<std::int64_t>(offset->number);
    return from;
  }

  std::size_t dimension() const { return dimension_; }

  // Returns whether an image in space is one slice and nothing else has three axes. It is then an image in the plane.
  bool is_one_slice() const {
    if (dimension() != 3 || input_.crop.count(2) != 1) return false;
    for (const char* key : {"domain.lower", "domain.upper", "grid.cells", "grid.axes"})
      if (const Value* list = raw_.at(key); list && std::max(list->items.size(), list->entries.size()) == 3)
        return false;
    return true;
  }

  bool read_crop() {
    dimension_ = static_cast<std::size_t>(input_.source->dimension());
    input_.crop.last = input_.source->counts();
    const Value* crop = image_.find("crop");
    if (!given(crop)) return true;
    if (crop->items.size() != dimension()) {
      fail(*crop, "image.crop",
           "has " + std::to_string(crop->items.size()) + " ranges, but the image has " + std::to_string(dimension()) +
               " axes; give one [first, past the last] for each axis");
      return false;
    }
    for (std::size_t d = 0; d < dimension(); ++d) {
      const std::vector<double> range = numbers(&crop->items[d]);
      const double all = static_cast<double>(input_.source->counts()[d]);
      if (!(range[0] < range[1] && range[1] <= all)) {
        fail(crop->items[d], "image.crop[" + std::to_string(d) + "]",
             "selects no voxels of the image, which has " + shortest(all) + " along " + std::string(axis_names[d]) +
                 "; give [first, past the last]");
        return false;
      }
      input_.crop.first[d] = static_cast<std::int64_t>(range[0]);
      input_.crop.last[d] = static_cast<std::int64_t>(range[1]);
    }
    return true;
  }

  bool place() {
    const auto lower = constants(raw_.at("domain.lower"), parameters_);
    const auto upper = constants(raw_.at("domain.upper"), parameters_);
    const Value* voxel = image_.find("voxel");
    std::vector<double> widths = given(voxel) && voxel->kind == Kind::list ? numbers(voxel) : std::vector<double>();
    if (widths.size() == 3 && dimension() < static_cast<std::size_t>(input_.source->dimension())) widths.pop_back();
    for (const auto& [list, key] : {std::pair(lower ? lower->size() : dimension(), "domain.lower"),
                                    std::pair(widths.empty() ? dimension() : widths.size(), "image.voxel")})
      if (list != dimension()) {
        fail(image_, key,
             "has " + std::to_string(list) + " numbers, but the image has " + std::to_string(dimension()) + " axes");
        return false;
      }
    for (std::size_t d = 0; d < dimension(); ++d) {
      if (lower) input_.lower[d] = (*lower)[d];
      if (!widths.empty())
        input_.voxel[d] = widths[d];
      else if (given(voxel))
        input_.voxel[d] = voxel->number;
      else if (lower && upper && upper->size() == dimension())
        input_.voxel[d] = ((*upper)[d] - (*lower)[d]) / static_cast<double>(input_.crop.count(d));
      else if (input_.source->spacing()[d] > 0)
        input_.voxel[d] = input_.source->spacing()[d];
      if (!(input_.voxel[d] > 0)) input_.voxel[d] = 1;  // the domain is wrong and is reported by its reader
    }
    return true;
  }

  // Adds domain and grid.cells to the document if they are absent.
  bool complete() {
    const Mark& mark = image_.mark;
    const auto list = [&](auto value, bool integer) {
      Value all;
      all.kind = Kind::list;
      all.mark = mark;
      for (std::size_t d = 0; d < dimension(); ++d) all.items.push_back(number_value(value(d), integer, mark));
      return all;
    };
    if (const Value* axes = raw_.at("grid.axes"); given(axes)) return true;
    const auto map = [&](const char* key) -> Value& {
      if (!given(raw_.find(key))) {
        std::erase_if(raw_.entries, [&](const Value::Entry& entry) { return entry.key == key; });
        Value empty;
        empty.kind = Kind::map;
        empty.mark = mark;
        raw_.entries.push_back({key, mark, empty});
      }
      return *raw_.find(key);
    };
    const auto count = [&](std::size_t d) { return static_cast<double>(input_.crop.count(d)); };
    Value& domain = map("domain");
    if (domain.kind == Kind::map && !domain.find("lower") && !domain.find("upper")) {
      domain.entries.push_back({"lower", mark, list([&](std::size_t d) { return input_.lower[d]; }, false)});
      domain.entries.push_back(
          {"upper", mark, list([&](std::size_t d) { return input_.lower[d] + input_.voxel[d] * count(d); }, false)});
    }
    Value& grid = map("grid");
    if (grid.kind != Kind::map || grid.find("cells")) return true;
    const auto lower = constants(domain.find("lower"), parameters_),
               upper = constants(domain.find("upper"), parameters_);
    const auto cells = [&](std::size_t d) {
      const bool known = lower && upper && lower->size() == dimension() && upper->size() == dimension();
      return known ? std::max(1.0, std::round(((*upper)[d] - (*lower)[d]) / input_.voxel[d])) : count(d);
    };
    for (std::size_t d = 0; d < dimension(); ++d)
      if (cells(d) < 2) {
        fail(image_, "image",
             "has one voxel along " + std::string(axis_names[d]) +
                 ", and a grid needs two cells along each axis: give grid.cells, or transpose the image so that z is "
                 "the axis of one voxel, which makes it an image in the plane");
        return false;
      }
    grid.entries.push_back({"cells", mark, list(cells, true)});
    return true;
  }

  Value& raw_;
  const Value& image_;
  const std::filesystem::path& folder_;
  const Parameters& parameters_;
  Diagnostics& errors_;
  ImageInput input_;
  std::size_t dimension_ = 3;
};

// Reads the values and materials of an image into regions.
class ImageReader {
 public:
  ImageReader(ConfigParts& parts, const Value& image, const ImageInput& input, Media& media)
      : parts_(parts), image_(image), input_(input), media_(media) {}

  std::shared_ptr<const RegionMap> read() {
    const std::size_t before = media_.regions.size();
    const Value* table = image_.find("materials");
    if (!table) return nullptr;
    for (const Value::Entry& entry : table->entries) read_value(entry);
    if (failed_) return nullptr;
    if (values_.empty()) return fail(*table, "image.materials", "is empty; add the material of each value: {0: pore}");
    std::shared_ptr<const LabelImage> labels;
    try {
      labels = std::make_shared<const LabelImage>(input_.source, input_.crop, values_, input_.path);
    } catch (const InputError& error) {
      return fail(image_, "image", error.what());
    }
    warn(*labels, *table);
    std::vector<RegionNumber> regions;
    for (std::size_t v = 0; v < values_.size(); ++v) regions.push_back(static_cast<RegionNumber>(before + v));
    const RegionNumber background = 0;
    regions.push_back(background);
    return std::make_shared<const ImageMap>(std::move(labels), input_.lower, input_.voxel, std::move(regions),
                                            background);
  }

 private:
  std::nullptr_t fail(const Value& value, const std::string& path, const std::string& message) {
    parts_.errors.add(value.mark, path, message);
    failed_ = true;
    return nullptr;
  }

  void read_value(const Value::Entry& entry) {
    const std::string path = "image.materials." + entry.key;
    std::int64_t value = 0;
    const char* const end = entry.key.data() + entry.key.size();
    if (const auto [next, error] = std::from_chars(entry.key.data(), end, value); error != std::errc() || next != end) {
      fail(entry.value, path,
           "is not a whole number; give values of voxels and their materials: {0: pore, 255: grain}");
      return;
    }
    if (std::ranges::find(values_, value) != values_.end()) {
      fail(entry.value, path, "is given twice; keep one");
      return;
    }
    if (entry.value.kind != Kind::string) {
      fail(entry.value, path, "expected the name of a material, found " + entry.value.description());
      return;
    }
    if (media_.regions.size() >= most_regions) {
      fail(entry.value, path, "is one value too many; an image may have 65534 values");
      return;
    }
    const auto material = std::ranges::find(media_.materials, entry.value.text, &Material::name);
    if (material == media_.materials.end()) {
      std::vector<std::string> names;
      for (const Material& m : media_.materials) names.push_back(m.name);
      fail(entry.value, path,
           "unknown material \"" + entry.value.text + "\"; " +
               (names.empty() ? "add it to materials" : suggest(entry.value.text, names, "the materials are")));
      return;
    }
    values_.push_back(value);
    bool shared = false;  // by another value
    for (const Value::Entry& other : image_.find("materials")->entries)
      shared = shared || (&other != &entry && other.value.text == entry.value.text);
    media_.regions.push_back({material->name + (shared ? " " + entry.key : ""),
                              static_cast<std::size_t>(material - media_.materials.begin()),
                              MediaRegion::Origin::image});
  }

  void warn(const LabelImage& labels, const Value& table) {
    const auto add = [&](const std::string& message) {
      parts_.config.warnings.push_back(table.mark.text() + ": image.materials: " + message);
    };
    double all = 1;
    for (std::size_t d = 0; d < 3; ++d) all *= static_cast<double>(labels.crop().count(d));
    const auto part = [&](std::int64_t count) {
      const double percent = 100 * static_cast<double>(count) / all;
      return std::to_string(count) + (count == 1 ? " voxel" : " voxels") + " (" +
             shortest(std::round(percent * 1e4) / 1e4) + " %)";
    };
    for (std::size_t v = 0; v < values_.size(); ++v)
      if (labels.counts()[v] == 0) add("no voxel has the value " + std::to_string(values_[v]));
    constexpr std::size_t most = 5;
    const auto& unlisted = labels.unlisted();
    for (std::size_t u = 0; u < std::min(most, unlisted.size()); ++u)
      add("value " + std::to_string(unlisted[u].value) +
          " has no material and becomes the background: " + part(unlisted[u].count) +
          "; the nearest value of the table is " + std::to_string(nearest_to(unlisted[u].value)));
    if (unlisted.size() > most)
      add(std::to_string(unlisted.size() - most) + (unlisted.size() == 1000 ? " or more" : "") +
          " further values have no material; " + part(labels.unlisted_count()) +
          " become the background. Is it a grey-scale image? Then segment it first");
  }

  std::int64_t nearest_to(std::int64_t value) const {
    return *std::ranges::min_element(values_, {}, [&](std::int64_t other) {
      return std::abs(static_cast<double>(other) - static_cast<double>(value));
    });
  }

  ConfigParts& parts_;
  const Value& image_;
  const ImageInput& input_;
  Media& media_;
  std::vector<std::int64_t> values_;
  bool failed_ = false;
};

}  // namespace

std::shared_ptr<const ImageInput> open_image_of(Value& raw, const std::filesystem::path& folder,
                                                const Parameters& parameters, std::shared_ptr<const ImageSource> array,
                                                Diagnostics& errors) {
  const Value* written = raw.find("image");
  if (!given(written)) return nullptr;
  // Without a grid, nothing else can be checked if the image is wrong.
  const bool alone = !given(raw.find("grid"));
  Diagnostics ignored;
  Diagnostics& reported = alone ? errors : ignored;
  const std::optional<Value> image = validate_part(*written, schema::image(), "image", parameters, reported);
  if (alone) errors.raise();
  if (!image || !ignored.empty() || !(given(image->find("file")) || given(image->find("files")))) return nullptr;
  auto input = ImageOpener(raw, *image, folder, parameters, std::move(array), errors).open();
  if (alone && !input) errors.raise();
  return input;
}

std::shared_ptr<const RegionMap> read_image(ConfigParts& parts, Media& media) {
  const Value* image = parts.document.find("image");
  if (!given(image) || !parts.image) return nullptr;
  return ImageReader(parts, *image, *parts.image, media).read();
}

}  // namespace poisson
