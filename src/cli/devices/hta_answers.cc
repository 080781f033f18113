#include "cli/devices/hta_answers.h"

#include <fmt/format.h>

#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kShownAnswers = 10;  // rows of each table that people see

}  // namespace

void HtaAnswers::add(std::string key, Result<report::Sheet> sheet) {
  if (sheet) add(std::move(*sheet));
  else add_unavailable(std::move(key), sheet.error().message);
}

void HtaAnswers::write_json(JsonWriter& json, const std::vector<std::int64_t>& ranks) const {
  json.key("ranks").begin_array();
  for (const std::int64_t rank : ranks) json.value(rank);
  json.end_array();
  for (const Answer& answer : answers_) {
    if (!answer.sheet) {
      json.key(answer.key).null();
    } else if (answer.write) {
      json.key(answer.key);
      answer.write(json);
    } else {
      report::write_sheet(json, *answer.sheet);
    }
  }
  json.key("unavailable").begin_object();
  for (const Answer& answer : answers_) {
    if (!answer.sheet) json.field(answer.key, answer.unavailable);
  }
  json.end_object();
}

std::string HtaAnswers::to_text(const Invocation& invocation, const std::vector<std::int64_t>& ranks) const {
  std::string text = fmt::format("As HTA 0.6.1 computes it, of {}.\n", report::counted(ranks.size(), "rank"));
  report::SheetView view = invocation.view();
  view.rows = kShownAnswers;
  for (const Answer& answer : answers_) {
    text += "\n" + invocation.style().paint(report::Tone::strong, answer.key);
    if (!answer.sheet) text += fmt::format(": not available: {}.\n", answer.unavailable);
    else if (answer.sheet->rows() == 0) text += ": nothing\n";
    else text += "\n" + report::to_text(*answer.sheet, view);
  }
  return text;
}

ExitCode HtaAnswers::show(Invocation& invocation, const std::vector<std::int64_t>& ranks) {
  if (invocation.json()) {
    write_json(invocation.data(), ranks);
  } else if (invocation.csv()) {
    std::vector<report::Sheet> sheets;
    for (Answer& answer : answers_) {
      if (answer.sheet) sheets.push_back(std::move(*answer.sheet));
    }
    invocation.text() = report::to_csv(sheets);
  } else {
    invocation.text() = to_text(invocation, ranks);
  }
  return ExitCode::ok;
}

}  // namespace orrery::cli
