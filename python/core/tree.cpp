#include "python/core/tree.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "io/config/schema.hpp"
#include "python/core/arrays.hpp"

namespace nb = nanobind;

namespace poisson::python {
namespace {

template <class T>
using HostArray = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

class TreeReader {
 public:
  TreeReader(const std::string& name, std::shared_ptr<const ImageSource>& image)
      : mark_{std::make_shared<const std::string>(name), 0, 0}, image_(image) {}

  Value read(nb::handle object, const std::string& path) {
    Value value;
    value.mark = mark_;
    if (object.is_none()) return value;
    if (nb::isinstance<nb::bool_>(object)) {
      value.kind = Value::Kind::boolean;
      value.truth = nb::cast<bool>(object);
      value.text = value.truth ? "true" : "false";
    } else if (nb::isinstance<nb::int_>(object) || nb::isinstance<nb::float_>(object)) {
      value.kind = Value::Kind::number;
      value.number = nb::cast<double>(nb::float_(object));
      value.integer = nb::isinstance<nb::int_>(object);
      value.text = nb::cast<std::string>(nb::str(object));
    } else if (nb::isinstance<nb::str>(object)) {
      value.kind = Value::Kind::string;
      value.text = nb::cast<std::string>(object);
    } else if (nb::isinstance<nb::dict>(object)) {
      value.kind = Value::Kind::map;
      for (const auto& [key, item] : nb::borrow<nb::dict>(object)) add(value, key, item, path);
    } else if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) {
      value.kind = Value::Kind::list;
      int i = 0;
      for (nb::handle item : object) value.items.push_back(read(item, path + "[" + std::to_string(i++) + "]"));
    } else if (nb::isinstance<DeviceArray>(object)) {
      value.kind = Value::Kind::string;
      value.array = to_grid_array(nb::cast<const DeviceArray&>(object));
      value.text = "array of a device, of the shape";
      for (const std::int64_t n : nb::cast<const DeviceArray&>(object).shape) value.text += " " + std::to_string(n);
    } else if (nb::ndarray_check(object)) {
      value.kind = Value::Kind::string;
      if (path == "image.file")
        image_ = to_image(object, mark_.text() + ": " + path);
      else
        value.array = to_grid_array(object, mark_.text() + ": " + path);
      value.text = "array of the shape";
      for (const nb::handle n : object.attr("shape")) value.text += " [" + nb::cast<std::string>(nb::str(n)) + "]";
    } else {
      fail(path, "is " + nb::cast<std::string>(nb::str(object.type().attr("__name__"))) +
                     "; give a number, a string, a list, a dictionary or an array");
    }
    return value;
  }

 private:
  void add(Value& map, nb::handle key, nb::handle item, const std::string& path) {
    if (!nb::isinstance<nb::str>(key))
      fail(path, "has the key " + nb::cast<std::string>(nb::repr(key)) + "; keys must be strings");
    const auto name = nb::cast<std::string>(key);
    map.entries.push_back({name, mark_, read(item, path.empty() ? name : path + "." + name)});
  }
  [[noreturn]] void fail(const std::string& path, const std::string& message) const {
    throw ConfigError({mark_.text() + ": " + path + ": " + message});
  }

  Mark mark_;
  std::shared_ptr<const ImageSource>& image_;
};

template <class T>
bool copy_values(nb::handle object, GridArray& array, const std::string& key) {
  HostArray<T> values;
  if (!nb::try_cast(object, values, false)) return false;
  if (values.ndim() > 3 || values.ndim() == 0)
    throw ConfigError({key + ": the array has " + std::to_string(values.ndim()) +
                       " axes; give one value for each node " + "or cell, x last"});
  for (std::size_t d = 0; d < values.ndim(); ++d)
    array.shape[d] = static_cast<std::int64_t>(values.shape(values.ndim() - 1 - d));
  array.values.assign(values.data(), values.data() + values.size());
  return true;
}

}  // namespace

Value to_value(nb::handle object, const std::string& name, std::shared_ptr<const ImageSource>& image) {
  return TreeReader(name, image).read(object, {});
}

std::shared_ptr<GridArray> to_grid_array(nb::handle object, const std::string& key) {
  auto array = std::make_shared<GridArray>();
  if (!copy_values<double>(object, *array, key) && !copy_values<float>(object, *array, key))
    throw ConfigError({key + ": the array is not a C-contiguous array of float64 or float32 on the host; convert it " +
                       "with numpy.ascontiguousarray(values, dtype=float)"});
  return array;
}

}  // namespace poisson::python
