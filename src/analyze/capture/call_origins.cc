#include "analyze/capture/call_origins.h"

#include <algorithm>

namespace orrery::analyze {

CallOrigins::CallOrigins(const trace::Trace& trace, const trace::RankTrace& rank) : trace_(trace), rank_(rank) {}

const CallOrigin& CallOrigins::of(trace::EventIndex call) {
  constexpr std::string_view kModule = "nn.Module: ";
  if (!nesting_) nesting_ = trace::nest_events(rank_);
  const auto [at, is_new] = known_.try_emplace(nesting_->parent[call]);
  CallOrigin& origin = at->second;
  if (!is_new) return origin;
  for (trace::EventIndex e = at->first; e != trace::kNoParent; e = nesting_->parent[e]) {
    switch (rank_.activity(e)) {
      case trace::Activity::cpu_operator: origin.operators.push_back(e); break;
      case trace::Activity::annotation: origin.annotations.push_back(e); break;
      case trace::Activity::python:
        if (const std::string_view name = trace_.name(rank_, e); name.starts_with(kModule)) {
          const std::string_view module = name.substr(kModule.size());
          origin.modules.insert(0, origin.modules.empty() ? std::string(module) : std::string(module) + "/");
        }
        break;
      default: break;  // another call around it, or nothing that anybody named
    }
  }
  std::reverse(origin.operators.begin(), origin.operators.end());
  return origin;
}

}  // namespace orrery::analyze
