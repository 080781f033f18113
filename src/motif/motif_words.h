// The words that motif files and messages use for the enumerators of motif.h, in their order.
#pragma once

#include <array>
#include <string_view>

namespace orrery::motif {

inline constexpr std::array<std::string_view, 2> kSizeMeaningNames = {"exponent", "amount"};
inline constexpr std::array<std::string_view, 6> kGroupNames = {"unknown", "none", "world", "row", "column", "self"};
inline constexpr std::array<std::string_view, 11> kPeerNames = {"none",      "self",         "opposite", "shift",
                                                                "row_shift", "column_shift", "row_each", "column_each",
                                                                "grid",      "fixed",        "any"};
inline constexpr std::array<std::string_view, 9> kMembersNames = {
    "all", "diagonal", "off_diagonal", "first", "others", "last", "corner", "edge", "interior"};

}  // namespace orrery::motif
