#include "formats/chakra/communication.h"

#include <string>
#include <utility>
#include <vector>

#include "base/json/json_members.h"
#include "base/numbers.h"
#include "formats/chakra/schema.h"

namespace orrery::chakra {
namespace {

// [tensor id, storage id, offset, elements, bytes per element, "cuda:0"]
std::optional<std::int64_t> tensor_bytes(std::string_view json) {
  const std::vector<std::string_view> items = list_entries(json);
  if (items.size() < 5) return std::nullopt;
  const auto elements = parse_number<std::int64_t>(items[3]), element_bytes = parse_number<std::int64_t>(items[4]);
  std::int64_t bytes = 0;
  if (!elements || !element_bytes || __builtin_mul_overflow(*elements, *element_bytes, &bytes)) return std::nullopt;
  return bytes;
}

}  // namespace

std::optional<std::int64_t> comm_type_of_kernel(std::string_view name) {
  std::string flat;
  for (const char c : name) {
    // The original lowers the name and takes underscores and hyphens out before it compares.
    if (c != '_' && c != '-') flat += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  constexpr std::pair<std::string_view, std::int64_t> kKnown[] = {{"allreduce", comm_type::all_reduce},
                                                                  {"alltoall", comm_type::all_to_all},
                                                                  {"allgather", comm_type::all_gather},
                                                                  {"reducescatter", comm_type::reduce_scatter},
                                                                  {"broadcast", comm_type::broadcast}};
  for (const auto& [word, type] : kKnown) {
    if (flat.find(word) != std::string::npos) return type;
  }
  // All-to-all is made of sends and receives in NCCL, and its kernel is called like theirs; messages were told apart before.
  if (name.find("ncclDevKernel_SendRecv") != std::string_view::npos) return comm_type::all_to_all;
  return std::nullopt;
}

std::optional<std::int64_t> bytes_of_inputs(std::string_view inputs) {
  const auto [value_list, type_list] = members_of<2>(inputs, {"values", "types"});
  const std::vector<std::string_view> values = list_entries(value_list), types = list_entries(type_list);
  std::int64_t total = 0;
  const auto add = [&](std::string_view tensor) {
    const auto bytes = tensor_bytes(tensor);
    return bytes && !__builtin_add_overflow(total, *bytes, &total);
  };
  for (std::size_t i = 0; i < values.size() && i < types.size(); ++i) {
    // Values of other types have no size; a tensor that is none ends the original, so it is an error here.
    if (types[i].find("Tensor") == std::string_view::npos) continue;
    if (!types[i].starts_with("\"GenericList[Tensor")) {
      if (!add(values[i])) return std::nullopt;
      continue;
    }
    for (const std::string_view tensor : list_entries(values[i])) {
      if (!add(tensor)) return std::nullopt;
    }
  }
  return total;
}

}  // namespace orrery::chakra
