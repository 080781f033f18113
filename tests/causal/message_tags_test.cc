#include "causal/program/mpi_program.h"

#include <doctest/doctest.h>

#include "causal/diagnostics.h"
#include "match/mpi/mpi_rank.h"

namespace orrery::causal {
namespace {

using trace::Field;

constexpr std::int64_t kAny = -1;

/// A message of `bytes` that a rank sends or gets, in the world (handle 1) or in a copy of it (handle 2).
struct MadeMessage {
  bool is_send;
  std::int64_t peer, tag, bytes;
  std::uint64_t communicator;
};

/// Two ranks, whose only calls are these.
class MadeJob {
 public:
  MadeJob(const std::vector<MadeMessage>& of_0, const std::vector<MadeMessage>& of_1) {
    std::vector<match::CommunicatorUses> uses;
    for (const auto* messages : {&of_0, &of_1}) {
      match::MpiRank rank(trace_.strings);
      TimePs at = 0;
      // The handles are told apart by the collectives that all members do.
      for (const std::uint64_t handle : {1u, 2u}) {
        rank.add_call("MPI_Barrier", at += 10, 5, 0, {});
        rank.set_communicator(handle, {0, 1});
      }
      for (const MadeMessage& message : *messages) {
        rank.add_call(message.is_send ? "MPI_Send" : "MPI_Recv", at += 10, 5, 0, {});
        rank.set(message.is_send ? Field::destination_rank : Field::source_rank, message.peer);
        rank.set(Field::tag, message.tag);
        rank.set(Field::bytes, message.bytes);
        rank.set_communicator(message.communicator, {0, 1});
      }
      rank.trace.rank = static_cast<std::int64_t>(trace_.ranks.size());
      rank.trace.source.rank = rank.trace.rank;
      rank.trace.source.world_size = 2;
      uses.push_back(std::move(rank.communicators));
      trace_.ranks.push_back(std::move(rank.trace));
    }
    match::name_communicators(uses, 2, trace_);
    const std::vector<match::MpiCalls> calls = match::find_mpi_calls(trace_);
    const MpiJobFacts facts(trace_, calls);
    for (std::size_t r = 0; r < 2; ++r) {
      auto rank = link_mpi_rank(trace_, trace_.ranks[r], calls[r], facts, workload_.strings, {}, diagnostics);
      REQUIRE(rank.ok());
      for (const workload::CommGroup& group : rank->groups)
        if (workload_.find_group(group.name) == nullptr) workload_.groups.push_back(group);
      workload_.program_of_rank.push_back(static_cast<std::uint32_t>(r));
      workload_.programs.push_back(std::move(rank->program));
    }
  }

  /// Of the messages of a rank, in its order.
  [[nodiscard]] std::vector<std::int64_t> tags(std::size_t rank) const {
    std::vector<std::int64_t> tags;
    const workload::Program& program = workload_.programs[rank];
    for (std::size_t i = 0; i < program.size(); ++i)
      if (program.has(i, workload::activity::kHasTag)) tags.push_back(program.tags[i]);
    return tags;
  }

  Diagnostics diagnostics;

 private:
  trace::Trace trace_;
  workload::Workload workload_;
};

}  // namespace

TEST_CASE("the same peer and tag in two communicators are two channels, and those of the world keep their tags") {
  const MadeJob job({{true, 1, 5, 100, 1}, {true, 1, 5, 8, 2}, {true, 1, 9, 8, 1}},
                    {{false, 0, 5, 8, 2}, {false, 0, 5, 100, 1}, {false, 0, 9, 8, 1}});
  CHECK(job.tags(0) == std::vector<std::int64_t>{5, 10, 9});  // 9 is the highest of the world
  CHECK(job.tags(1) == std::vector<std::int64_t>{10, 5, 9});
}

TEST_CASE("any tag of a communicator is its only one, or any where nothing of another comes") {
  const MadeJob mixed({{true, 1, 5, 100, 1}, {true, 1, 7, 8, 2}}, {{false, 0, kAny, 8, 2}, {false, 0, kAny, 100, 1}});
  CHECK(mixed.tags(0) == std::vector<std::int64_t>{5, 8});
  CHECK(mixed.tags(1) == std::vector<std::int64_t>{8, 5});
  CHECK(mixed.diagnostics.count(kMpiAnyTag) == 0);

  const MadeJob alone({{true, 1, 5, 100, 2}, {true, 1, 7, 8, 2}}, {{false, 0, kAny, 100, 2}, {false, 0, kAny, 8, 2}});
  CHECK(alone.tags(1) == std::vector<std::int64_t>{workload::kAnyTag, workload::kAnyTag});
  CHECK(alone.diagnostics.count(kMpiAnyTag) == 0);
}

TEST_CASE("what cannot be told apart by a tag is counted") {
  const MadeJob job({{true, 1, 5, 100, 1}, {true, 1, 6, 8, 2}, {true, 1, 7, 8, 2}},
                    {{false, 0, kAny, 8, 2}, {false, 0, kAny, 8, 2}, {false, 0, 5, 100, 1}});
  CHECK(job.tags(1) == std::vector<std::int64_t>{workload::kAnyTag, workload::kAnyTag, 5});
  CHECK(job.diagnostics.count(kMpiAnyTag) == 2);
}

}  // namespace orrery::causal
