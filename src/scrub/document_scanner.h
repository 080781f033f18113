// The document around the records of every JSON format: {"schema": ..., "nodes": [ {...}, ... ], ...}, or a bare list of events. Like the
// readers', but without looking into the records.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/input.h"
#include "base/json_members.h"
#include "base/result.h"
#include "formats/kineto/document.h"

namespace orrery::scrub {

/// What a document consists of, in order. Views are valid during the call only, and followed by at least 64 readable bytes. An Error ends the
/// scan.
class DocumentVisitor {
 public:
  virtual ~DocumentVisitor() = default;
  /// A member of the document that is no list of records.
  virtual Status on_member(const JsonMember& member, std::uint64_t offset) = 0;
  /// A list of records begins: "traceEvents", "nodes" or "workload_graph".
  virtual Status on_list(std::string_view name) = 0;
  /// An entry of the list: mostly an object.
  virtual Status on_record(std::string_view text, std::uint64_t offset) = 0;
  virtual Status on_list_end() = 0;
};

struct ScanOutcome {
  std::uint64_t text_bytes = 0;
};

/// Scans the whole file, inflating it if it is compressed. An Error if it is damaged, truncated or no JSON. Bounded memory, unless one value is
/// large. `on_progress` (may be empty) gets the number of file bytes newly read.
Result<ScanOutcome> scan_document(const MappedFile& file, DocumentVisitor& visitor, const std::function<void(std::uint64_t)>& on_progress);

}  // namespace orrery::scrub
