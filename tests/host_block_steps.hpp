#pragma once

#include <algorithm>
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
