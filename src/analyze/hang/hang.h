// Why a job does not go on: the verdict over what its ranks called (docs/HANG.md has the rules and an example).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/hang/job_calls.h"
#include "analyze/hang/mismatch.h"
#include "analyze/hang/waits.h"

namespace orrery::analyze {

enum class Verdict : std::uint8_t {
  complete,     ///< every recorded call is done
  not_arrived,  ///< a rank has done all it called and does not call what others wait in: its host is elsewhere
  gone,         ///< a rank that others wait for left no dump
  device,       ///< a rank has called, but its device has not begun
  mismatch,     ///< members called different things as one collective
  circle,       ///< ranks wait for one another
  transfer,     ///< all members are inside, and it does not end: the network, or a kernel
  unrecorded,   ///< there is no entry in any dump
};
std::string_view identifier(Verdict verdict);

enum class RankState : std::uint8_t { waiting, idle, device, gone };
std::string_view identifier(RankState state);

/// A call of a rank, by its place.
struct CallPlace {
  std::uint32_t rank = 0;  ///< place in JobCalls::ranks
  std::uint32_t call = 0;  ///< place in RankCalls::calls
};

struct Hang {
  Verdict verdict = Verdict::complete;
  std::vector<std::int64_t> culprits;  ///< ranks, ascending
  std::optional<CallPlace> operation;  ///< what it is about
  std::optional<Mismatch> mismatch;    ///< of Verdict::mismatch
  std::vector<ChainStep> chain;        ///< from far to near: the last target is a culprit
  std::vector<RankState> states;       ///< as JobCalls::ranks
  std::vector<std::vector<Arrow>> arrows;
};

/// The first rule that applies: unrecorded; mismatch; who waits for whom, to those that wait for nobody (gone, before
/// not_arrived, before device); a circle, which may be a call that one of its ranks left out; transfer; device;
/// complete.
Hang find_hang(const JobCalls& job);

/// The verdict in one sentence: "Rank 3 did not come to all_reduce #12 of group 2: rank 0 waits for ...".
std::string sentence_of(const JobCalls& job, const Hang& hang);

/// "all_reduce #12 of group 2"; "recv #3 of default_pg".
std::string call_text(const JobCalls& job, const RecordedCall& call);
/// "all_reduce of 1,024 Float".
std::string content_text(const JobCalls& job, const RecordedCall& call);

}  // namespace orrery::analyze
