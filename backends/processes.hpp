#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace poisson {

/// The processes that solve a problem together, each with a part of the grid. All of them call these in the same order.
/// One alone is its own group.
class Processes {
 public:
  /// Bytes for another process, or from it. Messages between two processes are told apart by their tags.
  struct Message {
    int partner;
    int tag;
    void* data;
    std::size_t bytes;
  };
  /// Messages under way.
  class Transit {
   public:
    virtual ~Transit() = default;
    /// Waits until what was received is there and what was sent may be overwritten.
    virtual void finish() = 0;
  };

  /// Seconds so far with messages under way.
  struct Waits {
    double exchanges = 0;  ///< between neighbours
    double gathers = 0;    ///< between all, of sums and parts
    Waits operator+(const Waits& more) const { return {exchanges + more.exchanges, gathers + more.gathers}; }
    Waits operator-(const Waits& less) const { return {exchanges - less.exchanges, gathers - less.gathers}; }
  };

  virtual ~Processes() = default;
  virtual Waits waits() const { return {}; }
  virtual int rank() const = 0;
  virtual int count() const = 0;
  virtual std::unique_ptr<Transit> start(std::span<const Message> sent, std::span<const Message> received) const = 0;
  /// all[r·bytes …] = what process r has, so many bytes of each.
  virtual void gather(const void* own, std::size_t bytes, void* all) const = 0;
  /// What process `from` has reaches all others.
  virtual void broadcast(void* data, std::size_t bytes, int from) const = 0;

  /// Why messages cannot come from the memory of a GPU, nor go there; empty where they can.
  virtual std::string without_device_memory() const { return "no MPI"; }

  /// Waits for all others to call it as well, at most so long; false where some did not.
  virtual bool meet(double /*seconds*/) const { return true; }
  /// Ends all of them at once.
  virtual void abort(int status) const { std::exit(status); }

  bool first() const { return rank() == 0; }
  bool alone() const { return count() == 1; }
  /// Whether it is so on any of them.
  bool any(bool own) const;
  double largest(double own) const;
  double least(double own) const { return -largest(-own); }
  /// Added in the order of the processes.
  double sum(double own) const;
  /// What each has, one after another.
  template <class T>
  std::vector<T> gather(const T& own) const {
    std::vector<T> all(static_cast<std::size_t>(count()), own);
    if (!alone()) gather(&own, sizeof(T), all.data());
    return all;
  }
};

/// Another process has failed, and says why.
struct StoppedElsewhere : std::runtime_error {
  StoppedElsewhere() : std::runtime_error("another process has failed") {}
};

/// Calls f on all processes. Where it throws on some of them, it throws on all: the first of those that fail by
/// themselves what it threw, the others StoppedElsewhere.
template <class F>
void together(const Processes& processes, const F& f) {
  enum : char { done, stopped, failed };
  char own = done;
  std::exception_ptr failure;
  try {
    f();
  } catch (const StoppedElsewhere&) {  // by others, in what f does together
    own = stopped;
    failure = std::current_exception();
  } catch (...) {
    own = failed;
    failure = std::current_exception();
  }
  const std::vector<char> all = processes.gather(own);
  const char worst = std::ranges::max(all);
  if (worst == done) return;
  if (std::ranges::find(all, worst) - all.begin() == processes.rank()) std::rethrow_exception(failure);
  throw StoppedElsewhere();
}

/// This process by itself.
std::shared_ptr<const Processes> one_process();

}  // namespace poisson
