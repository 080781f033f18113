// What a format brings so that files of it are recognised and read: one descriptor, which job/read/registry.cc lists.
//
// A new format is a folder with a descriptor; nothing else needs to know what its files look like.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/host_trace.h"
#include "trace/read_rank.h"
#include "trace/trace.h"
#include "workload/workload.h"

namespace orrery::workload {
class WorkloadSource;
}

namespace orrery::formats {

/// What a file begins with, inflated, and what it is called. Sniffers look at nothing else.
struct Head {
  static constexpr std::size_t kBytes = 64 * 1024;  ///< at most so many are given

  std::string_view bytes;
  std::string_view name;  ///< without folders
  bool is_all = false;    ///< `bytes` is the whole file

  /// The first character that is not blank is { or [.
  [[nodiscard]] bool is_json() const {
    const std::string_view text = bytes.starts_with("\xEF\xBB\xBF") ? bytes.substr(3) : bytes;
    const std::size_t first = text.find_first_not_of(" \n\r\t");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  }
  /// The name ends in `ending`, compressed or not: ".et" of "step.0.et.gz".
  [[nodiscard]] bool is_called(std::string_view ending) const {
    std::string_view rest = name;
    for (const std::string_view packed : {".gz", ".zst"}) {
      if (rest.ends_with(packed)) rest.remove_suffix(packed.size());
    }
    return rest.ends_with(ending);
  }
};

/// What a file of a format is to a job.
enum class Content : std::uint8_t {
  trace,         ///< what one rank, or one node, did: timed events
  host_trace,    ///< the operators of one rank, with times if it is linked
  rank_program,  ///< the program of one rank
  workload,      ///< the programs of all ranks
  log,           ///< what a simulator wrote of a run
  groups,        ///< the members of communicators; no run of anything
  companion,     ///< figures of a run, which the reader of its traces finds beside them; no run of anything
};

struct TraceOptions {
  bool salvage = false;     ///< read a damaged file up to the damage
  bool positions = true;    ///< where in the file an event is; where a format can leave it out, that saves memory
  bool far_clocks = false;  ///< clocks that are years apart are moved together (RankTrace::era_ns) instead of refused
  bool record_functions = false;  ///< what linking with a host trace needs
  bool operands = false;          ///< what operators were given and launches say of kernels (trace::is_operand)
  /// Arrows from calls to the work that they launched: where a format says it by number, too, leaving them out saves
  /// memory. Only who writes or counts them needs them.
  bool launch_arrows = true;
  bool in_parts = true;  ///< one file by several threads, where the format can; not if there is a file for each
  std::function<void(std::uint64_t bytes)> on_progress = {};  ///< called from any thread
};

struct WorkloadOptions {
  std::string schema = {};             ///< of Chakra files that do not say it
  std::size_t ranks = 0, passes = 1;   ///< of text workloads, which leave it open; 0 ranks: what the format does then
  Diagnostics* diagnostics = nullptr;  ///< null: what is odd is an Error
  bool micros_only = false;  ///< of Chakra files: durations as others read them, without our attribute for finer ones
};

struct Format {
  std::string_view name;   ///< "kineto": what a user calls it
  std::string_view title;  ///< "a Kineto trace": what messages call it
  Content content = Content::trace;
  /// Formats are asked in ascending order, the strictest sniffers first; the first that says yes has the file.
  int priority = 0;
  bool (*sniff)(const Head& head) = nullptr;

  // How files of it are read, by what they hold: one of these, or none where only a verb of its own reads it.

  /// One file per rank.
  Result<trace::Trace> (*read_traces)(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                      const TraceOptions& options) = nullptr;
  /// The same in two parts, where nothing of the other files is needed to read one: each file, by any process, then the
  /// job of them. Null: it is needed.
  Result<trace::ReadRank> (*read_rank)(const std::string& path, const TraceOptions& options) = nullptr;
  Result<trace::Trace> (*join_ranks)(const std::vector<std::string>& paths, std::vector<trace::ReadRank> ranks,
                                     Diagnostics& diagnostics, const TraceOptions& options) = nullptr;
  /// Joining looks at no events: outlines (trace/outline.h) are joined as the ranks themselves are.
  bool joins_outlines = false;
  Result<trace::HostTrace> (*read_host)(const std::string& path, Interner& strings, Diagnostics& diagnostics) = nullptr;
  /// One file per rank, or one file for all.
  Result<workload::Workload> (*read_workload)(std::span<const std::string> paths,
                                              const WorkloadOptions& options) = nullptr;

  /// The same made as it is needed, where the format can; null where the whole is as good.
  Result<std::unique_ptr<workload::WorkloadSource>> (*open_workload)(std::span<const std::string> paths) = nullptr;

  // What the beginning of a file or its name say of the rank it is of, without reading it; nothing if they do not say.
  std::optional<std::int64_t> (*peek_rank)(const Head& head) = nullptr;

  /// The file of one rank, if the format can be written from a workload.
  Status (*write_rank)(const workload::Workload& workload, std::size_t rank, const std::string& path) = nullptr;
};

}  // namespace orrery::formats
