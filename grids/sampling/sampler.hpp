#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backends/device/field.hpp"
#include "grids/axes/block.hpp"
#include "grids/problem/problem.hpp"
#include "grids/sampling/cell_tensor.hpp"
#include "grids/sampling/consistent_mass.hpp"
#include "grids/sampling/jumps.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

/// Selects where expressions are evaluated. `automatic` uses the device if there are enough values to save the half
/// second of compilation (grids/kernels/grid_kernels.cpp). Constants are always filled in on the device.
enum class Sampling { automatic, host, device };

/// Names a datum of the problem for sample().
struct Datum {
  const Quantity& quantity;
  std::string_view name;
  Sign sign = Sign::any;
};

/// Describes the factor that multiplies values before they are stored.
struct SampleWeight {
  double factor = 1;
  bool volume = false;  ///< multiplies by the volume, on a face by the area
  int face_axis = -1;   ///< is perpendicular to the face
};

enum class SampleStore {
  set,
  add,
  /// Adds this face's share of the mean over the Dirichlet faces on or beyond which a value lies; the field starts at
  /// 0.
  share
};

/// Contains moments of the differences d = u − value over the values of a block, whose volumes are m.
struct DifferenceMoments {
  double first = 0, second = 0;  ///< Σ m d, Σ m d²
  double low = 0, high = 0;      ///< extremes of d
};

/// Describes a positive field.
struct CellStatistics {
  double sum = 0;
  Jumps jumps;
};

struct Extremes {
  double least = 0, largest = 0;
};

/// Evaluates data of a problem on a block into fields of a backend, and computes the statistics that set-up needs. A
/// device evaluates constants and compiled expressions itself, up to a few roundings. The host evaluates everything
/// else. If the device finds an invalid value, the host evaluates the data again, and its values and errors count.
/// Fields belong to the backend; statistics read fp64 fields by default.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// Returns the reason why a quantity with source text is evaluated on the host; empty if there is none.
  virtual const std::string& note() const = 0;

  /// Evaluates a datum on the nodes or cells of a box; cells range from −1 to n. Throws ValueError like sample(),
  /// before anything but `out` has changed.
  virtual void fill(const Datum& datum, Location location, const Box& box, const SampleWeight& weight,
                    SampleStore store, Field& out) = 0;
  /// Computes integrate() of sampling.hpp on a box of nodes, times the weight's factor. The integrals include volumes
  /// and areas.
  virtual void fill_integrals(const Datum& datum, const Box& box, const SampleWeight& weight, SampleStore store,
                              Field& out) = 0;
  /// Computes sample_corners() of sampling.hpp into a field of cells and its halo.
  virtual void fill_corners(const Datum& datum, const Box& cells, const std::array<int, 3>& corner, int face_axis,
                            Field& out) = 0;
  /// Sets values from the host on a box of a field, x fastest, or adds them.
  virtual void put(const Box& box, std::span<const double> values, SampleStore store, Field& out) = 0;

  // These functions are collective. By default they cover the global block.
  /// Measures the differences over all values of the block. `u` may belong to another backend.
  virtual DifferenceMoments measure(const Datum& datum, const Field& u) = 0;
  virtual CellStatistics statistics(const Field& cells) = 0;
  /// Returns the share of all cells in which κ/h² along axis a exceeds κ/h² along axis b by more than a factor of 4.
  /// The fields contain κ along both axes.
  virtual double share_of_stronger(std::size_t a, const Field& kappa_a, std::size_t b, const Field& kappa_b) = 0;
  /// Returns the extremes of non-negative values on a box of this process's cells; 1e300 and 0 if the box is empty.
  virtual Extremes extremes(const Field& cells, const Box& box) = 0;
  virtual bool positive_definite(const CellTensors& kappa) = 0;
  /// Returns Σ |x| over a box, in any precision.
  virtual double sum_of_magnitudes(const Field& x, const Box& box) = 0;

  /// Subtracts from the halo at open ends the value of the cell inside. Rows weight the halo cell and the cell inside
  /// by the same half width of the end cell. A half face at the end then uses the sum of both, which is κ on the face,
  /// where its flux is. With κ of the cell, the flux along a face would miss O(h²), which enters or leaves at the
  /// corners and causes an error of h² log(1/h) there.
  virtual void subtract_inside(Field& cells) = 0;
  /// Converts κ at cells to κ at the faces across an axis (grids/operators/faces.hpp). `ends` is null if no face of the
  /// axis is a Robin face.
  virtual void faces_from_cells(std::size_t axis, const Field& cells, const Field* ends, Field& faces) = 0;
  /// Computes out += factor · M f on a box of nodes (grids/sampling/consistent_mass.hpp).
  virtual void add_product(const MassRows& M, const Field& f, const Box& box, double factor, Field& out) = 0;
};

/// Values from the host are sent to a device in slabs of entire planes with about this number of values.
inline constexpr std::int64_t staged_values = std::int64_t{1} << 16;
/// Returns the largest size of the staging buffer on a device.
std::size_t staging_bytes(const Layout& layout);

/// Computes measure() on the host.
DifferenceMoments measure_on_host(const Block& block, const Datum& datum, const Field& u);

}  // namespace poisson
