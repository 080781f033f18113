#include "motif/patterns/script.h"

#include <algorithm>
#include <set>
#include <utility>

namespace orrery::motif {

using workload::ActivityKind;

void Script::phase(std::string_view name) {
  // Few phases: a search beats a table.
  const auto known = std::find(phases_.begin(), phases_.end(), name);
  phase_ = static_cast<std::uint32_t>(known - phases_.begin());
  if (known == phases_.end()) phases_.push_back(name);
}

Script::StepId Script::add(Step step, bool blocks) {
  // Several calls that wait for the same three steps or more would each carry all of these.
  if (!blocks && pending_.size() > 2) join();
  if (steps_.size() == kMostSteps) throw RoundTooLong();
  step.phase = phase_;
  step.first_after = static_cast<std::uint32_t>(after_.size());
  step.after_count = static_cast<std::uint32_t>(pending_.size());
  after_.insert(after_.end(), pending_.begin(), pending_.end());
  steps_.push_back(step);
  const auto id = static_cast<StepId>(steps_.size() - 1);
  // A call that blocks is what everything behind it waits for; another one is open until somebody waits for it.
  if (blocks) pending_.assign(1, id);
  else open_.push_back(id);
  return id;
}

void Script::join() { add({.kind = ActivityKind::none}, true); }

void Script::compute(TimePs duration) {
  // Nothing to do is no step, but what is pending stays so.
  if (duration > 0) add({.kind = ActivityKind::compute, .duration_ps = duration}, true);
}

void Script::send(std::uint32_t peer, std::int64_t bytes, std::int64_t tag) {
  add({.kind = ActivityKind::send, .peer = peer, .bytes = bytes, .tag = tag}, true);
}

void Script::recv(std::uint32_t peer, std::int64_t bytes, std::int64_t tag) {
  add({.kind = ActivityKind::recv, .peer = peer, .bytes = bytes, .tag = tag}, true);
}

Script::StepId Script::isend(std::uint32_t peer, std::int64_t bytes, std::int64_t tag) {
  return add({.kind = ActivityKind::send, .peer = peer, .bytes = bytes, .tag = tag}, false);
}

Script::StepId Script::irecv(std::uint32_t peer, std::int64_t bytes, std::int64_t tag) {
  return add({.kind = ActivityKind::recv, .peer = peer, .bytes = bytes, .tag = tag}, false);
}

Script::StepId Script::isend_in(std::uint32_t group, std::int32_t places, std::int64_t bytes, std::int64_t tag) {
  return add({.kind = ActivityKind::send,
              .peer = static_cast<std::uint32_t>(places),
              .group = group,
              .bytes = bytes,
              .tag = tag},
             false);
}

Script::StepId Script::irecv_in(std::uint32_t group, std::int32_t places, std::int64_t bytes, std::int64_t tag) {
  return add({.kind = ActivityKind::recv,
              .peer = static_cast<std::uint32_t>(places),
              .group = group,
              .bytes = bytes,
              .tag = tag},
             false);
}

void Script::wait(StepId request) {
  const auto open = std::find(open_.begin(), open_.end(), request);
  if (open == open_.end()) return;  // waited for already
  open_.erase(open);
  // What it was issued after ended before it did: waiting for it is waiting for that too.
  const std::vector<StepId> behind = after(steps_[request]);
  std::erase_if(pending_, [&](StepId id) { return std::find(behind.begin(), behind.end(), id) != behind.end(); });
  pending_.push_back(request);
}

// As wait() one after the other, in one pass: what is open now was issued after none of the others.
void Script::wait_all() {
  std::set<StepId> behind;
  for (const StepId request : open_) {
    const Step& step = steps_[request];
    behind.insert(after_.begin() + step.first_after, after_.begin() + step.first_after + step.after_count);
  }
  std::erase_if(pending_, [&](StepId id) { return behind.contains(id); });
  pending_.insert(pending_.end(), open_.begin(), open_.end());
  open_.clear();
}

void Script::collective(workload::Collective collective, std::int64_t bytes, std::uint32_t group, std::uint32_t root) {
  add({.kind = ActivityKind::collective, .collective = collective, .peer = root, .group = group, .bytes = bytes}, true);
}

void Script::collective(workload::Collective collective, std::vector<std::int64_t> parts, std::uint32_t group) {
  std::int64_t bytes = 0;
  for (const std::int64_t part : parts) bytes += part;
  parts_.push_back(std::move(parts));
  add({.kind = ActivityKind::collective,
       .collective = collective,
       .group = group,
       .bytes = bytes,
       .parts = static_cast<std::uint32_t>(parts_.size())},
      true);
}

void Script::close() {
  if (pending_.size() != 1) join();  // none: nothing was done, or nothing that blocks
}

void Script::clear() {
  steps_.clear();
  after_.clear();
  pending_.clear();
  open_.clear();
  phases_.clear();
  parts_.clear();
  phase_ = 0;
}

}  // namespace orrery::motif
