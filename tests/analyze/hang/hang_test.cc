#include "analyze/hang/hang.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace orrery::analyze {
namespace {

/// Jobs written down call by call.
class Job {
 public:
  explicit Job(std::int64_t ranks) {
    std::vector<std::int64_t> all;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      all.push_back(rank);
      calls_.ranks.emplace_back().rank = rank;
      calls_.ranks.back().has_dumped = true;
    }
    add_group("default_pg", all);
    world_ = ranks;
  }
  std::uint32_t add_group(const std::string& description, std::vector<std::int64_t> ranks) {
    calls_.groups.push_back({std::to_string(calls_.groups.size()), description, std::move(ranks)});
    return static_cast<std::uint32_t>(calls_.groups.size() - 1);
  }
  /// Collectives are numbered as they come.
  RecordedCall& call(std::int64_t rank, std::uint32_t group, const std::string& what, CallState state,
                     std::int64_t elements = 8) {
    RecordedCall& call = add(rank, group, what, state, elements);
    for (const RecordedCall& other : calls_.ranks[static_cast<std::size_t>(rank)].calls)
      call.number += other.group == group && !other.is_message ? 1 : 0;
    return call;
  }
  RecordedCall& message(std::int64_t rank, std::int64_t peer, bool is_send, CallState state) {
    RecordedCall& call = add(rank, 0, is_send ? "send" : "recv", state, 8);
    call.is_message = true;
    call.is_send = is_send;
    call.peer = peer;
    return call;
  }
  RankCalls& rank(std::size_t rank) { return calls_.ranks[rank]; }
  void lose(std::int64_t rank) {
    std::erase_if(calls_.ranks, [&](const RankCalls& calls) { return calls.rank == rank; });
  }
  const JobCalls& finish() {
    calls_.strings = &strings_;
    complete_calls(calls_, world_);
    return calls_;
  }
  Hang judge() { return find_hang(finish()); }
  const JobCalls& calls() { return calls_; }

 private:
  RecordedCall& add(std::int64_t rank, std::uint32_t group, const std::string& what, CallState state,
                    std::int64_t elements) {
    RecordedCall call;
    call.group = group;
    call.what = strings_.intern(what);
    call.in_elements = call.out_elements = elements;
    call.in_type = call.out_type = strings_.intern("Float");
    call.state = state;
    call.called_ns = ++now_;
    RankCalls& calls = calls_.ranks[static_cast<std::size_t>(rank)];
    calls.entries += 1;
    return calls.calls.emplace_back(call);
  }

  Interner strings_;
  JobCalls calls_;
  std::int64_t world_ = 0, now_ = 0;
};

constexpr auto kDone = CallState::done, kInside = CallState::inside, kQueued = CallState::queued;
using Ranks = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("nothing recorded, and everything complete") {
  CHECK(Job(2).judge().verdict == Verdict::unrecorded);
  Job job(2);
  for (const std::int64_t rank : {0, 1}) job.call(rank, 0, "all_reduce", kDone);
  CHECK(job.judge().verdict == Verdict::complete);
}

TEST_CASE("a rank that did not come is found behind those that wait for others because of it") {
  Job job(4);
  const std::uint32_t pair = job.add_group("undefined", {2, 3});
  for (std::int64_t rank = 0; rank < 4; ++rank) job.call(rank, 0, "all_reduce", kDone);
  job.call(2, pair, "all_reduce", kInside);
  for (const std::int64_t rank : {0, 1}) job.call(rank, 0, "all_reduce", kInside);
  const Hang hang = job.judge();
  CHECK(hang.verdict == Verdict::not_arrived);
  CHECK(hang.culprits == Ranks{3});
  REQUIRE(hang.chain.size() == 2);
  CHECK(hang.chain[0].rank == 0);
  CHECK(hang.chain[0].target == 2);
  CHECK(hang.chain[1].target == 3);
  CHECK(
      sentence_of(job.calls(), hang) ==
      "Rank 3 did not come to all_reduce #1 of group 1: rank 0 waits for rank 2 in all_reduce #2 of default_pg; rank 2 "
      "waits for rank 3 in all_reduce #1 of group 1; its last call, all_reduce #1 of default_pg, is complete.");
}

TEST_CASE("who left no dump goes before who did not come, and a stuck device after") {
  Job gone(4);
  for (const std::int64_t rank : {0, 1, 3}) gone.call(rank, 0, "all_reduce", rank == 3 ? kQueued : kInside);
  gone.lose(2);
  const Hang missing = gone.judge();
  CHECK(missing.verdict == Verdict::gone);
  CHECK(missing.culprits == Ranks{2});
  Job stuck(3);
  for (const std::int64_t rank : {0, 1, 2}) stuck.call(rank, 0, "all_reduce", rank == 1 ? kQueued : kInside);
  const Hang device = stuck.judge();
  CHECK(device.verdict == Verdict::device);
  CHECK(device.culprits == Ranks{1});
}

TEST_CASE("a call of a host backend that a member never made has not ended") {
  Job job(3);
  for (const std::int64_t rank : {0, 1}) job.call(rank, 0, "all_reduce", kDone).is_of_host = true;
  const Hang hang = job.judge();
  CHECK(hang.verdict == Verdict::not_arrived);
  CHECK(hang.culprits == Ranks{2});
}

TEST_CASE("a member whose recorder dropped the call has passed it") {
  Job job(2);
  job.call(0, 0, "all_reduce", kInside);
  job.call(1, 0, "all_reduce", kDone).number = 7;
  job.rank(1).is_cut = true;
  CHECK(job.judge().verdict == Verdict::transfer);
}

TEST_CASE("calls that do not fit: those outside the largest party") {
  Job size(3);
  for (const std::int64_t rank : {0, 1, 2}) size.call(rank, 0, "all_reduce", kInside, rank == 1 ? 16 : 8);
  const Hang hang = size.judge();
  CHECK(hang.verdict == Verdict::mismatch);
  CHECK(hang.culprits == Ranks{1});
  CHECK(hang.mismatch->basic == Difference::size);
  CHECK(hang.mismatch->difference == Difference::size);
  CHECK(sentence_of(size.calls(), hang) ==
        "Rank 1 called all_reduce of 16 Float as #1 of default_pg, where the others called all_reduce of 8 Float: "
        "another size.");
}

TEST_CASE("what followed tells whether a call was left out, added or exchanged") {
  const auto difference = [](const std::vector<std::string>& own) {
    Job job(3);
    for (const std::int64_t rank : {0, 1, 2}) {
      std::size_t made = 0;
      for (const std::string& what : rank == 2 ? own : std::vector<std::string>{"all_reduce", "broadcast", "barrier"})
        job.call(rank, 0, what, made++ == 0 ? kInside : kQueued);
    }
    const Hang hang = job.judge();
    CHECK(hang.culprits == Ranks{2});
    return hang.mismatch->difference;
  };
  CHECK(difference({"broadcast", "barrier"}) == Difference::skipped);
  CHECK(difference({"reduce", "all_reduce", "broadcast"}) == Difference::extra);
  CHECK(difference({"broadcast", "all_reduce", "barrier"}) == Difference::order);
  CHECK(difference({"reduce"}) == Difference::op);
}

TEST_CASE("of two parties that are equal, groups of the same kind decide, then what the ranks did before") {
  Job alike(4);
  const std::uint32_t first = alike.add_group("tp", {0, 1}), second = alike.add_group("tp", {2, 3});
  for (const std::int64_t rank : {0, 1}) alike.call(rank, first, "all_reduce", kInside, rank == 0 ? 64 : 8);
  for (const std::int64_t rank : {2, 3}) alike.call(rank, second, "all_reduce", kDone, 8);
  CHECK(alike.judge().culprits == Ranks{0});
  Job before(2);
  for (const std::int64_t rank : {0, 1}) {
    for (const char* const what : {"all_reduce", "broadcast", "all_reduce"}) before.call(rank, 0, what, kDone);
    before.call(rank, 0, rank == 0 ? "broadcast" : "reduce", kInside);
  }
  CHECK(before.judge().culprits == Ranks{1});
  Job unknown(2);
  for (const std::int64_t rank : {0, 1}) unknown.call(rank, 0, rank == 0 ? "broadcast" : "reduce", kInside);
  CHECK(unknown.judge().culprits == Ranks{0, 1});
}

TEST_CASE("sizes that may differ: parts of an all_to_all, and a part and its whole") {
  Job job(2);
  for (const std::int64_t rank : {0, 1}) {
    job.call(rank, 0, "all_to_all", kDone, 8 + rank);
    RecordedCall& gather = job.call(rank, 0, "_all_gather_base", kInside, 8);
    gather.out_elements = 16;
  }
  CHECK(job.judge().verdict == Verdict::transfer);
}

TEST_CASE("messages: the n-th of a pair waits for the n-th of the other side") {
  Job job(3);
  job.message(0, 1, true, kDone);
  job.message(1, 0, false, kDone);
  job.message(1, 0, false, kInside);
  job.message(2, 1, false, kInside);
  const Hang hang = job.judge();
  CHECK(hang.verdict == Verdict::not_arrived);
  CHECK(hang.culprits == Ranks{0});
  CHECK(hang.chain.size() == 2);
  // The same, counted from what both have done, where one side has forgotten its first.
  Job cut(2);
  cut.message(0, 1, true, kDone);
  cut.message(0, 1, true, kDone);
  cut.message(1, 0, false, kDone);
  cut.message(1, 0, false, kInside);
  cut.rank(1).is_cut = true;
  CHECK(cut.judge().culprits == Ranks{0});
}

TEST_CASE("a circle, and a circle because one of its ranks left out a call") {
  Job job(3);
  job.message(0, 1, false, kInside);
  job.message(1, 0, false, kInside);
  job.call(2, 0, "all_reduce", kInside);
  const Hang circle = job.judge();
  CHECK(circle.verdict == Verdict::circle);
  CHECK(circle.culprits == Ranks{0, 1});
  CHECK(circle.chain.size() == 2);

  Job left_out(2);
  for (int step = 0; step < 3; ++step) {
    for (const std::int64_t rank : {0, 1}) {
      const bool is_last = step == 2;
      left_out.message(rank, 1 - rank, rank == 0, kDone);
      if (is_last && rank == 0) continue;
      left_out.call(rank, 0, "all_reduce", is_last ? kInside : kDone);
    }
  }
  left_out.message(0, 1, true, kInside);
  const Hang skipped = left_out.judge();
  CHECK(skipped.verdict == Verdict::mismatch);
  CHECK(skipped.culprits == Ranks{0});
  CHECK(skipped.mismatch->difference == Difference::skipped);
}

TEST_CASE("queued everywhere: the devices are stuck") {
  Job job(2);
  for (const std::int64_t rank : {0, 1}) job.call(rank, 0, "all_reduce", kQueued);
  const Hang hang = job.judge();
  CHECK(hang.verdict == Verdict::device);
  CHECK(hang.culprits == Ranks{0, 1});
}

}  // namespace orrery::analyze
