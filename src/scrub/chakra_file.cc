#include "scrub/chakra_file.h"

#include "base/protobuf_wire.h"

namespace orrery::scrub {

std::optional<std::string_view> next_message(std::string_view& bytes) {
  RecordReader records(bytes);
  const std::optional<std::string_view> message = records.next();
  if (message) bytes.remove_prefix(records.position());
  return message;
}

}  // namespace orrery::scrub
