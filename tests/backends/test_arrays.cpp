// Tests the copies between fields and arrays of the program, on any device.

#include <cmath>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "backends/device/arrays.hpp"
#include "grids/axes/stretching.hpp"
#include "grids/schemes/discretization.hpp"
#include "tests/device.hpp"

namespace poisson::arrays_tests {
namespace {

// x is periodic, y has Dirichlet ends, z has Neumann ends.
Block make_test_block(Centering centering) {
  Problem p;
  p.nodes = {uniform_nodes(0, 1, 7), uniform_nodes(0, 1, 5), uniform_nodes(0, 1, 4)};
  p.centering = centering;
  for (Boundary& face : p.boundary[0]) face.kind = BoundaryKind::periodic;
  for (Boundary& face : p.boundary[1]) face.kind = BoundaryKind::dirichlet;
  for (Boundary& face : p.boundary[2]) face.kind = BoundaryKind::neumann;
  return make_block(p);
}

// Is an array in the memory of a backend.
template <class T>
struct Held {
  Held(Backend& backend, std::array<int, 3> shape)
      : backend(backend),
        memory(backend.allocate(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]) * sizeof(T))),
        array{memory.data(), precision_of<T>, shape} {}
  std::vector<T> read() const {
    std::vector<T> values(memory.bytes() / sizeof(T));
    backend.read(memory.data(), values.data(), memory.bytes());
    return values;
  }
  void write(const std::vector<T>& values) const { backend.write(values.data(), memory.data(), memory.bytes()); }

  Backend& backend;
  Buffer memory;
  Array array;
};

template <class T>
void check_copies(Precision precision, Centering centering, int more) {
  const auto backend = test_backend();
  const Block block = make_test_block(centering);
  Field field(*backend, block.space(), precision);
  const Layout& n = field.layout();
  const Held<T> in(*backend, {n.n[0] + more, n.n[1], n.n[2]}), out(*backend, in.array.shape);
  std::vector<T> values(in.memory.bytes() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i + 1);
  in.write(values);
  import_values(in.array, 0.5, field);
  export_values(field, 4, out.array);
  const std::vector<T> found = out.read();
  const Box box = field.space().part().unknowns();
  std::size_t at = 0;
  for (int k = 0; k < n.n[2]; ++k)
    for (int j = 0; j < n.n[1]; ++j)
      for (int i = 0; i < n.n[0] + more; ++i, ++at) {
        const bool unknown = j >= box.first[1] && j < box.last[1];
        const T expected = i < n.n[0] ? values[at] : values[at - static_cast<std::size_t>(n.n[0])];
        EXPECT_EQ(found[at], unknown ? 2 * expected : T{0}) << i << ' ' << j << ' ' << k;
      }
}

TEST(Arrays, AreCopiedIntoUnknownsAndBack) {
  for (const Precision precision : {Precision::fp32, Precision::fp64})
    for (const Centering centering : {Centering::node, Centering::cell})
      for (const int more : {0, 1}) {
        SCOPED_TRACE(testing::Message() << "fp64 " << (precision == Precision::fp64) << ", nodes "
                                        << (centering == Centering::node) << ", repeated " << more);
        check_copies<float>(precision, centering, more);
        check_copies<double>(precision, centering, more);
      }
}

TEST(Arrays, OfOtherShapesAreRefused) {
  const auto backend = test_backend();
  Field field(*backend, make_test_block(Centering::cell).space(), Precision::fp64);
  for (const std::array<int, 3> shape : {std::array{6, 5, 4}, std::array{7, 7, 4}, std::array{7, 5, 1}}) {
    const Held<double> array(*backend, shape);
    EXPECT_THROW(import_values(array.array, 1, field), std::invalid_argument);
    EXPECT_THROW(export_values(field, 1, array.array), std::invalid_argument);
  }
}

}  // namespace
}  // namespace poisson::arrays_tests
