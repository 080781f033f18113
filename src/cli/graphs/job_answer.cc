#include "cli/graphs/job_answer.h"

#include <variant>

#include "cli/frame/load.h"
#include "graph/longest_path.h"
#include "job/pairs/job_tensors.h"
#include "job/read/source.h"

namespace orrery::cli {
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

Result<JobAnswer> answer_on_machine(analyze::GraphEdits& edits, const analyze::JobOnMachine& on, std::size_t top) {
  const causal::CausalGraph& job = edits.job();
  const auto simulated = on.simulate(network_edits(edits), edits.weights());
  if (!simulated) return simulated.error();
  edits.set_links(simulated->matched);
  return JobAnswer{
      analyze::compare_runs(job, graph::solve(on.resimulated(), job.end), graph::solve(simulated->edits, job.end), top),
      {}};
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

Result<std::optional<analyze::Reorder>> load_reorder(Invocation& invocation, const std::vector<std::string>& traces,
                                                     const causal::CausalGraph& job, std::size_t top) {
  Diagnostics said_before;  // when the traces were read
  const Result<job::Source> source = job::find_source(traces, {.may_miss_ranks = true}, said_before);
  if (!source) return source.error();
  if (!job::has_host_traces(*source)) {
    invocation.diagnostics().add(kNoHostTraces, [&] { return traces.front(); });
    return std::optional<analyze::Reorder>();
  }
  Progress progress = invocation.progress("reading host traces", total_bytes(source->files));
  const auto tensors = job::read_job_tensors(*source, reading_of(invocation, progress));
  if (!tensors) return tensors.error();
  Result<analyze::Reorder> reorder = analyze::find_reorder(job, *tensors, top);
  if (!reorder) return reorder.error();
  return std::optional(std::move(*reorder));
}

}  // namespace orrery::cli
