#include <algorithm>
#include <array>
#include <string>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/mark.cuh"
#include "backends/memory/error.hpp"
#include "backends/utilities/pipeline.hpp"

namespace poisson {
namespace {

void* allocate_pinned(std::size_t bytes) {
  void* data = nullptr;
  const cudaError_t status = cudaMallocHost(&data, std::max<std::size_t>(bytes, 1));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears the error, which is handled here
    throw RunError("cannot pin " + readable_bytes(static_cast<double>(bytes)) +
                   " of the host's memory (less memory can be locked): pin smaller pieces");
  }
  cuda::check(status);
  return data;
}

cuda::CudaBackend& checked(Backend& backend, std::size_t chunk_bytes) {
  if (backend.kind() != BackendKind::cuda)
    throw InputError("a pipeline on the backend cpu (there is no bus between it and the host): compute in place");
  if (chunk_bytes == 0)
    throw InputError("a pipeline with chunks of no bytes (nothing would move): use a few megabytes");
  return static_cast<cuda::CudaBackend&>(backend);
}

// Waits for the streams on every exit from a scope, because the caller's host arrays may be freed afterwards.
class WaitAtEnd {
 public:
  explicit WaitAtEnd(std::array<cudaStream_t, 3> streams) : streams_(streams) {}
  WaitAtEnd(const WaitAtEnd&) = delete;
  WaitAtEnd& operator=(const WaitAtEnd&) = delete;
  ~WaitAtEnd() {
    for (const cudaStream_t stream : streams_) cudaStreamSynchronize(stream);
  }

 private:
  std::array<cudaStream_t, 3> streams_;
};

}  // namespace

PinnedBuffer::PinnedBuffer(std::size_t bytes) : data_(allocate_pinned(bytes)), bytes_(bytes) {}

void PinnedBuffer::Release::operator()(void* data) const {
  cudaFreeHost(data);
}

// Owns three streams, and three buffers that pass through them in turn.
class Pipeline::Lanes {
 public:
  Lanes(Backend& backend, std::size_t chunk_bytes)
      : backend_(checked(backend, chunk_bytes)), chunk_bytes_(chunk_bytes) {
    for (Stage& stage : stages_) stage.memory = backend.allocate(chunk_bytes);
  }

  void run(const void* from, void* to, std::size_t bytes, const Compute& compute) {
    const WaitAtEnd wait({up_.get(), compute_.get(), down_.get()});
    begin_.record(backend_.stream());
    begin_.hold(up_.get());
    std::size_t turn = 0;
    for (std::size_t offset = 0; offset < bytes; offset += chunk_bytes_, ++turn) {
      const Stage& stage = stages_[turn % stages_.size()];
      const std::size_t size = std::min(chunk_bytes_, bytes - offset);
      void* const chunk = stage.memory.data();

      stage.downloaded.hold(up_.get());  // waits for the buffer's previous chunk
      cuda::check(
          cudaMemcpyAsync(chunk, static_cast<const char*>(from) + offset, size, cudaMemcpyHostToDevice, up_.get()));
      stage.uploaded.record(up_.get());

      stage.uploaded.hold(compute_.get());
      compute(chunk, size, offset, compute_.get());
      stage.computed.record(compute_.get());

      stage.computed.hold(down_.get());
      cuda::check(cudaMemcpyAsync(static_cast<char*>(to) + offset, chunk, size, cudaMemcpyDeviceToHost, down_.get()));
      stage.downloaded.record(down_.get());
    }
    cuda::check(cudaStreamSynchronize(down_.get()));
  }

 private:
  struct Stage {
    Buffer memory;
    cuda::Mark uploaded, computed, downloaded;
  };

  cuda::CudaBackend& backend_;
  std::size_t chunk_bytes_;
  cuda::Mark begin_;
  cuda::Stream up_ = cuda::make_stream(), compute_ = cuda::make_stream(), down_ = cuda::make_stream();
  std::array<Stage, 3> stages_;
};

Pipeline::Pipeline(Backend& backend, std::size_t chunk_bytes) : lanes_(std::make_unique<Lanes>(backend, chunk_bytes)) {}

Pipeline::~Pipeline() = default;

void Pipeline::run(const void* from, void* to, std::size_t bytes, const Compute& compute) {
  lanes_->run(from, to, bytes, compute);
}

}  // namespace poisson
