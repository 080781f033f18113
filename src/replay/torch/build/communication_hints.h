// In which group a rank's calls communicated, and whether they were over when their thread went on.
#pragma once

#include <span>

#include "causal/host/host_match.h"
#include "match/host_work.h"
#include "replay/torch/source/rank_source.h"
#include "replay/torch/source/row_times.h"
#include "trace/trace.h"

namespace orrery::replay::torch {

/// Groups that rows name (record_param_comms) by the list of groups in the host trace; else what was found out about
/// the work of the host (match/host_work.h): `works` are the rank's, their groups places in SourceInfo::groups.
void find_communication_hints(const trace::RankTrace& rank, const causal::HostMatch& match,
                              std::span<const match::HostWork> works, std::int64_t world_size, const RowTimes& times,
                              RankSource& source);

/// The same from a host trace alone; also which rows are those of gloo's own threads (RankSource::is_aside), by what
/// else those do.
void find_communication_hints(std::int64_t world_size, RankSource& source);

/// The group of the call around a row. The name is kept as it is given: it must outlive the source.
void set_group(RankSource& source, std::uint32_t row, std::string_view name, const std::vector<std::int64_t>& members);

}  // namespace orrery::replay::torch
