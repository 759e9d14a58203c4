#include "backends/device/rehearsal.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "backends/memory/round_up.hpp"
#include "backends/spaces/is_box.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/functions.hpp"
#endif

namespace poisson {
namespace {

// Beyond any address of a process, so that reading a value fails at once instead of returning garbage.
constexpr std::uintptr_t first_address = std::uintptr_t{1} << 56;
constexpr std::size_t alignment = 512;

// A recorded solve holds a description of each verb that shares a launch: the functor, its box and its index
// (backends/cuda/sequence.cuh).
constexpr std::size_t bytes_of_step = 1040;
// Above this number of steps, as in cycles over planes, the host runs the iteration.
constexpr std::size_t most_steps = 32'000;

}  // namespace

RehearsalBackend::RehearsalBackend(BackendKind kind)
    : kind_(kind), next_(reinterpret_cast<char*>(first_address)) {  // NOLINT(performance-no-int-to-ptr)
#ifdef POISSON_HAVE_CUDA
  if (kind == BackendKind::cuda) own_ = allocate(cuda::bytes_of_backend());
#endif
}

Buffer RehearsalBackend::allocate_field(const Space& space, std::size_t bytes) {
  const std::array<int, 3> of_patches{-2, -2, -2};  // no grid
  const Grid grid{is_box(space) ? space.part().all() : of_patches, space.is_global()};
  fields_[grid] += bytes;
  Buffer buffer = allocate(bytes);
  return {buffer.data(), bytes, [this, grid, counted = std::make_shared<Buffer>(std::move(buffer))](void*) {
            fields_[grid] -= counted->bytes();
          }};
}

void RehearsalBackend::reserve_halo_buffers(const Space& space) {
  if (!space.is_global()) mail_.include(MailSizes::of(space));
}

// A reduction on a GPU leaves one sum for each tile of at least 128 values. Recordings may use earlier rooms.
void RehearsalBackend::reserve_sums(const Layout& layout) {
  if (kind_ == BackendKind::cpu) return;
  const auto [nx, ny, nz] = layout.n;
  const std::int64_t sums = nz == 1 ? std::int64_t{nx / 128 + 2} * ny : std::int64_t{nx / 32 + 2} * (ny / 4 + 1) * nz;
  if (sums <= room_of_sums_) return;
  room_of_sums_ = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(sums)));
  more_sums_.push_back(allocate(static_cast<std::size_t>(room_of_sums_) * sizeof(double)));
}

void RehearsalBackend::prepare(std::unique_ptr<Recording>& recording, const std::function<void()>& verbs) {
  if (kind_ == BackendKind::cpu) return;
  struct Recorded final : Recording {
    explicit Recorded(Buffer of) : steps(std::move(of)) {}
    Buffer steps;
  };
  shared_verbs_ = 0;
  verbs();
  recording = std::make_unique<Recorded>(allocate(std::min(shared_verbs_, most_steps) * bytes_of_step));
}

Buffer RehearsalBackend::allocate(std::size_t bytes) {
  char* const data = next_;
  next_ += round_up(bytes + 1, alignment);
  memory_.add(bytes);
  return {data, bytes, [this, bytes](void*) { memory_.remove(bytes); }};
}

void RehearsalBackend::read(const void*, void* host, std::size_t bytes) {
  std::memset(host, 0, bytes);
}

bool rehearses(const Backend& backend) {
  return dynamic_cast<const RehearsalBackend*>(&backend) != nullptr;
}

}  // namespace poisson
