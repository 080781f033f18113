#include "scrub/chakra_file.h"

#include <protozero/varint.hpp>

namespace orrery::scrub {

std::optional<std::string_view> next_message(std::string_view& bytes) {
  const char* p = bytes.data();
  const char* const end = bytes.data() + bytes.size();
  std::uint64_t length = 0;
  try {
    length = protozero::decode_varint(&p, end);
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  if (length > static_cast<std::uint64_t>(end - p)) return std::nullopt;
  const std::string_view message(p, length);
  bytes.remove_prefix(static_cast<std::size_t>(p - bytes.data()) + length);
  return message;
}

}  // namespace orrery::scrub
