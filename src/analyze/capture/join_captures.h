// Gives the works of graph launches the operators, shapes, modules and annotations of the same program recorded while
// it was captured, or run eagerly.
//
// A launch of a graph leaves works without operators. A recording of the capture has the same launches one by one,
// inside their operators, and no works; an eager run has both. What is carried over becomes arguments of the works
// (Field::operator_text and those behind it, shapes, types and values), so that every question finds it where it looks
// for arguments; times are never taken. A capture that fits nothing is told, and nothing is carried over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "trace/trace.h"

namespace orrery::analyze {

/// What Field::origin_text says of a launch where only the order of captures decided between several that fit.
inline constexpr std::string_view kByOrderAlone = ", by order alone";

/// A file of which no capture fits any graph.
struct UnfittingCapture {
  std::string file;
  double best_share = 0;  ///< of a graph's works that found their node in it
};
void remark_unfitting(const UnfittingCapture& capture, Diagnostics& diagnostics);

/// Which call of which capture stands for a work of a graph launch.
struct JoinedWork {
  trace::EventIndex work = 0;
  std::uint32_t capture = 0, rank = 0;  ///< places in the captures, and among the ranks of that one
  trace::EventIndex call = 0;           ///< of that rank
};

/// `captures`: recordings of captures or eager runs, one file each. One counts for the rank that it says, for all if it
/// says none or is the only one. Both need formats::TraceOptions::operands. Returns, per rank of `trace`, what was
/// joined, by work. `unfitting`: files that fit nothing are put there instead of being remarked upon, by whoever tries
/// them on other recordings too.
std::vector<std::vector<JoinedWork>> join_captures(trace::Trace& trace, const std::vector<trace::Trace>& captures,
                                                   Diagnostics& diagnostics,
                                                   std::vector<UnfittingCapture>* unfitting = nullptr);

}  // namespace orrery::analyze
