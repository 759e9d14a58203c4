#pragma once

#include <array>
#include <memory>
#include <vector>

#include "backends/device/backend.hpp"
#include "grids/operators/axis_tables.hpp"
#include "grids/operators/bands.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/rows/band_coefficients.hpp"
#include "grids/rows/box_coefficients.hpp"
#include "grids/rows/recompute_elements.hpp"

namespace poisson {

template <class T>
inline constexpr std::string_view assembly_name<StarBands<T>> = "full";
template <class T, int Dimension>
inline constexpr std::string_view assembly_name<BoxBands<T, Dimension>> = "full";
template <class T, int Dimension>
inline constexpr std::string_view assembly_name<BoxProduct<T, Dimension>> = "tensor-product";
template <class T, int Dimension, Tensor Kind>
inline constexpr std::string_view assembly_name<RecomputeElements<T, Dimension, Kind, KappaAtRunTime>> = "recompute";

/// Owns the data of the models of elements, in a backend's memory and in precision T.
template <class T>
class BoxTables {
 public:
  BoxTables(Backend& backend, const ElementRows& rows);

  /// Returns the model over these tables; it is valid as long as they exist.
  template <class Coefficients>
  Coefficients model() const;
  std::size_t bytes() const;

 private:
  double sigma_ = 0;
  std::array<double, 3> offdiagonal_{};
  std::array<Buffer, 3> buffers_;
  std::array<BoxAxis<T>, 3> axes_;
  std::vector<std::shared_ptr<const Field>> kappa_;  ///< xx, yy, … in the order of BoxPartial
  std::shared_ptr<const Field> sigma_cells_;
  std::array<Buffer, 3> centres_;  ///< for `recompute`
  CellPlaces places_;
};

/// Returns the number of bands of a row that are stored. Stars in two dimensions store none along z.
template <class Row>
int stored_bands(const Block& block) {
  return band_count<Row> == 4 ? block.dimension() + 1 : band_count<Row>;
}

/// Stores bands, and the masses of the axes.
template <class T>
class BandTables {
 public:
  /// Allocates `count` bands, without masses.
  BandTables(Backend& backend, const Space& space, int count);
  /// Allocates `count` bands, with the masses of a block.
  BandTables(Backend& backend, const Block& block, int count);
  /// Uses existing symmetric bands: the row sums, and the bands of the offsets in `stored`. Bands of the same precision
  /// are shared, not copied.
  BandTables(Backend& backend, const Block& block, const std::vector<Offset>& stored, const Bands& bands);

  template <class Coefficients>
  Coefficients model() const;
  /// Returns the bands for writing. They must have been allocated by this object.
  template <int count>
  BandViews<T, count> views();
  void exchange();
  std::size_t bytes() const;

 private:
  std::array<Buffer, 3> masses_;
  std::vector<std::shared_ptr<Field>> own_;
  std::vector<std::shared_ptr<const Field>> bands_;  ///< include those of `own_`; zero bands are one field
};

template <class T, int Dimension>
struct TablesFor<T, BoxProduct<T, Dimension>> {
  using Type = BoxTables<T>;
};
template <class T, int Dimension, Tensor Kind, class Cells>
struct TablesFor<T, BoxPartial<T, Dimension, Kind, Cells>> {
  using Type = BoxTables<T>;
};
template <class T>
struct TablesFor<T, StarBands<T>> {
  using Type = BandTables<T>;
};
template <class T, int Dimension>
struct TablesFor<T, BoxBands<T, Dimension>> {
  using Type = BandTables<T>;
};

}  // namespace poisson
