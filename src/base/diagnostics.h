// Counted, numbered remarks about the input: a record that cannot be used is counted here, never dropped in silence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/packed.h"

namespace orrery {

enum class Severity : std::uint8_t { note, warning, error };

const char* to_string(Severity severity);

/// One kind of remark. Declare as a constexpr next to the code that reports it; `code` is stable across versions
/// (K104).
struct DiagnosticKind {
  const char* code;
  Severity severity;
  const char* summary;  ///< what every occurrence has in common: "event has a negative duration"
  const char* hint;     ///< what the user can do, or what was done about it
};

struct Diagnostic {
  const DiagnosticKind* kind;
  std::uint64_t count = 0;
  std::string example = {};  ///< details of the first occurrence: file, byte position, value
};

/// A set of counted remarks. Not thread-safe: each worker keeps its own and they are merged in input order,
/// so that counts and examples do not depend on the number of threads.
class Diagnostics {
 public:
  /// Counts an occurrence. `make_example()` is called, and may allocate, only the first time.
  template <typename MakeExample>
  void add(const DiagnosticKind& kind, MakeExample&& make_example) {
    Diagnostic& entry = find(kind);
    if (entry.count++ == 0) entry.example = make_example();
  }
  void add(const DiagnosticKind& kind) { ++find(kind).count; }
  void add_many(const DiagnosticKind& kind, std::uint64_t count, std::string example);

  /// Appends `later`, whose occurrences all come after the ones in here.
  void merge(const Diagnostics& later);

  /// For another process of the same program: what merges there as it would here.
  void pack(PackedWriter& writer) const;
  static Diagnostics unpack(PackedReader& reader);

  [[nodiscard]] std::uint64_t count(const DiagnosticKind& kind) const;
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// Ordered by code.
  [[nodiscard]] std::vector<Diagnostic> sorted() const;

 private:
  Diagnostic& find(const DiagnosticKind& kind);

  std::vector<Diagnostic> entries_;
};

}  // namespace orrery
