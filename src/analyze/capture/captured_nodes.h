// What a recording of a capture, or of an eager run, tells of the nodes of graphs: pieces of work in the order in which
// the program asked for them, each with the call that did.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace orrery::analyze {

struct CapturedNode {
  trace::EventIndex call = 0;  ///< of the recording that it was found in
  trace::Activity kind = trace::Activity::kernel;
  StringId kernel = 0;  ///< its name, in the texts of that recording; 0: not told
  StringId grid = 0;    ///< the same of its grid
};

/// The nodes of one graph.
struct Capture {
  std::vector<CapturedNode> nodes;
  std::string label;                      ///< the annotation around it; empty: none
  std::vector<trace::EventIndex> labels;  ///< annotations that name the capture, not a part of the program
  bool is_eager = false;
};

/// Captures of a recording, in order of time: launches without work between the calls that begin and end a capture, on
/// all threads. One within another is one of its own, but where a recorder lost its beginning (captures into the body
/// of a conditional node: more ends than beginnings) it is part of the one around it. A graph that is added as a child
/// is taken to be the one captured last. What has no end goes on to the last event. Where no beginning was recorded and
/// most launches have no work, all of those are one capture. Else it is an eager run: its works by their calls, cut at
/// the outermost annotations, in one piece where there are none. O(events log events).
std::vector<Capture> find_captures(const trace::Trace& trace, const trace::RankTrace& rank);

/// Which kind of node a call of the runtime or driver makes: kernel, memory_copy or memory_set; `other`: none.
trace::Activity node_of_call(std::string_view call);

}  // namespace orrery::analyze
