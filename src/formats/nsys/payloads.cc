#include "formats/nsys/payloads.h"

#include <algorithm>
#include <cstring>
#include <limits>

// A payload begins with a header of 32 bytes: u32 domain, u32, u32 schema, u32, u64 bytes of the payload, u64 bytes of
// all. Numbers are little-endian, as the recorded processors are.

namespace orrery::nsys {
namespace {

constexpr std::size_t kHeaderBytes = 32;

std::uint64_t number_at(std::string_view bytes, std::size_t offset, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

struct TypeInfo {
  std::size_t width = 0;  // 0: no integer
  bool is_signed = false;
};

/// NVTX's numbers of types (nvToolsExtPayload.h), of those that are integers.
TypeInfo type_info(std::int64_t type) {
  switch (type) {
    case 1:
    case 11: return {1, true};  // char, int8
    case 2:
    case 12: return {1, false};  // unsigned char, uint8
    case 3:
    case 13: return {2, true};  // short, int16
    case 4:
    case 14: return {2, false};
    case 5:
    case 15: return {4, true};  // int, int32
    case 6:
    case 16: return {4, false};
    case 7:
    case 9:
    case 17: return {8, true};  // long, long long, int64
    case 8:
    case 10:
    case 18:
    case 22:
    case 23: return {8, false};  // ..., uint64, size, address
    default: return {};
  }
}

}  // namespace

void PayloadSchemas::add(std::int64_t domain, std::int64_t schema, std::int64_t type, std::string_view name,
                         std::int64_t offset) {
  static constexpr std::pair<std::string_view, Role> kRoles[] = {{"NCCL communicator ID", Role::communicator},
                                                                 {"Message size [bytes]", Role::bytes},
                                                                 {"Peer rank", Role::peer},
                                                                 {"Root", Role::root},
                                                                 {"No. of ranks", Role::ranks},
                                                                 {"Rank", Role::rank}};
  std::vector<Entry>& entries = schemas_[{domain, schema}];
  const TypeInfo info = type_info(type);
  const auto* const role =
      std::find_if(std::begin(kRoles), std::end(kRoles), [&](const auto& known) { return known.first == name; });
  if (role == std::end(kRoles) || info.width == 0 || offset < 0 || offset > std::numeric_limits<std::int32_t>::max())
    return;
  const Entry entry{role->second, static_cast<std::size_t>(offset), info.width, info.is_signed};
  if (std::find(entries.begin(), entries.end(), entry) == entries.end()) entries.push_back(entry);
}

std::optional<match::CallArguments> PayloadSchemas::read(std::int64_t domain, std::string_view bytes) const {
  if (bytes.size() < kHeaderBytes) return std::nullopt;
  const auto schema = static_cast<std::int64_t>(number_at(bytes, 8, 4));
  auto found = schemas_.find({domain, schema});
  // The header has the library's own number of the domain, which the table may go by.
  if (found == schemas_.end()) found = schemas_.find({static_cast<std::int64_t>(number_at(bytes, 0, 4)), schema});
  if (found == schemas_.end()) return std::nullopt;
  std::string_view payload = bytes.substr(kHeaderBytes);
  payload = payload.substr(0, std::min<std::uint64_t>(payload.size(), number_at(bytes, 16, 8)));
  match::CallArguments arguments;
  for (const Entry& entry : found->second) {
    if (entry.offset + entry.width > payload.size()) return std::nullopt;
    const std::uint64_t raw = number_at(payload, entry.offset, entry.width);
    if (entry.role == Role::communicator) {
      arguments.communicator = raw;
      continue;
    }
    const unsigned unused = 64 - 8 * static_cast<unsigned>(entry.width);
    const auto value =
        entry.is_signed ? static_cast<std::int64_t>(raw << unused) >> unused : static_cast<std::int64_t>(raw);
    if (value < 0) continue;  // no size, no rank
    switch (entry.role) {
      case Role::bytes: arguments.bytes = value; break;
      case Role::peer: arguments.peer = value; break;
      case Role::root: arguments.root = value; break;
      case Role::ranks: arguments.ranks = value; break;
      case Role::rank: arguments.rank = value; break;
      case Role::communicator: break;
    }
  }
  return arguments;
}

}  // namespace orrery::nsys
