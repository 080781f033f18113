// orrery whatif: change something, solve again, compare.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "analyze/whatif/job_machine_sheets.h"
#include "analyze/whatif/whatif.h"
#include "analyze/whatif/whatif_sheets.h"
#include "analyze/whatif/whatif_sweep.h"
#include "ask/graphs/path.h"
#include "ask/graphs/unprofiled.h"
#include "ask/sweep_session.h"
#include "ask/workloads/simulation_inputs.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "cli/graphs/job_answer.h"
#include "cli/graphs/job_machine_report.h"
#include "cli/graphs/whatif_question.h"
#include "cli/graphs/whatif_report.h"
#include "report/sheet_csv.h"

namespace orrery::cli {
namespace {

using analyze::EditRule;
using analyze::ParsedEdit;

constexpr std::size_t kMoves = 10;
constexpr DiagnosticKind kRanAhead{
    "W402", Severity::note,
    "the host ran ahead of the device when the step began; launches before the window are free in it",
    "for edits that make the device faster, span several steps: --annotation ProfilerStep --instance 0:3"};
constexpr DiagnosticKind kTypicalProfiler{
    "W404", Severity::note, "the profiler was taken to cost 2.9 µs per recorded host event, which is typical only",
    "if you know what a step takes without it, give --unprofiled TIME instead"};

// What is taken off was measured with one recorder.
void remark_on_profiler(Invocation& invocation, std::span<const ParsedEdit> edits) {
  for (const ParsedEdit& edit : edits) {
    const auto* rule = std::get_if<EditRule>(&edit);
    if (rule != nullptr && rule->removes_profiler)
      invocation.diagnostics().add(kTypicalProfiler, [] { return "measured with PyTorch 2.11: 1.9 to 4.1 µs"; });
  }
}

Result<std::vector<analyze::SweepRow>> solve_points(SweepSession& session, const Sweep& sweep) {
  const Result<std::vector<std::string>> answers = session.run(sweep);
  if (!answers) return answers.error();
  return analyze::rows_from_bytes(*answers);
}

// Whether every edit selects something, and names nothing that is not there. What is wrong is counted.
bool all_selected(Invocation& invocation, const analyze::GraphEdits& edits) {
  bool all = true;
  for (std::size_t i = 0; i < edits.edits().size(); ++i) {
    const analyze::EditSelection& selection = edits.selections()[i];
    if (selection.count() != 0 && selection.not_there.empty()) continue;
    all = false;
    invocation.diagnostics().add(selection.count() == 0 ? kNothingMatched : kNotThere, [&] {
      const std::string& text = analyze::text_of(edits.edits()[i]);
      return selection.not_there.empty() ? text : fmt::format("{}: {}", text, selection.not_there.front());
    });
  }
  return all;
}

std::optional<UsageError> check_flags(const Invocation& invocation, const Question& question, bool several) {
  for (const char* flag : {"machine", "moves"}) {
    if (!several && invocation.has(flag))
      return UsageError{fmt::format("--{} is about a whole job", flag), "name the traces of all ranks, without --rank"};
  }
  for (const ParsedEdit& edit : question.edits) {
    if (const std::string why = several ? std::string() : analyze::needs_whole_job(edit); !why.empty())
      return UsageError{why, "name the folder with the traces of all ranks, without --rank", analyze::text_of(edit), 0};
  }
  if (invocation.has("network-model") && !invocation.has("machine"))
    return UsageError{"--network-model is about the machine that transfers are simulated on", "--machine FILE"};
  if (invocation.has("overlay") && invocation.has("machine"))
    return UsageError{"an overlay shows transfers as measured", "leave --machine or --overlay out"};
  for (const ParsedEdit& edit : question.edits) {
    if (invocation.has("machine") && std::holds_alternative<analyze::FailureEvent>(edit))
      return UsageError{"a failure is solved with transfers as measured", "leave --machine out", analyze::text_of(edit),
                        0};
  }
  return std::nullopt;
}

/// What was asked besides the edits.
struct Besides {
  const std::optional<Unprofiled>& unprofiled;
  const std::optional<analyze::JobOnMachine>& on;
  const std::optional<analyze::Reorder>& reorder;
};

void report(Invocation& invocation, const analyze::GraphEdits& edits, const JobAnswer& answer, const Besides& besides) {
  const auto& [unprofiled, on, reorder] = besides;
  const causal::CausalGraph& job = edits.job();
  const TimePs before = answer.result.before.length;
  if (invocation.json()) {
    write_whatif_json(invocation.data(), edits, answer.result, answer.points);
    if (on) write_calibration_json(invocation.data(), job, *on, before);
    if (reorder) write_reorder_json(invocation.data(), job, *reorder);
    write_unprofiled_json(invocation.data(), unprofiled);
    return;
  }
  if (invocation.csv()) {
    std::vector<report::Sheet> sheets = analyze::whatif_sheets(edits, answer.result, answer.points);
    if (on) sheets.push_back(analyze::calibration_sheet(job, on->calibration()));
    if (reorder) sheets.push_back(analyze::reorder_sheet(job, *reorder));
    invocation.text() = report::to_csv(sheets);
    return;
  }
  std::vector<std::string> parts;
  if (!edits.edits().empty()) parts.push_back(whatif_text(invocation, edits, answer.result, answer.points));
  if (on) parts.push_back(calibration_text(invocation, job, *on, before));
  if (reorder) parts.push_back(reorder_text(invocation, job, *reorder));
  invocation.text() = unprofiled_line(unprofiled) + fmt::format("{}", fmt::join(parts, "\n"));
}

/// What is to be edited. Parts refer to one another: it stays where it is.
struct ToEdit {
  std::optional<machine::Machine> machine;
  std::optional<causal::CausalGraph> job;
  std::optional<Unprofiled> unprofiled;
  std::optional<analyze::GraphEdits> edits;
  std::optional<analyze::JobOnMachine> on;  ///< with --machine
};

/// Nothing: what is wrong was said, and the verb ends with 1.
Result<bool> load_to_edit(Invocation& invocation, const Question& question, const std::vector<std::string>& traces,
                          ToEdit& out) {
  if (invocation.has("machine")) {
    Result<machine::Machine> loaded = ask::load_machine(invocation.context(), invocation.text("machine"));
    if (!loaded) return loaded.error();
    out.machine = std::move(*loaded);
  }
  auto job = load_causal_graph(invocation, traces, question.instances);
  if (!job) return job.error();
  if (!is_joined(invocation, *job)) return false;
  out.job = std::move(*job);
  out.unprofiled = take_profiler_off(invocation, *out.job);
  out.edits.emplace(*out.job, question.edits);
  if (!out.machine) return true;
  const bool alone = invocation.text("network-model") == "isolated";
  Result<analyze::JobOnMachine> made = analyze::JobOnMachine::make(
      *out.job, *out.machine,
      simulate::pricing_of(alone ? machine::NetworkModelKind::isolated : machine::NetworkModelKind::fluid));
  if (!made) return made.error();
  out.on = std::move(*made);
  return true;
}

analyze::FactorSweep sweep_of(const ToEdit& loaded, const std::vector<double>& factors) {
  return loaded.on ? machine_sweep(*loaded.edits, *loaded.on, factors) : analyze::whatif_sweep(*loaded.edits, factors);
}

// What the host had launched before the window is there for nothing: a faster device would soon wait for the host, and
// the graph of this window cannot show it. A twentieth of the step is where that begins to matter beside other errors.
void remark_on_head_start(Invocation& invocation, const causal::CausalGraph& job) {
  if (job.ranks.size() > 1) return;
  const TimePs head_start = job.ranks.front().begins_at - job.ranks.front().host_begin;
  if (head_start > job.span / 20)
    invocation.diagnostics().add(kRanAhead, [&] { return job.label + ": by " + format_duration(head_start); });
}

ExitCode run_on(Invocation& invocation, const Question& question, const std::vector<std::string>& traces) {
  std::optional<SweepSession> session;
  if (!question.factors.empty()) session.emplace(invocation.context(), checkpoint_of(invocation));
  ToEdit loaded;
  const Result<bool> is_there = load_to_edit(invocation, question, traces, loaded);
  if (!is_there) return invocation.fail(is_there.error());
  if (!*is_there) return ExitCode::check_failed;
  const causal::CausalGraph& job = *loaded.job;
  remark_on_head_start(invocation, job);
  analyze::GraphEdits& edits = *loaded.edits;
  std::optional<analyze::Reorder> reorder;
  if (invocation.has("moves")) {
    auto found = load_reorder(invocation, traces, job, kMoves);
    if (!found) return invocation.fail(found.error());
    if (!*found) return ExitCode::check_failed;
    reorder = std::move(*found);
  }
  std::optional<JobAnswer> answer;
  if (loaded.on) {
    Result<JobAnswer> found = answer_on_machine(edits, *loaded.on, kMoves);
    if (!found) return invocation.fail(found.error());
    answer = std::move(*found);
    analyze::check_resimulated(job, answer->result.before.length, invocation.diagnostics());
  } else {
    answer = JobAnswer{analyze::what_if(edits, kMoves), {}};
  }
  if (session) {
    Result<std::vector<analyze::SweepRow>> rows = solve_points(*session, sweep_of(loaded, question.factors));
    if (!rows) return invocation.fail(rows.error());
    answer->points = std::move(*rows);
  }
  const bool all = all_selected(invocation, edits);
  if (invocation.has("overlay")) {
    const analyze::CausalPath path = analyze::take_path(job, answer->result.edited.solution, 0, false);
    if (const Status written = write_overlays(invocation, job, path.sums); !written)
      return invocation.fail(written.error());
  }
  report(invocation, edits, *answer, {loaded.unprofiled, loaded.on, reorder});
  return all ? ExitCode::ok : ExitCode::check_failed;
}

/// A sweep with what it is of.
class OwnedSweep : public Sweep {
 public:
  OwnedSweep(std::unique_ptr<ToEdit> loaded, analyze::FactorSweep sweep)
      : loaded_(std::move(loaded)), sweep_(std::move(sweep)) {}
  [[nodiscard]] std::size_t size() const override { return sweep_.size(); }
  [[nodiscard]] std::vector<Result<std::string>> solve(std::span<const std::size_t> points) const override {
    return sweep_.solve(points);
  }

 private:
  std::unique_ptr<ToEdit> loaded_;
  analyze::FactorSweep sweep_;
};

/// How many operands are traces, before the edits: the first, and those behind it that are there as files. A saved step
/// stands for the trace; then every operand is an edit.
std::size_t trace_count(const Invocation& invocation) {
  if (invocation.has("restore")) return 0;
  const std::vector<std::string>& operands = invocation.operands();
  std::size_t count = 1;
  std::error_code ignored;  // an edit may be no possible name of a file
  while (count < operands.size() && std::filesystem::exists(operands[count], ignored)) ++count;
  return count;
}

/// The question, and the traces that it is asked of.
std::optional<UsageError> parse_operands(const Invocation& invocation, Question& question,
                                         std::vector<std::string>& traces) {
  const std::size_t count = trace_count(invocation);
  if (auto error = parse_question(invocation, count, question)) return error;
  for (const std::string& operand :
       std::span(invocation.operands()).first(std::min(count, invocation.operands().size()))) {
    for (std::string& path : invocation.named_by(operand)) traces.push_back(std::move(path));
  }
  return std::nullopt;
}

std::unique_ptr<Sweep> open_whatif_sweep(Invocation& invocation) {
  Question question;
  std::vector<std::string> traces;
  if (parse_operands(invocation, question, traces) || question.factors.empty()) return nullptr;
  if (check_flags(invocation, question, asks_whole_job(invocation, traces))) return nullptr;
  auto loaded = std::make_unique<ToEdit>();
  const Result<bool> is_there = load_to_edit(invocation, question, traces, *loaded);
  if (!is_there || !*is_there) return nullptr;
  analyze::FactorSweep sweep = sweep_of(*loaded, question.factors);
  return std::make_unique<OwnedSweep>(std::move(loaded), std::move(sweep));
}

ExitCode run_whatif(Invocation& invocation) {
  Question question;
  std::vector<std::string> traces;
  if (const auto error = parse_operands(invocation, question, traces)) return invocation.fail_usage(*error);
  remark_on_profiler(invocation, question.edits);
  if (const auto error = check_flags(invocation, question, asks_whole_job(invocation, traces)))
    return invocation.fail_usage(*error);
  return run_on(invocation, question, traces);
}

}  // namespace

const Verb& whatif_verb() {
  static const Verb verb = {
      .name = "whatif",
      .summary = "change something, re-solve, compare",
      .description =
          "Applies edits to the graph of a step, of one rank or of a whole job, and shows the new step time, the new "
          "path and what "
          "moved.\n\n"
          "An edit is [SCOPE] WHAT[:PATTERN] [FILTER] ACTION. SCOPE: rank:0-3,7 step:2 group:PATTERN. WHAT: cpu op "
          "python runtime untraced "
          "loading; gpu kernel comm copy set; collective[:KIND] p2p; gap; all. "
          "PATTERN: a glob, a quoted "
          "name or a /regular expression/; for gap one of launch kernel stream sync handoff idle. FILTER: stream N, "
          "device N, in PATTERN "
          "(inside an annotation). ACTION: "
          "* factor, = duration, + duration, - duration, remove; durations have a unit (ns us ms s). Edits apply in "
          "order.\n\n"
          "Also: [SCOPE] delay DURATION (the main thread stands still at the begin of each step); [rank:N] fails at "
          "DURATION restart "
          "DURATION [from step:N].\n\n"
          "profiler remove takes off what recording typically costs per host event; --unprofiled finds it from your "
          "own figure.",
      .operands = {.name = "TRACE EDIT...",
                   .help = "a trace (file, folder or glob; none with --restore), then one or more edits",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_window_flags({
          Flag{.name = "sweep",
               .value_name = "LIST",
               .help = "also solve with the factor of the scaling edits replaced by each of LIST (0.25,0.5,1,2); "
                       "delays and restarts "
                       "are multiplied"},
          checkpoint_flag(),
          csv_flag(),
          Flag{.name = "machine",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "of a whole job: simulate what ranks exchange on this machine, with contention, calibrated on "
                       "the recording; rank r is "
                       "device r. Edits then also: network|link:PATTERN bandwidth|latency ACTION"},
          Flag{.name = "network-model",
               .value_name = "NAME",
               .help = "with --machine: isolated leaves contention out",
               .default_text = "fluid",
               .choices = "fluid isolated"},
          Flag{.name = "moves",
               .help = "of a whole job with host traces (x.et.json) beside: how long it takes if only data "
                       "dependencies mattered, and the best "
                       "single moves"},
          unprofiled_flag(),
          clock_flag(),
          reduce_flag(RankDetail::graph),
          Flag{.name = "overlay",
               .value_name = "FILE",
               .kind = ValueKind::output,
               .help = "write the trace again with the new path marked; of several ranks a folder"},
          Flag{.name = "all-edges", .help = "with --overlay: arrows for all edges"},
          Flag{.name = "only-critical", .help = "with --overlay: leave out complete events that are not critical"},
      }),
      .examples = {{"orrery whatif trace.json.gz 'kernel:/gemm/ * 0.5'", "matrix multiplications at twice the speed"},
                   {"orrery whatif trace.json.gz 'gap:launch = 0' 'cpu * 0.8'", "free launches and a faster host"},
                   {"orrery whatif trace.json.gz 'comm * 1' --sweep 0.25,0.5,1,2",
                    "how the step answers to the network"},
                   {"orrery whatif trace.json.gz 'op * 1' --sweep 0.5,1,2 --checkpoint op.points",
                    "a sweep that goes on where it was ended"},
                   {"orrery whatif traces/ 'rank:3 untraced remove'",
                    "all ranks, if rank 3 did nothing that it did not record"},
                   {"orrery whatif traces/ 'network bandwidth * 2' --machine machine.yaml",
                    "the job on a faster network"}},
      .run = run_whatif,
      .open_sweep = open_whatif_sweep,
  };
  return verb;
}

}  // namespace orrery::cli
