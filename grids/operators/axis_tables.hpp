#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/rows/coefficients.hpp"
#include "grids/rows/face_coefficients.hpp"
#include "grids/rows/recompute_faces.hpp"

namespace poisson {

template <class Coefficients>
inline constexpr std::string_view assembly_name = "partial";
template <class T>
inline constexpr std::string_view assembly_name<Equidistant<T>> = "equidistant";
template <class T>
inline constexpr std::string_view assembly_name<TensorProduct<T>> = "tensor-product";
template <class T>
inline constexpr std::string_view assembly_name<Recompute<T, KappaAtRunTime>> = "recompute";
template <class T>
inline constexpr std::string_view assembly_name<RecomputeFaces<T, KappaAtRunTime>> = "recompute";

/// A field of the backend in precision T, its halo filled; the field itself where it is that already.
template <class T>
std::shared_ptr<const Field> in_precision(Backend& backend, const std::shared_ptr<const Field>& field);

/// Owns, in a backend's memory and in the precision T, what a model of Coefficients refers to.
template <class T>
class CoefficientTables {
 public:
  /// Of constants.
  CoefficientTables(Backend& backend, const LevelRows& rows);
  CoefficientTables(Backend& backend, const NodeRows& rows);
  CoefficientTables(Backend& backend, const FaceRows& rows);

  /// The model over these tables; valid as long as they live.
  template <class Coefficients>
  Coefficients model() const;
  std::size_t bytes() const;

 private:
  struct Table {
    Buffer buffer;
    AxisTable<T> view;
  };
  /// κ where it is held, else what its expression is evaluated with; σ where it varies.
  void hold(Backend& backend, const FieldPerAxis& kappa, const std::shared_ptr<const Field>& reaction);

  LevelRows rows_;
  std::array<double, 3> unit_{};            ///< the length that is 1 in the tables, per axis
  std::array<double, 3> coupling_scale_{};  ///< what multiplies κ/h
  std::array<Table, 3> axes_;
  FieldPerAxis kappa_;
  FieldPerAxis ends_;
  // Of the cells −1 … n, for `recompute`: their centres and their widths.
  std::array<Buffer, 3> cells_along_;
  std::shared_ptr<const Field> reaction_;
};

/// What owns the tables of a model of Coefficients.
template <class T, class Coefficients>
struct TablesFor {
  using Type = CoefficientTables<T>;
};

}  // namespace poisson
