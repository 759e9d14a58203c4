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

/// What values are multiplied with before they are stored.
struct SampleWeight {
  double factor = 1;
  bool volume = false;  ///< the volume that a value stands for, on a face its area
  int face_axis = -1;   ///< the axis across that face
};

enum class SampleStore {
  set,
  add,
  share  ///< the mean over the Dirichlet faces on or past which a value lies, each of which adds its part to 0
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

/// Evaluates data of a problem on a block into fields of a backend, and tells what set-up asks of such fields. A device
/// evaluates constants and compiled expressions itself, to a few roundings, and takes everything else from the host;
/// where it meets a bad value the host's word counts, and its values. Fields are the backend's; values that are told of
/// them are of fp64 where nothing else is said.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// Why a quantity with source text is evaluated on the host after all; else empty.
  virtual const std::string& note() const = 0;

  /// On the nodes or cells of a box, cells from −1 to n. Throws ValueError as sample() does, before anything but `out`
  /// has changed.
  virtual void fill(const Datum& datum, Location location, const Box& box, const SampleWeight& weight,
                    SampleStore store, Field& out) = 0;
  /// integrate() of sampling.hpp on a box of nodes, times the weight's factor; volumes and areas are in it.
  virtual void fill_integrals(const Datum& datum, const Box& box, const SampleWeight& weight, SampleStore store,
                              Field& out) = 0;
  /// sample_corners() of sampling.hpp, into a field of cells and its halo.
  virtual void fill_corners(const Datum& datum, const Box& cells, const std::array<int, 3>& corner, int face_axis,
                            Field& out) = 0;
  /// Values from the host, x fastest, set on a box of a field or added to it.
  virtual void put(const Box& box, std::span<const double> values, SampleStore store, Field& out) = 0;

  // Of a block that several processes share: of the whole of it where nothing else is said, by all of them at once.
  /// Over all values of the block; u may be another backend's.
  virtual DifferenceMoments measure(const Datum& datum, const Field& u) = 0;
  virtual CellStatistics statistics(const Field& cells) = 0;
  /// The share of all cells in which κ/h² along axis a exceeds that along axis b by more than a factor of 4, from the
  /// fields of κ along both.
  virtual double share_of_stronger(std::size_t a, const Field& kappa_a, std::size_t b, const Field& kappa_b) = 0;
  /// Of values that are not negative, on a box of cells of this process; of none 1e300 and 0.
  virtual Extremes extremes(const Field& cells, const Box& box) = 0;
  virtual bool positive_definite(const CellTensors& kappa) = 0;
  /// Σ |x| over a box, in any precision.
  virtual double sum_of_magnitudes(const Field& x, const Box& box) = 0;

  /// The halo of a field of cells at open ends loses what is in the cell behind it. κ on the face less κ in that cell
  /// lets a half face at the end, half the end cell wide in both, take κ where its flux is, on the face. With κ of the
  /// cell the flux along a face misses O(h²), which enters or leaves at the corners: an error of h² log(1/h) there.
  virtual void subtract_inside(Field& cells) = 0;
  /// κ at cells to κ at the faces across an axis (grids/operators/faces.hpp). `ends`: null where no face of the axis is
  /// a Robin face.
  virtual void faces_from_cells(std::size_t axis, const Field& cells, const Field* ends, Field& faces) = 0;
  /// out += factor · M f on a box of nodes (grids/sampling/consistent_mass.hpp).
  virtual void add_product(const MassRows& M, const Field& f, const Box& box, double factor, Field& out) = 0;
};

/// Values that the host evaluates go to a device in slabs of whole planes of about so many.
inline constexpr std::int64_t staged_values = std::int64_t{1} << 16;
/// What a device holds meanwhile at most.
std::size_t staging_bytes(const Layout& layout);

/// measure() on the host.
DifferenceMoments measure_on_host(const Block& block, const Datum& datum, const Field& u);

}  // namespace poisson
