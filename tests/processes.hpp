#pragma once

// Simulates several processes with threads of one process: each test body runs with the requested number of parts,
// without a launcher.

#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include <omp.h>

#include "backends/processes/processes.hpp"

namespace poisson {

/// Owns the state that the threads of a group share.
class Threads {
 public:
  explicit Threads(int count) : count_(count), barrier_(count), gathered_(static_cast<std::size_t>(count)) {}

  int count() const { return count_; }
  void put(int from, const Processes::Message& m) {
    const std::lock_guard lock(mutex_);
    const char* data = static_cast<const char*>(m.data);
    mail_[{from, m.partner, m.tag}].emplace_back(data, data + m.bytes);
    arrived_.notify_all();
  }
  void take(int to, const Processes::Message& m) {
    std::unique_lock lock(mutex_);
    auto& box = mail_[{m.partner, to, m.tag}];
    arrived_.wait(lock, [&] { return !box.empty(); });
    if (box.front().size() != m.bytes) std::terminate();
    std::memcpy(m.data, box.front().data(), m.bytes);
    box.erase(box.begin());
  }
  void gather(int rank, const void* own, std::size_t bytes, void* all) {
    const char* data = static_cast<const char*>(own);
    gathered_[static_cast<std::size_t>(rank)].assign(data, data + bytes);
    barrier_.arrive_and_wait();
    for (const auto& part : gathered_) {
      if (part.size() != bytes) std::terminate();
      all = std::copy(part.begin(), part.end(), static_cast<char*>(all));
    }
    barrier_.arrive_and_wait();
  }

 private:
  int count_;
  std::barrier<> barrier_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::tuple<int, int, int>, std::vector<std::vector<char>>> mail_;
  std::vector<std::vector<char>> gathered_;
};

class ThreadProcess final : public Processes {
 public:
  ThreadProcess(Threads& threads, int rank) : threads_(threads), rank_(rank) {}
  int rank() const override { return rank_; }
  int count() const override { return threads_.count(); }
  std::unique_ptr<Transit> start(std::span<const Message> sent, std::span<const Message> received) const override {
    for (const Message& m : sent) threads_.put(rank_, m);
    struct Arriving final : Transit {
      Threads& threads;
      int rank;
      std::vector<Message> awaited;
      Arriving(Threads& t, int r, std::span<const Message> m) : threads(t), rank(r), awaited(m.begin(), m.end()) {}
      void finish() override {
        for (const Message& m : awaited) threads.take(rank, m);
      }
    };
    return std::make_unique<Arriving>(threads_, rank_, received);
  }
  void gather(const void* own, std::size_t bytes, void* all) const override { threads_.gather(rank_, own, bytes, all); }
  void broadcast(void* data, std::size_t bytes, int from) const override {
    std::vector<char> all(bytes * static_cast<std::size_t>(count()));
    gather(data, bytes, all.data());
    std::memcpy(data, all.data() + bytes * static_cast<std::size_t>(from), bytes);
  }

 private:
  Threads& threads_;
  int rank_;
};

/// Calls f(processes) in `count` threads, each of which acts as one process. If one throws, all must throw; the first
/// exception is thrown again. If another thread waits for the one that threw, the program ends.
template <class F>
void as_processes(int count, const F& f) {
  constexpr std::chrono::seconds patience{60};
  Threads shared(count);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  std::mutex mutex;
  std::condition_variable changed;
  int ended = 0;
  bool failed = false;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      omp_set_num_threads(1);
      try {
        f(std::make_shared<const ThreadProcess>(shared, rank));
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      ++ended;
      failed = failed || failures[static_cast<std::size_t>(rank)];
      changed.notify_one();
    });
  {
    std::unique_lock lock(mutex);
    const auto all_ended = [&] { return ended == count; };
    changed.wait(lock, [&] { return failed || all_ended(); });
    if (!changed.wait_for(lock, patience, all_ended)) {
      for (const auto& failure : failures)
        if (failure) try {
            std::rethrow_exception(failure);
          } catch (const std::exception& e) {
            std::fprintf(stderr, "a process failed, and others wait for it: %s\n", e.what());
          }
      std::abort();
    }
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& failure : failures) {
    if (!failure) continue;
    try {
      std::rethrow_exception(failure);
    } catch (const StoppedElsewhere&) {
    }
  }
}

}  // namespace poisson
