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

/// Represents the processes that solve a problem together; each owns a sub-block of the grid. All processes call the
/// functions below in the same order. A single process is its own group.
class Processes {
 public:
  /// Describes bytes to send to another process or to receive from it. Messages between two processes differ in their
  /// tags.
  struct Message {
    int partner;
    int tag;
    void* data;
    std::size_t bytes;
  };
  /// Represents messages in flight.
  class Transit {
   public:
    virtual ~Transit() = default;
    /// Waits until the data to receive have arrived and the sent data may be overwritten.
    virtual void finish() = 0;
  };

  /// Counts the seconds with messages in flight so far.
  struct Waits {
    double exchanges = 0;  ///< between neighbours
    double gathers = 0;    ///< collectives: sums and gathered sub-blocks
    Waits operator+(const Waits& more) const { return {exchanges + more.exchanges, gathers + more.gathers}; }
    Waits operator-(const Waits& less) const { return {exchanges - less.exchanges, gathers - less.gathers}; }
  };

  virtual ~Processes() = default;
  virtual Waits waits() const { return {}; }
  virtual int rank() const = 0;
  virtual int count() const = 0;
  virtual std::unique_ptr<Transit> start(std::span<const Message> sent, std::span<const Message> received) const = 0;
  /// Gathers `bytes` bytes of every process; process r has the bytes from all[r·bytes] on.
  virtual void gather(const void* own, std::size_t bytes, void* all) const = 0;
  /// Sends the data of process `from` to all others.
  virtual void broadcast(void* data, std::size_t bytes, int from) const = 0;

  /// Returns why messages cannot be sent from GPU memory and received there; empty if they can.
  virtual std::string without_device_memory() const { return "no MPI"; }

  /// Waits at most `seconds` until all others call it as well. Returns false if some did not.
  virtual bool meet(double /*seconds*/) const { return true; }
  /// Ends all processes immediately.
  virtual void abort(int status) const { std::exit(status); }

  bool first() const { return rank() == 0; }
  bool alone() const { return count() == 1; }
  /// Returns whether `own` is true on any process.
  bool any(bool own) const;
  double largest(double own) const;
  double least(double own) const { return -largest(-own); }
  /// Adds the values in the order of the processes.
  double sum(double own) const;
  /// Returns the values of all processes in their order.
  template <class T>
  std::vector<T> gather(const T& own) const {
    std::vector<T> all(static_cast<std::size_t>(count()), own);
    if (!alone()) gather(&own, sizeof(T), all.data());
    return all;
  }
};

/// Reports that another process has failed; that process prints its own message.
struct StoppedElsewhere : std::runtime_error {
  StoppedElsewhere() : std::runtime_error("another process has failed") {}
};

/// Calls f on all processes. If f throws on some of them, `together` throws on all. The first process whose f failed
/// rethrows its exception; the others throw StoppedElsewhere.
template <class F>
void together(const Processes& processes, const F& f) {
  enum : char { done, stopped, failed };
  char own = done;
  std::exception_ptr failure;
  try {
    f();
  } catch (const StoppedElsewhere&) {  // a collective inside f threw it
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

/// Returns this process as a group of one.
std::shared_ptr<const Processes> one_process();

}  // namespace poisson
