#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/axis_products.hpp"
#include "backends/data_projection.hpp"
#include "grids/operators/operator.hpp"
#include "grids/operators/sweep_pass.hpp"
#include "grids/rows/traffic.hpp"

namespace poisson {

/// Counts and times the verbs of a solve. Operators and transfers are wrapped; through their backend() the solver's
/// own verbs on fields come by as well. What is not wrapped pays nothing.
class Profile {
 public:
  /// One verb on one level.
  struct Entry {
    std::string_view verb;
    int level = 0;        ///< 0 the finest
    bool shared = false;  ///< whether several processes have parts of it
    std::int64_t calls = 0;
    double seconds = 0, bytes = 0;  ///< bytes: the least traffic (traffic.hpp)
  };

  /// From now on the backend runs its verbs immediately.
  explicit Profile(Backend& backend);
  ~Profile();

  /// The backend as the wrapped operators give it away.
  Backend& backend();
  /// Wraps every operator and transfer of a hierarchy, whose operators' layouts tell the levels apart.
  Hierarchy wrap(Hierarchy hierarchy);
  std::shared_ptr<const Operator> wrap(std::shared_ptr<const Operator> A);
  std::unique_ptr<AxisProducts> wrap(std::unique_ptr<AxisProducts> products);
  std::unique_ptr<SweepPass> wrap(std::unique_ptr<SweepPass> pass);
  std::unique_ptr<DataProjection> wrap(std::unique_ptr<DataProjection> projection);

  /// Everything since the last call or since clear, finest level first, on each the slowest verb first. Waits.
  std::vector<Entry> take();
  void clear();
  /// Seconds of messages since then.
  Processes::Waits waits() const;

 private:
  class Recorder;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace poisson
