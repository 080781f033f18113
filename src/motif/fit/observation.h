// What fits are made from: runs of one program, each with its parameters and what its ranks did.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "motif/motif.h"

namespace orrery::motif::fit {

/// Two call sites, one after the other; from 0 is the start of the program.
using Edge = std::pair<std::uint32_t, std::uint32_t>;

/// All executions of one transition.
struct EdgeTimes {
  double count = 0;
  double sum_us = 0;
  double least_us = 0;
  double compute_us = 0;  ///< the sum of what lies outside the second call, where that is known
  bool compute_is_known = false;
};

/// What a site sent, over all its calls.
struct SiteBytes {
  double calls = 0;
  double sum = 0;
};

/// One call of one rank.
struct CallRecord {
  std::uint32_t site = 0;
  double time_us = 0;     ///< since the end of the call before it, the call included; of a rank's first call 0
  double compute_us = 0;  ///< the part before the call began
  double bytes = 0;
  std::int64_t peer = -1;  ///< the rank it sends to
  Group group = Group::unknown;
};

/// One rank of one run, its calls in their order. Sites have the same number in all ranks and runs.
struct RankRun {
  RunParameters run = {};
  std::string name = {};
  std::uint64_t rank = 0, ranks = 1;
  bool compute_is_known = false;
  std::vector<CallRecord> calls = {};
};

/// One run as one class of ranks saw it, in the mean over the ranks of the class.
struct ClassRun {
  RunParameters run = {};
  std::string name = {};                 ///< the file or folder, for messages
  std::map<Edge, EdgeTimes> edges = {};  ///< the start included, with count 1; its time means nothing
  std::map<std::uint32_t, SiteBytes> bytes = {};
  std::uint32_t last_site = 0;
  /// The calls in their order, of one rank of the class; empty where the trace has lost it.
  std::vector<std::uint32_t> sequence = {};
  std::vector<double> sequence_bytes = {};  ///< what each of them sent, in the mean over the ranks
};

}  // namespace orrery::motif::fit
