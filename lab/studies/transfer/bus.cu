#include <algorithm>
#include <cstring>

#include "lab/harness/contents.hpp"
#include "lab/studies/transfer/bus.cuh"

namespace poisson::lab {

Bus::Bus(Session& session, std::size_t bytes)
    : backend_(static_cast<cuda::CudaBackend&>(session.backend())),
      pinned_from_(bytes),
      pinned_to_(bytes),
      pageable_from_(bytes / sizeof(std::uint32_t)),
      pageable_to_(pageable_from_.size()),
      up_(backend_.allocate(bytes)),
      down_(backend_.allocate(bytes)) {
  fill_random(backend_, down_.data(), bytes, 5);
  backend_.read(down_.data(), pinned_from_.data(), bytes);
  std::memcpy(pageable_from_.data(), pinned_from_.data(), pageable_from_.size() * sizeof(std::uint32_t));
  std::memset(pinned_to_.data(), 0, bytes);
}

void Bus::move(const Way& way, std::size_t bytes) {
  const cudaStream_t stream = backend_.stream(), other = way.up ? second_.get() : stream;
  const bool two = way.up && way.down;
  if (two) {
    begin_.record(stream);
    begin_.hold(other);
  }
  if (way.up) cuda::check(cudaMemcpyAsync(up_.data(), source(way), bytes, cudaMemcpyHostToDevice, stream));
  if (way.down) cuda::check(cudaMemcpyAsync(target(way), down_.data(), bytes, cudaMemcpyDeviceToHost, other));
  if (two) {
    end_.record(other);
    end_.hold(stream);
  }
}

void Bus::move_in_pieces(const Way& way, std::size_t bytes, int pieces) {
  const std::size_t piece = bytes / static_cast<std::size_t>(pieces);
  for (std::size_t at = 0; at < bytes; at += piece)
    cuda::check(cudaMemcpyAsync(static_cast<char*>(up_.data()) + at, reinterpret_cast<const char*>(source(way)) + at,
                                std::min(piece, bytes - at), cudaMemcpyHostToDevice, backend_.stream()));
}

void Bus::poison_targets(const Way& way, std::size_t bytes) {
  if (way.up) poison(backend_, up_.data(), bytes);
  if (way.down) std::memset(target(way), 0xFF, bytes);
}

bool Bus::arrived(const Way& way, std::size_t bytes) {
  cuda::check(cudaStreamSynchronize(backend_.stream()));
  // down_ contains the same words as the sources.
  return (!way.up || differing_bytes(backend_, up_.data(), down_.data(), bytes) == 0) &&
         (!way.down || std::memcmp(target(way), source(way), bytes) == 0);
}

}  // namespace poisson::lab
