#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backends/field.hpp"
#include "grids/block.hpp"
#include "grids/sampling.hpp"

namespace poisson {

/// A datum of the problem as sample() takes it.
struct Datum {
  const Quantity& quantity;
  std::string_view name;
  Sign sign = Sign::any;
};

/// What values are multiplied with before they are stored.
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

/// Moments of the differences d = u − value over the nodes, m their volumes.
struct DifferenceMoments {
  double first = 0, second = 0;  ///< Σ m d, Σ m d²
  double low = 0, high = 0;      ///< of d
};

/// κ on the cells of a block.
struct CellStatistics {
  double sum = 0;
  double jump = 1;  ///< largest ratio between neighbours
};

/// The device found a bad value where the host finds a good one (the rounding of a root near 0): the host's word counts,
/// and its values.
struct HostDecides {};

/// Evaluates data of a problem on a device, without the host's arrays: constants and what has source text. Values and
/// errors are those of sample(), to a few roundings.
class DeviceSampler {
 public:
  virtual ~DeviceSampler() = default;

  virtual bool evaluates(const Quantity& quantity) const = 0;
  /// Why a quantity with source text is evaluated on the host after all; else empty.
  virtual const std::string& note() const = 0;
  /// On the nodes or cells of a box, cells from −1 to n. Throws ValueError as sample() does, or HostDecides.
  virtual void fill(const Datum& datum, Location location, const Box& box, const SampleWeight& weight,
                    SampleStore store, Field& out) = 0;
  /// Over all nodes; u may be null, which is 0.
  virtual DifferenceMoments measure(const Datum& datum, const Field* u) = 0;
  /// Of a filled field of cells in fp64, whose halo at open ends then loses what is in the cell behind it
  /// (subtract_inside in discretization.cpp).
  virtual CellStatistics finish_cells(Field& cells) = 0;
  /// Σ |x| over a box.
  virtual double sum_of_magnitudes(const Field& x, const Box& box) = 0;
};

/// Null where the backend evaluates on the host. `data`: the quantities that will be asked for.
std::unique_ptr<DeviceSampler> make_sampler(Backend& backend, const Block& block, std::span<const Quantity> data);

}  // namespace poisson
