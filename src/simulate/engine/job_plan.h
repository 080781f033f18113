// Who takes part in what: collectives and messages of all ranks matched before anything runs, and numbered as operations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "simulate/engine/program_plan.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// All ranks, or a group of the workload, as far as anything runs on it.
struct Communicator {
  StringId name = 0;
  std::span<const std::uint32_t> ranks;       ///< into the Workload, or JobPlan::all_ranks
  std::vector<std::uint32_t> stream_of_rank;  ///< by place in `ranks`: which stream of that rank's program it is
  std::uint64_t first_operation = 0;
  std::uint32_t operation_count = 0;
};

/// A send and its recv. Activities are numbered within their rank.
struct Message {
  std::uint32_t source = 0;  ///< a rank
  std::uint32_t target = 0;
  std::uint32_t send = 0;  ///< an activity
  std::uint32_t recv = 0;
  std::int64_t bytes = 0;
};

/// Operations are numbered: collectives communicator by communicator, each in program order; then messages by source, target, tag and order.
struct JobPlan {
  std::vector<ProgramPlan> programs;
  std::vector<std::uint32_t> all_ranks;
  std::vector<Communicator> communicators;                  ///< all ranks first, then by place in Workload::groups
  std::vector<std::vector<std::uint32_t>> communicator_of;  ///< per program and stream
  std::vector<Message> messages;
  std::uint64_t collective_count = 0;          ///< message m is operation collective_count + m
  std::vector<std::uint64_t> first_activity;   ///< per rank, and the total
  std::vector<std::uint64_t> first_stream;     ///< per rank, and the total
  std::vector<std::uint64_t> first_message;    ///< per rank, and the total
  std::vector<std::uint32_t> message_numbers;  ///< by first_message and place in ProgramPlan::messages: into `messages`
};

/// An Error names both activities that should match and do not; or the one that has no partner, names a rank or group that is not there, or is
/// in a group that does not list its rank. O(activities + members of groups + messages log messages). `workload` must outlive the plan.
Result<JobPlan> plan_job(const workload::Workload& workload, const EngineOptions& options);

/// The two halves of plan_job, in this order, after the programs.
Status match_collectives(const workload::Workload& workload, JobPlan& plan);
Status match_messages(const workload::Workload& workload, JobPlan& plan);

}  // namespace orrery::simulate
