#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "backends/backend.hpp"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/mailbox_memory.hpp"
#include "backends/division.hpp"
#include "backends/mailbox_layout.hpp"

/// Memory that the GPUs of several processes write to: each process has a mailbox, which all others see, with a slot
/// for whatever they send. A kernel stores what it sends into the slots of others, raises a flag there, waits for its
/// own flags and takes what has come: kernels alone, so that whole solves stay one graph.
///
/// Few values, and sums, come as words: four bytes of a value beside the turn that they were sent in, stored and loaded
/// at once. Whoever sees the turn has the value, and there is no flag behind it and no fence before one. (NCCL's
/// protocol LL does so.) Words have slots of their own, in which nothing else ever stands.
///
/// Turns count upwards. Slots are two, in turn: a process sends for the second time after that only when it has seen
/// that the other has taken what came before.
namespace poisson::cuda {

inline constexpr int most_peers = MailboxLayout::most_processes;
inline constexpr int most_mail_blocks = MailboxLayout::most_blocks;

/// One kind of message: how often it has been sent, and how many blocks have sent it this time.
struct Channel {
  unsigned sent, ticket;
};

/// Looks until something is found, and now and then whether the others are to be waited for no longer.
template <class Found, class GivenUp>
__device__ void look_until(const Found& found, const GivenUp& given_up) {
  for (unsigned tries = 1; !found(); ++tries)
    if (tries % 4096 == 0 && given_up()) return;
}

/// The mailbox of a process as kernels see it.
struct Mailbox : MailboxLayout {
  char* of[most_peers];  ///< of all processes, this one's own among them
  int rank, count;
  std::size_t most_words;        ///< layers of so many go as words, where a kernel may choose
  Channel* channels;             ///< of the axes, of parts and of sums
  const volatile int* given_up;  ///< set by the host where the others are not to be waited for

  static constexpr int of_parts = 3, of_sums = 4, channel_count = 5;

  /// The turn that a channel is at; ending it is up to the kernel's last block.
  __device__ unsigned turn_of(int channel) const {
    return *const_cast<const volatile unsigned*>(&channels[channel].sent) + 1;
  }

  // Flags: of layers by axis and side, then of parts by who has sent.
  __device__ unsigned* layer_flag(int process, int axis, int side, unsigned block) const {
    return reinterpret_cast<unsigned*>(of[process] + flags) + (axis * sides + side) * most_mail_blocks + block;
  }
  __device__ unsigned* part_flag(int process, int from, unsigned block) const {
    return layer_flag(process, 3, 0, 0) + from * most_mail_blocks + block;
  }

  /// Raises the flags of a block's parts at all others, and waits for theirs.
  __device__ void meet(unsigned turn) const;

  /// What a thread waits for by itself.
  template <class Found>
  __device__ void await(const Found& found) const {
    look_until(found, [&] { return *given_up != 0; });
  }
  __device__ void wait_for(const unsigned* flag, unsigned turn) const {
    await([&] {
      unsigned seen = 0;
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
      return static_cast<int>(seen - turn) >= 0;
    });
  }

  template <class T>
  __device__ T* layer(int process, int axis, int side, unsigned turn) const {
    return reinterpret_cast<T*>(of[process] + layers[axis] +
                                (static_cast<std::size_t>(side) * 2 + turn % 2) * layer_bytes[axis]);
  }
  template <class T>
  __device__ T* part(int process, int from, unsigned turn) const {
    return reinterpret_cast<T*>(of[process] + parts + (static_cast<std::size_t>(from) * 2 + turn % 2) * part_bytes);
  }
  __device__ std::uint64_t* layer_words(int process, int axis, int side, unsigned turn) const {
    return reinterpret_cast<std::uint64_t*>(of[process] + words[axis]) +
           (static_cast<std::size_t>(side) * 2 + turn % 2) * word_room[axis];
  }
  __device__ std::uint64_t* sum_words(int process, int from, unsigned turn) const {
    return reinterpret_cast<std::uint64_t*>(of[process] + sums) +
           (static_cast<std::size_t>(from) * 2 + turn % 2) * sum_room * words_of<double>;
  }
  /// Words of a value.
  template <class T>
  static constexpr std::size_t words_of = sizeof(T) / sizeof(unsigned);

  /// Value number `at` of a slot of words, once it has come.
  template <class T>
  __device__ T await_word(const std::uint64_t* slot, int at, unsigned turn) const;
  /// The same for the threads of a warp together: what follows goes on in step.
  template <class T>
  __device__ T await_words(const std::uint64_t* slot, int at, unsigned turn) const;
};

__device__ inline void raise(unsigned* flag, unsigned turn) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(turn) : "memory");
}

__device__ inline void Mailbox::meet(unsigned turn) const {
  __threadfence_system();
  __syncthreads();
  const int p = static_cast<int>(threadIdx.x);
  if (p < count && p != rank) {
    raise(part_flag(p, rank, blockIdx.x), turn);
    wait_for(part_flag(rank, p, blockIdx.x), turn);
  }
  __syncthreads();
}

__device__ inline void send_word(std::uint64_t* slot, int at, unsigned turn, float value) {
  const std::uint64_t word = std::uint64_t{turn} << 32 | __float_as_uint(value);
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(slot + at), "l"(word) : "memory");
}
__device__ inline void send_word(std::uint64_t* slot, int at, unsigned turn, double value) {
  const auto bits = static_cast<std::uint64_t>(__double_as_longlong(value));
  const std::uint64_t mark = std::uint64_t{turn} << 32, low = mark | (bits & 0xffffffff), high = mark | bits >> 32;
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(slot + 2 * at), "l"(low), "l"(high) : "memory");
}
/// Whether a value has come, and it.
__device__ inline bool has_come(const std::uint64_t* slot, int at, unsigned turn, float& value) {
  std::uint64_t word = 0;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(slot + at) : "memory");
  value = __uint_as_float(static_cast<unsigned>(word));
  return word >> 32 == turn;
}
__device__ inline bool has_come(const std::uint64_t* slot, int at, unsigned turn, double& value) {
  std::uint64_t low = 0, high = 0;
  asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(slot + 2 * at) : "memory");
  value = __longlong_as_double(static_cast<long long>(high << 32 | (low & 0xffffffff)));
  return low >> 32 == turn && high >> 32 == turn;
}

template <class T>
__device__ T Mailbox::await_word(const std::uint64_t* slot, int at, unsigned turn) const {
  T value;
  await([&] { return has_come(slot, at, turn, value); });
  return value;
}
template <class T>
__device__ T Mailbox::await_words(const std::uint64_t* slot, int at, unsigned turn) const {
  T value;
  const unsigned warp = __activemask();
  look_until([&] { return __all_sync(warp, has_come(slot, at, turn, value)) != 0; },
             [&] { return __any_sync(warp, *given_up) != 0; });
  return value;
}

/// A box of values in a row, shared among the blocks of a kernel.
struct Packed {
  int3 first, extent;

  Division by_x, by_y;

  explicit Packed(const Box& box)
      : first{box.first[0], box.first[1], box.first[2]},
        extent{box.last[0] - box.first[0], box.last[1] - box.first[1], box.last[2] - box.first[2]},
        by_x(extent.x),
        by_y(extent.y) {}
  Packed() = default;
  __device__ int size() const { return extent.x * extent.y * extent.z; }
  __device__ int3 place(int at) const {
    const int line = by_x(at), plane = by_y(line);
    return {first.x + at - line * extent.x, first.y + line - plane * extent.y, first.z + plane};
  }
};

/// The mailboxes of the processes of a group, and what is sent through them on a stream.
class Mail {
 public:
  /// Why there can be none in such a place between these processes, each on its device; empty where there can. All of
  /// them call it.
  static std::string obstacle(const Processes& processes, int device, MailPlace place);

  /// Small ones, counted as memory of the device where they lie on it. All processes call this and what follows
  /// together.
  Mail(const Processes& processes, MailPlace place, MemoryCount& memory);
  ~Mail();
  Mail(const Mail&) = delete;

  /// Room for so much. Waits, where there was less. What has been recorded goes on with the mailboxes that it was
  /// recorded for, which are kept; turns are counted on.
  void make_room(const MailSizes& sizes, cudaStream_t stream);
  /// Says that what is recorded holds the mailboxes as they are.
  void hold_for_recorded() { recorded_ = true; }
  /// Whether there is room for parts of fields of this space.
  bool takes_parts(const Space& space) const;

  template <class T>
  void swap(cudaStream_t stream, const View<T>& v, int axis, const Exchange::Turn& sent,
            const Exchange::Turn& received);
  template <class T>
  void gather(cudaStream_t stream, const Space& space, const View<const T>& part, const View<T>& whole);
  /// What waits for others, now and from now on, goes on without them: what comes of it is of no use.
  void give_up() { *const_cast<volatile int*>(given_up_) = 1; }
  const Mailbox& box() const { return box_; }

 private:
  void open(const MailSizes& sizes);
  void close();

  const Processes& processes_;
  MailPlace place_;
  MailSizes sizes_;
  Mailbox box_{};
  MemoryCount& counted_;
  std::size_t bytes_ = 0;  ///< of memory_
  std::unique_ptr<MailboxMemory> memory_;
  bool recorded_ = false;
  std::vector<std::unique_ptr<MailboxMemory>> of_recorded_;
  int* given_up_ = nullptr;
};

}  // namespace poisson::cuda
