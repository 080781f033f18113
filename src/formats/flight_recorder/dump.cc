#include "formats/flight_recorder/dump.h"

#include <algorithm>

#include "base/plain/pickle.h"
#include "base/plain/plain_json.h"

namespace orrery::flight_recorder {
namespace {

constexpr std::uint8_t kOther = 0xFF;

}  // namespace

Result<Dump> Dump::read(std::string_view bytes, const std::string& path, PlainValues room) {
  Dump dump;
  dump.is_pickle_ = begins_as_pickle(bytes) || begins_as_old_pickle(bytes);
  Result<PlainValues> values =
      dump.is_pickle_ ? read_pickle(bytes, path, std::move(room)) : read_plain_json(bytes, path);
  if (!values) return values.error();
  dump.values_ = std::move(*values);
  const bool is_dump =
      dump.member("version") != PlainValues::kMissing && dump.member("pg_config") != PlainValues::kMissing;
  if (!is_dump)
    return Error{"this is no dump of the Flight Recorder", path, 0, "its top level has version and pg_config"};
  // JSON leaves an empty list out.
  dump.entries_ = dump.member("entries");
  dump.key_of_.assign(dump.values_.size(), 0);
  return dump;
}

bool Dump::open_entry(PlainId entry, DumpEntry& out) {
  if (!values_.is(entry, PlainValues::Type::dict)) return false;
  out.members.fill(PlainValues::kMissing);
  const std::span<const PlainId> members = values_.items(entry);
  for (std::size_t i = 0; i + 1 < members.size(); i += 2) {
    std::uint8_t& key = key_of_[members[i]];
    if (key == 0) {
      const auto* const found = std::find(kEntryKeys.begin(), kEntryKeys.end(), values_.text(members[i]));
      key = found == kEntryKeys.end() ? kOther : static_cast<std::uint8_t>(found - kEntryKeys.begin() + 1);
    }
    if (key != kOther) out.members[key - 1] = members[i + 1];
  }
  return true;
}

}  // namespace orrery::flight_recorder
