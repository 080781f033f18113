#include <orrery/recording.h>

#include "api/answer_data.h"
#include "ask/graphs/blame.h"
#include "ask/graphs/edits.h"
#include "ask/graphs/path.h"
#include "ask/graphs/whatif.h"
#include "ask/opened_trace.h"

namespace orrery::api {

struct Recording::State {
  std::shared_ptr<const ask::OpenedTrace> opened;

  [[nodiscard]] ask::Setting setting() const {
    return {.reader = report::Reader::library, .records_inputs = false, .opened = {opened}};
  }
  /// The part of it that a question is about.
  [[nodiscard]] ask::GraphRequest graph(const Window& window) const {
    ask::GraphRequest request;
    request.recording = {.files = opened->named,
                         .rank = window.rank,
                         .salvage = opened->salvage,
                         .without_profiler = window.without_profiler};
    request.window.annotation = window.annotation;
    if (window.instances) request.window.instances = {window.instances->first, window.instances->second};
    return request;
  }
  template <typename Request>
  [[nodiscard]] Result<Answer> ask(const Request& request) const {
    ask::Context context(setting());
    return answer_of(context, [&](ask::Context& in) { return run(request, in); });
  }
};

Result<Recording> Recording::open(const std::vector<std::string>& named, const RecordingOptions& options) {
  auto opened = ask::open_trace(named, options.salvage);
  if (!opened) return to_api(opened.error());
  return Recording(std::make_unique<State>(State{std::move(*opened)}));
}

Recording::Recording(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;
Recording::~Recording() = default;

std::vector<std::int64_t> Recording::ranks() const {
  std::vector<std::int64_t> ranks;
  for (const trace::RankTrace& rank : state_->opened->trace.ranks) ranks.push_back(rank.rank);
  return ranks;
}

std::size_t Recording::event_count() const {
  std::size_t events = 0;
  for (const trace::RankTrace& rank : state_->opened->trace.ranks) events += rank.event_count();
  return events;
}

Result<Answer> Recording::path(const PathOptions& options) const {
  ask::PathRequest request;
  request.graph = state_->graph(options.window);
  request.overlay = options.overlay;
  return state_->ask(request);
}

Result<Answer> Recording::what_if(const std::vector<std::string>& edits, const WhatIfOptions& options) const {
  ask::WhatIfRequest request;
  request.graph = state_->graph(options.window);
  for (const std::string& edit : edits) {
    const orrery::Status taken = ask::parse_edit(edit, request.edits);
    if (taken) continue;
    orrery::Error error = taken.error();
    error.file = edit;  // what the position is in
    return to_api(error);
  }
  return state_->ask(request);
}

Result<Answer> Recording::blame(const BlameOptions& options) const {
  ask::BlameRequest request;
  request.graph = state_->graph(options.window);
  return state_->ask(request);
}

}  // namespace orrery::api
