// The entries of one dump as events of a rank.
//
// What a recorded call is to the analyses (docs/formats/flight_recorder.md): of a host backend an annotation of the
// thread that called, of a device backend a kernel on a lane of its group. Beside the known fields it has named ones:
// "state" (scheduled, started, completed), "retired", "record", "called_ns", "p2p_sequence", "group_description",
// "where" and "frames".
#pragma once

#include <string>

#include "formats/flight_recorder/dump.h"
#include "trace/read_rank.h"

namespace orrery::flight_recorder {

// Names of arguments that no other format has.
inline constexpr std::string_view kState = "state";
inline constexpr std::string_view kRetired = "retired";
inline constexpr std::string_view kRecord = "record";
inline constexpr std::string_view kCalledNs = "called_ns";
inline constexpr std::string_view kP2pSequence = "p2p_sequence";
inline constexpr std::string_view kDescription = "group_description";
inline constexpr std::string_view kWhere = "where";
inline constexpr std::string_view kFrames = "frames";
inline constexpr std::string_view kOutDtype = "out_dtype";

/// Fills `out` with what the dump says by itself: groups whose members it lists, and the least size of the world. Of
/// host backends the members of groups and the ends of calls are told by all ranks together (reader.h).
void build_rank(Dump& dump, const std::string& path, trace::ReadRank& out);

}  // namespace orrery::flight_recorder
