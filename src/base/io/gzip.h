// Compression of whole buffers: one gzip member, the same bytes for the same content.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orrery {

/// The parts one after the other as one member of gzip, without name or time stamp. Safe to call from several threads.
std::string gzip(std::span<const std::string_view> parts);

}  // namespace orrery
