#include "io/meshes/gmsh.hpp"

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "grids/compact/csr.hpp"
#include "io/config/spelling.hpp"
#include "io/meshes/mesh_builder.hpp"
#include "io/meshes/mesh_bytes.hpp"

namespace poisson {
namespace {

constexpr int most_group_number = 2'000'000'000;

/// Reads the sections of a file in order.
class GmshReader {
 public:
  GmshReader(const std::string& name, std::string_view bytes) : in_(name, bytes), groups_(mesh_) {}

  Mesh read() {
    read_header();
    while (true) {
      in_.binary = false;
      in_.skip_spaces();
      if (in_.ended()) break;
      const std::string section(in_.line());
      if (!section.starts_with("$") || section.starts_with("$End"))
        in_.fail("expected the start of a section such as $Nodes, found \"" + printable(section.substr(0, 40)) +
                 "\": the file is damaged; save it again");
      read_section(section.substr(1));
    }
    if (!nodes_) in_.fail("the file has no section $Nodes: it contains no mesh; mesh the geometry and save again");
    if (!elements_)
      in_.fail("the file has no section $Elements: it contains no mesh; mesh the geometry and save again");
    name_groups();
    return std::move(mesh_);
  }

 private:
  void read_header() {
    if (in_.line() != "$MeshFormat") in_.fail("is not an MSH file (it does not begin with $MeshFormat)");
    const std::string version(in_.word());
    const int binary = in_.number<int>("ASCII (0) or binary (1)"), size = in_.number<int>("the bytes of a number");
    modern_ = version == "4.1";
    if (!modern_ && version != "2.2" && version != "2.1" && version != "2")
      in_.fail("MSH version " + printable(version) +
               " is not read; save the mesh in version 4.1 or 2.2 (Gmsh: Mesh.MshFileVersion = 4.1)");
    if (binary != 0 && binary != 1) in_.fail("the file type is neither 0 (ASCII) nor 1 (binary): the file is damaged");
    if (size != 8)
      in_.fail("numbers have " + std::to_string(size) + " bytes, but only 8 are read; save the mesh again");
    in_.line();
    binary_ = binary == 1;
    if (binary_) {
      in_.binary = true;
      const int one = in_.number<int>("the number 1");
      swapped_ = one == 0x01000000;
      if (one != 1 && !swapped_) in_.fail("the byte order is unknown: the file is damaged");
      in_.swapped = swapped_;
      in_.binary = false;
    }
    expect_end("MeshFormat");
  }

  void read_section(const std::string& section) {
    in_.binary = binary_;
    if (section == "PhysicalNames") {
      in_.binary = false;
      read_names();
    } else if (section == "Entities" && modern_) {
      read_entities();
    } else if (section == "PartitionedEntities") {
      in_.fail(
          "the mesh is partitioned, which is not supported; save it without partitions (Gmsh: "
          "Mesh.PartitionUnpartition)");
    } else if (section == "Nodes") {
      if (nodes_) in_.fail("there are two sections $Nodes: the file is damaged");
      modern_ ? read_nodes() : read_old_nodes();
    } else if (section == "Elements") {
      if (!nodes_) in_.fail("$Elements precede $Nodes: the file is damaged");
      if (elements_) in_.fail("there are two sections $Elements: the file is damaged");
      elements_ = true;
      modern_ ? read_elements() : read_old_elements();
    } else {
      skip_section(section);
      return;
    }
    expect_end(section);
  }

  // Sections such as $Periodic and $NodeData are not needed.
  void skip_section(const std::string& section) {
    const std::size_t end = in_.bytes().find("$End" + section, in_.at());
    if (end == std::string_view::npos)
      in_.fail("the section $" + printable(section.substr(0, 40)) +
               " has no end: the file is incomplete; save it again");
    in_.move_to(end);
    in_.line();
  }

  void expect_end(const std::string& section) {
    in_.binary = false;
    in_.skip_spaces();
    const std::string_view found = in_.line();
    if (found != "$End" + section)
      in_.fail("expected $End" + section + ", found \"" + printable(found.substr(0, 40)) +
               "\": the file is damaged or incomplete, or counts in the section are wrong; save it again");
  }

  void read_names() {
    const std::int64_t count = in_.count<std::int64_t>("names", 3);
    for (std::int64_t n = 0; n < count; ++n) {
      const int dimension = in_.number<int>("the dimension of a group");
      const int number = in_.number<int>("the number of a group");
      if (dimension < 0 || dimension > 3)
        in_.fail("a group has the dimension " + std::to_string(dimension) + ": the file is damaged");
      const std::string_view text = in_.line();
      const std::size_t first = text.find('"'), last = text.rfind('"');
      if (first == std::string_view::npos || last == first)
        in_.fail("the name of a group is not in quotes: the file is damaged");
      names_[{dimension, number}] = std::string(text.substr(first + 1, last - first - 1));
    }
  }

  void read_entities() {
    std::array<std::int64_t, 4> counts{};
    for (auto& count : counts) count = in_.count<std::uint64_t>("entities", 8);
    for (int dimension = 0; dimension < 4; ++dimension)
      for (std::int64_t e = 0; e < counts[static_cast<std::size_t>(dimension)]; ++e) {
        const int tag = in_.number<int>("the number of an entity");
        for (int x = 0; x < (dimension == 0 ? 3 : 6); ++x) in_.number<double>("the extent of an entity");
        std::vector<int> groups;
        const std::int64_t of_groups = in_.count<std::uint64_t>("groups", 2);
        for (std::int64_t g = 0; g < of_groups; ++g)
          groups.push_back(std::abs(in_.number<int>("the number of a group")));
        if (dimension > 0) {
          const std::int64_t bounds = in_.count<std::uint64_t>("boundary entities", 2);
          for (std::int64_t b = 0; b < bounds; ++b) in_.number<int>("the number of an entity");
        }
        entities_[{dimension, tag}] = groups_.label(dimension, groups);
      }
  }

  void add_points(const UnsetVector<std::int64_t>& numbers) {
    if (mesh_.points.size() > static_cast<std::size_t>(most_group_number))
      in_.fail("more than 2·10⁹ nodes are not supported");
    for (const auto& x : mesh_.points)
      if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2]))
        in_.fail("a coordinate of node " + std::to_string(numbers[static_cast<std::size_t>(&x - mesh_.points.data())]) +
                 " is not finite; mesh the geometry again");
    try {
      nodes_.emplace(numbers);
    } catch (const std::invalid_argument& error) {
      in_.fail(std::string(error.what()) + ": the file is damaged; save it again");
    }
  }

  void read_nodes() {
    const std::int64_t blocks = in_.count<std::uint64_t>("blocks of nodes", 8);
    const std::int64_t all = in_.count<std::uint64_t>("nodes", 8);
    in_.number<std::uint64_t>("the smallest number of a node");
    in_.number<std::uint64_t>("the largest number of a node");
    UnsetVector<std::int64_t> numbers;
    numbers.reserve(static_cast<std::size_t>(all));
    mesh_.points.reserve(static_cast<std::size_t>(all));
    for (std::int64_t b = 0; b < blocks; ++b) {
      const int dimension = in_.number<int>("the dimension of an entity");
      in_.number<int>("the number of an entity");
      const int parametric = in_.number<int>("whether coordinates of the entity follow");
      const std::int64_t count = in_.count<std::uint64_t>("nodes", binary_ ? 32 : 8);
      const int more = parametric == 0 ? 0 : dimension;
      if (dimension < 0 || dimension > 3)
        in_.fail("an entity has the dimension " + std::to_string(dimension) + ": the file is damaged");
      if (binary_) {
        const char* const tags = in_.skip(8 * static_cast<std::size_t>(count), "numbers of nodes");
        const auto width = static_cast<std::size_t>(8 * (3 + more));
        const char* const x = in_.skip(width * static_cast<std::size_t>(count), "coordinates of nodes");
        for (std::int64_t n = 0; n < count; ++n) {
          numbers.push_back(in_.read_at<std::int64_t>(tags + 8 * n));
          const char* const from = x + width * static_cast<std::size_t>(n);
          mesh_.points.push_back(
              {in_.read_at<double>(from), in_.read_at<double>(from + 8), in_.read_at<double>(from + 16)});
        }
        continue;
      }
      for (std::int64_t n = 0; n < count; ++n) numbers.push_back(in_.number<std::int64_t>("the number of a node"));
      for (std::int64_t n = 0; n < count; ++n) {
        std::array<double, 3> x{};
        for (double& c : x) c = in_.number<double>("a coordinate");
        for (int c = 0; c < more; ++c) in_.number<double>("a coordinate on the entity");
        mesh_.points.push_back(x);
      }
    }
    if (static_cast<std::int64_t>(numbers.size()) != all)
      in_.fail("the blocks have " + std::to_string(numbers.size()) + " nodes, but " + std::to_string(all) +
               " are announced: the file is damaged");
    add_points(numbers);
  }

  void read_old_nodes() {
    in_.binary = false;
    const std::int64_t count = in_.count<std::int64_t>("nodes", binary_ ? 28 : 8);
    in_.line();
    in_.binary = binary_;
    UnsetVector<std::int64_t> numbers(static_cast<std::size_t>(count));
    mesh_.points.resize(static_cast<std::size_t>(count));
    if (binary_) {
      const char* const from = in_.skip(28 * static_cast<std::size_t>(count), "nodes");
      for_rows(count, [&](std::int64_t n) {
        const char* const at = from + 28 * n;
        numbers[static_cast<std::size_t>(n)] = in_.read_at<int>(at);
        mesh_.points[static_cast<std::size_t>(n)] = {in_.read_at<double>(at + 4), in_.read_at<double>(at + 12),
                                                     in_.read_at<double>(at + 20)};
      });
    } else {
      for (std::size_t n = 0; n < numbers.size(); ++n) {
        numbers[n] = in_.number<std::int64_t>("the number of a node");
        for (double& c : mesh_.points[n]) c = in_.number<double>("a coordinate");
      }
    }
    add_points(numbers);
  }

  ElementType type_of(int number) {
    const auto type = gmsh_type(number);
    if (!type)
      in_.fail(
          "elements of Gmsh's type " + std::to_string(number) +
          " are not read: use vertices, lines, triangles, quadrilaterals, tetrahedra, hexahedra, prisms or pyramids of "
          "first or second order (Gmsh: Mesh.ElementOrder = 1)");
    return *type;
  }

  // Allocates elements of a type and returns the index of the first.
  std::int64_t extend(const ElementType& type, std::int64_t count) {
    MeshCells& block = mesh_.of_shape(type.shape);
    const std::int64_t first = block.count(), corners = facts_of(type.shape).corners;
    block.label.resize(static_cast<std::size_t>(first + count));
    block.corners.resize(static_cast<std::size_t>((first + count) * corners));
    if (type.nodes > corners) mesh_.second_order += count;
    return first;
  }

  [[noreturn]] void missing_node(std::int64_t number, std::int64_t element) {
    in_.fail("element " + std::to_string(element) + " uses node " + std::to_string(number) +
             ", which the file does not have: it is damaged; save it again");
  }

  // Sets the corners of binary elements of one type, of `width` bytes each with `Number`s of nodes from `offset` on.
  template <class Number>
  void set_corners(const ElementType& type, std::int64_t first, std::int64_t count, const char* from, std::size_t width,
                   std::size_t offset) {
    MeshCells& block = mesh_.of_shape(type.shape);
    const auto corners = static_cast<std::size_t>(facts_of(type.shape).corners);
    std::vector<std::int64_t> wrong(static_cast<std::size_t>((count + row_chunk - 1) / row_chunk), -1);
    for_row_chunks(count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t e = begin; e < end; ++e) {
        const char* const at = from + width * static_cast<std::size_t>(e) + offset;
        for (std::size_t c = 0; c < corners; ++c) {
          const int point = (*nodes_)(static_cast<std::int64_t>(in_.read_at<Number>(at + c * sizeof(Number))));
          block.corners[static_cast<std::size_t>(first + e) * corners + c] = point;
          if (point < 0 && wrong[static_cast<std::size_t>(begin / row_chunk)] < 0)
            wrong[static_cast<std::size_t>(begin / row_chunk)] = e;
        }
      }
    });
    for (const std::int64_t e : wrong) {
      if (e < 0) continue;
      const char* const at = from + width * static_cast<std::size_t>(e);
      for (std::size_t c = 0; c < corners; ++c) {
        const auto number = static_cast<std::int64_t>(in_.read_at<Number>(at + offset + c * sizeof(Number)));
        if ((*nodes_)(number) < 0) missing_node(number, static_cast<std::int64_t>(in_.read_at<Number>(at)));
      }
    }
    for (std::int64_t e = 0; e<count&& static_cast<std::size_t>(type.nodes)> corners; ++e)
      add_middles(mesh_, type, NodeOrder::gmsh, [&](std::size_t n) {
        const std::size_t at = width * static_cast<std::size_t>(e) + offset + n * sizeof(Number);
        return (*nodes_)(static_cast<std::int64_t>(in_.read_at<Number>(from + at)));
      });
  }

  void read_elements() {
    const std::int64_t blocks = in_.count<std::uint64_t>("blocks of elements", 8);
    const std::int64_t all = in_.count<std::uint64_t>("elements", 4);
    in_.number<std::uint64_t>("the smallest number of an element");
    in_.number<std::uint64_t>("the largest number of an element");
    std::int64_t found = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const int dimension = in_.number<int>("the dimension of an entity"),
                tag = in_.number<int>("the number of an entity");
      const ElementType type = type_of(in_.number<int>("the type of elements"));
      const std::int64_t count = in_.count<std::uint64_t>("elements", binary_ ? 16 : 4);
      const auto entity = entities_.find({dimension, tag});
      const int label = entity == entities_.end() ? 0 : entity->second;
      const auto width = 8 * static_cast<std::size_t>(1 + type.nodes);
      const char* const raw = binary_ ? in_.skip(width * static_cast<std::size_t>(count), "elements") : nullptr;
      const std::int64_t first = extend(type, count);
      found += count;
      MeshCells& block = mesh_.of_shape(type.shape);
      for (std::int64_t e = 0; e < count; ++e) block.label[static_cast<std::size_t>(first + e)] = label;
      if (binary_)
        set_corners<std::int64_t>(type, first, count, raw, width, 8);
      else
        for (std::int64_t e = 0; e < count; ++e)
          read_corners(type, block, first + e, in_.number<std::int64_t>("the number of an element"));
    }
    if (found != all)
      in_.fail("the blocks have " + std::to_string(found) + " elements, but " + std::to_string(all) +
               " are announced: the file is damaged");
  }

  void read_corners(const ElementType& type, MeshCells& block, std::int64_t at, std::int64_t element) {
    std::array<int, 27> points;
    for (std::size_t n = 0; n < static_cast<std::size_t>(type.nodes); ++n) {
      const auto number = in_.number<std::int64_t>("a node of an element");
      const int point = points[n] = (*nodes_)(number);
      if (n >= static_cast<std::size_t>(facts_of(type.shape).corners)) continue;
      if (point < 0) missing_node(number, element);
      block.corners[static_cast<std::size_t>(at * facts_of(type.shape).corners) + n] = point;
    }
    add_middles(mesh_, type, NodeOrder::gmsh, [&](std::size_t n) { return points[n]; });
  }

  void read_old_elements() {
    in_.binary = false;
    const std::int64_t all = in_.count<std::int64_t>("elements", binary_ ? 8 : 6);
    in_.line();
    in_.binary = binary_;
    if (!binary_) {
      for (std::int64_t e = 0; e < all; ++e) {
        const auto number = in_.number<std::int64_t>("the number of an element");
        const ElementType type = type_of(in_.number<int>("the type of an element"));
        const std::int64_t tags = in_.count<std::int64_t>("tags", 2);
        int group = 0;
        for (std::int64_t t = 0; t < tags; ++t) {
          const int tag = in_.number<int>("a tag of an element");
          if (t == 0) group = tag;
        }
        const std::int64_t at = extend(type, 1);
        MeshCells& block = mesh_.of_shape(type.shape);
        block.label[static_cast<std::size_t>(at)] = label_of(type.shape, group);
        read_corners(type, block, at, number);
      }
      return;
    }
    for (std::int64_t done = 0; done < all;) {
      const ElementType type = type_of(in_.number<int>("the type of elements"));
      const std::int64_t count = in_.count<int>("elements", 8), tags = in_.count<int>("tags", 4);
      if (count == 0 || done + count > all)
        in_.fail("a block announces " + std::to_string(count) + " of the " + std::to_string(all - done) +
                 " elements that are left: the file is damaged");
      const auto width = 4 * static_cast<std::size_t>(1 + tags + type.nodes);
      const char* const raw = in_.skip(width * static_cast<std::size_t>(count), "elements");
      const std::int64_t first = extend(type, count);
      MeshCells& block = mesh_.of_shape(type.shape);
      for (std::int64_t e = 0; e < count; ++e)
        block.label[static_cast<std::size_t>(first + e)] =
            tags == 0 ? 0 : label_of(type.shape, in_.read_at<int>(raw + width * static_cast<std::size_t>(e) + 4));
      set_corners<int>(type, first, count, raw, width, static_cast<std::size_t>(4 * (1 + tags)));
      done += count;
    }
  }

  // The group 0 means none. A negative number reverses elements in Gmsh.
  int label_of(CellShape shape, int group) {
    const std::pair key{facts_of(shape).dimension, group};
    if (group == 0) return 0;
    if (key == last_group_) return last_label_;
    const std::array numbers{std::abs(group)};
    last_group_ = key;
    return last_label_ = groups_.label(key.first, numbers);
  }

  void name_groups() {
    for (const auto& [key, name] : names_)
      mesh_.groups[static_cast<std::size_t>(groups_.group(key.first, key.second))].name = name;
  }

  MeshBytes in_;
  Mesh mesh_;
  GroupNumbers groups_;
  bool modern_ = true, binary_ = false, swapped_ = false, elements_ = false;
  std::optional<PointNumbers> nodes_;
  std::map<std::pair<int, int>, std::string> names_;
  std::map<std::pair<int, int>, int> entities_;  // labels
  std::pair<int, int> last_group_{-1, 0};
  int last_label_ = 0;
};

}  // namespace

Mesh read_gmsh(const std::string& name, std::string_view bytes) {
  return GmshReader(name, bytes).read();
}

}  // namespace poisson
