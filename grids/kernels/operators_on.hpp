#pragma once

#include <memory>

#include "grids/kernels/grid_kernels.hpp"
#include "grids/operators/bands.hpp"

namespace poisson {

struct OnHost;
struct OnCuda;

/// The operators of one kind of device, instantiated for each precision in translation units of their own
/// (grids/CMakeLists.txt). LevelRows are those of volumes where all is constant.
template <class Device>
struct OperatorsOn {
  template <class T, class Own>
  static std::unique_ptr<Operator> star(Backend&, const Own&);
  template <class T, int dimension, bool tensor>
  static std::unique_ptr<Operator> box(Backend&, const ElementRows&);
  template <class T, class Own>
  static std::unique_ptr<Operator> assembled(Backend&, const Own&);
  /// Of bands that there are already.
  template <class T>
  static std::unique_ptr<Operator> assembled(Backend&, const LevelRows&, const Bands&);
};

/// What GridKernels asks of operators, by those of a device.
template <class Device>
class KernelsWithOperators : public GridKernels {
  using Make = OperatorsOn<Device>;

 protected:
  std::unique_ptr<Operator> make_stencil_operator(Backend& backend, const SchemeRows& rows,
                                                  Precision precision) const override {
    return with_own_rows(rows, precision, [&]<class T, class Own>(T, const Own& own) {
      if constexpr (!std::is_same_v<Own, ElementRows>)
        return Make::template star<T>(backend, own);
      else
        return with_box_kind(
            own, [&]<int dimension, bool tensor>() { return Make::template box<T, dimension, tensor>(backend, own); });
    });
  }
  std::unique_ptr<Operator> make_assembled_operator(Backend& backend, const SchemeRows& rows,
                                                    Precision precision) const override {
    return with_own_rows(rows, precision,
                         [&]<class T>(T, const auto& own) { return Make::template assembled<T>(backend, own); });
  }
  std::unique_ptr<Operator> make_assembled_operator(Backend& backend, const LevelRows& rows, const Bands& bands,
                                                    Precision precision) const override {
    return dispatch(precision, [&]<class T>(T) { return Make::template assembled<T>(backend, rows, bands); });
  }
};

}  // namespace poisson
