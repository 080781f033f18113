// What happens between rows: work that nothing that can be called launched, and what the host does to streams. And what
// launched work says about calls: which stream they are on, what of theirs is pinned.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/edits/rank_edits.h"
#include "replay/torch/source/rank_source.h"
#include "replay/torch/write/entry_writer.h"

namespace orrery::replay::torch {

class SideMoments {
 public:
  /// Adds up times and names of work in `list`. All must outlive this.
  SideMoments(const RankSource& source, const ChosenCalls& chosen, const RankEdits& edits, EntryWriter& entries,
              OperationList& list);

  /// Writes what comes before a visit. To be called in order.
  void take_before(std::uint32_t visit);

  /// The stream of a call; of one that launched nothing, the one that its thread is on.
  std::uint32_t stream_of_call(std::uint32_t call, std::uint32_t thread) {
    return stream_of_call_[call] == kNoNumber32 ? entries_.stream_of(thread) : stream_of_call_[call];
  }
  [[nodiscard]] bool pins_host(std::uint32_t call) const { return pins_host_[call] != 0; }

 private:
  void survey();
  void take_work(const LaunchedWork& work, TimePs duration);
  void take_action(const StreamAction& action);
  [[nodiscard]] bool is_in_call(const HostMoment& moment) const;
  [[nodiscard]] bool is_of_cudnn(const HostMoment& launch) const;

  const RankSource& source_;
  const ChosenCalls& chosen_;
  const RankEdits& edits_;
  EntryWriter& entries_;
  OperationList& list_;
  std::vector<std::uint32_t> stream_of_call_;
  std::vector<std::uint8_t> pins_host_;
  std::set<std::uint32_t> events_;  // recorded so far
  std::size_t next_work_ = 0, next_action_ = 0;
  const LaunchedWork* last_work_ = nullptr;
};

}  // namespace orrery::replay::torch
