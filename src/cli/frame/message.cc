#include "cli/frame/message.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/text_width.h"

namespace orrery::cli {

std::string UsageError::excerpt() const {
  if (shown.empty()) return {};
  // Printable text keeps one line a line; the prefix is made printable on its own, so that the caret stays in place.
  const std::size_t at = std::min(caret, shown.size());
  const std::string before = report::printable(shown.substr(0, at));
  const std::string after = report::printable(shown.substr(at));
  return "  " + before + after + "\n  " + std::string(report::display_width(before), ' ') + "^\n";
}

namespace {

using report::Tone;

Tone tone_of(Severity severity) {
  switch (severity) {
    case Severity::note: return Tone::faint;
    case Severity::warning: return Tone::warning;
    case Severity::error: return Tone::bad;
  }
  return Tone::bad;
}

}  // namespace

Failure Failure::from(const Error& error) {
  Error without_hint = error;
  without_hint.hint.clear();
  return {.code = error.kind == Error::Kind::misuse ? ExitCode::usage : ExitCode::bad_input,
          .message = without_hint.to_string(),
          .excerpt = {},
          .hint = error.hint,
          .file = error.file,
          .offset = error.offset == Error::kNoOffset ? std::nullopt : std::optional(error.offset)};
}

Failure Failure::from(const UsageError& error) {
  return {.code = ExitCode::usage, .message = error.message, .excerpt = error.excerpt(), .hint = error.hint};
}

std::string format_failure(const Failure& failure, const report::Style& style) {
  std::string lines =
      "orrery: " + style.paint(Tone::bad, "error:") + " " + report::printable(failure.message) + "\n" + failure.excerpt;
  if (!failure.hint.empty()) lines += "  hint: " + report::printable(failure.hint) + "\n";
  return lines;
}

std::string format_remark(const Remark& remark, const report::Style& style) {
  std::string line = "orrery: " + style.paint(tone_of(remark.severity), std::string(to_string(remark.severity)) + ":");
  line += " " + remark.code + ": " + report::printable(remark.message);
  if (remark.count > 1) line += " (" + format_count(remark.count) + " times)";
  if (!remark.hint.empty()) line += "; hint: " + report::printable(remark.hint);
  return line + "\n";
}

Remark remark_of(const Failure& failure) {
  return {.code = fmt::format("E{:03}", static_cast<int>(failure.code)),
          .severity = Severity::error,
          .count = 1,
          .message = failure.message,
          .hint = failure.hint};
}

}  // namespace orrery::cli
