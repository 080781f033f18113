#include "ask/graphs/whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "analyze/roofline/owner_prices.h"
#include "analyze/whatif/whatif.h"
#include "ask/device_choice.h"
#include "ask/graphs/edits.h"
#include "ask/graphs/job_facts.h"
#include "ask/graphs/machine_moves.h"
#include "ask/graphs/path.h"
#include "ask/graphs/unprofiled.h"
#include "ask/sweep_session.h"
#include "ask/workloads/simulation_inputs.h"
#include "base/numbers.h"
#include "base/percent.h"
#include "report/counted.h"
#include "simulate/pricing/pricing.h"

namespace orrery::ask {
namespace {

using analyze::EditRule;
using analyze::ParsedEdit;
using report::Readers;

/// Above this the ranks that change most say more than all.
constexpr std::size_t kChangedRanksShown = 16;
constexpr std::size_t kMovesShown = 10;
constexpr DiagnosticKind kRanAhead{
    "W402", Severity::note,
    "the host ran ahead of the device when the step began; launches before the window are free in it",
    "for edits that make the device faster, span several steps: --annotation ProfilerStep --instance 0:3"};

bool takes_profiler_off(std::span<const ParsedEdit> edits) {
  return std::any_of(edits.begin(), edits.end(), [](const ParsedEdit& edit) {
    const auto* rule = std::get_if<EditRule>(&edit);
    return rule != nullptr && rule->removes_profiler;
  });
}

/// Whether an edit speaks of what operators compute, or of what a device allows for it.
bool any_asks(std::span<const ParsedEdit> edits, bool (EditRule::*asks)() const) {
  return std::any_of(edits.begin(), edits.end(), [&](const ParsedEdit& edit) {
    const auto* rule = std::get_if<EditRule>(&edit);
    return rule != nullptr && (rule->*asks)();
  });
}

bool asks_operators(const WhatIfRequest& request) {
  return request.interference || any_asks(request.edits, &EditRule::asks_operators);
}

/// Whether there is something for a factor of --sweep to change.
bool can_be_swept(const ParsedEdit& edit) {
  if (const auto* rule = std::get_if<EditRule>(&edit)) return rule->action == EditRule::Action::scale;
  if (const auto* network = std::get_if<analyze::NetworkEdit>(&edit)) return network->action == EditRule::Action::scale;
  return true;
}

std::optional<Error> check_edits(const WhatIfRequest& request, Context& context) {
  // Where it could be moved, and what a machine makes of it, can be asked of a job as it is.
  if (request.edits.empty() && !request.machine && !request.moves)
    return misuse("no edit given", "like: orrery whatif TRACE 'kernel:/gemm/ * 0.5'");
  for (const ParsedEdit& edit : request.edits) {
    if (std::holds_alternative<analyze::NetworkEdit>(edit) && !request.machine)
      return context.misuse_at({analyze::text_of(edit)}, "the network is edited where it is simulated",
                               "say which one it is: --machine FILE");
  }
  if ((request.unprofiled || request.graph.recording.without_profiler) && takes_profiler_off(request.edits))
    return misuse("what recording cost is taken off once",
                  "leave out the edit profiler remove, or --without-profiler and --unprofiled");
  if (request.graph.restore && asks_operators(request))
    return misuse("a saved graph does not know what operators were given", "name the recording instead of --restore");
  if (request.device && !request.interference && !any_asks(request.edits, &EditRule::asks_device))
    return misuse("--device is about edits that hold work against it", "like 'kernel = roof'");
  if (request.interference && request.machine)
    return misuse("--interference is about transfers as measured", "leave --machine or --interference out");
  if (const Status good = check_checkpoint(request.checkpoint, !request.factors.empty()); !good) return good.error();
  // Without a factor to replace, every point of the sweep would be the same, and look like an answer.
  if (!request.factors.empty() && std::none_of(request.edits.begin(), request.edits.end(), can_be_swept))
    return misuse("--sweep replaces the factor of a scaling edit, and there is none",
                  "like 'kernel * 1' --sweep 0.5,1,2");
  return std::nullopt;
}

std::optional<Error> check_scope(const WhatIfRequest& request, Context& context) {
  const bool several = asks_whole_job(context, request.graph);
  for (const auto& [flag, is_given] : {std::pair("machine", request.machine.has_value()), {"moves", request.moves}}) {
    if (!several && is_given)
      return misuse(fmt::format("--{} is about a whole job", flag), "name the traces of all ranks, without --rank");
  }
  for (const ParsedEdit& edit : request.edits) {
    if (std::string why = several ? std::string() : analyze::needs_whole_job(edit); !why.empty())
      return context.misuse_at({analyze::text_of(edit)}, std::move(why),
                               "name the folder with the traces of all ranks, without --rank");
  }
  if (request.network_model && !request.machine)
    return misuse("--network-model is about the machine that transfers are simulated on", "--machine FILE");
  if (request.overlay && request.machine)
    return misuse("an overlay shows transfers as measured", "leave --machine or --overlay out");
  for (const ParsedEdit& edit : request.edits) {
    if (request.machine && std::holds_alternative<analyze::FailureEvent>(edit))
      return context.misuse_at({analyze::text_of(edit)}, "a failure is solved with transfers as measured",
                               "leave --machine out");
  }
  return std::nullopt;
}

/// Whether every edit selects something, and names nothing that is not there. What is wrong is counted.
bool all_selected(Context& context, const analyze::GraphEdits& edits) {
  bool all = true;
  for (std::size_t i = 0; i < edits.edits().size(); ++i) {
    const analyze::EditSelection& selection = edits.selections()[i];
    if (selection.count() != 0 && selection.not_there.empty()) continue;
    all = false;
    context.diagnostics().add(selection.count() == 0 ? kNothingMatched : kNotThere, [&] {
      const std::string& text = analyze::text_of(edits.edits()[i]);
      return selection.not_there.empty() ? text : fmt::format("{}: {}", text, selection.not_there.front());
    });
  }
  return all;
}

/// What is to be edited. Parts refer to one another: it stays where it is.
struct ToEdit {
  std::optional<machine::Machine> machine;
  std::optional<causal::CausalGraph> job;
  std::optional<Unprofiled> unprofiled;
  std::optional<analyze::GraphEdits> edits;
  std::optional<analyze::JobOnMachine> on;      ///< of a question with a machine
  std::optional<analyze::Interference> beside;  ///< of one that asks for it
  [[nodiscard]] const analyze::Interference* beside_or_null() const { return beside ? &*beside : nullptr; }
};

/// Prices of all works, and what they lose beside others, for questions that ask for them.
Learn price_works(const WhatIfRequest& request, std::vector<analyze::OwnerPrice>& prices,
                  std::optional<analyze::Interference>& beside) {
  if (!asks_operators(request)) return {};
  return [&](const trace::Trace& trace, const causal::CausalGraph& job) -> Status {
    const auto chosen = choose_device(request.device, trace);
    if (!chosen) return chosen.error();
    if (!*chosen && (request.interference || any_asks(request.edits, &EditRule::asks_device)))
      return misuse("nothing in the recording says which device it was made on", "say it: --device h200");
    // Kinds need no device: without one there are no prices.
    auto priced = analyze::price_owners(job, trace, *chosen ? (*chosen)->device : machine::Device{});
    if (!priced) return priced.error();
    prices = std::move(*priced);
    if (!request.interference) return {};
    auto found = analyze::Interference::find(job, trace, (*chosen)->device, prices);
    if (!found) return found.error();
    beside = std::move(*found);
    return {};
  };
}

/// False: what is wrong was said, and the answer fails.
Result<bool> load_to_edit(Context& context, const WhatIfRequest& request, ToEdit& out) {
  if (request.machine) {
    Result<machine::Machine> loaded = load_machine(context, *request.machine);
    if (!loaded) return loaded.error();
    out.machine = std::move(*loaded);
  }
  std::vector<analyze::OwnerPrice> prices;
  auto job = load_causal_graph(context, request.graph, nullptr, price_works(request, prices, out.beside));
  if (!job) return job.error();
  if (!has_path(context, *job)) return false;
  out.job = std::move(*job);
  out.unprofiled = take_profiler_off(context, request.graph.recording.without_profiler, request.unprofiled, *out.job);
  // The edit is the same thing, said among others.
  if (takes_profiler_off(request.edits)) out.unprofiled = unprofiled_of(context, *out.job);
  out.edits.emplace(*out.job, request.edits, std::move(prices));
  if (!out.machine) return true;
  const auto model = request.network_model.value_or(machine::NetworkModelKind::fluid);
  Result<analyze::JobOnMachine> made = analyze::JobOnMachine::make(*out.job, *out.machine, simulate::pricing_of(model));
  if (!made) return made.error();
  out.on = std::move(*made);
  return true;
}

analyze::FactorSweep sweep_of(const ToEdit& loaded, const std::vector<double>& factors) {
  return loaded.on ? machine_sweep(*loaded.edits, *loaded.on, factors)
                   : analyze::whatif_sweep(*loaded.edits, factors, loaded.beside_or_null());
}

// What the host had launched before the window is there for nothing: a faster device would soon wait for the host, and
// the graph of this window cannot show it. A twentieth of the step is where that begins to matter beside other errors.
void remark_on_head_start(Context& context, const causal::CausalGraph& job) {
  if (job.ranks.size() > 1) return;
  const TimePs head_start = job.ranks.front().begins_at - job.ranks.front().host_begin;
  if (head_start > job.span / 20)
    context.diagnostics().add(kRanAhead, [&] { return job.label + ": by " + format_duration(head_start); });
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

/// "bound_by_us": {"kernel": {"before": 5, "after": 2.5}}: the rows of analyze::changed_bounds_sheet under their kinds,
/// as `path` names them.
void tell_bounds_by_kind(report::Facts& facts, const report::Sheet& changed_bounds) {
  const std::size_t kind = changed_bounds.find("kind"), before = changed_bounds.find("before"),
                    after = changed_bounds.find("after");
  facts.key("bound_by_us").begin_object();
  for (std::size_t row = 0; row < changed_bounds.rows(); ++row) {
    facts.key(changed_bounds.text(kind, row)).begin_object();
    facts.field("before", to_us(changed_bounds.integer(before, row)))
        .field("after", to_us(changed_bounds.integer(after, row)))
        .end_object();
  }
  facts.end_object();
}

/// Of several ranks `rank` is null, and there is `job`.
void tell_change(report::Facts& facts, const causal::CausalGraph& job, const analyze::WhatIf& result) {
  const bool several = job.ranks.size() > 1;
  facts.field("step", job.label);
  if (several) facts.key("rank").null();
  else facts.field("rank", job.ranks.front().rank);
  facts.field("before_us", to_us(result.before.length)).field("after_us", to_us(result.after.length));
  facts.field("speedup", result.speedup()).field("residual_pct", job.residual_percent(result.replayed));
  if (several) tell_job(facts, job, result.replayed);
}

void tell_whatif(report::Answer& answer, const analyze::GraphEdits& edits, const analyze::WhatIf& result,
                 std::span<const analyze::SweepRow> points) {
  const causal::CausalGraph& job = edits.job();
  const bool several = job.ranks.size() > 1;
  const TimePs before = result.before.length, after = result.after.length;
  // Without an edit nothing changed: programs get the same members nevertheless.
  if (edits.edits().empty() && !answer.for_programs() && !answer.for_tables()) return;
  const std::string change =
      fmt::format("{}: {} -> {} ({:+.1f} %, {:.3g} x as fast)", job.label, format_duration(before),
                  format_duration(after), change_percent(before, after), result.speedup());
  answer.headline(several ? fmt::format("{}, {}.", report::counted(job.ranks.size(), "rank"), change)
                          : fmt::format("{}; replay residual of the unedited graph {:.4g} %.", change,
                                        job.residual_percent(result.replayed)));
  answer.line("Before: " + verdict(result.before) + ".").line("After:  " + verdict(result.after) + ".");
  if (several) answer.line(job_trust_line(job, result.replayed));
  if (answer.for_programs()) tell_change(answer.facts(), job, result);
  answer.gap().table(analyze::edits_sheet(edits));
  for (const analyze::EditSelection& selection : edits.selections()) {
    if (selection.unpriced > 0)
      answer.line(
          fmt::format("{} of {} stay as measured: there is no formula for what they compute, or nobody knows it.",
                      selection.unpriced, report::counted(selection.count(), "segment")));
  }
  answer.gap();
  answer.table(analyze::changed_bounds_sheet(result), {.view = {.total = several ? "job" : "step"}}).gap();
  if (result.moves.empty()) answer.line("Nothing on the path moved.");
  answer.table(analyze::moves_sheet(job, result));
  if (several)
    answer.gap().table(analyze::ranks_sheet(job, result), {.view = {.rows = kChangedRanksShown, .rest = "ranks"}});
  if (!points.empty()) answer.gap().table(analyze::sweep_sheet(before, points));
  if (answer.for_programs()) tell_bounds_by_kind(answer.facts(), analyze::changed_bounds_sheet(result));
}

void tell_interference(report::Answer& answer, const causal::CausalGraph& job, const analyze::Interference& beside,
                       const analyze::WhatIf& result) {
  const analyze::InterferenceCost before = beside.recorded(job), after = beside.in_run(result.edited.unpaused);
  if (answer.for_programs()) {
    const auto tell = [&](const char* key, const analyze::InterferenceCost& cost) {
      answer.facts().key(key).begin_object();
      answer.facts().field("kernels", cost.kernels).field("beside_us", to_us(cost.beside));
      answer.facts().field("lost_us", to_us(cost.lost)).end_object();
    };
    answer.facts().key("interference").begin_object();
    tell("before", before);
    tell("after", after);
    if (beside.of_law()) answer.facts().field("of_law", *beside.of_law());
    answer.facts().field("without_size", beside.without_size()).end_object();
  }
  answer.gap();
  if (before.kernels == 0 && after.kernels == 0) {
    answer.line("No kernel lies beside communication, before or after: nothing is longer than alone.");
    return;
  }
  const auto in_words = [](const analyze::InterferenceCost& cost) {
    return fmt::format("{} for {}, {} longer than alone", report::counted(cost.kernels, "kernel"),
                       format_duration(cost.beside), format_duration(cost.lost));
  };
  answer.line(fmt::format("Beside communication as recorded: {}; after the edits: {}.", in_words(before),
                          after.kernels == 0 ? std::string("none") : in_words(after)));
  answer.line(beside.of_law()
                  ? fmt::format("Kernels that ran both alone and beside it show {:.0f} % of what the law "
                                "of interference says they lose.",
                                100 * *beside.of_law())
                  : "Too few of the same kernels ran alone to show what they lose: the law of interference says it.");
  if (beside.without_size() > 0)
    answer.line(fmt::format("Of {} nobody says how many units or bytes they take: {:g} units and no bytes are assumed.",
                            report::counted(beside.without_size(), "communication kernel"), machine::kAllToAllUnits));
}

/// What the edits come to: with transfers as measured, or on the machine.
Result<analyze::WhatIf> solve_edits(ToEdit& loaded, Context& context) {
  if (!loaded.on) return analyze::what_if(*loaded.edits, kMovesShown, loaded.beside_or_null());
  Result<analyze::WhatIf> result = answer_on_machine(*loaded.edits, *loaded.on, kMovesShown);
  if (result) analyze::check_resimulated(*loaded.job, result->before.length, context.diagnostics());
  return result;
}

Result<std::vector<analyze::SweepRow>> solve_points(SweepSession& session, const Sweep& sweep) {
  const Result<std::vector<std::string>> answers = session.run(sweep);
  if (!answers) return answers.error();
  return analyze::rows_from_bytes(*answers);
}

}  // namespace

Status parse_factors(std::string_view text, std::vector<double>& factors) {
  constexpr const char* kExample = "like 0.25,0.5,1,2";
  const auto wrong_at = [&](std::string_view rest, const char* message) {
    Error error = misuse(message, kExample);
    error.offset = text.size() - rest.size();
    return error;
  };
  for (std::string_view rest = text;; rest.remove_prefix(1)) {
    const std::string_view begin = rest;
    double factor = 0;
    if (!take_number(rest, factor) || !std::isfinite(factor) || factor < 0)
      return wrong_at(begin, "--sweep takes factors separated by commas");
    factors.push_back(factor);
    if (rest.empty()) return {};
    if (rest.front() != ',') return wrong_at(rest, "expected a comma");
  }
}

Result<report::Answer> run(const WhatIfRequest& request, Context& context) {
  if (const auto error = check_edits(request, context)) return *error;
  if (const auto error = check_scope(request, context)) return *error;
  // Before anything is read: other processes read the same meanwhile.
  std::optional<SweepSession> session;
  if (!request.factors.empty()) session.emplace(context, request.checkpoint);
  ToEdit loaded;
  const Result<bool> is_there = load_to_edit(context, request, loaded);
  if (!is_there) return is_there.error();
  if (!*is_there) return context.failed();
  const causal::CausalGraph& job = *loaded.job;
  remark_on_head_start(context, job);
  std::optional<analyze::Reorder> reorder;
  if (request.moves) {
    auto found = load_reorder(context, request.graph.recording, job, kMovesShown);
    if (!found) return found.error();
    if (!*found) return context.failed();
    reorder = std::move(*found);
  }
  const Result<analyze::WhatIf> result = solve_edits(loaded, context);
  if (!result) return result.error();
  std::vector<analyze::SweepRow> points;
  if (session) {
    Result<std::vector<analyze::SweepRow>> rows = solve_points(*session, sweep_of(loaded, request.factors));
    if (!rows) return rows.error();
    points = std::move(*rows);
  }
  report::Answer answer = context.answer();
  if (!all_selected(context, *loaded.edits)) answer.set_failed();
  if (request.overlay) {
    const analyze::CausalPath path = analyze::take_path(job, result->edited.solution, 0, false);
    const Status written = write_overlays(job, path.sums, request.all_edges, request.only_critical, *request.overlay);
    if (!written) return written.error();
  }
  tell_unprofiled(answer, loaded.unprofiled);
  tell_whatif(answer, *loaded.edits, *result, points);
  if (loaded.beside) tell_interference(answer, job, *loaded.beside, *result);
  if (loaded.on) {
    if (!request.edits.empty()) answer.gap();
    tell_calibration(answer, *request.machine, job, *loaded.on, result->before.length);
  }
  if (reorder) {
    if (!request.edits.empty() || loaded.on) answer.gap();
    tell_reorder(answer, job, *reorder);
  }
  return answer;
}

std::unique_ptr<Sweep> open_sweep(const WhatIfRequest& request, Context& context) {
  if (request.factors.empty() || check_edits(request, context) || check_scope(request, context)) return nullptr;
  auto loaded = std::make_unique<ToEdit>();
  const Result<bool> is_there = load_to_edit(context, request, *loaded);
  if (!is_there || !*is_there) return nullptr;
  analyze::FactorSweep sweep = sweep_of(*loaded, request.factors);
  return std::make_unique<OwnedSweep>(std::move(loaded), std::move(sweep));
}

}  // namespace orrery::ask
