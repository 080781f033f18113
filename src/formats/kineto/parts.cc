#include "formats/kineto/parts.h"

#include <algorithm>
#include <cstring>

#include "formats/kineto/event_parser.h"

namespace orrery::kineto {
namespace {

// The last character before `p` that is not white space, or 0.
char last_before(const char* begin, const char*& p) {
  while (p > begin) {
    const char c = *--p;
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
  }
  return '\0';
}

}  // namespace

std::optional<std::uint64_t> guess_event_start(std::string_view text, std::uint64_t from, std::uint64_t limit) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* const stop = begin + std::min<std::uint64_t>(text.size(), from + limit);
  EventParser parser;
  EventRecord record;
  for (const char* p = begin + from; p < stop; ++p) {
    p = static_cast<const char*>(std::memchr(p, '{', static_cast<std::size_t>(stop - p)));
    if (p == nullptr) return std::nullopt;
    const char* back = p;
    if (last_before(begin, back) != ',') continue;
    if (last_before(begin, back) != '}') continue;  // `back` has moved on to what is before the comma
    const ParsedEvent event = parser.parse(p, end, record);
    if (event.outcome == ParseOutcome::parsed && record.phase != '\0') return static_cast<std::uint64_t>(p - begin);
  }
  return std::nullopt;
}

}  // namespace orrery::kineto
