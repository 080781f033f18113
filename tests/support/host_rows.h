// Small PyTorch host traces for tests, row by row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_writer.h"

namespace orrery::testing {

inline constexpr std::string_view kNoTensors = R"({"values": [], "shapes": [], "types": []})";
inline constexpr std::string_view kProcessName = "[pytorch|profiler|execution_trace|process]";
inline constexpr std::string_view kThreadName = "[pytorch|profiler|execution_trace|thread]";

struct HostRow {
  std::uint64_t id = 0;
  std::uint64_t parent = 0;
  std::int64_t record_function = 0;
  std::string name;
  std::string_view inputs = kNoTensors;  ///< JSON
  std::string members = {};              ///< further members, as JSON: R"("cat": "kernel", "stream": 7)"
  std::string attributes =
      {};  ///< further attributes, as JSON: R"({"name": "pg_name", "type": "string", "value": "0"})"
};

inline std::string host_row_json(const HostRow& row) {
  std::string json;
  JsonWriter writer(json);
  const auto attribute = [&](std::string_view name, std::string_view type, std::string_view value) {
    writer.begin_object().field("name", name).field("type", type).key("value").raw(value).end_object();
  };
  writer.begin_object().field("id", row.id).field("name", row.name).field("ctrl_deps", row.parent);
  writer.key("inputs").raw(row.inputs).key("outputs").raw(kNoTensors).key("attrs").begin_array();
  attribute("rf_id", "uint64", std::to_string(row.record_function));
  attribute("fw_parent", "uint64", "0");
  attribute("seq_id", "int64", "-1");
  attribute("scope", "uint64", "0");
  attribute("tid", "uint64", "1");
  attribute("fw_tid", "uint64", "0");
  attribute("op_schema", "string", "\"\"");
  if (!row.attributes.empty()) writer.raw(row.attributes);
  writer.end_array();
  if (!row.members.empty()) json += ", " + row.members;
  writer.end_object();
  return json;
}

/// `members`: further members of the document, as JSON text.
inline std::string host_json(const std::vector<HostRow>& rows, std::string_view schema = "1.1.1-chakra.0.0.4",
                             std::string_view members = {}) {
  std::string json =
      R"({"schema": ")" + std::string(schema) + R"(", "pid": 7, "time": "2026-01-02 03:04:05", "start_ts": 10, )";
  json += std::string(members) + "\"nodes\": [";
  for (std::size_t i = 0; i < rows.size(); ++i) json += (i == 0 ? "\n" : ",\n") + host_row_json(rows[i]);
  return json + "\n], \"finish_ts\": 20}\n";
}

}  // namespace orrery::testing
