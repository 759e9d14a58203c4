#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "grids/blocks/stacked_blocks.hpp"

namespace poisson::test {

/// Runs the steps of stacked blocks on the host, so that the code of devices is tested without one.
class HostBlockSteps {
 public:
  explicit HostBlockSteps(Backend& backend) : backend_(backend) {}

  Backend& backend() { return backend_; }
  template <class X>
  Buffer make(std::int64_t count) {
    return backend_.allocate(static_cast<std::size_t>(std::max<std::int64_t>(1, count)) * sizeof(X));
  }
  template <class X>
  Buffer copy(const std::vector<X>& values) {
    Buffer there = make<X>(std::ssize(values));
    if (!values.empty()) std::memcpy(there.data(), values.data(), values.size() * sizeof(X));
    return there;
  }
  template <class F>
  void each(std::int64_t n, const F& f) const {
    for_rows(n, f);
  }
  bool fits(std::size_t bytes) const { return bytes < 4000; }
  template <class Plane>
  void planes(std::int64_t n, const Plane& f) const {
    std::vector<typename Plane::Value> room(f.room());
    for (std::int64_t i = 0; i < n; ++i) f(i, 0, 1, room.data(), [] {});
  }
  template <class March>
  void march(const March& march) const {
    using T = typename March::Value;
    const BlockShape& shape = march.shape;
    for_rows(shape.patches, [&](std::int64_t patch) {
      const int p = static_cast<int>(patch);
      std::vector<T> sums(static_cast<std::size_t>(shape.nodes), T(0));
      for (int k = 0; k + 1 < shape.n[2]; ++k)
        for (int j = 0; j + 1 < shape.n[1]; ++j)
          for (int i = 0; i + 1 < shape.n[0]; ++i) {
            T u[8], out[8], edge[3][3][4];
            const auto corner = [&](int c) { return std::array{i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)}; };
            const auto place = [&](int c, int a) {
              CellPlace<T> x;
              x.set(march.place(p, shape.number(corner(c)[0], corner(c)[1], corner(c)[2]), a), march.place(p, 0, a));
              return x;
            };
            for (int c = 0; c < 8; ++c) u[c] = march.value(p, corner(c)[0], corner(c)[1], corner(c)[2]);
            for (int d = 0; d < 3; ++d)
              for (int a = 0; a < 3; ++a)
                for (int q = 0; q < 4; ++q)
                  edge[d][a][q] = place(edge_corner(d, q) | 1 << d, a).minus(place(edge_corner(d, q), a));
            multiply_cell(edge, march.coefficient(p, i, j, k), u, out);
            for (int c = 0; c < 8; ++c)
              sums[static_cast<std::size_t>(shape.number(corner(c)[0], corner(c)[1], corner(c)[2]))] += out[c];
          }
      for (int n = 0; n < shape.nodes; ++n)
        march.put(shape.node(std::int64_t{p} * shape.nodes + n), sums[static_cast<std::size_t>(n)]);
    });
  }
  template <class F>
  void sum(const Field& x, const Field& y, const F& f, const Scalar& result) const {
    dispatch(x.precision(), [&]<class X>(X) {
      dispatch(y.precision(), [&]<class Y>(Y) {
        *result.address() = cpu::sum_over_patches(x.space(), cpu::counted_unknowns,
                                                  [&](std::size_t g, int p, const Box& box, int j, int k) {
                                                    const X* const u = x.patches<X>(g).line(p, j, k);
                                                    const Y* const v = y.patches<Y>(g).line(p, j, k);
                                                    double all = 0;
                                                    for (int i = box.first[0]; i < box.last[0]; ++i)
                                                      all += f(u[i], v[i]);
                                                    return all;
                                                  });
      });
    });
  }

 private:
  Backend& backend_;
};

inline std::shared_ptr<DeviceBlocks> host_device_blocks(Backend& backend) {
  return std::make_shared<StackedBlocks<HostBlockSteps>>(std::make_shared<HostBlockSteps>(backend));
}

}  // namespace poisson::test
