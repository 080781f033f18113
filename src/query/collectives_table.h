// The table `collectives`: who took part in what, when, and how long it waited for the others.
#pragma once

#include "query/recording.h"
#include "query/rows.h"

namespace orrery::query {

/// A row per rank that took part in a collective or message; of a single rank what it recorded, and nobody knows how
/// long it waited.
Table collectives_table(const Recording& recording, const EventNumbers& numbers);

}  // namespace orrery::query
