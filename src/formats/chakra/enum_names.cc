#include <array>

#include "formats/chakra/json_lines.h"

namespace orrery::chakra {

std::string_view node_type_name(std::uint64_t type) {
  static constexpr std::array<std::string_view, 8> kNames = {"INVALID_NODE",   "METADATA_NODE", "MEM_LOAD_NODE",
                                                             "MEM_STORE_NODE", "COMP_NODE",     "COMM_SEND_NODE",
                                                             "COMM_RECV_NODE", "COMM_COLL_NODE"};
  return type < kNames.size() ? kNames[type] : std::string_view();
}

std::string_view comm_type_name(std::int64_t type) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
      "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};
  return type >= 0 && type < static_cast<std::int64_t>(kNames.size()) ? kNames[static_cast<std::size_t>(type)]
                                                                      : std::string_view();
}

}  // namespace orrery::chakra
