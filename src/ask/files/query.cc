#include "ask/files/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include "ask/device_choice.h"
#include "ask/files/kernel_provenance.h"
#include "base/interrupt.h"
#include "base/io/output_file.h"
#include "query/database.h"
#include "trace/select_events.h"

namespace orrery::ask {
namespace {

/// What is wrong with the question can be said before minutes are spent on reading.
Status check_question_in_sql(const std::string& sql) {
  const trace::Trace empty;
  Diagnostics unused;
  Result<query::Database> database = query::Database::open({.trace = empty, .remarks = unused});
  if (!database) return misuse(database.error().message);
  return database->check(sql);
}

/// The trace, and the job that it is one of if there are several ranks.
struct QueriedTrace {
  std::shared_ptr<const trace::Trace> alone;
  std::optional<job::RecordedJob> job;
  [[nodiscard]] const trace::Trace& trace() const { return job ? job->trace() : *alone; }
};

/// Operands are read where the table that needs them may be asked for: its name stands in the question, or all tables
/// are written.
bool asks_for_works(const QueryRequest& request) {
  std::string sql = request.sql;
  std::transform(sql.begin(), sql.end(), sql.begin(), [](unsigned char c) { return std::tolower(c); });
  return request.db.has_value() || sql.find("works") != std::string::npos;
}

Result<QueriedTrace> load_queried(Context& context, const GraphRequest& request, bool operands) {
  const job::TraceRequest wanted{
      .far_clocks = true, .operands = operands, .one_rank = request.recording.rank.has_value()};
  std::optional<trace::Trace> own;
  if (asks_whole_job(context, request)) {
    // Its times are brought on one clock.
    Result<trace::Trace> all = load_own_trace(context, request.recording, wanted);
    if (!all) return all.error();
    own.emplace(std::move(*all));
  } else {
    Result<std::shared_ptr<const trace::Trace>> shared = load_trace(context, request.recording, wanted);
    if (!shared) return shared.error();
    if ((*shared)->ranks.size() < 2) return QueriedTrace{*shared, std::nullopt};
    // One file with many ranks.
    own.emplace(trace::copy_of(**shared));
  }
  // Runs have nothing in common but the tables that they are asked in.
  if (own->ranks.front().source.is_run)
    return QueriedTrace{std::make_shared<const trace::Trace>(std::move(*own)), std::nullopt};
  Result<job::RecordedJob> job = job::RecordedJob::make(std::move(*own), request.clock, context.diagnostics());
  if (!job) return job.error();
  return QueriedTrace{nullptr, std::move(*job)};
}

}  // namespace

Result<report::Answer> run(const QueryRequest& request, Context& context) {
  if (request.graph.recording.files.empty()) {
    if (std::filesystem::exists(request.sql))
      return misuse("no question given",
                    "like: orrery query TRACE 'SELECT name, sum(dur_ps) FROM events GROUP BY name'");
    return misuse("no trace given", "like: orrery query TRACE 'SELECT ...'");
  }
  if (!request.sql.empty() || !request.db) {
    if (const Status checked = check_question_in_sql(request.sql); !checked) return checked.error();
  }
  // What is wrong with the other inputs can be said then, too.
  std::optional<machine::Device> device;
  if (request.device) {
    const auto chosen = choose_device(request.device, trace::Trace{});
    if (!chosen) return chosen.error();
    device = (*chosen)->device;
  }
  const auto given = read_provenance(context, request.provenance);
  if (!given) return given.error();
  const Result<QueriedTrace> loaded = load_queried(context, request.graph, asks_for_works(request));
  if (!loaded) return loaded.error();
  std::vector<std::shared_ptr<const analyze::KernelProvenance>> provenance;
  if (asks_for_works(request)) {
    auto found = provenance_of_ranks(context, *given, loaded->trace());
    if (!found) return found.error();
    provenance = std::move(*found);
  }
  const auto device_of = [&]() -> std::optional<machine::Device> {
    if (device) return device;
    const auto chosen = choose_device(std::nullopt, loaded->trace());
    return chosen && *chosen ? std::optional((*chosen)->device) : std::nullopt;
  };
  const WindowChoice& window = request.graph.window;
  Result<query::Database> database = query::Database::open({.trace = loaded->trace(),
                                                            .job = loaded->job ? &*loaded->job : nullptr,
                                                            .window = {.annotation = window.annotation,
                                                                       .first_instance = window.instances.first,
                                                                       .last_instance = window.instances.last},
                                                            .remarks = context.diagnostics(),
                                                            .all_arguments = request.all_args,
                                                            .device = device_of,
                                                            .provenance = std::move(provenance)});
  if (!database) return database.error();
  database->stop_if(is_stop_requested);
  report::Answer answer = context.answer();
  if (request.db) {
    if (const Status written = database->write(*request.db); !written) return written.error();
    answer.facts().field("output", *request.db);
    if (!is_standard_output(*request.db)) answer.line("wrote " + *request.db);
    if (request.sql.empty()) return answer;
  }
  const Result<query::Answer> found = database->ask(request.sql);
  if (!found) return found.error();
  // The columns are the question's own: programs get them as lists, whatever they are called.
  if (answer.for_programs()) query::tell_answer(answer.facts(), *found);
  else if (answer.for_people() && found->rows() == 0) answer.line("no rows");
  else answer.table(query::to_sheet(*found));
  return answer;
}

}  // namespace orrery::ask
