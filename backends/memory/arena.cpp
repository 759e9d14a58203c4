#include "backends/memory/arena.hpp"

#include <algorithm>
#include <iterator>

#include "backends/memory/round_up.hpp"

namespace poisson {
namespace {

constexpr std::size_t alignment = 512;  // texture objects need it
constexpr std::size_t smallest_piece = std::size_t{1} << 20;

std::size_t rounded(std::size_t bytes) {
  return round_up(std::max<std::size_t>(1, bytes), alignment);
}

}  // namespace

Arena::~Arena() {
  for (const auto& [piece, bytes] : pieces_) give_(piece);
}

void Arena::reserve(std::size_t bytes) {
  if (first_fit(rounded(bytes)) == blocks_.end()) add_piece(rounded(bytes));
}

void* Arena::allocate(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  auto block = first_fit(size);
  if (block == blocks_.end()) block = add_piece(std::max(size, smallest_piece));
  if (block->second.bytes > size) blocks_[block->first + size] = {block->second.bytes - size, true};
  block->second = {size, false};
  return block->first;
}

void Arena::release(void* address) {
  auto block = blocks_.find(static_cast<char*>(address));
  block->second.free = true;
  // Blocks of different pieces are not merged, even if they are adjacent in memory.
  const auto absorb_next = [&](Blocks::iterator b) {
    const auto next = std::next(b);
    if (next == blocks_.end() || !next->second.free || pieces_.contains(next->first) ||
        b->first + b->second.bytes != next->first)
      return;
    b->second.bytes += next->second.bytes;
    blocks_.erase(next);
  };
  absorb_next(block);
  if (block != blocks_.begin() && std::prev(block)->second.free) {
    const auto before = std::prev(block);
    absorb_next(before);
    if (!blocks_.contains(static_cast<char*>(address))) block = before;
  }
  if (keeps_ == 0) give_back_if_unused(block);
}

Arena::Blocks::iterator Arena::first_fit(std::size_t bytes) {
  return std::find_if(blocks_.begin(), blocks_.end(),
                      [&](const auto& b) { return b.second.free && b.second.bytes >= bytes; });
}

Arena::Blocks::iterator Arena::add_piece(std::size_t bytes) {
  char* piece = nullptr;
  try {
    piece = static_cast<char*>(take_(bytes));
  } catch (...) {
    if (!free_unused()) throw;
    piece = static_cast<char*>(take_(bytes));
  }
  pieces_[piece] = bytes;
  return blocks_.insert({piece, {bytes, true}}).first;
}

void Arena::stop_keeping() {
  if (--keeps_ == 0) free_unused();
}

// Returns whether there were unused pieces.
bool Arena::free_unused() {
  const std::size_t before = pieces_.size();
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    const auto next = std::next(block);
    if (block->second.free) give_back_if_unused(block);
    block = next;
  }
  return pieces_.size() < before;
}

void Arena::give_back_if_unused(Blocks::iterator block) {
  const auto piece = pieces_.find(block->first);
  if (piece == pieces_.end() || piece->second != block->second.bytes) return;
  give_(piece->first);
  pieces_.erase(piece);
  blocks_.erase(block);
}

}  // namespace poisson
