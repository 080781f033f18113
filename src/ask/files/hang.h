// Why a job hangs, from the dumps of its ranks.
#pragma once

#include "ask/recording.h"

namespace orrery::ask {

struct HangRequest {
  RecordingRequest recording = {};
};
template <typename Visitor>
void fields(HangRequest& request, Visitor&& visit) {
  visit("salvage", request.recording.salvage);
}

/// Fails (exit status 1) unless every recorded call is complete.
Result<report::Answer> run(const HangRequest& request, Context& context);

}  // namespace orrery::ask
