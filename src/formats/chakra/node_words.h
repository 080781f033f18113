// What both spellings of a node say of an activity in the same way.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/chakra/schema.h"
#include "workload/program_builder.h"
#include "workload/workload.h"

namespace orrery::chakra {

// Today's enumerators. What does nothing but gather dependencies (ActivityKind::none) is a computation of no length
// called [join]: ASTRA-sim passes over nodes of type 0 without looking at what comes after them, and ends before its
// ranks have finished.
NodeType node_type_of(workload::ActivityKind kind);
/// The name of an activity; of a nameless join that of one.
std::string_view node_name(const workload::Workload& workload, const workload::Program& program, std::size_t i);
/// Whether a node that was read is such a join.
bool is_join(const workload::Activity& activity, const Interner& strings);
std::int64_t comm_type_of(workload::Collective collective);

/// Rounded, but up to 1 if it is not 0. Joins have none.
std::uint64_t duration_micros(const workload::Program& program, std::size_t i);

/// On the recording's clock, rounded down; 0: not recorded.
std::uint64_t start_micros(const workload::Workload& workload, const workload::Program& program, std::size_t i);

/// Why the format has no word for an activity; empty if it has.
std::string_view beyond_words(const workload::Program& program, std::size_t i);

}  // namespace orrery::chakra
