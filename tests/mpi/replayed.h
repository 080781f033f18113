// A workload and the recording of its replay, side by side.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "job/read/workload_input.h"
#include "workload/agreement.h"
#include "workload/matching.h"
#include "workload/program_lines.h"
#include "workload/resolve_roles.h"

namespace orrery::testing {

/// What a name stands for: files, a folder or a prefix.
inline workload::Workload read_job(const std::string& name) {
  Diagnostics diagnostics;
  const auto source = job::find_source({name}, {}, diagnostics);
  if (!source) FAIL(source.error().to_string());
  auto input = job::read_workload(*source, {}, {.diagnostics = diagnostics});
  if (!input) FAIL(input.error().to_string());
  return std::move(input->workload);
}

/// One side of a message, or one collective, as both see it.
struct Deed {
  std::string what;
  std::uint32_t activity = 0;
};

/// What a rank says to others, by whom it says it to: messages by direction, partner and tag, collectives by the
/// members.
using Conversations = std::map<std::string, std::vector<Deed>>;

class TalkingRank {
 public:
  TalkingRank(const workload::Matching& matching, std::uint32_t rank)
      : matching_(matching), job_(matching.workload()), rank_(rank) {
    for (std::uint32_t r = 0; r < job_.rank_count(); ++r) {
      for (const workload::Channel& channel : matching.lines(r).channels) tags_.push_back(channel.key.tag);
    }
    std::sort(tags_.begin(), tags_.end());
    tags_.erase(std::unique(tags_.begin(), tags_.end()), tags_.end());
  }

  [[nodiscard]] Conversations conversations() const {
    Conversations all;
    const workload::ProgramLines& lines = matching_.lines(rank_);
    for (const workload::Stream& stream : lines.streams) {
      for (const std::uint32_t activity : stream.activities)
        all[partners(activity)].push_back({collective(activity), activity});
    }
    for (const workload::Channel& channel : lines.channels) {
      for (const std::uint32_t activity : channel.activities)
        all[partners(activity)].push_back({message(activity), activity});
    }
    return all;
  }

  /// All that it says, with the functions that it calls, in the order of the program.
  [[nodiscard]] std::vector<std::string> calls() const {
    std::vector<std::string> all;
    const workload::Program& program = job_.program(rank_);
    for (std::uint32_t i = 0; i < program.size(); ++i) {
      const bool is_collective = program.kinds[i] == workload::ActivityKind::collective;
      if (!is_collective && program.kinds[i] != workload::ActivityKind::send &&
          program.kinds[i] != workload::ActivityKind::recv)
        continue;
      all.push_back(std::string(job_.strings.text(program.names[i])) + " " + partners(i) + " " +
                    (is_collective ? collective(i) : message(i)));
    }
    return all;
  }

 private:
  [[nodiscard]] std::string partners(std::uint32_t i) const {
    const workload::Program& program = job_.program(rank_);
    std::string text;
    if (program.kinds[i] == workload::ActivityKind::collective) {
      for (const std::uint32_t member : matching_.communicator(rank_, i).ranks) text += std::to_string(member) + ",";
      return text;
    }
    // Tags beyond MPI's are numbered in their order.
    const auto tag = std::lower_bound(tags_.begin(), tags_.end(), program.tags[i]) - tags_.begin();
    return (program.kinds[i] == workload::ActivityKind::send ? "to " : "from ") +
           std::to_string(matching_.peer(rank_, i)) + " tag " + std::to_string(tag);
  }
  [[nodiscard]] std::string message(std::uint32_t i) const {
    const auto matched = matching_.message(rank_, i);
    REQUIRE(matched);
    return std::to_string(matched->bytes);
  }
  [[nodiscard]] std::string collective(std::uint32_t i) const {
    const workload::Program& program = job_.program(rank_);
    std::string text(to_string(program.collectives[i]));
    text += " " + std::to_string(program.bytes[i]);
    if (workload::is_rooted(program.collectives[i]))
      text += " root " + std::to_string(workload::root_place(matching_.communicator(rank_, i), program, i));
    return text;
  }

  const workload::Matching& matching_;
  const workload::Workload& job_;
  std::uint32_t rank_;
  std::vector<std::int64_t> tags_;
};

/// Every rank says the same to the same partners in the same order; with `calls`, in the same order over all partners
/// and by the same functions.
inline void check_same_talk(const workload::Matching& source, const workload::Matching& replayed, bool calls) {
  REQUIRE(source.workload().rank_count() == replayed.workload().rank_count());
  for (std::uint32_t rank = 0; rank < source.workload().rank_count(); ++rank) {
    CAPTURE(rank);
    const Conversations said = TalkingRank(source, rank).conversations(),
                        repeated = TalkingRank(replayed, rank).conversations();
    const auto texts = [](const Conversations& all) {
      std::vector<std::string> lines;
      for (const auto& [partners, deeds] : all) {
        for (const Deed& deed : deeds) lines.push_back(partners + ": " + deed.what);
      }
      return lines;
    };
    CHECK(texts(said) == texts(repeated));
    if (calls) CHECK(TalkingRank(source, rank).calls() == TalkingRank(replayed, rank).calls());
  }
}

/// Every dependency of the source holds in the recorded times, with the computation in between: nothing begins before
/// what it waits for has ended, and no message ends before it was sent.
inline void check_happens_before(const workload::Matching& source, const workload::Matching& replayed,
                                 bool keeps_compute) {
  const workload::Workload &job = source.workload(), &recording = replayed.workload();
  std::size_t checked = 0;
  for (std::uint32_t rank = 0; rank < job.rank_count(); ++rank) {
    const workload::Program &program = job.program(rank), &recorded = recording.program(rank);
    std::vector<std::uint32_t> place(program.size(), ~std::uint32_t{0});
    const Conversations said = TalkingRank(source, rank).conversations(),
                        repeated = TalkingRank(replayed, rank).conversations();
    for (const auto& [partners, deeds] : said) {
      for (std::size_t i = 0; i < deeds.size(); ++i) place[deeds[i].activity] = repeated.at(partners).at(i).activity;
    }
    std::vector<TimePs> starts(program.size()), ends(program.size());
    constexpr TimePs kHalfNs = 500;  // durations are rounded to nanoseconds
    for (const graph::NodeId i : workload::program_order(program.dependencies)) {
      TimePs ready = std::numeric_limits<TimePs>::min();
      for (const graph::Slot slot : program.dependencies.incoming(i)) {
        const graph::NodeId before = program.dependencies.source(slot);
        const bool is_start =
            static_cast<workload::Dependency>(program.dependencies.type(slot)) == workload::Dependency::start;
        ready = std::max(ready, is_start ? starts[before] : ends[before]);
      }
      if (place[i] == ~std::uint32_t{0}) {
        starts[i] = ready;
        const bool computes = keeps_compute && program.kinds[i] == workload::ActivityKind::compute;
        ends[i] = ready == std::numeric_limits<TimePs>::min() || !computes
                      ? ready
                      : ready + std::max<TimePs>(0, program.duration_ps(i) - kHalfNs);
        continue;
      }
      starts[i] = recorded.starts_ps[place[i]];
      ends[i] = starts[i] + recorded.duration_ps(place[i]);
      CHECK(starts[i] >= ready);
      ++checked;
      if (program.kinds[i] != workload::ActivityKind::recv) continue;
      const auto message = replayed.message(rank, place[i]);
      REQUIRE(message);
      CHECK(ends[i] >= recording.program(message->source).starts_ps[message->send]);
    }
  }
  CHECK(checked > 0);
}

}  // namespace orrery::testing
