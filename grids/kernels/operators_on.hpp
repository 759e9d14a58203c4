#pragma once

#include <memory>

#include "grids/operators/bands.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"

namespace poisson {

struct OnHost;
struct OnCuda;

/// `OperatorsOn` creates the operators of one kind of device. Each precision is instantiated in a separate translation
/// unit (grids/CMakeLists.txt). LevelRows are rows of finite volumes with constant coefficients.
template <class Device>
struct OperatorsOn {
  template <class T, class Own>
  static std::unique_ptr<Operator> star(Backend&, const Own&);
  template <class T, int dimension, bool tensor>
  static std::unique_ptr<Operator> box(Backend&, const ElementRows&);
  template <class T, class Own>
  static std::unique_ptr<Operator> assembled(Backend&, const Own&);
  /// Creates the operator from existing bands.
  template <class T>
  static std::unique_ptr<Operator> assembled(Backend&, const LevelRows&, const Bands&);
};

}  // namespace poisson
