#include "replay/torch/source/captured_program.h"

#include <algorithm>

#include "causal/host/call_index.h"
#include "causal/host/host_match.h"
#include "causal/host/operator_index.h"
#include "formats/pytorch_et/arguments.h"
#include "replay/torch/source/profiled_rows.h"

namespace orrery::replay::torch {
namespace {

constexpr double kLeastCoveragePercent = 10;  // of rows found in the profiler trace; fewer: they are of different runs

bool has_schemas(const trace::HostTrace& host) {
  return std::any_of(host.op_schema.begin(), host.op_schema.end(), [](StringId schema) { return schema != 0; });
}

Result<CapturedProgram> program_of(const trace::Trace& trace, const trace::RankTrace& rank, trace::HostTrace& host,
                                   Interner& strings) {
  CapturedProgram program;
  Column<std::uint32_t> row_of_event;
  if (has_schemas(host)) {
    if (host.is_flat())
      return Error{"a host trace of schema 1.0.1 says what a job called, but not what its graphs consist of", host.path,
                   Error::kNoOffset, "record the capture with PyTorch 2.1 or later, or leave its host trace out"};
    causal::HostMatch match = causal::match_host(rank, host, trace.strings);
    if (const Status same = causal::check_same_run(match.coverage, rank, host, kLeastCoveragePercent); !same)
      return same.error();
    row_of_event = std::move(match.row_of_event);
    auto own = std::make_shared<trace::HostTrace>(std::move(host));
    trace::move_texts(*own, trace.strings, strings);
    program.order = order_rows(*own, strings);
    program.host = std::move(own);
  } else {
    ProfiledRows rows = rows_of_profiler(trace, rank, strings);
    row_of_event = std::move(rows.row_of_event);
    program.order = std::move(rows.order);
    program.host = std::move(rows.host);
    program.is_profiled = true;
  }
  program.arguments = pytorch_et::read_arguments(*program.host, strings);
  const causal::OperatorIndex operators = causal::make_operator_index(trace, rank);
  program.row_of_call.assign(rank.event_count(), causal::kNoRow);
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    if (rank.activity(e) != trace::Activity::runtime_call) continue;
    for (trace::EventIndex around = operators.operator_of[e];
         around != causal::kNoEvent && program.row_of_call[e] == causal::kNoRow; around = operators.operator_of[around])
      program.row_of_call[e] = row_of_event[around];
  }
  return program;
}

}  // namespace

Result<std::vector<std::vector<CapturedProgram>>> programs_of_captures(Captures& captures, Interner& strings) {
  std::vector<std::vector<CapturedProgram>> programs(captures.traces.size());
  for (std::size_t c = 0; c < programs.size(); ++c) {
    const trace::Trace& trace = captures.traces[c];
    for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
      auto program = program_of(trace, trace.ranks[r], captures.hosts[c][r], strings);
      if (!program) return program.error();
      programs[c].push_back(std::move(*program));
    }
  }
  return programs;
}

}  // namespace orrery::replay::torch
