// Reads PyTorch execution traces (ExecutionTraceObserver), plain or compressed, and linked traces, which are the same
// with times.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/host_trace.h"

namespace orrery::pytorch_et {

/// Schemas 1.0.1 to 1.1.1; a newer one is read as the last of them, with a warning. Texts go to `strings`. An Error
/// names the file and the byte; a row that cannot be used is counted in `diagnostics`.
Result<trace::HostTrace> read_host_trace(const std::string& path, Interner& strings, Diagnostics& diagnostics);

/// Whether a file that begins like this may be such a trace: an object with "schema" and "nodes".
bool looks_like_host_trace(std::string_view first_bytes);

/// A tensor as operators name it: [tensor id, storage id, offset, elements, bytes per element, "cuda:0"].
struct Tensor {
  std::uint64_t tensor = 0;
  std::uint64_t storage = 0;
  std::int64_t offset = 0;
  std::int64_t elements = 0;
  std::int64_t element_bytes = 0;
  std::string_view device;  ///< in the text
};

/// The tensors among the values of `inputs` or `outputs` (JSON of HostTrace), those inside lists too, in order,
/// appended to `out`.
void append_tensors(std::string_view inputs_or_outputs, std::vector<Tensor>& out);

/// A process group, from the row "## process_group:init ##".
struct ProcessGroup {
  std::string name;
  std::string description;
  std::string backend;
  std::vector<std::uint32_t> ranks;  ///< empty: all
  std::int64_t size = trace::kNoNumber;
};
std::vector<ProcessGroup> process_groups(const trace::HostTrace& trace, const Interner& strings);

}  // namespace orrery::pytorch_et
