#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>

#include "backends/mpi/mpi_processes.hpp"
#include "backends/mpi/process_watch.hpp"
#include "backends/mpi/signs_of_life.hpp"

namespace poisson {

namespace mpi = boost::mpi;
using Clock = std::chrono::steady_clock;

/// Returns whether all processes of a group arrive here before `until`.
inline bool all_come(const mpi::communicator& group, Clock::time_point until) {
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(group, &all);
  for (int here = 0; Clock::now() < until; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    MPI_Test(&all, &here, MPI_STATUS_IGNORE);
    if (here) return true;
  }
  return false;
}

/// Sends signs of life to the next process and receives those of the previous one. Also watches the processes of this
/// machine: a launcher ends the others soon after one is killed, before its silence is noticed.
class Heartbeat {
 public:
  Heartbeat(const mpi::communicator& world, const Lost& lost)
      : ring_(world, mpi::comm_duplicate),
        lost_(lost),
        places_(gathered_places(ring_)),
        watch_(places_, ring_.rank()),
        part_(static_cast<std::size_t>(ring_.size()), Part::takes),
        thread_([this] { beat(); }) {}
  ~Heartbeat() {
    done_ = true;
    watch_.wake();
    thread_.join();
    take_the_last();
  }
  Heartbeat(const Heartbeat&) = delete;

  /// Called before this process ends the run and after it has reported why: the others then report nothing.
  void announce_end() const { tell(ending); }
  /// Called when the work of this process is done. Returns when all others are done as well. A process that does not
  /// arrive is lost.
  void await_end_of_work() {
    over_ = true;
    all_come(ring_, Clock::time_point::max());
  }
  /// Returns the other processes of this machine.
  std::vector<LostProcess> neighbours() const {
    std::vector<LostProcess> all;
    for (int p = 0; p < ring_.size(); ++p)
      if (p != ring_.rank() && watch_.sees(p)) all.push_back(lost(p, false));
    return all;
  }

 private:
  static constexpr std::chrono::milliseconds interval{250};
  static constexpr std::chrono::seconds patience{6}, patience_for_unseen{60};
  // Processes that are killed together all end within this time.
  static constexpr std::chrono::milliseconds settling{100};
  enum Tag { alive, goodbye, ending };
  enum class Part { takes, has_left, ends_the_run };

  static std::vector<ProcessPlace> gathered_places(const mpi::communicator& all) {
    const ProcessPlace own = ProcessPlace::own();
    std::vector<ProcessPlace> places(static_cast<std::size_t>(all.size()));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, places.data(), sizeof own, MPI_BYTE, all);
    return places;
  }
  /// Some MPIs complain about messages that were not received before MPI ends. A goodbye is the last message of a
  /// process; it has been sent by now.
  void take_the_last() {
    const Clock::time_point until = Clock::now() + time_to_report;
    for (; one_is_to_leave() && Clock::now() < until; std::this_thread::yield()) listen();
  }
  int next() const { return (ring_.rank() + 1) % ring_.size(); }
  int before() const { return (ring_.rank() + ring_.size() - 1) % ring_.size(); }

  /// The send is not awaited: a stopped process does not receive it.
  void tell(int process, Tag tag) const {
    MPI_Request sign = MPI_REQUEST_NULL;
    MPI_Isend(nullptr, 0, MPI_PACKED, process, tag, ring_, &sign);
    MPI_Request_free(&sign);
  }
  /// Sends to the next process, and to all processes of this machine.
  void tell(Tag tag) const {
    for (int p = 0; p < ring_.size(); ++p)
      if (p != ring_.rank() && (p == next() || watch_.sees(p))) tell(p, tag);
  }
  /// Returns whether the previous process has sent a sign of life.
  bool listen() {
    bool heard = false;
    for (auto sign = ring_.iprobe(mpi::any_source, mpi::any_tag); sign;
         sign = ring_.iprobe(mpi::any_source, mpi::any_tag)) {
      ring_.recv(sign->source(), sign->tag());
      heard = heard || sign->source() == before();
      Part& part = part_[static_cast<std::size_t>(sign->source())];
      if (sign->tag() == goodbye) part = Part::has_left;
      if (sign->tag() == ending) part = Part::ends_the_run;
    }
    return heard;
  }

  void beat() {
    Clock::time_point heard = Clock::now(), last_beat = heard;
    while (true) {
      watch_.wait(interval);
      if (done_) return tell(goodbye);
      tell(next(), alive);
      // A process that was stopped itself has not listened.
      const Clock::time_point now = Clock::now();
      if (now - std::exchange(last_beat, now) > patience / 2) heard = now;
      if (listen()) heard = Clock::now();
      if (one_is_gone()) end_without_it();
      if (part_[static_cast<std::size_t>(before())] == Part::takes && is_lost(now - heard)) {
        lost_(moment(), std::array{lost(before(), watch_.ended(before()))});
        end_run();
      }
    }
  }

  /// Returns whether the previous process is lost after this silence. A running process may be silent on a busy
  /// machine.
  bool is_lost(Clock::duration silence) const {
    if (!watch_.sees(before())) return silence > patience_for_unseen;
    return silence > patience && state_of(places_[static_cast<std::size_t>(before())].number).stopped;
  }
  /// Returns whether a process has ended without a goodbye.
  bool gone(int process) const {
    return watch_.ended(process) && part_[static_cast<std::size_t>(process)] == Part::takes;
  }
  bool one_is_gone() const {
    for (int p = 0; p < ring_.size(); ++p)
      if (gone(p)) return true;
    return false;
  }
  /// Returns whether a process that sends to this one has not announced its end.
  bool one_is_to_leave() const {
    for (int p = 0; p < ring_.size(); ++p)
      if (p != ring_.rank() && (p == before() || watch_.sees(p)) &&
          part_[static_cast<std::size_t>(p)] != Part::has_left)
        return true;
    return false;
  }
  Moment moment() const { return over_ ? Moment::end : Moment::work; }
  LostProcess lost(int process, bool ended) const {
    const ProcessPlace& place = places_[static_cast<std::size_t>(process)];
    return {process, place.host.data(), place.number, ended};
  }
  /// The lowest rank of this machine that is still alive reports the lost processes, unless a process has announced the
  /// end.
  void end_without_it() {
    const Clock::time_point settled = Clock::now() + settling;
    while (Clock::now() < settled) {
      watch_.wait(std::chrono::milliseconds(10));
      listen();
    }
    std::vector<LostProcess> all;
    int speaker = ring_.rank();
    for (int p = 0; p < ring_.size(); ++p) {
      if (gone(p)) all.push_back(lost(p, true));
      if (watch_.sees(p) && !watch_.ended(p)) speaker = std::min(speaker, p);
    }
    if (all.empty()) return;
    if (speaker == ring_.rank() && std::ranges::find(part_, Part::ends_the_run) == part_.end()) lost_(moment(), all);
    std::this_thread::sleep_for(time_to_report);
    end_run();
  }
  [[noreturn]] void end_run() const {
    announce_end();
    mpi::environment::abort(1);
    std::_Exit(1);
  }

  mpi::communicator ring_;
  Lost lost_;
  std::vector<ProcessPlace> places_;
  ProcessWatch watch_;
  std::vector<Part> part_;  ///< role of each process in the run, as far as this process knows
  std::atomic<bool> over_ = false, done_ = false;
  std::thread thread_;
};

}  // namespace poisson
