#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/mark.cuh"
#include "backends/utilities/pipeline.hpp"
#include "lab/harness/session.hpp"
#include "lab/harness/stream.cuh"
#include "lab/harness/study.hpp"

namespace poisson::lab {

inline constexpr unsigned threads = 256;  ///< per block

/// Selects the host memory and the directions of a transfer.
struct Way {
  std::string_view name;
  bool pinned, up, down;
};

/// Owns pinned and pageable arrays of the host and arrays of the device, and moves data between them. The host's
/// sources contain random words. All work follows the order of the backend's stream.
class Bus {
 public:
  Bus(Session& session, std::size_t bytes);

  std::size_t bytes() const { return pinned_from_.bytes(); }
  const std::uint32_t* from() const { return pinned_from_.as<std::uint32_t>(); }
  std::uint32_t* to() const { return pinned_to_.as<std::uint32_t>(); }

  /// Moves `bytes` bytes in one copy per direction.
  void move(const Way& way, std::size_t bytes);
  /// Moves them up in `pieces` copies of equal size.
  void move_in_pieces(const Way& way, std::size_t bytes, int pieces);
  /// poison_targets fills the targets of a way with values that no source contains. arrived returns whether they equal
  /// the source. Both wait.
  void poison_targets(const Way& way, std::size_t bytes);
  bool arrived(const Way& way, std::size_t bytes);

 private:
  const std::uint32_t* source(const Way& way) const { return way.pinned ? from() : pageable_from_.data(); }
  std::uint32_t* target(const Way& way) { return way.pinned ? to() : pageable_to_.data(); }

  cuda::CudaBackend& backend_;
  PinnedBuffer pinned_from_, pinned_to_;
  std::vector<std::uint32_t> pageable_from_, pageable_to_;
  Buffer up_, down_;  ///< device: destination of uploads, source of downloads
  cuda::Stream second_ = cuda::make_stream();
  cuda::Mark begin_, end_;
};

/// Measures the pipeline when the host processes the returned chunks, panel "coprocessor".
Panel coprocessor_panel(Session& session, Bus& bus);

/// Measures the pipeline over the bus's arrays for three amounts of computation: panels "pipeline-…".
std::vector<Panel> pipeline_panels(Session& session, Bus& bus);

}  // namespace poisson::lab
