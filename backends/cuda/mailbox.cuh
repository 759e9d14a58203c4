#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "backends/cuda/launch.cuh"
#include "backends/cuda/mailbox_memory.hpp"
#include "backends/device/backend.hpp"
#include "backends/memory/division.hpp"
#include "backends/spaces/mailbox_layout.hpp"

/// Exchanges messages between the GPUs of several processes from inside kernels, so that a complete solve remains one
/// CUDA graph.
///
/// Each process owns a mailbox: memory that every other process can write to, with slots for each kind of message. A
/// kernel stores its values into the slots of other processes and raises a flag there. It then waits for its own flags
/// and reads the received values.
///
/// Short messages and sums are sent as words. A word combines four bytes of a value with the epoch of the message in
/// one 8-byte store. A reader that sees the current epoch has the value: no flag and no fence are needed. (NCCL's
/// protocol LL does the same.) Slots for words are never used for anything else.
///
/// The epoch of a channel (`epoch` in the code) counts its messages. Each kind of message has two slots, which
/// alternate. A process reuses a slot two epochs later, when it has seen that the receiver has read the old message.
namespace poisson::cuda {

inline constexpr int most_peers = MailboxLayout::most_processes;
inline constexpr int most_mail_blocks = MailboxLayout::most_blocks;

/// Counts one kind of message: `sent` is the last finished epoch, `ticket` the number of blocks that have finished the
/// current one.
struct Channel {
  unsigned sent, ticket;
};

/// Polls `found` until it returns true. Every 4096 tries it calls `given_up`, and it returns early if that is true.
template <class Found, class GivenUp>
__device__ void look_until(const Found& found, const GivenUp& given_up) {
  for (unsigned tries = 1; !found(); ++tries)
    if (tries % 4096 == 0 && given_up()) return;
}

/// Describes the mailboxes of all processes to a kernel.
struct Mailbox : MailboxLayout {
  char* of[most_peers];  ///< base addresses by rank
  int rank, count;
  std::size_t most_words;        ///< layers of at most this many words may be sent as words
  Channel* channels;             ///< indexed by axis, of_parts, of_sums
  const volatile int* given_up;  ///< set by the host to end all waits

  static constexpr int of_parts = 3, of_sums = 4, channel_count = 5;

  /// Returns the current epoch of a channel. The kernel's last block ends the epoch (end_epoch).
  __device__ unsigned epoch_of(int channel) const {
    return *const_cast<const volatile unsigned*>(&channels[channel].sent) + 1;
  }

  // Layer flags are ordered by axis and side. Part flags follow, ordered by sender.
  __device__ unsigned* layer_flag(int process, int axis, int side, unsigned block) const {
    return reinterpret_cast<unsigned*>(of[process] + flags) + (axis * sides + side) * most_mail_blocks + block;
  }
  __device__ unsigned* part_flag(int process, int from, unsigned block) const {
    return layer_flag(process, 3, 0, 0) + from * most_mail_blocks + block;
  }

  /// Raises this block's part flags at all other processes and waits for their flags.
  __device__ void meet(unsigned epoch) const;

  /// Waits in the calling thread until `found` returns true or the host has given up.
  template <class Found>
  __device__ void await(const Found& found) const {
    look_until(found, [&] { return *given_up != 0; });
  }
  __device__ void wait_for(const unsigned* flag, unsigned epoch) const {
    await([&] {
      unsigned seen = 0;
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
      return static_cast<int>(seen - epoch) >= 0;
    });
  }

  template <class T>
  __device__ T* layer(int process, int axis, int side, unsigned epoch) const {
    return reinterpret_cast<T*>(of[process] + layers[axis] +
                                (static_cast<std::size_t>(side) * 2 + epoch % 2) * layer_bytes[axis]);
  }
  template <class T>
  __device__ T* part(int process, int from, unsigned epoch) const {
    return reinterpret_cast<T*>(of[process] + parts + (static_cast<std::size_t>(from) * 2 + epoch % 2) * part_bytes);
  }
  __device__ std::uint64_t* layer_words(int process, int axis, int side, unsigned epoch) const {
    return reinterpret_cast<std::uint64_t*>(of[process] + words[axis]) +
           (static_cast<std::size_t>(side) * 2 + epoch % 2) * word_room[axis];
  }
  __device__ std::uint64_t* sum_words(int process, int from, unsigned epoch) const {
    return reinterpret_cast<std::uint64_t*>(of[process] + sums) +
           (static_cast<std::size_t>(from) * 2 + epoch % 2) * sum_room * words_of<double>;
  }
  /// Counts the words of one value.
  template <class T>
  static constexpr std::size_t words_of = sizeof(T) / sizeof(unsigned);

  /// Waits for value `at` of a slot of words and returns it.
  template <class T>
  __device__ T await_word(const std::uint64_t* slot, int at, unsigned epoch) const;
  /// Does the same for the threads of a warp together, so that they continue in step.
  template <class T>
  __device__ T await_words(const std::uint64_t* slot, int at, unsigned epoch) const;
};

__device__ inline void raise(unsigned* flag, unsigned epoch) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
}

__device__ inline void Mailbox::meet(unsigned epoch) const {
  __threadfence_system();
  __syncthreads();
  const int p = static_cast<int>(threadIdx.x);
  if (p < count && p != rank) {
    raise(part_flag(p, rank, blockIdx.x), epoch);
    wait_for(part_flag(rank, p, blockIdx.x), epoch);
  }
  __syncthreads();
}

__device__ inline void send_word(std::uint64_t* slot, int at, unsigned epoch, float value) {
  const std::uint64_t word = std::uint64_t{epoch} << 32 | __float_as_uint(value);
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(slot + at), "l"(word) : "memory");
}
__device__ inline void send_word(std::uint64_t* slot, int at, unsigned epoch, double value) {
  const auto bits = static_cast<std::uint64_t>(__double_as_longlong(value));
  const std::uint64_t mark = std::uint64_t{epoch} << 32, low = mark | (bits & 0xffffffff), high = mark | bits >> 32;
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(slot + 2 * at), "l"(low), "l"(high) : "memory");
}
/// Loads value `at` of a slot into `value`. Returns whether it belongs to this epoch.
__device__ inline bool has_come(const std::uint64_t* slot, int at, unsigned epoch, float& value) {
  std::uint64_t word = 0;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(slot + at) : "memory");
  value = __uint_as_float(static_cast<unsigned>(word));
  return word >> 32 == epoch;
}
__device__ inline bool has_come(const std::uint64_t* slot, int at, unsigned epoch, double& value) {
  std::uint64_t low = 0, high = 0;
  asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(slot + 2 * at) : "memory");
  value = __longlong_as_double(static_cast<long long>(high << 32 | (low & 0xffffffff)));
  return low >> 32 == epoch && high >> 32 == epoch;
}

template <class T>
__device__ T Mailbox::await_word(const std::uint64_t* slot, int at, unsigned epoch) const {
  T value;
  await([&] { return has_come(slot, at, epoch, value); });
  return value;
}
template <class T>
__device__ T Mailbox::await_words(const std::uint64_t* slot, int at, unsigned epoch) const {
  T value;
  const unsigned warp = __activemask();
  look_until([&] { return __all_sync(warp, has_come(slot, at, epoch, value)) != 0; },
             [&] { return __any_sync(warp, *given_up) != 0; });
  return value;
}

/// Numbers the values of a box consecutively, to share them among the blocks of a kernel.
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

/// Owns the mailboxes of a group of processes and sends messages through them on a stream.
class Mail {
 public:
  /// Returns why these processes cannot have mailboxes at `place`, or an empty string if they can. `device` is the GPU
  /// of the calling process. Collective.
  static std::string obstacle(const Processes& processes, int device, MailPlace place);

  /// Opens mailboxes of minimal size, which are counted in `memory` if they are on the device. The constructor and the
  /// functions below that allocate or send are collective.
  Mail(const Processes& processes, MailPlace place, MemoryCount& memory);
  ~Mail();
  Mail(const Mail&) = delete;

  /// Enlarges the mailboxes to at least `sizes`, and synchronizes the stream if they were smaller. Recorded graphs keep
  /// the mailboxes that they were recorded with; these stay allocated. Epochs continue.
  void make_room(const MailSizes& sizes, cudaStream_t stream);
  /// Keeps the current mailboxes allocated, because recorded graphs contain their addresses.
  void hold_for_recorded() { recorded_ = true; }
  /// Returns whether the mailboxes have slots for parts of fields of this space.
  bool takes_parts(const Space& space) const;

  /// Exchanges halo layers with the neighbours across `axis`.
  template <class T>
  void swap(cudaStream_t stream, const View<T>& v, int axis, const Exchange::Step& sent,
            const Exchange::Step& received);
  /// Copies the parts of all processes into `whole` on every process.
  template <class T>
  void gather(cudaStream_t stream, const Space& space, const View<const T>& part, const View<T>& whole);
  /// Ends all waits of kernels, now and from now on. Results computed after that are invalid.
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
  std::size_t bytes_ = 0;  ///< size of memory_
  std::unique_ptr<MailboxMemory> memory_;
  bool recorded_ = false;
  std::vector<std::unique_ptr<MailboxMemory>> of_recorded_;
  int* given_up_ = nullptr;
};

}  // namespace poisson::cuda
