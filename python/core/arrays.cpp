#include "python/core/arrays.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <nanobind/ndarray.h>

#include "backends/memory/error.hpp"
#include "io/config/diagnostics.hpp"
#include "io/images/array_image.hpp"

namespace nb = nanobind;

namespace poisson::python {
namespace {

// Owns an object of Python and releases it with the interpreter's lock.
std::shared_ptr<nb::object> keep(const nb::object& object) {
  return {new nb::object(object), [](nb::object* kept) {
            if (!nb::is_alive()) return;
            const nb::gil_scoped_acquire lock;
            delete kept;
          }};
}

template <class Shape>
Array located(void* data, Precision precision, std::size_t axes, const Shape& shape) {
  if (axes == 0 || axes > 3) throw std::invalid_argument("an array has one to three axes, x last");
  Array array{data, precision, {1, 1, 1}};
  for (std::size_t d = 0; d < axes; ++d) array.shape[d] = static_cast<int>(shape(axes - 1 - d));
  return array;
}

template <class T>
bool find_on_host(nb::handle object, Values& values) {
  nb::ndarray<T, nb::c_contig, nb::device::cpu> array;
  if (!nb::try_cast(object, array, false)) return false;
  using Value = std::remove_const_t<T>;
  values.array = located(const_cast<Value*>(array.data()), precision_of<Value>, array.ndim(),
                         [&](std::size_t d) { return array.shape(d); });
  return true;
}

}  // namespace

std::shared_ptr<GridArray> to_grid_array(const DeviceArray& array) {
  auto grid = std::make_shared<GridArray>();
  const std::size_t axes = array.shape.size();
  if (axes == 0 || axes > 3) throw std::invalid_argument("an array has one to three axes, x last");
  for (std::size_t d = 0; d < axes; ++d) grid->shape[d] = array.shape[axes - 1 - d];
  grid->on_device = GridArray::OnDevice{
      reinterpret_cast<const void*>(array.pointer), array.narrow, array.device,
      [owner = keep(array.owner), read = keep(array.read), axes](const std::array<std::int64_t, 3>& first,
                                                                 const std::array<std::int64_t, 3>& last) {
        const nb::gil_scoped_acquire lock;
        nb::list places;
        for (std::size_t d = axes; d-- > 0;) places.append(nb::slice(first[d], last[d]));
        const auto host =
            nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>((*read)(nb::tuple(places)));
        return std::vector<double>(host.data(), host.data() + host.size());
      }};
  return grid;
}

std::shared_ptr<const ImageSource> to_image(nb::handle object, const std::string& key) {
  nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu> array;
  const bool readable = nb::try_cast(object, array, false);
  using Kind = VoxelType::Kind;
  VoxelType type;
  const auto is = [&](nb::dlpack::dtype_code code) { return array.dtype().code == static_cast<std::uint8_t>(code); };
  const bool truth = readable && is(nb::dlpack::dtype_code::Bool);
  const bool known = readable && (truth || is(nb::dlpack::dtype_code::UInt) || is(nb::dlpack::dtype_code::Int) ||
                                  is(nb::dlpack::dtype_code::Float));
  if (!known || array.dtype().lanes != 1 || (is(nb::dlpack::dtype_code::Float) && array.dtype().bits < 32))
    throw ConfigError({key + ": the array is not a C-contiguous array of integers or floating-point numbers on the " +
                       "host; convert it with numpy.ascontiguousarray(image, dtype='uint8')"});
  if (!truth && !is(nb::dlpack::dtype_code::UInt))
    type.kind = is(nb::dlpack::dtype_code::Int) ? Kind::signed_integer : Kind::floating;
  type.bytes = array.dtype().bits / 8;
  std::vector<std::int64_t> counts;
  for (std::size_t d = array.ndim(); d-- > 0;) counts.push_back(static_cast<std::int64_t>(array.shape(d)));
  try {
    return image_of_array(type, counts, {array.data(), [owner = keep(nb::borrow(object))](const void*) {}});
  } catch (const InputError& error) {
    throw ConfigError({key + ": " + error.what()});
  }
}

Values to_values(const Session& session, nb::handle object, const char* name, bool writable) {
  Values values;
  if (const DeviceArray* there = nullptr; nb::try_cast(object, there) && there) {
    if (there->device != device_number(session.backend()))
      throw std::invalid_argument(std::string(name) + ": the array is on device " + std::to_string(there->device) +
                                  "; the solver's is " + session.backend().device() + ": copy it there");
    values.array = located(reinterpret_cast<void*>(there->pointer), there->narrow ? Precision::fp32 : Precision::fp64,
                           there->shape.size(), [&](std::size_t d) { return there->shape[d]; });
    values.on_device = true;
    return values;
  }
  const bool found = writable ? find_on_host<double>(object, values) || find_on_host<float>(object, values)
                              : find_on_host<const double>(object, values) || find_on_host<const float>(object, values);
  if (found) return values;
  throw std::invalid_argument(std::string(name) + ": give a C-contiguous array of float64 or float32" +
                              (writable ? " that can be written" : ""));
}

Values to_solution_values(const Session& session, nb::handle object, const char* name, bool writable) {
  Values values = to_values(session, object, name, writable);
  if (values.array.shape != session.shape())
    throw std::invalid_argument(std::string(name) +
                                ": the array does not have the shape of the solution; give one value "
                                "for each value of the solution");
  return values;
}

nb::ndarray<const double, nb::c_contig, nb::device::cpu> to_block(const Session& session, nb::handle object,
                                                                  Location location) {
  nb::ndarray<const double, nb::c_contig, nb::device::cpu> block;
  if (!nb::try_cast(object, block, false) ||
      static_cast<std::int64_t>(block.size()) != session.block_of(location).size())
    throw std::invalid_argument("give a C-contiguous array of float64 with the values of this process's block");
  return block;
}

DeviceSetup borrowed(const nb::object& allocator) {
  DeviceSetup setup;
  if (allocator.is_none()) return setup;
  const auto functions = std::make_shared<std::pair<nb::object, nb::object>>(allocator[0], allocator[1]);
  setup.allocate = [functions](std::size_t bytes) {
    const nb::gil_scoped_acquire lock;
    return reinterpret_cast<void*>(nb::cast<std::uintptr_t>(functions->first(bytes)));
  };
  setup.release = [functions](void* piece) {
    const nb::gil_scoped_acquire lock;
    functions->second(reinterpret_cast<std::uintptr_t>(piece));
  };
  return setup;
}

}  // namespace poisson::python
