// The arguments that a library gives to an NVTX range as bytes, and the tables that say what the bytes mean.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "match/library_calls.h"

namespace orrery::nsys {

/// NVTX_PAYLOAD_SCHEMA_ENTRIES.
class PayloadSchemas {
 public:
  /// A field of a payload. Processes list the same schemas again: what is known is not added.
  void add(std::int64_t domain, std::int64_t schema, std::int64_t type, std::string_view name, std::int64_t offset);

  /// Nothing if the bytes are no payload, or nothing describes them. `domain`: that of the range.
  [[nodiscard]] std::optional<match::CallArguments> read(std::int64_t domain, std::string_view bytes) const;

 private:
  enum class Role : std::uint8_t { communicator, bytes, peer, root, ranks, rank };
  struct Entry {
    Role role;
    std::size_t offset;
    std::size_t width;
    bool is_signed;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Entry>> schemas_;  // by domain and schema
};

}  // namespace orrery::nsys
