#include "analyze/hang/hang_sheets.h"

#include <algorithm>
#include <limits>
#include <string>

#include "match/communication.h"

namespace orrery::analyze {
namespace {

using report::Facts;

/// The first call that the rank is inside; null: none.
const RecordedCall* call_inside(const RankCalls& rank) {
  for (const RecordedCall& call : rank.calls) {
    if (call.state == CallState::inside) return &call;
  }
  return nullptr;
}

/// Ranks that a rank waits for, ascending.
std::vector<std::int64_t> targets_of(const JobCalls& job, const Hang& hang, std::uint32_t place) {
  std::vector<std::int64_t> targets;
  if (hang.arrows.empty()) return targets;
  for (const Arrow& arrow : hang.arrows[place]) {
    const std::int64_t target = job.ranks[arrow.target].rank;
    if (targets.empty() || targets.back() != target) targets.push_back(target);
  }
  return targets;
}

std::string joined(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text.append(text.empty() ? "" : ", ").append(std::to_string(number));
  return text;
}

void tell_numbers(Facts& facts, std::string_view key, const std::vector<std::int64_t>& numbers) {
  facts.key(key).begin_array();
  for (const std::int64_t number : numbers) facts.value(number);
  facts.end_array();
}

void tell_text(Facts& facts, std::string_view key, std::string_view text) {
  facts.key(key);
  if (text.empty()) facts.null();
  else facts.value(text);
}

void tell_call(Facts& facts, const JobCalls& job, const RecordedCall& call) {
  facts.field("what", job.text(call.what)).field("group", job.groups[call.group].name).field("seq", call.number);
}

/// What the rank puts in; none if the size of its elements is not known.
std::optional<std::int64_t> bytes_of_call(const JobCalls& job, const RecordedCall& call) {
  const std::int64_t element = match::element_bytes(job.text(call.in_type));
  std::int64_t bytes = 0;
  if (element == 0 || call.in_elements < 0 || __builtin_mul_overflow(element, call.in_elements, &bytes))
    return std::nullopt;
  return bytes;
}

void tell_operation(Facts& facts, const JobCalls& job, const Hang& hang) {
  facts.key("operation");
  if (!hang.operation) {
    facts.null();
    return;
  }
  const RecordedCall& call = job.ranks[hang.operation->rank].calls[hang.operation->call];
  const CallGroup& group = job.groups[call.group];
  facts.begin_object()
      .field("what", job.text(call.what))
      .field("group", group.name)
      .field("description", group.description);
  tell_numbers(facts, "group_ranks", group.ranks);
  facts.field("seq", call.number).key("bytes");
  if (const auto bytes = bytes_of_call(job, call)) facts.value(*bytes);
  else facts.null();
  tell_text(facts, "where", job.text(call.where));
  facts.end_object();
}

void tell_difference(Facts& facts, const JobCalls& job, const Hang& hang) {
  if (!hang.mismatch) {
    for (const std::string_view key : {"difference", "basic", "expected", "found"}) facts.key(key).null();
    return;
  }
  const Mismatch& mismatch = *hang.mismatch;
  facts.field("difference", identifier(mismatch.difference)).field("basic", identifier(mismatch.basic));
  facts.field("expected", content_text(job, mismatch.expected)).field("found", content_text(job, mismatch.found));
}

void tell_ranks(Facts& facts, const JobCalls& job, const Hang& hang) {
  facts.key("ranks").begin_array();
  for (std::uint32_t r = 0; r < job.ranks.size(); ++r) {
    const RankCalls& rank = job.ranks[r];
    facts.begin_object().field("rank", rank.rank).field("state", identifier(hang.states[r]));
    facts.field("calls", rank.entries);
    tell_numbers(facts, "waits_for", targets_of(job, hang, r));
    facts.key("in");
    if (const RecordedCall* const inside = call_inside(rank)) {
      facts.begin_object();
      tell_call(facts, job, *inside);
      facts.end_object();
    } else {
      facts.null();
    }
    facts.key("last");
    if (rank.calls.empty()) {
      facts.null();
    } else {
      facts.begin_object();
      tell_call(facts, job, rank.calls.back());
      tell_text(facts, "where", job.text(rank.calls.back().where));
      facts.end_object();
    }
    facts.end_object();
  }
  facts.end_array();
}

/// How far a member of a group is.
struct Reached {
  std::int64_t called = 0, done = 0;
};

Reached reached_by(const JobCalls& job, const MemberCalls& member) {
  Reached reached;
  for (const std::uint32_t c : member.calls) {
    const RecordedCall& call = job.ranks[member.rank].calls[c];
    reached.called = std::max(reached.called, call.number);
    if (call.state == CallState::done) reached.done = std::max(reached.done, call.number);
  }
  return reached;
}

/// What all members that dumped have done.
std::int64_t done_by_all(const JobCalls& job, std::uint32_t group) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const MemberCalls& member : job.members[group]) {
    if (job.ranks[member.rank].has_dumped) least = std::min(least, reached_by(job, member).done);
  }
  return least == std::numeric_limits<std::int64_t>::max() ? 0 : least;
}

}  // namespace

report::Sheet hang_ranks_sheet(const JobCalls& job, const Hang& hang) {
  report::Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = report::Type::integer, .title = "rank"})
      .add({.name = "state", .title = "state"})
      .add({.name = "calls", .type = report::Type::integer, .title = "calls"})
      .add({.name = "waits_for", .type = report::Type::integers, .title = "waits for"})
      .add({.name = "in", .title = "in"})
      .add({.name = "last", .title = "last call"})
      .add({.name = "where", .title = "at"});
  for (std::uint32_t r = 0; r < job.ranks.size(); ++r) {
    const RankCalls& rank = job.ranks[r];
    const RecordedCall* const inside = call_inside(rank);
    const RecordedCall* const last = rank.calls.empty() ? nullptr : &rank.calls.back();
    const std::string in = inside == nullptr ? "" : call_text(job, *inside);
    const std::string called = last == nullptr ? "" : call_text(job, *last);
    const std::string waits_for = joined(targets_of(job, hang, r));
    const bool is_culprit = std::binary_search(hang.culprits.begin(), hang.culprits.end(), rank.rank);
    const auto text_cell = [](const std::string& text) {
      return text.empty() ? report::Cell(nullptr) : report::Cell(text);
    };
    const std::string where = last == nullptr ? "" : std::string(job.text(last->where));
    sheet.add_row({rank.rank, identifier(hang.states[r]), rank.entries, text_cell(waits_for), text_cell(in),
                   text_cell(called), text_cell(where)},
                  is_culprit ? report::Tone::strong : report::Tone::plain);
  }
  return sheet;
}

report::Sheet hang_groups_sheet(const JobCalls& job) {
  report::Sheet sheet("groups");
  sheet.add({.name = "group", .title = "group"})
      .add({.name = "description", .title = "description"})
      .add({.name = "ranks", .type = report::Type::integers})
      .add({.name = "size", .type = report::Type::integer, .title = "members"})
      .add({.name = "done", .type = report::Type::integer, .title = "done by all"})
      .add({.name = "called_least", .type = report::Type::integer, .title = "called, least"})
      .add({.name = "called_most", .type = report::Type::integer, .title = "most"});
  for (std::uint32_t g = 0; g < job.groups.size(); ++g) {
    const CallGroup& group = job.groups[g];
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
    for (const MemberCalls& member : job.members[g]) {
      if (!job.ranks[member.rank].has_dumped) continue;
      const std::int64_t called = reached_by(job, member).called;
      least = std::min(least, called);
      most = std::max(most, called);
    }
    const std::string ranks = joined(group.ranks);
    sheet.add_row(
        {group.name, group.description, ranks, group.ranks.size(), done_by_all(job, g), std::min(least, most), most});
  }
  return sheet;
}

void tell_hang(Facts& facts, const JobCalls& job, const Hang& hang) {
  facts.field("verdict", identifier(hang.verdict));
  tell_numbers(facts, "culprits", hang.culprits);
  facts.field("sentence", sentence_of(job, hang));
  tell_operation(facts, job, hang);
  tell_difference(facts, job, hang);
  facts.key("chain").begin_array();
  for (const ChainStep& step : hang.chain) {
    const RankCalls& waiter = job.ranks[step.rank];
    facts.begin_object().field("rank", waiter.rank).field("waits_for", job.ranks[step.target].rank);
    tell_call(facts, job, waiter.calls[step.call]);
    facts.end_object();
  }
  facts.end_array();
  tell_ranks(facts, job, hang);
  facts.key("missing").begin_array();
  for (const RankCalls& rank : job.ranks) {
    if (!rank.has_dumped) facts.value(rank.rank);
  }
  facts.end_array().key("groups").begin_array();
  for (std::uint32_t g = 0; g < job.groups.size(); ++g) {
    const CallGroup& group = job.groups[g];
    facts.begin_object().field("group", group.name).field("description", group.description);
    tell_numbers(facts, "ranks", group.ranks);
    facts.field("done", done_by_all(job, g)).key("called").begin_array();
    for (const MemberCalls& member : job.members[g]) {
      if (!job.ranks[member.rank].has_dumped) continue;
      facts.begin_object().field("rank", job.ranks[member.rank].rank);
      facts.field("seq", reached_by(job, member).called).end_object();
    }
    facts.end_array().end_object();
  }
  facts.end_array();
}

}  // namespace orrery::analyze
