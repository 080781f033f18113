#include "formats/mpitrace/request_table.h"

#include <algorithm>

namespace orrery::mpitrace {

void RequestTable::add(const CallRecord& call, bool is_persistent) {
  if (call.has(tracer::kRequest)) last_begun_ = std::max(last_begun_, call.request);
  completions_.insert(completions_.end(), call.completed.begin(), call.completed.end());
  if (is_persistent && call.has(tracer::kRequest)) prepared_.try_emplace(call.request, call);
}

void RequestTable::finish() {
  std::stable_sort(completions_.begin(), completions_.end(),
                   [](const Completion& a, const Completion& b) { return a.request < b.request; });
}

const Completion* RequestTable::completion(std::uint64_t request, std::uint64_t n) const {
  const auto first =
      std::lower_bound(completions_.begin(), completions_.end(), request,
                       [](const Completion& done, std::uint64_t wanted) { return done.request < wanted; });
  if (static_cast<std::uint64_t>(completions_.end() - first) <= n) return nullptr;
  const Completion& done = first[static_cast<std::ptrdiff_t>(n)];
  return done.request == request ? &done : nullptr;
}

const CallRecord* RequestTable::prepared(std::uint64_t request) const {
  const auto at = prepared_.find(request);
  return at != prepared_.end() ? &at->second : nullptr;
}

}  // namespace orrery::mpitrace
