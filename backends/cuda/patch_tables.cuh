#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cuda/staging.cuh"
#include "backends/cuda/tiling.cuh"
#include "backends/device/field.hpp"
#include "backends/memory/division.hpp"
#include "backends/memory/memory.hpp"

/// Describes spaces of several patches or of rows to kernels. The tables are uploaded when the first field of a space
/// is made, because a verb that is being recorded can upload nothing.
namespace poisson::cuda {

class CudaBackend;

/// Tells how the values of a space are summed by patch and plane. Kernels see the patches of a group as one stack of
/// planes.
struct SumTable {
  struct Group {
    Box box;                        ///< what the patches count, joined; in the indices of kernels (marched.hpp)
    const Range* within = nullptr;  ///< what each patch counts; null if all count the box
  };
  std::vector<Group> groups;
  int planes = 0;              ///< of the stacks of all groups
  int numbers = 0;             ///< different numbers of planes among them
  int depth = 1;               ///< planes of all processes
  const int* place = nullptr;  ///< planes in the order of their numbers; null if they are sorted
  const int* begin = nullptr;  ///< first of the sorted planes of each number; null if all numbers differ
  Buffer ranges{}, places{}, begins{};
};

/// Is a Move in device memory. Offsets and strides are counted in values from the start of memory.
struct DeviceMove {
  std::int64_t from, to;
  std::int64_t from_stride[3], to_stride[3];
  int n[3];
  Division by_x, by_y;
};
/// Lists moves that one launch runs. Each block runs up to `values_of_block` values of a move.
struct MoveList {
  static constexpr int values_of_block = 1024;
  struct Block {
    int move, first;
  };
  Buffer moves{}, blocks{};
  int count = 0;  ///< blocks
};
/// Lists rows of a field, and where they are in a message.
struct RowPlaces {
  struct Row {
    std::int64_t row, at;
  };
  Buffer rows{};
  std::int64_t count = 0;
};

/// Is a step of an exchange in one precision. `room` has the values to send, then copies of the values that are added
/// within the process, then the received values.
struct ExchangeTable {
  struct Part {
    int process, number;
    std::int64_t sent_first, sent, received_first, received;
  };
  std::vector<Part> parts;
  std::int64_t sent = 0, copied = 0, received = 0;
  MoveList pack, clears, own, unpack;
  std::vector<MoveList> adds, own_adds;  ///< the moves of a launch write different values; the latter read a field
  RowPlaces sent_rows, received_rows;
  bool transposed = false;  ///< rows are added where they arrive, and cleared where they were
  Buffer room{};
  std::shared_ptr<Room> host{};  ///< a copy of `room` in pinned memory
  std::int64_t most = 0;         ///< values of the longest message of all processes
};

/// Contains the tables of a space.
struct SpaceTables {
  Space space;
  SumTable counted, unknowns;
  std::array<std::vector<ExchangeTable>, 2> steps;  ///< by precision
};

/// Contains the tables of a program between fields of two spaces.
struct ProgramTables {
  const ExchangeStep* program;  ///< its first step, which identifies it
  Space from, to;
  std::array<std::vector<ExchangeTable>, 2> steps;  ///< by precision
};

/// Contains the tables of all spaces of a backend, and those of programs that are kept.
class PatchTables {
 public:
  explicit PatchTables(CudaBackend& device) : device_(device) {}
  /// Returns the tables of a space, which are made at the first call. That call is collective, and not to be recorded.
  const SpaceTables& of(const Space& space);
  /// Makes the tables of a program of at least one step, which must stay where it is until they are released.
  /// Collective, and not to be recorded.
  const ProgramTables* keep(const ExchangeProgram& program, const Space& from, const Space& to);
  void release(const ProgramTables* tables);
  /// Returns the kept tables of a program, by step; null without them.
  const std::vector<ExchangeTable>* kept(const ExchangeProgram& program, const Field& from, const Field& to) const;
  /// Makes the tables of a program in one precision. Collective, and not to be recorded.
  std::vector<ExchangeTable> make(const ExchangeProgram& program, const Space& from, const Space& to,
                                  Precision precision);

 private:
  CudaBackend& device_;
  std::vector<std::unique_ptr<SpaceTables>> tables_;
  std::vector<std::unique_ptr<ProgramTables>> programs_;
};

/// Returns the tables of a backend.
PatchTables& patch_tables(CudaBackend& device);
/// Releases them before the backend ends.
void release_patch_tables(const CudaBackend& device);
/// Releases the tables of a program, if those of the backend still exist.
void release_program(const CudaBackend* device, const ProgramTables* tables);

}  // namespace poisson::cuda
