// Process groups, from the first input of a row "## process_group:init ##": a JSON text inside a JSON string,
// [{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "ranks": [], "group_size": 4,
// "group_count": 1}].
#include <simdjson.h>

#include <algorithm>
#include <limits>

#include "formats/pytorch_et/reader.h"

namespace orrery::pytorch_et {
namespace {

using simdjson::dom::element;

/// A text, or a number as one writes it: older versions number their groups.
std::string text_of(const element& object, std::string_view key) {
  element value;
  if (object[key].get(value) != simdjson::SUCCESS) return {};
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  return value.is_int64() || value.is_uint64() ? simdjson::minify(value) : std::string();
}

std::vector<std::uint32_t> ranks_of(const element& object) {
  std::vector<std::uint32_t> ranks;
  simdjson::dom::array list;
  if (object["ranks"].get(list) != simdjson::SUCCESS) return ranks;
  for (const element& item : list) {
    std::uint64_t rank = 0;
    if (item.get(rank) == simdjson::SUCCESS && rank <= std::numeric_limits<std::uint32_t>::max())
      ranks.push_back(static_cast<std::uint32_t>(rank));
  }
  return ranks;
}

/// The inner JSON text of row `row`; empty if there is none.
std::string description_of(const trace::HostTrace& trace, std::size_t row) {
  simdjson::dom::parser parser;
  const bool is_flat = trace.inputs[row].size == 0;
  element object;
  if (parser.parse(simdjson::padded_string(trace.text(is_flat ? trace.object[row] : trace.inputs[row]))).get(object) !=
      simdjson::SUCCESS)
    return {};
  std::string_view text;
  if (object[is_flat ? "inputs" : "values"].at(0).get(text) != simdjson::SUCCESS) return {};
  return std::string(text);
}

void append_groups(const std::string& description, std::vector<ProcessGroup>& groups) {
  simdjson::dom::parser parser;
  simdjson::dom::array list;
  if (parser.parse(simdjson::padded_string(description)).get(list) != simdjson::SUCCESS) return;
  for (const element& item : list) {
    ProcessGroup group;
    group.name = text_of(item, "pg_name");
    group.description = text_of(item, "pg_desc");
    group.backend = text_of(item, "backend_config");
    group.ranks = ranks_of(item);
    if (item["group_size"].get(group.size) != simdjson::SUCCESS) group.size = trace::kNoNumber;
    // The row comes again whenever recording starts: what is said last counts.
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const ProcessGroup& other) { return other.name == group.name; });
    if (known == groups.end()) groups.push_back(std::move(group));
    else *known = std::move(group);
  }
}

}  // namespace

std::vector<ProcessGroup> process_groups(const trace::HostTrace& trace, const Interner& strings) {
  std::vector<ProcessGroup> groups;
  const StringId wanted = strings.find("## process_group:init ##");
  if (wanted == Interner::kMissing) return groups;
  for (std::size_t row = 0; row < trace.size(); ++row) {
    if (trace.name[row] == wanted) append_groups(description_of(trace, row), groups);
  }
  return groups;
}

}  // namespace orrery::pytorch_et
