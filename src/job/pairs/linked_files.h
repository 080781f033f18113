// Linked ranks as files: a Chakra file, a linked host trace, or one file per rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "base/result.h"
#include "formats/chakra/writer.h"
#include "job/pairs/linked_job.h"
#include "trace/host_trace.h"

namespace orrery::job {

// What a host trace says of an operator beyond what a Program holds, in the words of Chakra's converter.

/// Per row: the record-function id of the row that called it; trace::kNoNumber where there is none. O(n log n).
std::vector<std::int64_t> calling_functions(const trace::HostTrace& host);

/// Shapes, types, strides and values of inputs and outputs, rf_id, fw_parent, seq_id, scope, fw_tid and op_schema of a
/// row, as far as given, and, in words of our own, who called it (caller_rf_id): what a replay needs. Thread and stream
/// are written with every node. `callers`: calling_functions.
void add_row_details(const trace::HostTrace& host, std::uint32_t row, const std::vector<std::int64_t>& callers,
                     const Interner& strings, chakra::NodeDetails& details);

struct LinkTarget {
  enum class Form : std::uint8_t { none, chakra, linked_json };
  Form form = Form::none;
  std::string path;            ///< a file, or what the files of all ranks begin with
  bool file_per_rank = false;  ///< PATH.RANK.et
};

/// NAME.et and NAME.json are files of one rank; anything else, and any name for several ranks, is what the names of the
/// ranks' files begin with (NAME.0.et, NAME.1.et), as ASTRA-sim wants them. An empty name: nothing is written.
/// `as_chakra_trace_link`: what does not end in .et is one linked host trace, as of that tool.
LinkTarget link_target(std::string path, bool as_chakra_trace_link, std::size_t ranks);

/// The file of a rank.
std::string target_file(const LinkTarget& target, std::int64_t rank);

/// Writes the files of all ranks, and NAME.groups.json if there are groups. All files appear, or none does.
Status write_linked(const LinkTarget& target, const LinkedJob& job);

/// What chakra_trace_link, and for a Chakra file chakra_converter, make of the same traces. `job` is read but not
/// linked.
Status write_linked_as_chakra(const LinkTarget& target, LinkedJob& job, Diagnostics& diagnostics);

}  // namespace orrery::job
