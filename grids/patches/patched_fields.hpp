#pragma once

#include <map>
#include <memory>
#include <vector>

#include "backends/device/field_of_patch.hpp"
#include "grids/patches/patched.hpp"

namespace poisson {

/// Returns the number among all groups of the patch of a member.
inline int patch_of_member(const Space& space, const Team& team, int member) {
  int at = 0;
  for (const PatchGroup& group : space.groups())
    for (const PatchGroup::Patch& patch : group.patches) {
      if (patch.number == team.first() + member) return at;
      ++at;
    }
  throw std::logic_error("a member has no patch");
}

/// Makes the fields of a member's patch from fields of all patches: one for each of these, as verbs may get a field
/// twice.
class FieldsOfPatch {
 public:
  FieldsOfPatch(const PatchTeam& team, const Space& part, int member) : team_(team), part_(part), member_(member) {}
  FieldsOfPatch(const PatchTeam& team, const std::vector<std::shared_ptr<const Operator>>& parts, int member)
      : FieldsOfPatch(team, parts[static_cast<std::size_t>(member)]->space(), member) {}

  Field& operator[](const Field& all) {
    const auto [at, made] = fields_.try_emplace(&all);
    if (made)
      at->second =
          field_of_patch(all, patch_of_member(all.space(), team_.team(), member_), team_.backend(member_), part_);
    return at->second;
  }

 private:
  const PatchTeam& team_;
  Space part_;
  int member_;
  std::map<const Field*, Field> fields_;
};

}  // namespace poisson
