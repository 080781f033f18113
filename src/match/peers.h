// Who takes part in what, as traces write it: members of a process group, replica groups and source-target pairs of
// XLA.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace orrery::match {

/// "[4, 5, 6, 7]" at place 1 -> 5. None if the list is shorter, cut off ("...") before that place, or no list.
std::optional<std::int64_t> member_of_group(std::string_view list, std::int64_t place);

/// "{{0,1},{2,3}}" -> those lists. "{}" and "[1,8]<=[8]" are one group of everybody: {}. None if the text is anything
/// else, as "[4,2]<=[8]", which says that there are four groups and, in a way not read here, which.
std::optional<std::vector<std::vector<std::int64_t>>> parse_groups(std::string_view text);

/// "{{0,1},{1,0}}" and rank 1 -> 0, whether it sends or receives. None if no pair or more than one has the rank on that
/// side.
std::optional<std::int64_t> peer_in_pairs(std::string_view pairs, std::int64_t rank, bool is_send);

}  // namespace orrery::match
