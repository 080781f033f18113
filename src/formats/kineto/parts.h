// Where a plain file may be cut so that its parts can be read side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::kineto {

/// Byte position of an object at or after `from` that looks like an event of the event list: preceded by "}," and with
/// a "ph" member. A guess: text inside an event can look the same. The reader checks it, since the part before must end
/// exactly there. `text` is followed by at least 64 zero bytes. Looks at no more than `limit` bytes.
std::optional<std::uint64_t> guess_event_start(std::string_view text, std::uint64_t from, std::uint64_t limit);

}  // namespace orrery::kineto
