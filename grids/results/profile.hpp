#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/transforms/axis_products.hpp"
#include "backends/transforms/data_projection.hpp"
#include "grids/operators/operator.hpp"
#include "grids/operators/sweep_pass.hpp"
#include "grids/rows/traffic.hpp"

namespace poisson {

/// Counts and times the verbs of a solve. It wraps operators and transfers; their backend() also records the solver's
/// operations on fields. Objects that are not wrapped have no overhead.
class Profile {
 public:
  /// Contains the totals of one verb on one level.
  struct Entry {
    std::string_view verb;
    int level = 0;        ///< 0 is the finest
    bool shared = false;  ///< is true if several processes share it
    std::int64_t calls = 0;
    double seconds = 0, bytes = 0;  ///< bytes: the least traffic (traffic.hpp)
  };

  /// Makes the backend run its verbs immediately from now on.
  explicit Profile(Backend& backend);
  ~Profile();

  /// Returns the backend that wrapped operators return.
  Backend& backend();
  /// Wraps every operator and transfer of a hierarchy. The layout of an operator identifies its level.
  Hierarchy wrap(Hierarchy hierarchy);
  std::shared_ptr<const Operator> wrap(std::shared_ptr<const Operator> A);
  std::unique_ptr<AxisProducts> wrap(std::unique_ptr<AxisProducts> products);
  std::unique_ptr<SweepPass> wrap(std::unique_ptr<SweepPass> pass);
  std::unique_ptr<DataProjection> wrap(std::unique_ptr<DataProjection> projection);

  /// Returns all entries since the last call of take or clear. The finest level is first; on each level, the slowest
  /// verb is. Waits for the device.
  std::vector<Entry> take();
  void clear();
  /// Returns the seconds spent on messages since then.
  Processes::Waits waits() const;

 private:
  class Recorder;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace poisson
