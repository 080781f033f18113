// What is in files: ranks, steps, devices, events, time span.
#pragma once

#include <cstdint>
#include <optional>

#include "ask/recording.h"

namespace orrery::ask {

struct InfoRequest {
  RecordingRequest recording = {};
  std::optional<std::uint64_t> event = {};  ///< only this entry of the event list, as written
};
template <typename Visitor>
void fields(InfoRequest& request, Visitor&& visit) {
  fields(request.recording, visit);
  visit("event", request.event);
}

Result<report::Answer> run(const InfoRequest& request, Context& context);

/// What every rank is asked by itself (job/read/rank_answers.h), also by processes of a team: an analyze::RankInfo.
job::RankQuestion info_question();

}  // namespace orrery::ask
