#pragma once

#include <cstddef>
#include <functional>
#include <map>

namespace poisson {

/// Memory that is taken from a device in few pieces, where taking and giving back cost milliseconds, and handed out in
/// blocks. First fit; neighbouring free blocks become one; a piece without blocks in use goes back.
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

  /// Takes a piece of so many bytes, from which the next blocks come, unless a free block is as large.
  void reserve(std::size_t bytes);
  /// A block, aligned to 512 bytes.
  void* allocate(std::size_t bytes);
  void release(void* block);

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

  Take take_;
  Give give_;
  Blocks blocks_;                        // of all pieces, by address
  std::map<char*, std::size_t> pieces_;  // bytes by address
};

}  // namespace poisson
