#include "backends/cuda/launch.cuh"
#include "backends/cuda/staging.cuh"

namespace poisson::cuda {
namespace {

// Packs the values of a box into a row, or unpacks them from it.
template <class T, bool packs>
struct InRow {
  View<T> v;
  std::conditional_t<packs, T*, const T*> row;
  Box box;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    const std::int64_t nx = box.last[0] - box.first[0], ny = box.last[1] - box.first[1];
    for (int k = k0; k < k1; ++k) {
      const std::int64_t at = ((k - box.first[2]) * ny + (j - box.first[1])) * nx + (i - box.first[0]);
      if constexpr (packs)
        row[at] = v(i, j, k);
      else
        v(i, j, k) = row[at];
    }
  }
};

template <class T>
void pack(cudaStream_t stream, const View<T>& v, const Box& box, void* row) {
  for_columns(stream, box, InRow<T, true>{v, static_cast<T*>(row), box});
}
template <class T>
void unpack(cudaStream_t stream, const View<T>& v, const Box& box, const void* row) {
  for_columns(stream, box, InRow<T, false>{v, static_cast<const T*>(row), box});
}

template <class T>
std::size_t bytes_of(const Box& box) {
  return static_cast<std::size_t>(box.size()) * sizeof(T);
}

}  // namespace

void* Room::of(std::size_t bytes) {
  if (bytes <= bytes_) return data_;
  free();
  check(on_host_ ? cudaHostAlloc(&data_, bytes, cudaHostAllocDefault) : cudaMalloc(&data_, bytes));
  bytes_ = bytes;
  return data_;
}

void Room::free() {
  if (!data_) return;
  if (on_host_)
    cudaFreeHost(data_);
  else
    cudaFree(data_);
  data_ = nullptr;
  bytes_ = 0;
}

void Staging::Parcel::resize(std::size_t size, bool through_host) {
  bytes = size;
  there = device.of(size);
  here = through_host ? host.of(size) : there;
}

Staging::Staging(bool through_host) : through_host_(through_host) {
  check(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking));
}

Staging::~Staging() {
  cudaStreamSynchronize(copies_);
  cudaStreamDestroy(copies_);
}

template <class T>
void Staging::start(cudaStream_t stream, const View<T>& v, const Exchange::Step& sent, const Exchange::Step& received) {
  messages_.clear();
  for (std::size_t p = 0; p < received.size(); ++p) in_[p].resize(bytes_of<T>(received[p].to), through_host_);
  for (std::size_t p = 0; p < sent.size(); ++p) {
    out_[p].resize(bytes_of<T>(sent[p].from), through_host_);
    pack(stream, v, sent[p].from, out_[p].there);
    messages_.push_back({sent[p].patch, sent[p].side, out_[p].here, out_[p].bytes});
  }
  packed_.record(stream);
  if (!through_host_) return;
  packed_.hold(copies_);
  for (std::size_t p = 0; p < sent.size(); ++p)
    check(cudaMemcpyAsync(out_[p].here, out_[p].there, out_[p].bytes, cudaMemcpyDeviceToHost, copies_));
  copied_.record(copies_);
}

template <class T>
void Staging::finish(cudaStream_t stream, const View<T>& v, const Exchange::Step& received,
                     const Processes& processes) {
  (through_host_ ? copied_ : packed_).wait();
  std::vector<Processes::Message> in;
  for (std::size_t p = 0; p < received.size(); ++p)
    in.push_back({received[p].patch, received[p].side, in_[p].here, in_[p].bytes});
  processes.start(messages_, in)->finish();
  if (through_host_) {
    for (std::size_t p = 0; p < received.size(); ++p)
      check(cudaMemcpyAsync(in_[p].there, in_[p].here, in_[p].bytes, cudaMemcpyHostToDevice, copies_));
    copied_.record(copies_);
    copied_.hold(stream);
    streams_have_met = true;
  }
  for (std::size_t p = 0; p < received.size(); ++p) unpack(stream, v, received[p].to, in_[p].there);
}

// Gathering always copies through the host: an MPI that accepts device memory in messages may still copy it itself in
// collective operations.
template <class T>
void Staging::gather(cudaStream_t stream, const View<const T>& part, const Box& from, const View<T>& whole,
                     const std::vector<Box>& of, std::size_t most, const Processes& processes) {
  own_.resize(most, true);
  all_.resize(most * of.size(), true);
  View<T> source;  // the same view for reading
  source.data = const_cast<T*>(part.data);
  for (int d = 0; d < 3; ++d) source.n[d] = part.n[d], source.halo[d] = part.halo[d];
  source.sy = part.sy;
  source.sz = part.sz;
  pack(stream, source, from, own_.there);
  check(cudaMemcpyAsync(own_.here, own_.there, most, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  processes.gather(own_.here, most, all_.here);
  check(cudaMemcpyAsync(all_.there, all_.here, most * of.size(), cudaMemcpyHostToDevice, stream));
  for (std::size_t p = 0; p < of.size(); ++p)
    unpack(stream, whole, of[p], static_cast<const char*>(all_.there) + p * most);
}

void Staging::swap_parts(cudaStream_t stream, const Members& members, const void* from, void* to, std::size_t bytes) {
  const std::size_t all = members.count() * bytes, own = members.own() * bytes;
  const void* const out = through_host_ ? own_.host.of(all) : from;
  void* const in = through_host_ ? all_.host.of(all) : to;
  if (through_host_) check(cudaMemcpyAsync(own_.host.of(all), from, all, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  swap_parts_of_others(members, out, in, bytes);
  const char* const here = static_cast<const char*>(from) + own;
  char* const there = static_cast<char*>(to) + own;
  if (through_host_) check(cudaMemcpyAsync(to, in, all, cudaMemcpyHostToDevice, stream));
  check(cudaMemcpyAsync(there, here, bytes, cudaMemcpyDeviceToDevice, stream));
}

std::vector<double> Staging::gather(cudaStream_t stream, const double* values, std::size_t count, std::size_t most,
                                    const Processes& processes) {
  // Each process sends its count first.
  own_.resize((most + 1) * sizeof(double), true);
  auto* const own = static_cast<double*>(own_.here);
  own[0] = static_cast<double>(count);
  check(cudaMemcpyAsync(own + 1, values, count * sizeof(double), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  std::vector<double> parts((most + 1) * static_cast<std::size_t>(processes.count())), all;
  processes.gather(own, (most + 1) * sizeof(double), parts.data());
  for (auto part = parts.begin(); part != parts.end(); part += static_cast<std::ptrdiff_t>(most) + 1)
    all.insert(all.end(), part + 1, part + 1 + static_cast<std::ptrdiff_t>(*part));
  return all;
}

template void Staging::start(cudaStream_t, const View<float>&, const Exchange::Step&, const Exchange::Step&);
template void Staging::start(cudaStream_t, const View<double>&, const Exchange::Step&, const Exchange::Step&);
template void Staging::finish(cudaStream_t, const View<float>&, const Exchange::Step&, const Processes&);
template void Staging::finish(cudaStream_t, const View<double>&, const Exchange::Step&, const Processes&);
template void Staging::gather(cudaStream_t, const View<const float>&, const Box&, const View<float>&,
                              const std::vector<Box>&, std::size_t, const Processes&);
template void Staging::gather(cudaStream_t, const View<const double>&, const Box&, const View<double>&,
                              const std::vector<Box>&, std::size_t, const Processes&);

}  // namespace poisson::cuda
