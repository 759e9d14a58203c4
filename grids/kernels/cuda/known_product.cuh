#pragma once

namespace poisson::cuda {

/// `KnownProduct` stands for a row whose product with u is known.
template <class T>
struct KnownProduct {
  struct Neighbours {
    T centre;
  };
  T product, diagonal_entry;
  __device__ T diagonal() const { return diagonal_entry; }
  __device__ T times(const Neighbours&) const { return product; }
};

}  // namespace poisson::cuda
