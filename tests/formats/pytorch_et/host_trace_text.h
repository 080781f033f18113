// A host trace that has been read, as text to compare, and whether it is sound. For tests and the fuzzer.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/pytorch_et/reader.h"

namespace orrery::pytorch_et::testing {

struct Reading {
  std::string path;
  Interner strings;
  Diagnostics diagnostics;
  std::optional<trace::HostTrace> trace;
  std::optional<Error> error;

  /// What the program says about a whole file.
  [[nodiscard]] std::uint64_t count(const char* code) const {
    for (const Diagnostic& diagnostic : diagnostics.sorted()) {
      if (std::string_view(diagnostic.kind->code) == code) return diagnostic.count;
    }
    return 0;
  }
};

inline Reading read_path(const std::string& path) {
  Reading reading;
  reading.path = path;
  auto trace = read_host_trace(path, reading.strings, reading.diagnostics);
  if (trace) reading.trace.emplace(std::move(*trace));
  else reading.error = trace.error();
  return reading;
}

inline std::string number_text(std::int64_t number) {
  return number == trace::kNoNumber ? "-" : std::to_string(number);
}

/// Every column of a row but the positions: "id<parent name rf fw_parent seq scope tid fw_tid schema" and what linking
/// added.
inline std::string row_text(const Reading& reading, std::size_t row) {
  const trace::HostTrace& trace = *reading.trace;
  const auto text = [&](StringId id) { return "'" + std::string(reading.strings.text(id)) + "'"; };
  std::string line =
      std::to_string(trace.id[row]) + "<" + std::to_string(trace.parent[row]) + " " + text(trace.name[row]);
  for (const auto* column : {&trace.record_function, &trace.forward_parent, &trace.sequence_number, &trace.scope,
                             &trace.thread, &trace.forward_thread}) {
    line += " " + number_text((*column)[row]);
  }
  line += " " + text(trace.op_schema[row]);
  for (const trace::HostCollective& found : trace.collectives) {
    if (found.row != row) continue;
    for (const StringId id : {found.collective_name, found.dtype, found.group_name, found.group_description})
      line += " " + text(id);
    for (const std::int64_t number :
         {found.group_size, found.in_elements, found.out_elements, found.first_global_rank, found.global_rank_stride})
      line += " " + number_text(number);
  }
  if (!trace.is_linked()) return line;
  const trace::MeasuredRow& measured = trace.measured[row];
  const auto real = [&](bool given, double value) { line += given ? " " + std::to_string(value) : " -"; };
  real(measured.has_ts, measured.ts);
  real(measured.has_inclusive, measured.inclusive_dur);
  real(measured.has_exclusive, measured.exclusive_dur);
  line += std::string(measured.measured ? " measured " : " not-measured ") + number_text(measured.inter_thread_dep) +
          " " + number_text(measured.stream) + " " + text(measured.category) + " " + text(measured.phase) + " " +
          text(measured.group_name);
  for (std::uint32_t i = 0; i < measured.syncs; ++i)
    line += " +" + std::to_string(trace.sync_ids[measured.first_sync + i]);
  return line;
}

/// What is wrong with a trace that read_host_trace returned; empty when nothing is.
inline std::string find_fault(const trace::HostTrace& trace) {
  const std::size_t rows = trace.size();
  for (const std::size_t size :
       {trace.parent.size(), trace.name.size(), trace.record_function.size(), trace.forward_parent.size(),
        trace.sequence_number.size(), trace.scope.size(), trace.thread.size(), trace.forward_thread.size(),
        trace.op_schema.size(), trace.object.size(), trace.inputs.size(), trace.outputs.size(),
        trace.attributes.size()}) {
    if (size != rows) return "columns of different lengths";
  }
  const auto encloses = [&](trace::TextRange outer, trace::TextRange inner, char open, char close) {
    if (inner.size == 0) return true;
    const std::string_view text = trace.text(inner);
    return inner.begin > outer.begin && inner.begin + inner.size < outer.begin + outer.size && text.size() >= 2 &&
           text.front() == open && text.back() == close;
  };
  const trace::TextRange all{0, static_cast<std::uint32_t>(trace.content.size())};
  for (std::size_t row = 0; row < rows; ++row) {
    const trace::TextRange object = trace.object[row];
    if (object.size == 0 || !encloses(all, object, '{', '}')) return "a row that is no object";
    if (!encloses(object, trace.inputs[row], '{', '}') || !encloses(object, trace.outputs[row], '{', '}'))
      return "inputs or outputs elsewhere";
    if (!encloses(object, trace.attributes[row], '[', ']')) return "attributes elsewhere";
    if (row > 0 && object.begin <= trace.object[row - 1].begin) return "rows out of order";
  }
  std::vector<std::uint64_t> ids(trace.id.begin(), trace.id.end());
  std::sort(ids.begin(), ids.end());
  if (std::adjacent_find(ids.begin(), ids.end()) != ids.end()) return "an id used twice";
  if (trace.is_linked() && trace.measured.size() != rows) return "not a measured row per row";
  for (const trace::MeasuredRow& measured : trace.measured) {
    if (std::size_t{measured.first_sync} + measured.syncs > trace.sync_ids.size()) return "sync ids that are not there";
  }
  for (std::size_t i = 0; i < trace.collectives.size(); ++i) {
    if (trace.collectives[i].row >= rows || (i > 0 && trace.collectives[i].row <= trace.collectives[i - 1].row))
      return "collectives out of order";
  }
  return {};
}

}  // namespace orrery::pytorch_et::testing
