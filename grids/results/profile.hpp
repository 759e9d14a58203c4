#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "grids/operators/operator.hpp"

namespace poisson {

/// Counts and times the verbs that a backend and its objects report. Without a profile, verbs have no overhead.
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

  /// Makes the backend run its verbs immediately from now on, and report them until the profile ends.
  explicit Profile(Backend& backend);
  ~Profile();

  /// Numbers the levels of a hierarchy by their spaces, and returns it.
  Hierarchy wrap(Hierarchy hierarchy);
  /// Returns other objects as they are: their verbs report themselves.
  template <class Verbs>
  Verbs wrap(Verbs verbs) {
    return verbs;
  }

  /// Returns all entries since the last call of take or clear. The finest level is first; on each level, the slowest
  /// verb is. Waits for the device.
  std::vector<Entry> take();
  void clear();
  /// Returns the seconds spent on messages since then.
  Processes::Waits waits() const;

 private:
  class Log;
  class Recorder;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace poisson
