// Measures reads at an offset, and loads that wait for the previous load, through a texture over linear memory.

#include <array>

#include "lab/harness/chase.hpp"
#include "lab/studies/texture/kernels.hpp"
#include "lab/studies/texture/linear_texture.cuh"
#include "lab/studies/texture/study.hpp"

namespace poisson::lab {
namespace {

constexpr int threads = 256, most_offset = 32;

struct PlainRead {
  const float* data;
  __device__ float operator()(int i) const { return data[i]; }
};
struct TextureRead {
  cudaTextureObject_t texture;
  __device__ float operator()(int i) const { return tex1Dfetch<float>(texture, i); }
};

// Sets out[i] = in[i + offset].
template <class Read>
__global__ void __launch_bounds__(threads) shift_kernel(Read read, float* out, int offset, int count) {
  const int first = static_cast<int>(blockIdx.x) * (threads * in_flight) + static_cast<int>(threadIdx.x);
  float value[in_flight];
#pragma unroll
  for (int k = 0; k < in_flight; ++k)
    if (first + k * threads < count) value[k] = read(first + k * threads + offset);
#pragma unroll
  for (int k = 0; k < in_flight; ++k)
    if (first + k * threads < count) out[first + k * threads] = value[k];
}

struct ShiftedFloat {
  int offset;
  constexpr float operator()(std::int64_t i) const { return noise_float(static_cast<std::uint64_t>(i + offset)); }
};

Panel measure_offsets(Session& session) {
  Backend& backend = session.backend();
  const int count = static_cast<int>(session.beyond_caches() / 4 / sizeof(float));
  const Array<float> in(backend, count + most_offset), out(backend, count);
  fill(backend, in, NoiseFloat{});
  const LinearTexture<float> texture(in.data(), in.bytes());
  Panel panel{"offset", "A copy from a shifted array", "offset (elements of 4 bytes)", "GB/s read and written"};
  const cudaStream_t stream = stream_of(backend);
  const auto blocks = static_cast<unsigned>((count + threads * in_flight - 1) / (threads * in_flight));
  for (const char* const path : {path_names[0], path_names[1]})
    for (const int offset :
         session.quick() ? std::vector{0, 1, 16, 32} : std::vector{0, 1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 31, 32}) {
      const auto shift = [&] {
        if (path == path_names[0])
          shift_kernel<<<blocks, threads, 0, stream>>>(PlainRead{in.data()}, out.data(), offset, count);
        else
          shift_kernel<<<blocks, threads, 0, stream>>>(TextureRead{texture.object()}, out.data(), offset, count);
        cuda::launched(stream);
      };
      spoil(backend, out);
      shift();
      session.check(mismatches(backend, out, count, ShiftedFloat{offset}) == 0, "texture", path, "elements differ");
      const Timing seconds = session.time(shift);
      panel.points.push_back(
          {path, static_cast<double>(offset), seconds, 2e-9 * static_cast<double>(out.bytes()) / seconds});
    }
  panel.guides = {{"device copy", {{0, session.machine().copy}}}};
  return panel;
}

struct PlainWord {
  const std::uint32_t* words;
  __device__ std::uint32_t operator()(std::uint32_t i) const { return words[i]; }
};
struct TextureWord {
  cudaTextureObject_t texture;
  __device__ std::uint32_t operator()(std::uint32_t i) const {
    return tex1Dfetch<unsigned>(texture, static_cast<int>(i));
  }
};

struct Successor {
  std::uint32_t* words;
  std::uint32_t nodes;
  __device__ void operator()(std::int64_t node) const {
    words[node * line_words] = next_node(static_cast<std::uint32_t>(node), nodes) * line_words;
  }
};

template <class Read>
__global__ void chase_kernel(Read read, int steps, std::uint32_t* place) {
  std::uint32_t at = *place;
#pragma unroll 16
  for (int i = 0; i < steps; ++i) at = read(at);
  *place = at;
}

Panel measure_chases(Session& session) {
  constexpr int steps = 4096;
  Backend& backend = session.backend();
  const cudaStream_t stream = stream_of(backend);
  Panel panel{"chase", "One thread follows addresses scattered over a piece of memory", "bytes", "ns per load", true,
              true};
  for (const std::size_t bytes : {std::size_t{16} << 10, std::size_t{4} << 20, std::size_t{256} << 20}) {
    const auto nodes = static_cast<std::uint32_t>(bytes / (line_words * sizeof(std::uint32_t)));
    const Array<std::uint32_t> words(backend, std::int64_t{nodes} * line_words), place(backend, 1);
    const LinearTexture<unsigned> texture(words.data(), words.bytes());
    for (const char* const path : {path_names[0], path_names[1]}) {
      const auto chase = [&] {
        if (path == path_names[0])
          chase_kernel<<<1, 1, 0, stream>>>(PlainWord{words.data()}, steps, place.data());
        else
          chase_kernel<<<1, 1, 0, stream>>>(TextureWord{texture.object()}, steps, place.data());
        cuda::launched(stream);
      };
      // The successors are written again, because the previous walk left the lines of the same path in the cache. Now
      // the cache contains at most the end of the array.
      on_each(backend, nodes, Successor{words.data(), nodes});
      constexpr std::uint32_t first = 0;
      backend.write(&first, place.data(), sizeof first);
      chase();
      session.check(place.host()[0] == walk_end(nodes, steps) * line_words, "texture", path, "the walk ends elsewhere");
      const Timing seconds = session.time(chase);
      panel.points.push_back({path, static_cast<double>(bytes), seconds, 1e9 * seconds / steps});
    }
  }
  return panel;
}

}  // namespace

Panels measure_paths(Session& session) {
  return {measure_offsets(session), measure_chases(session)};
}

}  // namespace poisson::lab
