#include "base/diagnostics.h"

#include <algorithm>
#include <cstring>

namespace orrery {

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
    // A kind is a constant in a header, so that each library may have its own copy of it: the code is what makes it one.
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
