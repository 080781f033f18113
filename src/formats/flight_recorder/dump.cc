#include "formats/flight_recorder/dump.h"

#include "base/plain/pickle.h"
#include "base/plain/plain_json.h"

namespace orrery::flight_recorder {

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
  return dump;
}

}  // namespace orrery::flight_recorder
