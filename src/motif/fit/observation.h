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
};

/// What a site sent, over all its calls.
struct SiteBytes {
  double calls = 0;
  double sum = 0;
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
};

}  // namespace orrery::motif::fit
