// Parts of small JSON values, as they are written.
#pragma once

#include <string_view>
#include <vector>

namespace orrery::chakra {

// The text is one well-formed value, followed by at least 64 readable bytes.

/// The items of a list; none if it is no list.
std::vector<std::string_view> list_items(std::string_view list);
/// The value of a member of an object; empty if there is none. Of several the last.
std::string_view member_of(std::string_view object, std::string_view key);

}  // namespace orrery::chakra
