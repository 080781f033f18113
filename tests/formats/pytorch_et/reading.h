// Ways to read a text as a host trace.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/io/output_file.h"
#include "host_trace_text.h"
#include "support/temp_dir.h"

namespace orrery::pytorch_et::testing {

inline Reading read_text(std::string_view text, std::string_view name = "trace.json") {
  static const orrery::testing::TempDir folder;
  Reading reading = read_path(folder.write(name, text));
  if (reading.trace) CHECK(find_fault(*reading.trace) == "");
  return reading;
}

/// A document with these rows: row, row, ...
inline std::string document(std::string_view rows, std::string_view schema = "1.1.1-chakra.0.0.4") {
  return R"({"schema": ")" + std::string(schema) +
         R"(", "pid": 7, "time": "2026-11-14 23:54:42", "start_ts": 5, "nodes": [)" + std::string(rows) +
         R"(], "finish_ts": 9})";
}

/// A row with the attributes that every row has.
inline std::string row(std::string_view id, std::string_view name, std::string_view parent,
                       std::string_view more_attributes = {}, std::string_view more_members = {}) {
  return R"({"id": )" + std::string(id) + R"(, "name": ")" + std::string(name) + R"(", "ctrl_deps": )" +
         std::string(parent) +
         R"(, "inputs": {"values": [], "shapes": [], "types": []}, "outputs": {"values": [], "shapes": [], "types": []}, "attrs": [)" +
         R"({"name": "rf_id", "type": "uint64", "value": )" + std::string(id) +
         R"(},{"name": "fw_parent", "type": "uint64", "value": 0},{"name": "seq_id", "type": "int64", "value": -1},)" +
         R"({"name": "scope", "type": "uint64", "value": 7},{"name": "tid", "type": "uint64", "value": 1},)" +
         R"({"name": "fw_tid", "type": "uint64", "value": 0},{"name": "op_schema", "type": "string", "value": ""})" +
         std::string(more_attributes) + "]" + std::string(more_members) + "}";
}

}  // namespace orrery::pytorch_et::testing
