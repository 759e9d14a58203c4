#pragma once

#include <type_traits>

#include "backends/cuda/sequence_kernel.cuh"
#include "grids/kernels/cuda/box_columns.cuh"
#include "grids/kernels/cuda/line_segment.cuh"
#include "grids/kernels/cuda/model_steps.cuh"

namespace poisson::cuda {

/// `LineModel` is the model with which lines are relaxed: the axes' tables if κ is constant, otherwise the bands along
/// the lines.
template <class T, class Coefficients>
inline constexpr bool lines_on_axes =
    std::is_same_v<Coefficients, Equidistant<T>> || std::is_same_v<Coefficients, TensorProduct<T>>;
template <class T, class Coefficients>
using LineModel = std::conditional_t<lines_on_axes<T, Coefficients>, TensorProduct<T>, LineBands<T>>;

/// `SmoothingSteps` makes the verbs of a smoother and the residual, over one model of coefficients, steps of shared
/// launches. These verbs and the common verbs of all levels form one kernel, which is compiled with the model's
/// operator.
template <class T, class C>
class SmoothingSteps {
  static constexpr bool star = std::is_same_v<decltype(C().line(0, 0).row(0)), Row<T>>;
  template <class Body>
  using Walk = std::conditional_t<star, March<T, C, Body>, BoxMarch<T, C, Body>>;
  using Sweeps = ColumnList<Walk<Polynomial<T>>, Walk<Residual<T, T>>, EachRow<T, C, PolynomialStart<T>>,
                            SmallLines<T, LineModel<T, C>>>;
  using Colours = std::conditional_t<star, ColumnList<TwoColours<T, C>, AnyColours<T, C>>, ColumnList<BoxColour<T, C>>>;
  using All = decltype(CommonColumns<T>() + Sweeps() + Colours());

  static void launch(cudaStream_t stream, const Step* steps, int count) {
    launch_sequence(All(), stream, steps, count);
  }

 public:
  static constexpr bool joins_any = false;
  template <class X>
  using Columns = std::conditional_t<std::is_same_v<X, T>, All, CommonColumns<X>>;
  template <class>
  static constexpr SequenceLauncher launcher = &launch;
};

}  // namespace poisson::cuda
