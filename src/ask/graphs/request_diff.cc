#include "ask/graphs/request_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analyze/diff/request_changes.h"
#include "job/read/registry.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kRequestOfOneRun{"J823", Severity::warning, "requests that only one of the runs has",
                                          "requests are the same where their ids are; the others are left out"};

/// The file, if the run is a log of requests.
std::optional<std::string> request_log_of(const Context& context, const std::string& run) {
  const std::vector<std::string> files = context.named_by(run);
  if (files.size() != 1) return std::nullopt;
  const auto format = job::detect(files.front());
  if (!format || (*format)->name != "request_log") return std::nullopt;
  return files.front();
}

Result<request_log::RequestLog> open_log(Context& context, const std::string& run) {
  const auto file = request_log_of(context, run);
  if (!file)
    return Error{
        "this is no log of requests, and the other run is one", run, Error::kNoOffset,
        "what orrery llm CONFIG.yml --requests FILE.csv writes, or a recorded one (docs/formats/request_log.md)"};
  auto log = request_log::read_request_log(*file);
  if (!log) return log;
  if (const Status added = context.add_input(*file); !added) return added.error();
  return log;
}

}  // namespace

bool names_request_log(const Context& context, const std::vector<std::string>& runs) {
  return std::any_of(runs.begin(), runs.end(),
                     [&](const std::string& run) { return request_log_of(context, run).has_value(); });
}

Result<report::Answer> diff_requests(Context& context, const std::vector<std::string>& runs) {
  if (runs.size() != 2) return misuse("diff takes two runs, A and B", "name both");
  const auto a = open_log(context, runs.front());
  if (!a) return a.error();
  const auto b = open_log(context, runs.back());
  if (!b) return b.error();
  const analyze::RequestChanges changes = analyze::compare_requests(*a, *b);
  if (changes.requests.empty())
    return Error{fmt::format("the runs have no request in common: {} and {}", report::counted(a->requests.size(), "id"),
                             b->requests.size()),
                 b->path, Error::kNoOffset, "requests are the same where their ids are"};
  if (changes.only_a + changes.only_b > 0)
    context.diagnostics().add_many(kRequestOfOneRun, changes.only_a + changes.only_b,
                                   fmt::format("{} of A, {} of B", changes.only_a, changes.only_b));
  report::Answer answer = context.answer();
  answer.headline(analyze::request_sentence(changes)).line(analyze::unexplained_sentence(changes)).gap();
  answer.facts().field("only_a", changes.only_a).field("only_b", changes.only_b);
  answer.table(analyze::part_changes_sheet(changes)).gap();
  answer.table(analyze::request_changes_sheet(changes), {.view = {.rows = report::kShownRows, .rest = "requests"}});
  return answer;
}

}  // namespace orrery::ask
