// The table `works`: one row per kernel, copy and set, with what is known of it beyond its event.
#pragma once

#include "query/recording.h"
#include "query/rows.h"

namespace orrery::query {

/// Rank by rank, each in order of start.
Table works_table(const Recording& recording, const EventNumbers& numbers);

}  // namespace orrery::query
