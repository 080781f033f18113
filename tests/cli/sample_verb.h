// A verb with a flag of every kind, for tests of the frame around verbs.
#pragma once

#include <new>
#include <stdexcept>
#include <vector>

#include "cli/frame/invocation.h"
#include "cli/frame/verbs.h"

namespace orrery::cli {

inline constexpr DiagnosticKind kSampleWarning = {"T001", Severity::warning, "something is odd", "look at it"};
inline constexpr DiagnosticKind kSampleNote = {"T000", Severity::note, "something is so", ""};

inline ExitCode run_sample(Invocation& invocation) {
  const std::string outcome = invocation.text("outcome");
  report::Answer answer = invocation.context().answer();
  answer.line("annotation <" + invocation.text("annotation") + "> instance " +
              std::to_string(invocation.integer("instance")));
  answer.facts()
      .field("annotation", invocation.text("annotation"))
      .field("factor", invocation.number("factor"))
      .key("edits")
      .begin_array();
  for (const std::string& edit : invocation.texts("edit")) answer.facts().value(edit);
  answer.facts().end_array();
  invocation.diagnostics().add(kSampleWarning, [] { return std::string("file.json: byte 7"); });
  invocation.diagnostics().add(kSampleWarning, [] { return std::string("never shown"); });
  invocation.diagnostics().add(kSampleNote);
  if (outcome == "listed") answer.set_remarks_in_text();
  if (outcome == "check") answer.set_failed();
  if (outcome == "input")
    return invocation.fail(
        {.message = "the event ends too soon", .file = "trace.json", .offset = 12, .hint = "copy it again"});
  if (outcome == "usage")
    return invocation.fail_usage(
        {.message = "'*' is not a factor", .hint = "write a number", .shown = "cpu * *", .caret = 6});
  if (outcome == "mute") return ExitCode::bad_input;
  if (outcome == "memory") throw std::bad_alloc();
  if (outcome == "throw") throw std::runtime_error("the invariant broke");
  if (outcome == "undeclared") return invocation.has("nonsense") ? ExitCode::ok : ExitCode::check_failed;
  return invocation.deliver(std::move(answer));
}

inline const Verb& sample_verb() {
  static const Verb verb = {
      .name = "sample",
      .summary = "a verb for tests: it can't do much",
      .description = "First paragraph with a 'quote' and a back\\slash.\n\n.Second paragraph: 57 % of µs.",
      .operands = {.name = "FILE...", .help = "traces", .min = 0, .max = 2},
      .flags =
          {{.name = "annotation",
            .short_name = 'a',
            .value_name = "TEXT",
            .help = "the text [in brackets]: it's \"quoted\"",
            .default_text = "ProfilerStep"},
           {.name = "instance", .value_name = "N", .kind = ValueKind::integer, .help = "which one"},
           {.name = "limit", .value_name = "N", .kind = ValueKind::count, .help = "how many", .default_text = "10"},
           {.name = "factor",
            .value_name = "X",
            .kind = ValueKind::number,
            .help = "scale",
            .default_text = "0.5",
            .former_name = "times"},
           {.name = "edit",
            .short_name = 'e',
            .value_name = "EDIT",
            .help = "an edit",
            .repeatable = true,
            .group = "Edits"},
           {.name = "overlay", .value_name = "FILE", .kind = ValueKind::file, .help = "where to", .group = "Edits"},
           {.name = "folder",
            .value_name = "DIR",
            .kind = ValueKind::directory,
            .help = "where from",
            .group = "Edits"},
           {.name = "strict", .short_name = 's', .help = "no mercy"},
           {.name = "outcome",
            .value_name = "HOW",
            .help = "how to end",
            .choices = "ok listed check input usage mute memory throw undeclared"}},
      .examples = {{"orrery sample a.json --edit 'cpu * 0.5'", "nothing"}},
      .run = run_sample,
  };
  return verb;
}

inline const std::vector<const Verb*>& sample_table() {
  static const std::vector<const Verb*> table = {&sample_verb(), &help_verb(), &completion_verb(), &man_verb()};
  return table;
}

}  // namespace orrery::cli
