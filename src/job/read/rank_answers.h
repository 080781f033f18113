// Questions that every rank answers by itself, asked where its file is read: by any process of a team, and one rank in
// memory per thread. What is kept of a rank is its answer, and what joining the ranks needs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/team/process_team.h"
#include "job/read/reading.h"
#include "job/read/source.h"
#include "trace/trace.h"
#include "workload/workload.h"

namespace orrery::job {

struct RankQuestion {
  std::string_view name;  ///< of all questions, by which another process knows it
  /// As bytes (base/packed.h). It must not depend on other ranks, nor on the rank's number, nor on what its times count
  /// from: alone it has its own.
  std::string (*answer)(const trace::Trace& trace, const trace::RankTrace& rank) = nullptr;
};

struct RankAnswers {
  std::shared_ptr<const trace::Trace>
      job;                           ///< its ranks may be outlines (trace/outline.h): nobody looks at their events
  std::vector<std::string> answers;  ///< as job->ranks
  /// Programs without durations, of which there is no trace to ask: then `job` has no ranks (TraceInput::untimed).
  std::shared_ptr<const workload::Workload> untimed = nullptr;
  std::string path = {}, format = {};  ///< of that: its first file, or what the names of all begin with
};

/// Of ranks that are there.
std::vector<std::string> answers_of(const RankQuestion& question, const trace::Trace& job);

/// Reads and asks. Formats whose ranks cannot be joined without their events, and programs, are read as a whole.
Result<RankAnswers> ask_ranks(const Source& source, const RankQuestion& question, const Reading& reading);

/// What other processes of a team do of it; `questions` are those that they may be asked.
SharedTaskKind rank_question_task(std::vector<RankQuestion> questions);

}  // namespace orrery::job
