// The tables `edges`, `path`, `contributors` and `waits`.
#pragma once

#include <functional>
#include <memory>

#include "query/critical_path.h"
#include "query/recording.h"
#include "query/rows.h"

namespace orrery::query {

/// What several tables rest on, each made when it is first asked for. An Error stays: it is given again.
class Analyses {
 public:
  /// Both must outlive it.
  Analyses(const Recording& recording, const EventNumbers& numbers) : recording_(recording), numbers_(numbers) {}

  Result<const CriticalPath*> path();

 private:
  const Recording& recording_;
  const EventNumbers& numbers_;
  std::unique_ptr<Result<CriticalPath>> path_;
};

Table edges_table(Analyses& analyses);
Table path_table(const Recording& recording, Analyses& analyses);
Table contributors_table(const Recording& recording, Analyses& analyses);
/// Each wait in as many rows as it has causes; empty of a single rank.
Table waits_table(const Recording& recording, Analyses& analyses);

}  // namespace orrery::query
