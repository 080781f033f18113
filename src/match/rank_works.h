// What the host of one rank communicated itself, and which call asked for each of it.
#pragma once

#include <optional>
#include <vector>

#include "match/communication.h"
#include "match/host_work.h"
#include "trace/trace.h"

namespace orrery::match {

/// What the names of a job say, each looked at once.
struct CommunicationNames {
  std::vector<std::optional<CommunicationKind>> work, call;  ///< by text
  bool any_work = false;

  explicit CommunicationNames(const Interner& strings) : work(strings.size()), call(strings.size()) {
    for (StringId id = 0; id < strings.size(); ++id) {
      const std::string_view name = strings.text(id);
      if (is_host_communication(name)) work[id] = communication_kind(name);
      else if (is_call_of_communication(name)) call[id] = communication_kind(name);
      any_work = any_work || work[id].has_value();
    }
  }
};

/// Works in order of `event`, each with the call that asked for it where that can be told; groups and numbers are left
/// open. Of each kind the calls are paired with the works by the numbers of their record functions, else by size and
/// order, else by order alone: workers take what was asked for in order. O(events + works log works) where the names
/// have any work, else O(1).
std::vector<HostWork> find_rank_works(const trace::Trace& trace, const trace::RankTrace& rank,
                                      const CommunicationNames& names);

}  // namespace orrery::match
