// Can files be trusted, and what is missing?
#pragma once

#include "ask/recording.h"

namespace orrery::ask {

struct CheckRequest {
  RecordingRequest recording = {};
  bool causality = false;  ///< also hold collectives and messages of all ranks to happens-before
};
template <typename Visitor>
void fields(CheckRequest& request, Visitor&& visit) {
  fields(request.recording, visit);
  visit("causality", request.causality);
}

/// The answer fails if there are problems, or if causality was asked for and is violated or cannot be checked.
Result<report::Answer> run(const CheckRequest& request, Context& context);

/// What every rank is asked by itself (job/read/rank_answers.h), also by processes of a team: an analyze::RankCheck.
job::RankQuestion check_question();

}  // namespace orrery::ask
