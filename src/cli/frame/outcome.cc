#include "cli/frame/outcome.h"

#include <cstring>
#include <initializer_list>
#include <string_view>

#include "base/io/output_file.h"
#include "base/json/json_writer.h"
#include "cli/frame/hosting.h"

// An answer is kept until the verb is through, so that a failure prints nothing half. Files appear first, then the
// answer as text, CSV or in the envelope, and remarks go to standard error unless the envelope has them.

namespace orrery::cli {

Envelope make_envelope(std::string_view verb, bool ok, const std::vector<Remark>& remarks,
                       const ask::Provenance& provenance) {
  Envelope envelope;
  JsonWriter head(envelope.head);
  head.begin_object().field("schema", "orrery." + std::string(verb) + "/1").field("ok", ok).key("data").begin_object();

  envelope.tail = "},";  // closes data
  JsonWriter tail(envelope.tail);
  tail.key("diagnostics").begin_array();
  for (const Remark& remark : remarks) {
    tail.begin_object()
        .field("code", remark.code)
        .field("severity", to_string(remark.severity))
        .field("count", remark.count);
    tail.field("message", remark.message).field("hint", remark.hint).end_object();
  }
  tail.end_array().key("provenance");
  ask::write_provenance(tail, provenance);
  tail.end_object();
  envelope.tail += '\n';
  return envelope;
}

namespace {

using Pieces = std::initializer_list<std::string_view>;

report::Style error_style(const Invocation& invocation) {
  return report::Style(invocation.console().colour_err && !invocation.command_line().has("no-color"));
}

std::string_view schema_name(const Invocation& invocation) {
  const Verb* verb = invocation.command_line().verb;
  return verb == nullptr ? "orrery" : verb->family();
}

Status write_file(const std::string& path, Pieces pieces) {
  auto file = OutputFile::create(path);
  if (!file) return file.error();
  for (const std::string_view piece : pieces) file->write(piece);
  return file->commit();
}

Status write_stdout(const Console& console, Pieces pieces) {
  for (const std::string_view piece : pieces) {
    if (const int failure = console.write_out(piece); failure != 0)
      return Error{std::string("cannot write to standard output: ") + std::strerror(failure)};
  }
  return {};
}

// Files appear before anything is printed: what is printed says that they are there.
Status deliver(Invocation& invocation, Pieces pieces) {
  const bool to_file =
      invocation.has("output") && !invocation.verb_writes_output() && !is_standard_output(invocation.text("output"));
  if (to_file) {
    if (Status written = write_file(invocation.text("output"), pieces); !written) return written;
  }
  if (Status published = invocation.outputs().publish(); !published || to_file) return published;
  // Data of the verb itself has standard output; what is said about it goes to the other.
  if (!invocation.writes_data_to_stdout()) return write_stdout(invocation.console(), pieces);
  if (invocation.quiet()) return {};
  for (const std::string_view piece : pieces) invocation.console().write_err(piece);
  return {};
}

void print_remarks(const Invocation& invocation, const std::vector<Remark>& remarks) {
  if (invocation.json()) return;  // the envelope has them
  for (const Remark& remark : remarks) {
    const bool hidden = invocation.quiet() && remark.severity != Severity::error;
    if (!hidden) invocation.console().write_err(format_remark(remark, error_style(invocation)));
  }
}

/// The answer as text or CSV.
std::string rendered(const Invocation& invocation) {
  if (!invocation.answer()) return {};
  const report::Answer& answer = *invocation.answer();
  return answer.for_tables() ? answer.to_csv() : answer.to_text(invocation.table_columns(), invocation.style());
}

/// The members of the envelope's data object.
std::string members_of(const Invocation& invocation) {
  std::string members;
  if (!invocation.answer()) return members;
  // Two to three times the facts: a long text that has room need not move as it grows, and what is not written of the
  // room takes no memory.
  members.reserve(3 * invocation.answer()->facts().size_bytes());
  JsonWriter json(members);
  invocation.answer()->write_json(json);
  return members;
}

Failure failure_of(const Invocation& invocation, ExitCode code) {
  if (invocation.usage_error()) return Failure::from(*invocation.usage_error());
  if (invocation.error()) return Failure::from(*invocation.error());
  return {.code = code,
          .message = "the verb failed and did not say why",
          .excerpt = {},
          .hint = "please report this command as a bug"};
}

}  // namespace

ExitCode finish(Invocation& invocation, ExitCode code) {
  if (code != ExitCode::ok && code != ExitCode::check_failed)
    return finish_failed(invocation, failure_of(invocation, code));
  const std::vector<Remark> remarks = remarks_of(invocation.diagnostics());
  // Whoever runs this program inside another takes the answer as it is.
  if (invocation.hosting() != nullptr && invocation.hosting()->takes_answer && invocation.answer()) {
    if (const Status published = invocation.outputs().publish(); !published)
      return finish_failed(invocation, Failure::from(published.error()));
    invocation.hand_over();
    return code;
  }
  Status written;
  if (invocation.json()) {
    const Envelope envelope =
        make_envelope(schema_name(invocation), code == ExitCode::ok, remarks, invocation.provenance());
    written = deliver(invocation, {envelope.head, members_of(invocation), envelope.tail});
  } else {
    written = deliver(invocation, {rendered(invocation)});
  }
  if (!written) return finish_failed(invocation, Failure::from(written.error()));
  if (!invocation.answer() || !invocation.answer()->remarks_in_text()) print_remarks(invocation, remarks);
  return code;
}

ExitCode finish_failed(Invocation& invocation, const Failure& failure) {
  std::vector<Remark> remarks = remarks_of(invocation.diagnostics());
  print_remarks(invocation, remarks);
  invocation.console().write_err(format_failure(failure, error_style(invocation)));
  invocation.tell(failure);
  if (!invocation.json()) return failure.code;
  remarks.push_back(remark_of(failure));
  const Envelope envelope = make_envelope(schema_name(invocation), false, remarks, invocation.provenance());
  // stdout may be what failed; there is nobody left to tell then.
  (void)write_stdout(invocation.console(), {envelope.head, envelope.tail});
  return failure.code;
}

}  // namespace orrery::cli
