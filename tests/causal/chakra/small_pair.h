// A small host trace and a small profiler trace, linked, as lines of text.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "causal/chakra/link.h"
#include "formats/kineto/reader.h"
#include "formats/pytorch_et/reader.h"
#include "support/host_rows.h"
#include "support/kineto_lines.h"
#include "support/temp_dir.h"

template <>
struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "\n    " + line;
    return text.c_str();
  }
};

namespace orrery::causal::chakra::testing {

using Lines = std::vector<std::string>;
using orrery::testing::HostRow;
using orrery::testing::kProcessName;
using orrery::testing::kThreadName;

/// The process and one thread, ids 1 and 2.
inline std::vector<HostRow> with_roots(std::vector<HostRow> rows) {
  rows.insert(rows.begin(), {.id = 2, .parent = 1, .name = std::string(kThreadName)});
  rows.push_back({.id = 1, .parent = 1, .name = std::string(kProcessName)});
  return rows;
}

/// What a profiler trace needs for chakra_trace_link to get through: a step, and a kernel with its launch, which no
/// operator calls.
inline std::string with_step(std::string_view lines) {
  return std::string(R"(
      1       0  5000  user_annotation  ProfilerStep#1
      1       1  2     cuda_runtime     cudaLaunchKernel  correlation=900000
      gpu0/9  4  1     kernel           warm_up           correlation=900000  "External id"=900000
  )") + std::string(lines);
}

class SmallPair {
 public:
  SmallPair(const std::vector<HostRow>& rows, std::string_view kineto_lines,
            std::string_view schema = "1.1.1-chakra.0.0.4") {
    kineto::ReadOptions options;
    options.requested.record_functions = true;
    Result<trace::Trace> job = kineto::read_job({dir_.write("device.json", orrery::testing::kineto_json(kineto_lines))},
                                                diagnostics_, options);
    if (!job) throw std::runtime_error(job.error().to_string());
    trace_ = std::move(*job);
    const std::string path = dir_.write("host.json", orrery::testing::host_json(rows, schema));
    Result<trace::HostTrace> host = pytorch_et::read_host_trace(path, trace_.strings, diagnostics_);
    if (!host) throw std::runtime_error(host.error().to_string());
    Result<trace::HostTrace> linked = link(std::move(*host), trace_, trace_.ranks.front(), diagnostics_);
    if (linked) linked_ = std::move(*linked);
    else error_ = linked.error().message;
  }

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] const trace::HostTrace& linked() const { return linked_; }
  [[nodiscard]] const Interner& strings() const { return trace_.strings; }
  [[nodiscard]] const orrery::testing::TempDir& dir() const { return dir_; }
  [[nodiscard]] std::uint64_t count(std::string_view code) const {
    return orrery::testing::count_of(diagnostics_, code);
  }

  /// "4<2 aten::mm 10+5 (3) after 3": id, parent, name, ts, inclusive and exclusive time, inter-thread dependency; "4<2
  /// aten::mm" without times. Device work: "5<4 gemm 20+6 kernel stream 7". "sync 5 6" if it has a sync_dep. Rows of
  /// processes and threads only if they have.
  [[nodiscard]] Lines lines() const {
    Lines lines;
    for (std::size_t row = 0; row < linked_.size(); ++row) {
      const std::string_view name = trace_.strings.text(linked_.name[row]);
      const trace::MeasuredRow& measured = linked_.measured[row];
      if (name.starts_with("[pytorch") && measured.syncs == 0) continue;
      std::string line = fmt::format("{}<{} {}", linked_.id[row], linked_.parent[row], name);
      if (measured.measured) line += fmt::format(" {}+{}", measured.ts, measured.inclusive_dur);
      if (measured.category != 0) {
        line += fmt::format(" {}", trace_.strings.text(measured.category));
        if (measured.stream != trace::kNoNumber) line += fmt::format(" stream {}", measured.stream);
        if (measured.has_group_name) line += fmt::format(" in {}", trace_.strings.text(measured.group_name));
      } else if (measured.measured) {
        line += fmt::format(" ({})", measured.exclusive_dur);
      }
      if (measured.inter_thread_dep != trace::kNoNumber) line += fmt::format(" after {}", measured.inter_thread_dep);
      if (measured.syncs > 0) line += " sync";
      for (std::uint32_t i = 0; i < measured.syncs; ++i)
        line += fmt::format(" {}", linked_.sync_ids[measured.first_sync + i]);
      lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  orrery::testing::TempDir dir_;
  Diagnostics diagnostics_;
  trace::Trace trace_;
  trace::HostTrace linked_;
  std::string error_;
};

}  // namespace orrery::causal::chakra::testing
