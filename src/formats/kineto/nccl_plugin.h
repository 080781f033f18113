// Traces of NCCL's example profiler plugin: Chrome's JSON, in which collectives are async events.
//
//     {"name": "AllReduce", "cat": "COLL", "ph": "b", "id": 3, "pid": 1000, "tid": 1, "ts": 1003255.056000,
//      "args": {"SeqNum": 4, "CommHash": 9223, "Rank": 0, "Count": 12000000, "Datatype": "ncclBfloat16", ...}}
//     {"name": "KernelCh", "cat": "GPU", "ph": "b", "id": 0, ...
//
// A collective's own end is that of its enqueueing; its kernels stand between its begin and its end in the file, and
// tell when it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "trace/trace.h"

namespace orrery::kineto {

class NcclPlugin {
 public:
  /// Whether an event of this category, the first of its file, is one of the plugin's.
  static bool is_first_category(std::string_view category) { return category == "GROUP_API"; }

  /// An async begin, which is the last row; `text` is the event as written. Of a collective or message it adds what the
  /// arguments say of the exchange.
  void begin(trace::RankTrace& rank, Interner& strings, trace::EventIndex row, std::string_view category,
             std::string_view text);
  /// The end of that row, whose times are known. A collective then lasts from its first kernel to its last; without
  /// kernels as long as its proxies worked; without those as written.
  void end(trace::RankTrace& rank, trace::EventIndex row, std::string_view category);

  /// Gives the categories of collectives and messages their meaning.
  static void finish(trace::RankTrace& rank, const Interner& strings);

 private:
  struct Extent {
    TimePs begin = 0, end = 0;
    bool is_there = false;
    void cover(TimePs from, TimePs to);
  };
  struct Operation {
    trace::EventIndex row = 0;
    Extent kernels, proxies;
  };
  std::vector<Operation> open_;  // one inside another, the innermost last
};

/// Says of messages which rank they are with, where the files of both sides tell their places in the communicator.
void join_nccl_plugin(trace::Trace& job);

}  // namespace orrery::kineto
