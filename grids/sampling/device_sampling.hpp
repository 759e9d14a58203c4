#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backends/field.hpp"
#include "grids/axes/block.hpp"
#include "grids/problem/problem.hpp"
#include "grids/sampling/cell_tensor.hpp"
#include "grids/sampling/consistent_mass.hpp"
#include "grids/sampling/jumps.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

/// Where expressions are evaluated. automatic: on the device from so many values on that what it saves is worth a
/// compiler's half a second (grids/kernels/grid_kernels.cpp); constants are filled in on the device always.
enum class Sampling { automatic, host, device };

/// A datum of the problem as sample() takes it.
struct Datum {
  const Quantity& quantity;
  std::string_view name;
  Sign sign = Sign::any;
};

/// What values are multiplied with before they are stored. Volumes and areas are those of the unknowns' location.
struct SampleWeight {
  double factor = 1;
  bool volume = false;         ///< the volume that a node stands for, on a face its area
  int face_axis = -1;          ///< the axis across that face
  bool unknowns_only = false;  ///< 0 in Dirichlet nodes
};

enum class SampleStore {
  set,
  add,
  share  ///< the mean over the Dirichlet faces on which a node lies, each of which adds its part to 0
};

/// Moments of the differences d = u − value over the values of a block, m their volumes.
struct DifferenceMoments {
  double first = 0, second = 0;  ///< Σ m d, Σ m d²
  double low = 0, high = 0;      ///< of d
};

/// Of a positive field.
struct CellStatistics {
  double sum = 0;
  Jumps jumps;
};

struct Extremes {
  double least = 0, largest = 0;
};

/// The device found a bad value where the host finds a good one (the rounding of a root near 0): the host's word
/// counts, and its values.
struct HostDecides {};

/// Evaluates data of a problem on a device, without the host's arrays: constants and what has source text. Values and
/// errors are those of sample(), to a few roundings.
class DeviceSampler {
 public:
  virtual ~DeviceSampler() = default;

  virtual bool evaluates(const Quantity& quantity) const = 0;
  /// Why a quantity with source text is evaluated on the host after all; else empty.
  virtual const std::string& note() const = 0;
  /// On the nodes or cells of a box, cells from −1 to n. Throws ValueError as sample() does, or HostDecides, both
  /// before anything but `out` has changed.
  virtual void fill(const Datum& datum, Location location, const Box& box, const SampleWeight& weight,
                    SampleStore store, Field& out) = 0;
  /// integrate() of sampling.hpp on a box of nodes, times the weight's factor; volumes and areas are in it.
  virtual void fill_integrals(const Datum& datum, const Box& box, const SampleWeight& weight, SampleStore store,
                              Field& out) = 0;
  /// sample_corners() of sampling.hpp, into a field of cells and its halo.
  virtual void fill_corners(const Datum& datum, const Box& cells, const std::array<int, 3>& corner, int face_axis,
                            Field& out) = 0;
  /// The integral of a function over the block, by the points of fill_integrals, or by corners.
  virtual double integral(const Datum& datum, bool by_corners) = 0;
  /// Over all values of the block; u may be null, which is 0.
  virtual DifferenceMoments measure(const Datum& datum, const Field* u) = 0;
  virtual CellStatistics statistics(const Field& cells) = 0;
  /// The halo of a field of cells at open ends loses what is in the cell behind it (discretization.cpp).
  virtual void subtract_inside(Field& cells) = 0;
  /// Values from the host, x fastest, set on a box of a field or added to it.
  virtual void put(const Box& box, std::span<const double> values, SampleStore store, Field& out) = 0;
  /// faces_from_cells (grids/operators/faces.hpp) on the device.
  virtual void faces_from_cells(std::size_t axis, const Field& cells, const Field* ends, Field& faces) = 0;
  /// Of elements (grids/schemes/elements/elements.hpp), their values in fp64. Of values that are not negative, on a box
  /// of cells:
  virtual Extremes extremes(const Field& cells, const Box& box) = 0;
  virtual bool positive_definite(const CellTensors& kappa) = 0;
  /// out += factor · M f on a box of nodes (grids/sampling/consistent_mass.hpp).
  virtual void add_product(const MassRows& M, const Field& f, const Box& box, double factor, Field& out) = 0;
  /// Σ |x| over a box.
  virtual double sum_of_magnitudes(const Field& x, const Box& box) = 0;
};

}  // namespace poisson
