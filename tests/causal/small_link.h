// Small pairs of traces for tests of linking: the profiler's as lines (see support/kineto_lines.h), the host's as lines
// too:
//
//     # id  parent  rf  name       schema                              inputs                           outputs
//     3     2       1   aten::mm   "aten::mm(Tensor a) -> Tensor"      [[5,6,0,8,4,"cuda:0"]] [[7,8,0,8,4,"cuda:0"]]
//
// and the program that comes of it as text.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "causal/program/linked_rank.h"
#include "formats/pytorch_et/arguments.h"
#include "formats/pytorch_et/reader.h"
#include "step_path_text.h"

namespace orrery::causal::testing {

/// One row of a host trace.
struct SmallRow {
  std::uint64_t id;
  std::uint64_t parent;
  std::int64_t record_function;
  std::string name;
  std::string inputs = "[]";  ///< JSON
  std::string outputs = "[]";
  std::string schema = "";
  std::int64_t thread = 1;
  std::string more_attributes = "";  ///< JSON, each with a comma in front
};

/// A tensor of 8 elements of 4 bytes.
inline std::string tensor(int storage, const char* device = "cuda:0") {
  return "[" + std::to_string(1000 + storage) + ", " + std::to_string(storage) + ", 0, 8, 4, \"" + device + "\"]";
}

inline std::string host_json(const std::vector<SmallRow>& rows) {
  std::string json = R"({"schema": "1.1.1-chakra.0.0.4", "pid": 100, "time": "now", "start_ts": 1, "nodes": [)";
  json +=
      R"({"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1, "inputs": {"values": [], "shapes": [], "types": []},
    "outputs": {"values": [], "shapes": [], "types": []}, "attrs": [{"name": "rf_id", "type": "uint64", "value": 0}]})";
  for (const SmallRow& row : rows) {
    json += ",\n{\"id\": " + std::to_string(row.id) + ", \"name\": \"" + row.name +
            "\", \"ctrl_deps\": " + std::to_string(row.parent);
    json += ", \"inputs\": {\"values\": " + row.inputs +
            ", \"shapes\": [], \"types\": []}, \"outputs\": {\"values\": " + row.outputs +
            ", \"shapes\": [], \"types\": []}, \"attrs\": [{\"name\": \"tid\", \"type\": \"uint64\", \"value\": " +
            std::to_string(row.thread) + "}, {\"name\": \"op_schema\", \"type\": \"string\", \"value\": \"" +
            row.schema + "\"}";
    if (row.record_function >= 0)
      json += ", {\"name\": \"rf_id\", \"type\": \"uint64\", \"value\": " + std::to_string(row.record_function) + "}";
    json += row.more_attributes + "]}";
  }
  return json + "], \"finish_ts\": 2}";
}

class SmallLink {
 public:
  explicit SmallLink(std::string_view kineto_lines, const std::vector<SmallRow>& rows = {}, LinkOptions options = {},
                     std::string_view members = {}) {
    kineto::ReadOptions read;
    read.requested.record_functions = true;
    const std::string device = dir_.write("trace.json", orrery::testing::kineto_json(kineto_lines, members));
    Result<trace::Trace> job = kineto::read_job({device}, diagnostics, read);
    if (!job) throw std::runtime_error(job.error().to_string());
    trace = std::move(*job);
    if (!rows.empty()) {
      Result<trace::HostTrace> read_host =
          pytorch_et::read_host_trace(dir_.write("host.json", host_json(rows)), trace.strings, diagnostics);
      if (!read_host) throw std::runtime_error(read_host.error().to_string());
      host = std::move(*read_host);
      arguments = pytorch_et::read_arguments(*host, trace.strings);
      options.arguments = &arguments;
      for (pytorch_et::ProcessGroup& group : pytorch_et::process_groups(*host, trace.strings))
        options.groups.push_back({trace.strings.intern(group.name), group.ranks});
    }
    Result<LinkedRank> result =
        link_rank(trace, trace.ranks.front(), host ? &*host : nullptr, strings, options, diagnostics);
    if (result) linked = std::move(*result);
    else error = result.error().to_string();
  }

  /// "aten::mm", "gemm#2" for the second of that name.
  [[nodiscard]] std::string label(std::size_t activity) const {
    std::size_t same = 1;
    for (std::size_t i = 0; i < activity; ++i) same += program().names[i] == program().names[activity];
    const std::string name(strings.text(program().names[activity]));
    return same == 1 ? name : name + "#" + std::to_string(same);
  }

  /// One line per activity: "aten::mm 10+5 <- a, b; control: c": recorded start, duration and what it depends on.
  [[nodiscard]] Lines lines() const {
    Lines lines;
    for (std::uint32_t i = 0; i < program().size(); ++i) {
      std::string line =
          label(i) + " " + us_text(program().starts_ps[i] - linked->begin_ps) + "+" + us_text(program().duration_ps(i));
      std::string data, control;
      for (const graph::Slot slot : program().dependencies.incoming(i)) {
        const bool is_data =
            static_cast<workload::Dependency>(program().dependencies.type(slot)) == workload::Dependency::data;
        std::string& list = is_data ? data : control;
        list += (list.empty() ? "" : ", ") + label(program().dependencies.source(slot));
      }
      if (!data.empty()) line += " <- " + data;
      if (!control.empty()) line += "; control: " + control;
      lines.push_back(line);
    }
    return lines;
  }

  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t i = 0; i < program().size(); ++i) {
      if (label(i) == name) return i;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::size_t at(std::string_view name) const {
    const auto found = find(name);
    if (!found) throw std::runtime_error("no activity " + std::string(name));
    return *found;
  }
  [[nodiscard]] bool depends(std::string_view to, std::string_view from) const {
    for (const graph::Slot slot : program().dependencies.incoming(static_cast<graph::NodeId>(at(to)))) {
      if (program().dependencies.source(slot) == at(from)) return true;
    }
    return false;
  }
  [[nodiscard]] std::size_t count(DependencyCause cause) const {
    return linked->dependencies[static_cast<std::size_t>(cause)];
  }
  [[nodiscard]] const workload::Program& program() const { return linked->program; }

  trace::Trace trace;
  std::optional<trace::HostTrace> host;
  trace::HostArguments arguments;
  Interner strings;
  Diagnostics diagnostics;
  std::optional<LinkedRank> linked;
  std::string error;

 private:
  orrery::testing::TempDir dir_;
};

/// What every program of a rank promises; what does not hold, or nothing.
inline std::string broken_promise(const LinkedRank& linked) {
  const workload::Program& program = linked.program;
  for (std::uint32_t i = 0; i < program.size(); ++i) {
    for (const graph::Slot slot : program.dependencies.incoming(i)) {
      const graph::NodeId from = program.dependencies.source(slot);
      if (from >= i) return "an activity depends on a later one";
      if (program.starts_ps[from] + program.duration_ps(from) > program.starts_ps[i])
        return "a dependency leads back in time";
    }
  }
  const graph::Solution replay = graph::solve(program.dependencies);
  for (std::uint32_t i = 0; i < program.size(); ++i) {
    if (replay.start(i) != program.starts_ps[i] - linked.begin_ps)
      return "activity " + std::to_string(i) + " replays at another time";
  }
  if (replay.length() != linked.measured_ps || linked.replayed_ps != linked.measured_ps)
    return "the replay is not the window";
  return "";
}

}  // namespace orrery::causal::testing
