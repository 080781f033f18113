// Which file a path leads to: two paths may be one file, through links or as hard links.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace orrery {

/// Device and inode.
using FileIdentity = std::pair<std::uint64_t, std::uint64_t>;

/// Of what `path` leads to, links followed; nothing if there is no such file.
std::optional<FileIdentity> identity_of(const std::string& path);

}  // namespace orrery
