#include <array>

#include "lab/harness/verify.cuh"
#include "lab/studies/access/kernels.hpp"
#include "lab/studies/access/study.hpp"

namespace poisson::lab {
namespace {

constexpr int per_thread = 4;  // elements: one 4-byte access per thread puts too few bytes in flight

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + threads * per_thread - 1) / (threads * per_thread));
}

// Sets out[to(i)] = in[from(i)]. Consecutive threads have consecutive i.
__global__ void __launch_bounds__(threads)
    move_kernel(const std::uint32_t* in, std::uint32_t* out, Positions from, Positions to, std::int64_t count) {
  const std::int64_t first = std::int64_t{blockIdx.x} * (threads * per_thread) + threadIdx.x;
  std::uint32_t value[per_thread];
#pragma unroll
  for (int k = 0; k < per_thread; ++k)
    if (first + k * threads < count) value[k] = in[from(first + k * threads)];
#pragma unroll
  for (int k = 0; k < per_thread; ++k)
    if (first + k * threads < count) out[to(first + k * threads)] = value[k];
}

void move(Backend& backend, const Array<std::uint32_t>& in, const Array<std::uint32_t>& out, const MovedElement& m) {
  const cudaStream_t stream = stream_of(backend);
  move_kernel<<<blocks_for(m.count), threads, 0, stream>>>(in.data(), out.data(), m.from, m.to, m.count);
  cuda::launched(stream);
}

// One side of a copy is consecutive; the other one has the pattern under test.
struct Side {
  const char* name;
  MovedElement (*pattern)(Positions, std::int64_t count);
};
constexpr std::array sides{
    Side{"read",
         [](Positions p, std::int64_t count) {
           return MovedElement{p, {}, count};
         }},
    Side{"write",
         [](Positions p, std::int64_t count) {
           return MovedElement{{}, p, count};
         }},
};

// Field f of record i is at i·record_fields + f.
struct Interleaved {
  template <int used>
  static __device__ float sum(const float* fields, std::int64_t i, std::int64_t) {
    float sum = 0;
#pragma unroll
    for (int f = 0; f < used; ++f) sum += fields[i * record_fields + f];
    return sum;
  }
};
// Reads the same layout four fields at a time.
struct InterleavedByFours {
  template <int used>
  static __device__ float sum(const float* fields, std::int64_t i, std::int64_t) {
    float sum = 0;
#pragma unroll
    for (int quarter = 0; 4 * quarter < used; ++quarter) {
      const float4 v = reinterpret_cast<const float4*>(fields)[i * (record_fields / 4) + quarter];
      const float lanes[] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int lane = 0; lane < 4; ++lane)
        if (4 * quarter + lane < used) sum += lanes[lane];
    }
    return sum;
  }
};
// Field f of record i is at f·records + i.
struct Separate {
  template <int used>
  static __device__ float sum(const float* fields, std::int64_t i, std::int64_t records) {
    float sum = 0;
#pragma unroll
    for (int f = 0; f < used; ++f) sum += fields[f * records + i];
    return sum;
  }
};

template <class Storage, int used>
__global__ void __launch_bounds__(threads) records_kernel(const float* fields, float* out, std::int64_t records) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < records) out[i] = Storage::template sum<used>(fields, i, records);
}

using RecordsKernel = void (*)(const float* fields, float* out, std::int64_t records);
template <class Storage, int... less>
constexpr std::array<RecordsKernel, record_fields> by_used(std::integer_sequence<int, less...>) {
  return {records_kernel<Storage, less + 1>...};
}

struct RecordLayout {
  const char* name;
  bool interleaved;
  std::array<RecordsKernel, record_fields> kernels;  // indexed by used fields − 1
};
constexpr auto counts = std::make_integer_sequence<int, record_fields>();
constexpr std::array record_layouts{
    RecordLayout{"array of structures", true, by_used<Interleaved>(counts)},
    RecordLayout{"array of structures, vector loads", true, by_used<InterleavedByFours>(counts)},
    RecordLayout{"structure of arrays", false, by_used<Separate>(counts)},
};

void add_fields(Backend& backend, const RecordLayout& layout, int used, const Array<float>& fields,
                const Array<float>& out) {
  const cudaStream_t stream = stream_of(backend);
  const auto blocks = static_cast<unsigned>((out.size() + threads - 1) / threads);
  layout.kernels[static_cast<std::size_t>(used - 1)]<<<blocks, threads, 0, stream>>>(fields.data(), out.data(),
                                                                                     out.size());
  cuda::launched(stream);
}

// Places noise_float(i·record_fields + f) at f·records + i.
struct SeparateFields {
  std::uint64_t records;
  __device__ float operator()(std::uint64_t p) const { return noise_float(p % records * record_fields + p / records); }
};

void fill_records(Backend& backend, const Array<float>& fields, bool interleaved) {
  if (interleaved)
    fill(backend, fields, NoiseFloat{});
  else
    fill(backend, fields, SeparateFields{static_cast<std::uint64_t>(fields.size() / record_fields)});
}

Point measure_move(Session& session, const Side& side, const MovedElement& pattern, double x,
                   const Array<std::uint32_t>& in, const Array<std::uint32_t>& out) {
  Backend& backend = session.backend();
  const std::int64_t reach = pattern.to(pattern.count - 1) + 1;
  spoil(backend, out);
  move(backend, in, out, pattern);
  session.check(mismatches(backend, out, reach, pattern) == 0, "access", side.name, "elements differ");
  const Timing seconds = session.time([&] { move(backend, in, out, pattern); });
  return {side.name, x, seconds, 2e-9 * element_bytes * static_cast<double>(pattern.count) / seconds};
}

std::vector<Panel> measure_moves(Session& session) {
  const auto size = static_cast<std::int64_t>(session.beyond_caches() / element_bytes);
  const double copy = 1e-9 * session.copy_bandwidth();
  const Array<std::uint32_t> in(session.backend(), size), out(session.backend(), size);
  fill(session.backend(), in, Noise{});

  Panel offsets{"offset", "Copying from or to a shifted array", "offset (elements of 4 bytes)", "useful GB/s"};
  Panel strides{"stride", "Copying from or to every n-th element", "stride (elements of 4 bytes)", "useful GB/s"};
  strides.log_x = strides.log_y = true;
  const std::vector<int> few_offsets{0, 1, 2, 3, 4, 8, 16, 24, 31, 32}, few_strides{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  constexpr int most = 32;
  for (int s = 0; s <= most; ++s) {
    const auto taken = [&](const std::vector<int>& few) { return !session.quick() || std::ranges::count(few, s) > 0; };
    for (const Side& side : sides) {
      if (taken(few_offsets))
        offsets.points.push_back(
            measure_move(session, side, side.pattern({1, s}, size - most), static_cast<double>(s), in, out));
      if (s > 0 && taken(few_strides))
        strides.points.push_back(
            measure_move(session, side, side.pattern({s, 0}, size / s), static_cast<double>(s), in, out));
    }
  }
  {  // repeats the reads with smaller fetches, a hint that a device may ignore
    std::size_t before = 0;
    cuda::check(cudaDeviceGetLimit(&before, cudaLimitMaxL2FetchGranularity));
    cuda::check(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, sector_bytes));
    for (const int s : {8, 12, 16, 24, 32}) {
      strides.points.push_back(measure_move(session, sides[0], sides[0].pattern({s, 0}, size / s), s, in, out));
      strides.points.back().variant = narrow_fetches;
    }
    cuda::check(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, before));
  }
  offsets.guides = {{"device copy", {{0, copy}}}};
  Guide whole_sectors{"whole sectors of 32 bytes", {}};
  for (int s = 1; s <= most; ++s) whole_sectors.points.push_back({static_cast<double>(s), predicted_strided(s, copy)});
  strides.guides = {{"device copy", {{1, copy}}}, whole_sectors};
  return {offsets, strides};
}

Panel measure_records(Session& session) {
  Backend& backend = session.backend();
  const auto fields_size = static_cast<std::int64_t>(session.beyond_caches() / element_bytes);
  const double copy = 1e-9 * session.copy_bandwidth();
  const Array<float> fields(backend, fields_size), out(backend, fields_size / record_fields);
  Panel panel{"structures", "Adding some fields of records of 8 floats", "fields that are used", "useful GB/s"};
  for (const RecordLayout& layout : record_layouts) {
    fill_records(backend, fields, layout.interleaved);
    for (int used = 1; used <= record_fields; used += session.quick() && used > 1 ? 2 : 1) {
      spoil(backend, out);
      add_fields(backend, layout, used, fields, out);
      session.check(mismatches(backend, out, out.size(), RecordSum{used}) == 0, "access", layout.name, "sums differ");
      const Timing seconds = session.time([&] { add_fields(backend, layout, used, fields, out); });
      const double bytes = static_cast<double>(element_bytes) * (used + 1) * static_cast<double>(out.size());
      panel.points.push_back({layout.name, static_cast<double>(used), seconds, 1e-9 * bytes / seconds});
    }
  }
  Guide whole_records{"whole records moved", {}};
  for (int used = 1; used <= record_fields; ++used)
    whole_records.points.push_back({static_cast<double>(used), predicted_records(used, copy)});
  panel.guides = {{"device copy", {{1, copy}}}, whole_records};
  return panel;
}

}  // namespace

std::vector<Panel> measure_patterns(Session& session) {
  std::vector<Panel> panels = measure_moves(session);
  panels.push_back(measure_records(session));
  return panels;
}

void verify_patterns(Session& session) {
  Backend& backend = session.backend();
  for (const std::int64_t count : {1, 31, 1023, 1025, 5003}) {
    for (const Positions positions : {Positions{1, 0}, {1, 1}, {1, 31}, {2, 0}, {7, 3}, {32, 5}})
      for (const Side& side : sides) {
        const MovedElement pattern = side.pattern(positions, count);
        const Array<std::uint32_t> in(backend, pattern.from(count - 1) + 1), out(backend, pattern.to(count - 1) + 7);
        std::vector<std::uint32_t> values(static_cast<std::size_t>(in.size()));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = noise(i);
        backend.write(values.data(), in.data(), in.bytes());
        spoil(backend, out);
        move(backend, in, out, pattern);
        session.check(mismatches_on_host(out, pattern) == 0, "access", side.name, "elements differ");
      }
    for (const RecordLayout& layout : record_layouts)
      for (int used = 1; used <= record_fields; ++used) {
        const Array<float> fields(backend, count * record_fields), out(backend, count);
        fill_records(backend, fields, layout.interleaved);
        spoil(backend, out);
        add_fields(backend, layout, used, fields, out);
        session.check(mismatches_on_host(out, RecordSum{used}) == 0, "access", layout.name, "sums differ");
      }
  }
}

}  // namespace poisson::lab
