#include "base/diagnostics.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace orrery {
namespace {

/// A kind that another process found. Kinds are constants as a rule, so these live for ever, too; there are as many as
/// codes.
const DiagnosticKind& foreign_kind(std::string_view code, Severity severity, std::string_view summary,
                                   std::string_view hint) {
  struct Texts {
    std::string code, summary, hint;
    DiagnosticKind kind;
  };
  static std::mutex mutex;
  static auto* const known = new std::map<std::string, std::unique_ptr<Texts>, std::less<>>;
  const std::lock_guard lock(mutex);
  if (const auto found = known->find(code); found != known->end()) return found->second->kind;
  auto texts = std::make_unique<Texts>(Texts{std::string(code), std::string(summary), std::string(hint), {}});
  texts->kind = {texts->code.c_str(), severity, texts->summary.c_str(), texts->hint.c_str()};
  return known->emplace(std::string(code), std::move(texts)).first->second->kind;
}

}  // namespace

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "error";
}

Diagnostic& Diagnostics::find(const DiagnosticKind& kind) {
  for (Diagnostic& entry : entries_) {
    // A kind is a constant in a header, so that each library may have its own copy of it: the code is what makes it
    // one.
    if (entry.kind == &kind || std::strcmp(entry.kind->code, kind.code) == 0) return entry;
  }
  return entries_.emplace_back(Diagnostic{&kind});
}

void Diagnostics::add_many(const DiagnosticKind& kind, std::uint64_t count, std::string example) {
  if (count == 0) return;
  Diagnostic& entry = find(kind);
  // The first in the order of the input: merged by rank, it is the same whatever thread came first.
  if (entry.count == 0) entry.example = std::move(example);
  entry.count += count;
}

void Diagnostics::merge(const Diagnostics& later) {
  for (const Diagnostic& entry : later.entries_) add_many(*entry.kind, entry.count, entry.example);
}

void Diagnostics::pack(PackedWriter& writer) const {
  writer.number(entries_.size());
  for (const Diagnostic& entry : entries_) {
    writer.text(entry.kind->code)
        .number(static_cast<std::uint64_t>(entry.kind->severity))
        .text(entry.kind->summary)
        .text(entry.kind->hint);
    writer.number(entry.count).text(entry.example);
  }
}

Diagnostics Diagnostics::unpack(PackedReader& reader) {
  Diagnostics result;
  for (std::uint64_t left = reader.number(); left > 0 && reader.ok(); --left) {
    const std::string_view code = reader.text();
    const auto severity = static_cast<Severity>(std::min<std::uint64_t>(reader.number(), 2));
    const std::string_view summary = reader.text(), hint = reader.text();
    const std::uint64_t count = reader.number();
    result.add_many(foreign_kind(code, severity, summary, hint), count, std::string(reader.text()));
  }
  return result;
}

std::uint64_t Diagnostics::count(const DiagnosticKind& kind) const {
  for (const Diagnostic& entry : entries_) {
    if (std::strcmp(entry.kind->code, kind.code) == 0) return entry.count;
  }
  return 0;
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> result = entries_;
  std::sort(result.begin(), result.end(),
            [](const Diagnostic& a, const Diagnostic& b) { return std::strcmp(a.kind->code, b.kind->code) < 0; });
  return result;
}

}  // namespace orrery
