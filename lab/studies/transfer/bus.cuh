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

inline constexpr unsigned threads = 256;  ///< of a block

/// Which memory of the host goes which way over the bus.
struct Way {
  std::string_view name;
  bool pinned, up, down;
};

/// Arrays of the host, pinned and pageable, and of the device, and what goes between them. The host's sources hold
/// random words. Everything begins and ends in the order of the backend's stream.
class Bus {
 public:
  Bus(Session& session, std::size_t bytes);

  std::size_t bytes() const { return pinned_from_.bytes(); }
  const std::uint32_t* from() const { return pinned_from_.as<std::uint32_t>(); }
  std::uint32_t* to() const { return pinned_to_.as<std::uint32_t>(); }

  /// Moves so many bytes in one copy per direction.
  void move(const Way& way, std::size_t bytes);
  /// The same up, in so many copies of equal size.
  void move_in_pieces(const Way& way, std::size_t bytes, int pieces);
  /// Sets what the way arrives at to what no source holds; arrived: whether all of the source stands there. Waits.
  void poison_targets(const Way& way, std::size_t bytes);
  bool arrived(const Way& way, std::size_t bytes);

 private:
  const std::uint32_t* source(const Way& way) const { return way.pinned ? from() : pageable_from_.data(); }
  std::uint32_t* target(const Way& way) { return way.pinned ? to() : pageable_to_.data(); }

  cuda::CudaBackend& backend_;
  PinnedBuffer pinned_from_, pinned_to_;
  std::vector<std::uint32_t> pageable_from_, pageable_to_;
  Buffer up_, down_;  ///< on the device: what arrives, and what leaves
  cuda::Stream second_ = cuda::make_stream();
  cuda::Mark begin_, end_;
};

/// The pipeline with work on the host for what came back, panel "coprocessor".
Panel coprocessor_panel(Session& session, Bus& bus);

/// The pipeline over the bus's arrays, with computations of three weights: panels "pipeline-…".
std::vector<Panel> pipeline_panels(Session& session, Bus& bus);

}  // namespace poisson::lab
