#include "ask/graphs/machine_moves.h"

#include <fmt/format.h>

#include <variant>

#include "analyze/whatif/job_machine.h"
#include "base/percent.h"
#include "graph/longest_path.h"
#include "job/pairs/linked_job.h"
#include "job/read/source.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kNoHostTraces{
    "J810", Severity::error, "no host traces beside the traces of all ranks: nothing says what reads what",
    "record one with the profiler (torch.profiler.ExecutionTraceObserver): rank0.et.json beside rank0.json"};

std::vector<analyze::NetworkEdit> network_edits(const analyze::GraphEdits& edits) {
  std::vector<analyze::NetworkEdit> network;
  for (const analyze::ParsedEdit& edit : edits.edits()) {
    if (const auto* of_network = std::get_if<analyze::NetworkEdit>(&edit)) network.push_back(*of_network);
  }
  return network;
}

}  // namespace

Result<analyze::WhatIf> answer_on_machine(analyze::GraphEdits& edits, const analyze::JobOnMachine& on,
                                          std::size_t top) {
  const causal::CausalGraph& job = edits.job();
  const auto simulated = on.simulate(network_edits(edits), edits.weights());
  if (!simulated) return simulated.error();
  edits.set_links(simulated->matched);
  return analyze::compare_runs(job, graph::solve(on.resimulated(), job.end), graph::solve(simulated->edits, job.end),
                               top);
}

analyze::FactorSweep machine_sweep(const analyze::GraphEdits& edits, const analyze::JobOnMachine& on,
                                   std::vector<double> factors) {
  return {std::move(factors), [&edits, &on](const std::vector<double>& some) -> Result<std::vector<analyze::SweepRow>> {
            const causal::CausalGraph& job = edits.job();
            std::vector<analyze::SweepRow> rows;
            for (const double factor : some) {
              const auto point = on.simulate(network_edits(edits), edits.weights(factor), factor);
              if (!point) return point.error();
              rows.push_back(analyze::sweep_row(job, factor, graph::solve(point->edits, job.end)));
            }
            return rows;
          }};
}

void tell_calibration(report::Answer& answer, const std::string& machine, const causal::CausalGraph& job,
                      const analyze::JobOnMachine& on, TimePs resimulated) {
  answer.line(
      fmt::format("Exchanges are simulated on {}; the unedited job takes {} there, and was recorded to take {} "
                  "(residual {:.3g} %).",
                  machine, format_duration(resimulated), format_duration(job.span), job.residual_percent(resimulated)));
  if (on.left_as_measured() > 0)
    answer.line(fmt::format("{} of {} keep what was measured: their size or kind is not known.", on.left_as_measured(),
                            job.operations.size()));
  answer.facts().field("resimulated_us", to_us(resimulated)).key("calibration").begin_object();
  answer.gap().table(analyze::calibration_sheet(job, on.calibration()));
  answer.facts()
      .field("as_measured", on.left_as_measured())
      .field("residual_pct", job.residual_percent(resimulated))
      .end_object();
}

Result<std::optional<analyze::Reorder>> load_reorder(Context& context, const RecordingRequest& recording,
                                                     const causal::CausalGraph& job, std::size_t top) {
  Diagnostics said_before;  // when the traces were read
  const Result<job::Source> source = job::find_source(recording.files, {.may_miss_ranks = true}, said_before);
  if (!source) return source.error();
  if (!job::has_host_traces(*source)) {
    context.diagnostics().add(kNoHostTraces, [&] { return recording.files.front(); });
    return std::optional<analyze::Reorder>();
  }
  Progress progress = context.progress("reading host traces", total_bytes(source->files));
  const auto tensors = job::read_job_tensors(*source, reading_of(context, recording, progress));
  if (!tensors) return tensors.error();
  Result<analyze::Reorder> reorder = analyze::find_reorder(job, *tensors, top);
  if (!reorder) return reorder.error();
  return std::optional(std::move(*reorder));
}

void tell_reorder(report::Answer& answer, const causal::CausalGraph& job, const analyze::Reorder& reorder) {
  std::string sentence = fmt::format(
      "{}, {}, {}: if only data dependencies mattered {} ({:+.1f} %); with the kernels of the busiest device {} "
      "({:+.1f} %).",
      report::counted(job.ranks.size(), "rank"), job.label, format_duration(job.span),
      format_duration(reorder.data_bound), change_percent(job.span, reorder.data_bound),
      format_duration(reorder.device_bound), change_percent(job.span, reorder.device_bound));
  // Where there are edits, the answer is about them first.
  if (answer.headline().empty()) answer.headline(std::move(sentence));
  else answer.line(sentence, report::Tone::strong);
  answer.facts().key("reorder").begin_object();
  answer.facts().field("data_bound_us", to_us(reorder.data_bound));
  answer.facts().field("device_bound_us", to_us(reorder.device_bound));
  report::Sheet moves = analyze::reorder_sheet(job, reorder);
  answer.gap();
  if (moves.rows() == 0) answer.line("No single move makes it shorter.");
  answer.table(std::move(moves));
  answer.facts().end_object();
}

}  // namespace orrery::ask
