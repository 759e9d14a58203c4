#pragma once

#include <cstddef>
#include <functional>
#include <map>

namespace poisson {

/// Allocates device memory in a few large pieces and hands it out in blocks, since allocating and freeing on the device
/// costs milliseconds. Blocks are first fit. Adjacent free blocks are merged; a piece without used blocks is freed, at
/// the latest when no more memory can be taken.
class Arena {
 public:
  /// Returns memory or throws.
  using Take = std::function<void*(std::size_t bytes)>;
  using Give = std::function<void(void* piece)>;

  Arena(Take take, Give give) : take_(std::move(take)), give_(std::move(give)) {}
  /// All blocks must have been released.
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Allocates a piece of `bytes` bytes for the next blocks, unless a free block is as large.
  void reserve(std::size_t bytes);
  /// Returns a block, aligned to 512 bytes.
  void* allocate(std::size_t bytes);
  void release(void* block);

  /// Keeps pieces without used blocks for later blocks, until stop_keeping() has been called as often.
  void keep() { ++keeps_; }
  /// Frees the pieces without used blocks after the last call.
  void stop_keeping();

  int pieces() const { return static_cast<int>(pieces_.size()); }

 private:
  struct Block {
    std::size_t bytes;
    bool free;
  };
  using Blocks = std::map<char*, Block>;
  Blocks::iterator first_fit(std::size_t bytes);
  Blocks::iterator add_piece(std::size_t bytes);
  void give_back_if_unused(Blocks::iterator block);
  bool free_unused();

  int keeps_ = 0;
  Take take_;
  Give give_;
  Blocks blocks_;                        // blocks of all pieces by address
  std::map<char*, std::size_t> pieces_;  // bytes by address
};

}  // namespace poisson
