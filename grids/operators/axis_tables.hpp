#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/device/backend.hpp"
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

/// Returns a field in precision T with its halo filled: the same field if it has that precision (see shared_field).
template <class T>
std::shared_ptr<const Field> in_precision(Backend& backend, const std::shared_ptr<const Field>& field);

/// Owns the data of a model of Coefficients, in a backend's memory and in precision T.
template <class T>
class CoefficientTables {
 public:
  /// Creates the tables of constants.
  CoefficientTables(Backend& backend, const LevelRows& rows);
  CoefficientTables(Backend& backend, const NodeRows& rows);
  CoefficientTables(Backend& backend, const FaceRows& rows);

  /// Returns the model over these tables; it is valid as long as they exist.
  template <class Coefficients>
  Coefficients model() const;
  std::size_t bytes() const;

 private:
  struct Table {
    Buffer buffer;
    AxisTable<T> view;
  };
  /// Stores κ, or the data with which its expression is evaluated, and the reaction if it varies.
  void hold(Backend& backend, const FieldPerAxis& kappa, const std::shared_ptr<const Field>& reaction);

  LevelRows rows_;
  std::array<double, 3> unit_{};            ///< is the length that is 1 in the tables, per axis
  std::array<double, 3> coupling_scale_{};  ///< multiplies κ/h
  std::array<Table, 3> axes_;
  FieldPerAxis kappa_;
  FieldPerAxis ends_;
  // These are the centres and widths of cells −1 … n for `recompute`.
  std::array<Buffer, 3> cells_along_;
  std::shared_ptr<const Field> reaction_;
};

/// Selects the class that owns the tables of a model of Coefficients.
template <class T, class Coefficients>
struct TablesFor {
  using Type = CoefficientTables<T>;
};

}  // namespace poisson
