// orrery query: any question, in SQL.
#include "ask/files/query.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/io/file_content.h"
#include "cli/frame/answer.h"
#include "cli/frame/shared_flags.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {
namespace {

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

Result<std::string> read_question(ask::Context& context, const std::string& file) {
  if (const Status added = context.add_input(file); !added) return added.error();
  const Result<FileContent> content = FileContent::open(file);
  if (!content) return content.error();
  return std::string(content->bytes());
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

ExitCode run_query(Invocation& invocation) {
  ask::QueryRequest request;
  if (const auto error = take_flags(invocation, request)) return invocation.fail_usage(*error);
  std::vector<std::string>& traces = request.graph.recording.files;
  traces = invocation.operands();
  if (invocation.has("file")) {
    Result<std::string> sql = read_question(invocation.context(), invocation.text("file"));
    if (!sql) return invocation.fail(sql.error());
    request.sql = std::move(*sql);
  } else if (!request.db || looks_like_sql(traces.back())) {
    request.sql = traces.back();
    traces.pop_back();
  }
  Result<report::Answer> answer = run(request, invocation.context());
  if (!answer && answer.error().kind == Error::Kind::misuse && answer.error().offset != Error::kNoOffset)
    return invocation.fail_usage(pointed_at(answer.error(), request.sql));
  return invocation.deliver(std::move(answer));
}

}  // namespace

const Verb& query_verb() {
  static const Verb verb = {
      .name = "query",
      .summary = "any question, in SQL: events, path, collectives, waits",
      .description =
          "Answers one SELECT over the tables events, args, ranks, lanes, steps, edges, path, contributors, "
          "collectives, works, waits, clocks and "
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
          device_flag(),
          Flag{.name = "provenance",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "what Inductor wrote about its kernels (kernel_information.json): which operators they fuse, of "
                       "which source lines (default: what lies beside the recordings)",
               .repeatable = true,
               .group = "Input"},
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
