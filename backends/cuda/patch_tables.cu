#include <algorithm>
#include <map>
#include <mutex>
#include <span>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/marched.hpp"
#include "backends/cuda/patch_tables.cuh"
#include "backends/spaces/is_box.hpp"

namespace poisson::cuda {
namespace {

template <class T>
Buffer upload(CudaBackend& device, const std::vector<T>& values) {
  if (values.empty()) return {};
  Buffer there = device.allocate(values.size() * sizeof(T));
  device.write(values.data(), there.data(), there.bytes());
  return there;
}

bool equal(const Box& a, const Box& b) {
  return a.first == b.first && a.last == b.last;
}

// Makes the table of a space's sums; `box_of` returns what a patch counts.
template <class BoxOf>
SumTable sum_table(CudaBackend& device, const Space& space, const BoxOf& box_of) {
  struct Plane {
    int number, position;
  };
  SumTable table;
  std::vector<Plane> planes;
  std::vector<Range> ranges;
  std::vector<std::size_t> first_range;
  for (const PatchGroup& group : space.groups()) {
    Box all{{1 << 30, 1 << 30, 1 << 30}, {}};
    for (const PatchGroup::Patch& patch : group.patches) {
      const Box box = box_of(patch);
      for (std::size_t d = 0; d < 3 && box.size() > 0; ++d) {
        all.first[d] = std::min(all.first[d], box.first[d]);
        all.last[d] = std::max(all.last[d], box.last[d]);
      }
    }
    all = all.last[0] == 0 ? Box{} : marched(all, group.layout);
    const int thick = all.last[2] - all.first[2];
    bool same = true;
    first_range.push_back(ranges.size());
    for (const PatchGroup::Patch& patch : group.patches) {
      const Box box = marched(box_of(patch), group.layout);
      same = same && equal(box, all);
      ranges.push_back(Range(box));
      // In a space of several planes, a patch of one plane has one number for all its lines.
      const bool lines = is_plane(group.layout) && !space.is_flat();
      for (int k = all.first[2]; k < all.last[2]; ++k, ++table.planes)
        if (box.size() > 0 && k >= box.first[2] && k < box.last[2])
          planes.push_back({patch.first_plane + (lines ? 0 : k), table.planes});
    }
    if (same) ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(first_range.back()), ranges.end());
    table.groups.push_back({all, nullptr});
    if (thick == 0 || same) first_range.back() = ~std::size_t{0};
  }
  std::ranges::stable_sort(planes, {}, &Plane::number);
  std::vector<int> place, begin;
  bool sorted = std::ssize(planes) == table.planes;
  int least = 1 << 30, most = 0;
  for (std::size_t at = 0; at < planes.size(); ++at) {
    place.push_back(planes[at].position);
    sorted = sorted && planes[at].position == static_cast<int>(at);
    if (at == 0 || planes[at].number != planes[at - 1].number) begin.push_back(static_cast<int>(at));
    least = std::min(least, planes[at].number);
    most = std::max(most, planes[at].number + 1);
  }
  table.numbers = static_cast<int>(begin.size());
  begin.push_back(static_cast<int>(planes.size()));
  if (!space.is_global()) {
    most = static_cast<int>(space.processes().largest(most));
    least = static_cast<int>(space.processes().least(least));
  }
  table.depth = std::max(1, most - least);
  table.ranges = upload(device, ranges);
  for (std::size_t g = 0; g < table.groups.size(); ++g)
    if (first_range[g] != ~std::size_t{0})
      table.groups[g].within = static_cast<const Range*>(table.ranges.data()) + first_range[g];
  if (!sorted) {
    table.places = upload(device, place);
    table.place = static_cast<const int*>(table.places.data());
  }
  if (table.numbers < std::ssize(planes)) {
    table.begins = upload(device, begin);
    table.begin = static_cast<const int*>(table.begins.data());
  }
  return table;
}

// Locates a patch, or the values of a box in a message, in memory.
struct Place {
  std::int64_t first = 0;  // value (0, 0, 0)
  std::int64_t stride[3] = {1, 0, 0};

  std::int64_t at(const std::array<int, 3>& i) const {
    return first + i[0] * stride[0] + i[1] * stride[1] + i[2] * stride[2];
  }
  // Returns where a box is that is packed line by line from a value on.
  static Place packed(std::int64_t from, const Box& box) {
    const std::int64_t nx = box.last[0] - box.first[0], ny = box.last[1] - box.first[1];
    Place place{0, {1, nx, nx * ny}};
    place.first = from - place.at(box.first);
    return place;
  }
};

std::vector<Place> patches_in_memory(const Space& space, Precision precision) {
  std::vector<Place> places;
  std::int64_t before = 0;
  for (const PatchGroup& group : space.groups()) {
    const Layout& layout = group.layout;
    const std::int64_t line = layout.n[1] == 1 ? 0 : layout.pitch(precision);
    const std::int64_t plane = layout.n[2] == 1 ? 0 : layout.stride(precision) / (layout.n[2] + 2 * layout.halo[2]);
    for (std::int64_t p = 0; p < std::ssize(group.patches); ++p)
      places.push_back({before + layout.origin(precision) + p * layout.stride(precision), {1, line, plane}});
    before += layout.allocated(precision, std::ssize(group.patches));
  }
  return places;
}

// Returns a move between memories; `to_box` is read along the axes of `from` as `turn` says.
DeviceMove device_move(const Place& from, const Box& box, const Place& to, const Box& to_box, const Orientation& turn) {
  DeviceMove move{};
  std::array<int, 3> first{};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto a = static_cast<std::size_t>(turn.axis[d]);
    first[a] = turn.flipped[d] ? box.last[a] - 1 : box.first[a];
    move.from_stride[d] = turn.flipped[d] ? -from.stride[a] : from.stride[a];
    move.to_stride[d] = to.stride[d];
    move.n[d] = to_box.last[d] - to_box.first[d];
  }
  move.from = from.at(first);
  move.to = to.at(to_box.first);
  move.by_x = Division(move.n[0]);
  move.by_y = Division(move.n[1]);
  return move;
}

MoveList upload_moves(CudaBackend& device, const std::vector<DeviceMove>& moves) {
  std::vector<MoveList::Block> blocks;
  for (std::size_t m = 0; m < moves.size(); ++m) {
    const int size = moves[m].n[0] * moves[m].n[1] * moves[m].n[2];
    for (int first = 0; first < size; first += MoveList::values_of_block)
      blocks.push_back({static_cast<int>(m), first});
  }
  return {upload(device, moves), upload(device, blocks), static_cast<int>(blocks.size())};
}

// Is a move that adds values, and the box that it changes.
struct Addition {
  DeviceMove move;
  int patch;
  Box to;
};

// Each launch adds to different values. Of moves that add to the same values, the earlier one is in an earlier launch.
std::vector<MoveList> upload_additions(CudaBackend& device, const std::vector<Addition>& all) {
  std::vector<std::vector<DeviceMove>> launches;
  std::map<int, std::vector<std::pair<Box, std::size_t>>> of_patch;
  for (const Addition& one : all) {
    std::size_t launch = 0;
    auto& earlier = of_patch[one.patch];
    for (const auto& [box, in] : earlier)
      if (intersection(box, one.to).size() > 0) launch = std::max(launch, in + 1);
    earlier.push_back({one.to, launch});
    launches.resize(std::max(launches.size(), launch + 1));
    launches[launch].push_back(one.move);
  }
  std::vector<MoveList> lists;
  for (const auto& moves : launches) lists.push_back(upload_moves(device, moves));
  return lists;
}

// Lists the values of a move whose packed values begin at `at`, in the order in which they are packed. `sent`: it packs
// them, else it stores them.
void list_values(const DeviceMove& move, bool sent, std::int64_t at, std::vector<RowPlaces::Row>& rows) {
  const std::size_t before = rows.size();
  rows.resize(before + static_cast<std::size_t>(move.n[0]) * static_cast<std::size_t>(move.n[1]) *
                           static_cast<std::size_t>(move.n[2]));
  for (int k = 0; k < move.n[2]; ++k)
    for (int j = 0; j < move.n[1]; ++j)
      for (int i = 0; i < move.n[0]; ++i) {
        const std::int64_t from =
                               move.from + i * move.from_stride[0] + j * move.from_stride[1] + k * move.from_stride[2],
                           to = move.to + i * move.to_stride[0] + j * move.to_stride[1] + k * move.to_stride[2],
                           packed = sent ? to : from;
        rows[before + static_cast<std::size_t>(packed - at)] = {sent ? from : to, packed};
      }
}

// Returns whether the messages of a step can be listed: nothing is added, and nothing is cleared.
bool can_list(const ExchangeStep& step) {
  const auto adds = [](const Move& move) { return move.adds || move.clears; };
  return std::ranges::none_of(step.own, adds) && std::ranges::none_of(step.channels, [&](const poisson::Channel& of) {
           return of.transposed || std::ranges::any_of(of.sent, adds) || std::ranges::any_of(of.received, adds);
         });
}

// Makes the table of a step from fields of a space to fields of another one, or within one field if both are one space.
ExchangeTable exchange_table(CudaBackend& device, const Space& space, const Space& target, const ExchangeStep& step,
                             Precision precision) {
  const bool within = space.groups().data() == target.groups().data();
  const std::vector<Place> patches = patches_in_memory(space, precision);
  const std::vector<Place> targets = within ? patches : patches_in_memory(target, precision);
  const auto patch = [&](int number) -> const Place& { return patches[static_cast<std::size_t>(number)]; };
  const auto to = [&](int number) -> const Place& { return targets[static_cast<std::size_t>(number)]; };
  ExchangeTable table;
  std::vector<DeviceMove> pack, clears, own, unpack;
  std::vector<Addition> adds, own_adds;
  std::vector<RowPlaces::Row> sent_rows, received_rows;
  const bool lists = can_list(step);
  const auto packed = [&](const Move& move, std::int64_t at) {
    const DeviceMove moved = device_move(patch(move.patch), move.from, Place::packed(at, move.from), move.from, {});
    if (lists)
      list_values(moved, true, at, sent_rows);
    else
      pack.push_back(moved);
    if (move.clears && within)
      clears.push_back(device_move(patch(move.patch), move.from, patch(move.patch), move.from, {}));
    return at + move.from.size();
  };
  const auto unpacked = [&](const Move& move, std::int64_t at) {
    const DeviceMove moved =
        device_move(Place::packed(at, move.from), move.from, to(move.to_patch), move.to, move.turn);
    if (move.adds)
      adds.push_back({moved, move.to_patch, move.to});
    else if (lists)
      list_values(moved, false, at, received_rows);
    else
      unpack.push_back(moved);
    return at + move.from.size();
  };
  const std::int64_t first_row = patches.empty() ? 0 : patches.front().first;
  const std::int64_t first_received = targets.empty() ? 0 : targets.front().first;
  for (const poisson::Channel& channel : step.channels) {
    ExchangeTable::Part& part = table.parts.emplace_back();
    part = {channel.process, channel.number, table.sent, 0, 0, 0};
    for (const Move& move : channel.sent) table.sent = packed(move, table.sent);
    for (const std::int64_t row : channel.sent_rows) sent_rows.push_back({first_row + row, table.sent++});
    part.sent = table.sent - part.sent_first;
    table.transposed = table.transposed || channel.transposed;
  }
  std::int64_t at = table.sent;
  for (const Move& move : step.own) {
    const DeviceMove direct = device_move(patch(move.patch), move.from, to(move.to_patch), move.to, move.turn);
    if (!move.adds) {
      own.push_back(direct);
    } else if (!within) {
      own_adds.push_back({direct, move.to_patch, move.to});
    } else {
      packed(move, at);
      at = unpacked(move, at);
    }
  }
  table.copied = at - table.sent;
  for (std::size_t c = 0; c < step.channels.size(); ++c) {
    table.parts[c].received_first = at;
    for (const Move& move : step.channels[c].received) at = unpacked(move, at);
    for (const std::int64_t row : step.channels[c].received_rows) received_rows.push_back({first_received + row, at++});
    table.parts[c].received = at - table.parts[c].received_first;
  }
  table.received = at - table.sent - table.copied;
  table.pack = upload_moves(device, pack);
  table.clears = upload_moves(device, clears);
  table.own = upload_moves(device, own);
  table.unpack = upload_moves(device, unpack);
  table.adds = upload_additions(device, adds);
  table.own_adds = upload_additions(device, own_adds);
  table.sent_rows = {upload(device, sent_rows), std::ssize(sent_rows)};
  table.received_rows = {upload(device, received_rows), std::ssize(received_rows)};
  if (at > 0) table.room = device.allocate(static_cast<std::size_t>(at) * bytes_of(precision));
  for (const ExchangeTable::Part& part : table.parts) table.most = std::max({table.most, part.sent, part.received});
  if (!space.is_global())
    table.most = static_cast<std::int64_t>(space.processes().largest(static_cast<double>(table.most)));
  if (table.most > 0) table.host = std::make_shared<Room>(true);
  return table;
}

struct Registry {
  std::mutex mutex;
  std::map<const CudaBackend*, std::unique_ptr<PatchTables>> of;
};
Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

const SpaceTables& PatchTables::of(const Space& space) {
  const auto known = std::ranges::find_if(
      tables_, [&](const auto& table) { return table->space.groups().data() == space.groups().data(); });
  if (known != tables_.end()) return **known;
  auto tables = std::make_unique<SpaceTables>(SpaceTables{space, {}, {}, {}});
  tables->counted = sum_table(device_, space, [](const PatchGroup::Patch& patch) { return patch.counted; });
  tables->unknowns = sum_table(
      device_, space, [](const PatchGroup::Patch& patch) { return intersection(patch.counted, patch.unknowns); });
  const ExchangeProgram& program = space.halo().program();
  // Every process takes part in each step, with or without partners.
  const auto steps = is_program(space.halo()) || !space.is_global()
                         ? space.processes().largest(static_cast<double>(program.size()))
                         : 0;
  for (const Precision precision : {Precision::fp32, Precision::fp64})
    for (std::size_t t = 0; t < static_cast<std::size_t>(steps); ++t)
      tables->steps[static_cast<std::size_t>(precision)].push_back(
          exchange_table(device_, space, space, t < program.size() ? program[t] : ExchangeStep{}, precision));
  return *tables_.emplace_back(std::move(tables));
}

std::vector<ExchangeTable> PatchTables::make(const ExchangeProgram& program, const Space& from, const Space& to,
                                             Precision precision) {
  std::vector<ExchangeTable> steps;
  // Every process takes part in each step, with or without partners.
  const auto count = static_cast<std::size_t>(from.processes().largest(static_cast<double>(program.size())));
  for (std::size_t t = 0; t < count; ++t)
    steps.push_back(exchange_table(device_, from, to, t < program.size() ? program[t] : ExchangeStep{}, precision));
  return steps;
}

const ProgramTables* PatchTables::keep(const ExchangeProgram& program, const Space& from, const Space& to) {
  auto tables = std::make_unique<ProgramTables>(ProgramTables{program.data(), from, to, {}});
  for (const Precision precision : {Precision::fp32, Precision::fp64})
    tables->steps[static_cast<std::size_t>(precision)] = make(program, from, to, precision);
  return programs_.emplace_back(std::move(tables)).get();
}

void PatchTables::release(const ProgramTables* tables) {
  std::erase_if(programs_, [&](const auto& own) { return own.get() == tables; });
}

const std::vector<ExchangeTable>* PatchTables::kept(const ExchangeProgram& program, const Field& from,
                                                    const Field& to) const {
  for (const auto& known : programs_)
    if (known->program == program.data() && known->from.has_layouts_of(from.space()) &&
        known->to.has_layouts_of(to.space()))
      return &known->steps[static_cast<std::size_t>(from.precision())];
  return nullptr;
}

PatchTables& patch_tables(CudaBackend& device) {
  const std::lock_guard lock(registry().mutex);
  auto& tables = registry().of[&device];
  if (!tables) tables = std::make_unique<PatchTables>(device);
  return *tables;
}

void release_patch_tables(const CudaBackend& device) {
  const std::lock_guard lock(registry().mutex);
  registry().of.erase(&device);
}

void release_program(const CudaBackend* device, const ProgramTables* tables) {
  const std::lock_guard lock(registry().mutex);
  if (const auto known = registry().of.find(device); known != registry().of.end()) known->second->release(tables);
}

}  // namespace poisson::cuda
