// orrery query: any question, in SQL.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include "base/interrupt.h"
#include "base/io/file_content.h"
#include "base/io/output_file.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "query/database.h"
#include "report/sheet_csv.h"
#include "report/sheet_text.h"
#include "trace/copy.h"

namespace orrery::cli {
namespace {

/// What was typed, taken apart.
struct SqlQuestion {
  std::vector<std::string> traces;
  std::string sql;  ///< empty: none, only --db
};

/// Whether an operand beside --db is a question rather than one more file.
bool looks_like_sql(const std::string& text) {
  std::string word;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) break;
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const bool is_keyword = word == "select" || word == "with" || word == "explain" || word == "values";
  std::error_code ignored;
  return (is_keyword || text.find(' ') != std::string::npos) && !std::filesystem::exists(text, ignored);
}

Result<std::string> read_question(Invocation& invocation, const std::string& file) {
  if (const Status added = invocation.add_input(file); !added) return added.error();
  const Result<FileContent> content = FileContent::open(file);
  if (!content) return content.error();
  return std::string(content->bytes());
}

UsageError no_question() {
  return {"no question given", "like: orrery query TRACE 'SELECT name, sum(dur_ps) FROM events GROUP BY name'"};
}

/// An Error about the SQL, pointed at.
UsageError pointed_at(const Error& error, std::string_view sql) {
  UsageError usage{error.message, error.hint};
  if (error.offset == Error::kNoOffset || error.offset > sql.size()) return usage;
  // The line that it is in: a question from a file may have many.
  const std::size_t begin = error.offset == 0 ? 0 : sql.rfind('\n', error.offset - 1) + 1;
  usage.shown = std::string(sql.substr(begin, std::min(sql.find('\n', error.offset), sql.size()) - begin));
  usage.caret = error.offset - begin;
  return usage;
}

/// What is wrong with the question can be said before minutes are spent on reading.
std::optional<UsageError> find_mistake(const std::string& sql) {
  const trace::Trace empty;
  Diagnostics unused;
  Result<query::Database> database = query::Database::open({.trace = empty, .remarks = unused});
  if (!database) return UsageError{database.error().message};
  const Status checked = database->check(sql);
  return checked ? std::nullopt : std::optional(pointed_at(checked.error(), sql));
}

/// The trace, and the job that it is one of if there are several ranks.
struct Loaded {
  std::shared_ptr<const trace::Trace> alone;
  std::optional<job::RecordedJob> job;
  [[nodiscard]] const trace::Trace& trace() const { return job ? job->trace() : *alone; }
};

Result<Loaded> load(Invocation& invocation, const std::vector<std::string>& traces) {
  const job::TraceRequest request{.far_clocks = true, .one_rank = invocation.has("rank")};
  std::optional<trace::Trace> own;
  if (asks_whole_job(invocation, traces)) {
    // Its times are brought on one clock.
    Result<trace::Trace> all = load_own_job(invocation, traces, request);
    if (!all) return all.error();
    own.emplace(std::move(*all));
  } else {
    Result<std::shared_ptr<const trace::Trace>> shared = load_job(invocation, traces, request);
    if (!shared) return shared.error();
    if ((*shared)->ranks.size() < 2) return Loaded{*shared, std::nullopt};
    // One file with many ranks.
    own.emplace(trace::copy_of(**shared));
  }
  // Runs have nothing in common but the tables that they are asked in.
  if (own->ranks.front().source.is_run)
    return Loaded{std::make_shared<const trace::Trace>(std::move(*own)), std::nullopt};
  Result<job::RecordedJob> job =
      job::RecordedJob::make(std::move(*own), clock_choice(invocation), invocation.diagnostics());
  if (!job) return job.error();
  return Loaded{nullptr, std::move(*job)};
}

void show(Invocation& invocation, const query::Answer& answer) {
  if (invocation.json()) return query::write_answer(invocation.data(), answer);
  const report::Sheet sheet = query::to_sheet(answer);
  if (invocation.csv()) invocation.text() += report::to_csv(sheet);
  else invocation.text() += answer.rows() == 0 ? "no rows\n" : to_text(sheet, invocation.view());
}

ExitCode run_query(Invocation& invocation) {
  Instances instances;
  if (const auto error = parse_instances(invocation, instances)) return invocation.fail_usage(*error);
  SqlQuestion question{invocation.operands(), {}};
  if (invocation.has("file")) {
    Result<std::string> sql = read_question(invocation, invocation.text("file"));
    if (!sql) return invocation.fail(sql.error());
    question.sql = std::move(*sql);
  } else if (!invocation.has("db") || looks_like_sql(question.traces.back())) {
    question.sql = question.traces.back();
    question.traces.pop_back();
  }
  if (question.traces.empty()) {
    const bool is_trace = std::filesystem::exists(question.sql);
    return invocation.fail_usage(is_trace ? no_question()
                                          : UsageError{"no trace given", "like: orrery query TRACE 'SELECT ...'"});
  }
  if (!question.sql.empty() || !invocation.has("db")) {
    if (const auto mistake = find_mistake(question.sql)) return invocation.fail_usage(*mistake);
  }
  const Result<Loaded> loaded = load(invocation, question.traces);
  if (!loaded) return invocation.fail(loaded.error());
  job::JobWindowRequest window{.first_instance = instances.first, .last_instance = instances.last};
  if (invocation.has("annotation")) window.annotation = invocation.text("annotation");
  Result<query::Database> database = query::Database::open({.trace = loaded->trace(),
                                                            .job = loaded->job ? &*loaded->job : nullptr,
                                                            .window = std::move(window),
                                                            .remarks = invocation.diagnostics(),
                                                            .all_arguments = invocation.has("all-args")});
  if (!database) return invocation.fail(database.error());
  database->stop_if(is_stop_requested);
  if (invocation.has("db")) {
    const std::string path = invocation.text("db");
    if (const Status written = database->write(path); !written) return invocation.fail(written.error());
    if (invocation.json()) invocation.data().field("output", path);
    else if (!invocation.csv() && !is_standard_output(path)) invocation.text() += fmt::format("wrote {}\n", path);
    if (question.sql.empty()) return ExitCode::ok;
  }
  const Result<query::Answer> answer = database->ask(question.sql);
  if (!answer && answer.error().kind == Error::Kind::misuse)
    return invocation.fail_usage(pointed_at(answer.error(), question.sql));
  if (!answer) return invocation.fail(answer.error());
  show(invocation, *answer);
  return ExitCode::ok;
}

}  // namespace

const Verb& query_verb() {
  static const Verb verb = {
      .name = "query",
      .summary = "any question, in SQL: events, path, collectives, waits",
      .description =
          "Answers one SELECT over the tables events, args, ranks, lanes, steps, edges, path, contributors, "
          "collectives, waits, clocks and "
          "diagnostics, and over slice, thread, process and args_flat under Perfetto's names. Times are whole "
          "picoseconds. The tables are "
          "the "
          "columns of the trace, which are not copied; the path and what rests on it are found when a question first "
          "asks for them, for "
          "the "
          "window that `orrery path` would choose.\n\n"
          "Beside SQLite's functions there is union_ps(start_ps, dur_ps): how long any of the intervals lasts. "
          "docs/SQL.md has the columns "
          "and "
          "the questions that people ask.",
      .operands = {.name = "TRACE... SQL",
                   .help =
                       "files, folders or globs, then the question; with --file or --db the question may be left out",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_job_flags({
          csv_flag(),
          Flag{.name = "file",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "read the question from a file; all operands are traces"},
          Flag{.name = "db",
               .value_name = "FILE",
               .kind = ValueKind::output,
               .help = "write all tables as an SQLite database"},
          Flag{.name = "all-args",
               .help =
                   "args has every argument that the files have, not only those that analyses use; reads them again"},
          Flag{.name = "rank",
               .value_name = "N",
               .kind = ValueKind::integer,
               .help = "only this rank (default: all)",
               .group = "Window"},
      }),
      .examples =
          {{"orrery query trace.json.gz 'SELECT name, count(*), sum(dur_ps) AS t FROM events GROUP BY name ORDER BY t "
            "DESC LIMIT 10'",
            "the ten names with most time"},
           {"orrery query trace.json.gz \"SELECT union_ps(start_ps, dur_ps) FROM events WHERE activity = 'kernel'\"",
            "how long any kernel ran"},
           {"orrery query traces/ --csv 'SELECT * FROM waits'", "who waited for whom"},
           {"orrery query trace.json.gz --db trace.sqlite", "all tables, for other tools"}},
      .run = run_query,
  };
  return verb;
}

}  // namespace orrery::cli
