#pragma once

#include <memory>
#include <type_traits>

#include "grids/kernels/grid_kernels.hpp"
#include "grids/kernels/operators_on.hpp"

namespace poisson {

/// `KernelsWithOperators` implements the operator factories of GridKernels with the operators of a device.
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
