#include "trace/trace.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

namespace orrery::trace {
namespace {

/// One event or flow point in plain words.
struct Plain {
  TimePs time = 0;
  std::string name = {};
  std::string category = {};
  int process = 0;
  std::string thread = {};
  bool is_flow = false;
  std::string dtype = {};        // empty: none
  std::string thread_name = {};  // empty: none
};

/// What a reader would make of `events`: everything numbered in order of first appearance.
struct Built {
  RankTrace rank = {};
  Interner strings = {};
};

Built build(const std::vector<Plain>& events, std::int64_t epoch_ns = 0, std::size_t first_ordinal = 0) {
  Built built;
  RankTrace& rank = built.rank;
  rank.epoch_unix_ns = events.empty() ? 0 : epoch_ns;
  for (const Plain& event : events) {
    const StringId name = event.is_flow ? 0 : built.strings.intern(event.name);
    const LaneKey process{event.process, 0};
    const LaneKey thread{0, built.strings.intern(event.thread)};
    LaneIndex lane = 0;
    while (lane < rank.lanes.size() && (rank.lanes[lane].process != process || rank.lanes[lane].thread != thread))
      ++lane;
    if (lane == rank.lanes.size()) rank.lanes.push_back({process, thread});
    if (const StringId label = built.strings.intern(event.thread_name); rank.lanes[lane].thread_name == 0)
      rank.lanes[lane].thread_name = label;
    const StringId text = built.strings.intern(event.category);
    std::uint16_t category = 0;
    while (category < rank.categories.size() && rank.categories[category].text != text) ++category;
    if (category == rank.categories.size())
      rank.categories.push_back({text, event.category == "kernel" ? Activity::kernel : Activity::other});
    const std::uint32_t ordinal = static_cast<std::uint32_t>(rank.source.entries++);
    const TimePs time = event.time - epoch_ns * kPsPerNs;
    if (event.is_flow) {
      rank.flows.id.push_back(event.process);
      rank.flows.time.push_back(time);
      rank.flows.lane.push_back(lane);
      rank.flows.category.push_back(category);
      rank.flows.phase.push_back('s');
      continue;
    }
    const EventIndex row = rank.append_event(
        {.start = time, .duration = 5, .name = name, .lane = lane, .category = category, .flags = kHasDuration},
        {ordinal, first_ordinal + ordinal});
    rank.field(Field::stream).push(row, event.process);
    if (event.dtype.empty()) continue;
    rank.field(Field::dtype_text).push(row, built.strings.intern(event.dtype));
    rank.arguments.named("own text", ValueType::text).push(row, built.strings.intern(event.dtype));
    rank.arguments.named("own number", ValueType::integer).push(row, event.process);
  }
  return built;
}

std::string text_of(const RankTrace& rank, const Interner& strings) {
  std::string text =
      "epoch " + std::to_string(rank.epoch_unix_ns) + " entries " + std::to_string(rank.source.entries) + "\n";
  const auto add = [&](auto... numbers) { ((text += std::to_string(numbers) + " "), ...), text += "\n"; };
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    add(rank.start[e], rank.duration[e], rank.name[e], rank.lane[e], rank.category[e], rank.phase[e], rank.flags[e],
        rank.ordinal[e], rank.source_offset[e]);
    add(rank.field(Field::stream).find(e).value_or(-1), rank.field(Field::dtype_text).find(e).value_or(-1),
        static_cast<int>(rank.activity(e)));
  }
  for (const NamedArgument& argument : rank.arguments.named()) {
    text += argument.name + "\n";
    for (std::size_t i = 0; i < argument.values.event.size(); ++i)
      add(argument.values.event[i], argument.values.value[i]);
  }
  for (std::size_t i = 0; i < rank.flows.size(); ++i)
    add(rank.flows.id[i], rank.flows.time[i], rank.flows.lane[i], rank.flows.category[i], rank.flows.phase[i]);
  for (const Lane& lane : rank.lanes)
    add(lane.process.number, lane.process.text, lane.thread.number, lane.thread.text, lane.process_name,
        lane.thread_name);
  for (const Category& category : rank.categories) add(category.text, static_cast<int>(category.activity));
  for (StringId id = 0; id < strings.size(); ++id) text += std::string(strings.text(id)) + "\n";
  return text;
}

Plain random_plain() {
  return {.time = *rc::gen::inRange<TimePs>(0, 10 * kPsPerSecond),
          .name = *rc::gen::element<std::string>("a", "b", "c", "kernel"),
          .category = *rc::gen::element<std::string>("kernel", "cpu_op", "", "a"),
          .process = *rc::gen::inRange(0, 3),
          .thread = *rc::gen::element<std::string>("x", "y"),
          .is_flow = *rc::gen::inRange(0, 4) == 0,
          .dtype = *rc::gen::element<std::string>("", "Float", "b"),
          .thread_name = *rc::gen::element<std::string>("", "", "first", "second")};
}

Plain at(TimePs time) { return {.time = time, .name = "event", .category = "kernel", .thread = "t"}; }

}  // namespace

TEST_CASE("an event takes 40 bytes, a flow point 23") {
  const RankTrace rank;
  const auto bytes = [](const auto&... columns) { return (sizeof(*columns.begin()) + ...); };
  CHECK(bytes(rank.start, rank.duration, rank.name, rank.lane, rank.category, rank.phase, rank.flags, rank.ordinal,
              rank.source_offset) == 40);
  CHECK(bytes(rank.flows.id, rank.flows.time, rank.flows.lane, rank.flows.category, rank.flows.phase) == 23);
  CHECK(bytes(rank.field(Field::correlation).event, rank.field(Field::correlation).value) == 12);
  const Built built = build(std::vector<Plain>(1000, at(1)));
  CHECK(built.rank.memory_bytes() >= 40 * 1000 + 12 * 1000);
}

TEST_CASE("sparse columns find what they have") {
  SparseColumn column;
  column.push(2, 20);
  column.push(5, -50);
  column.push(6, 0);
  CHECK(column.find(2) == 20);
  CHECK(column.find(5) == -50);
  CHECK(column.find(6) == 0);
  for (const EventIndex missing : {0u, 1u, 3u, 7u, ~0u}) CHECK_FALSE(column.find(missing).has_value());
  CHECK_FALSE(SparseColumn().find(0).has_value());
  const Column<std::int64_t> dense = column.dense(8, -1);
  CHECK((std::vector<std::int64_t>(dense.begin(), dense.end()) ==
         std::vector<std::int64_t>{-1, -1, 20, -1, -1, -50, 0, -1}));
}

TEST_CASE("every field and activity has a name of its own") {
  std::vector<std::string> names;
  for (std::size_t f = 0; f < kFieldCount; ++f) names.emplace_back(kFields[f].name);
  for (int a = 0; a <= static_cast<int>(Activity::profiler_span); ++a)
    names.emplace_back(to_string(static_cast<Activity>(a)));
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("lane keys as JSON") {
  Interner strings;
  CHECK(to_json(strings, {-7, 0}) == "-7");
  CHECK(to_json(strings, {0, strings.intern("a \"b\"\n")}) == R"("a \"b\"\n")");
}

TEST_CASE("reading in parts gives the same bits as reading in one go") {
  CHECK(rc::check([] {
    std::vector<Plain> events;
    for (int i = *rc::gen::inRange(0, 20); i > 0; --i) events.push_back(random_plain());
    const auto cut = static_cast<std::ptrdiff_t>(*rc::gen::inRange<std::size_t>(0, events.size() + 1));
    const std::vector<Plain> front(events.begin(), events.begin() + cut), back(events.begin() + cut, events.end());
    // A part takes its epoch from its own first event: the front's decides, the back's only if the front is empty.
    const std::int64_t front_epoch = 3'000'000'000, back_epoch = 7'000'000'000;
    const Built whole = build(events, front.empty() ? back_epoch : front_epoch);
    Built joined = build(front, front_epoch);
    Built later = build(back, back_epoch, front.size());
    RC_ASSERT(append(joined.rank, joined.strings, std::move(later.rank), later.strings));
    RC_ASSERT(text_of(joined.rank, joined.strings) == text_of(whole.rank, whole.strings));
  }));
}

TEST_CASE("what the source counted adds up") {
  Built first = build({at(1)}), second = build({at(2)});
  first.rank.source.events_without_timestamp = 3;
  second.rank.source.events_without_timestamp = 4;
  second.rank.source.fractional_timestamps = true;
  REQUIRE(append(first.rank, first.strings, std::move(second.rank), second.strings));
  CHECK(first.rank.source.entries == 2);
  CHECK(first.rank.source.events_without_timestamp == 7);
  CHECK(first.rank.source.fractional_timestamps);
}

TEST_CASE("a thread keeps its first name, a process takes its last") {
  Built first = build({at(1)}), second = build({at(2)});
  first.rank.lanes[0].process_name = first.strings.intern("old process");
  first.rank.lanes[0].thread_name = first.strings.intern("first");
  second.rank.lanes[0].process_name = second.strings.intern("new process");
  second.rank.lanes[0].thread_name = second.strings.intern("second");
  REQUIRE(append(first.rank, first.strings, std::move(second.rank), second.strings));
  REQUIRE(first.rank.lanes.size() == 1);
  CHECK(first.strings.text(first.rank.lanes[0].process_name) == "new process");
  CHECK(first.strings.text(first.rank.lanes[0].thread_name) == "first");
}

TEST_CASE("parts too far apart are not joined, and stay as they were") {
  for (const bool flow_is_far : {false, true}) {
    Built first = build({at(0)});
    Built later = build({at(0)});
    if (flow_is_far) {
      later.rank.flows = build({Plain{.time = kMaxMomentPs - 5, .thread = "t", .is_flow = true}}).rank.flows;
      later.rank.epoch_unix_ns = 1;
    } else {
      later.rank.epoch_unix_ns = kMaxMomentPs / kPsPerNs + 1;
    }
    const std::string before = text_of(first.rank, first.strings), later_before = text_of(later.rank, later.strings);
    CHECK_FALSE(append(first.rank, first.strings, std::move(later.rank), later.strings));
    CHECK(text_of(first.rank, first.strings).starts_with(before));  // its texts may have grown
    CHECK(text_of(later.rank, later.strings) == later_before);
  }
  // The end of an event counts, not only its start.
  Built first = build({at(0)}), later = build({at(kMaxMomentPs - 5)});
  later.rank.epoch_unix_ns = 1;
  CHECK_FALSE(append(first.rank, first.strings, std::move(later.rank), later.strings));
  // Epochs at the ends of their range do not overflow.
  Built past = build({at(0)}), future = build({at(0)});
  past.rank.epoch_unix_ns = INT64_MIN;
  future.rank.epoch_unix_ns = INT64_MAX;
  CHECK_FALSE(append(past.rank, past.strings, std::move(future.rank), future.strings));
}

TEST_CASE("more categories than fit together are not joined") {
  Built first = build({at(1)}), later = build({at(2)});
  for (std::size_t i = first.rank.categories.size(); i < kMaxCategories; ++i)
    first.rank.categories.push_back({first.strings.intern("category " + std::to_string(i)), Activity::other});
  later.rank.epoch_unix_ns = 1;
  const std::string later_before = text_of(later.rank, later.strings);
  SUBCASE("one too many") {
    later.rank.categories.push_back({later.strings.intern("new"), Activity::other});
    CHECK_FALSE(append(first.rank, first.strings, std::move(later.rank), later.strings));
    CHECK(first.rank.categories.size() == kMaxCategories);
    CHECK(later.rank.start[0] == 2);
    CHECK(later.rank.epoch_unix_ns == 1);
  }
  SUBCASE("none new") {
    later.rank.categories.push_back({later.strings.intern("category 64999"), Activity::other});
    later.rank.category[0] = 1;
    REQUIRE(append(first.rank, first.strings, std::move(later.rank), later.strings));
    CHECK(first.rank.category[1] == 64'999);
  }
}

TEST_CASE("ranks come in the order of their numbers, equal ones in the order they were added") {
  Trace job;
  for (const int rank : {5, 1, 3, 1}) {
    Built built = build({{.time = 1,
                          .name = "rank " + std::to_string(rank) + " at " + std::to_string(job.ranks.size()),
                          .thread = "t"}});
    built.rank.rank = rank;
    REQUIRE(add_rank(job, std::move(built.rank), built.strings));
  }
  std::string names;
  for (const RankTrace& rank : job.ranks) names += std::string(job.name(rank, 0)) + ", ";
  CHECK(names == "rank 1 at 1, rank 1 at 3, rank 3 at 2, rank 5 at 0, ");
}

TEST_CASE("ranks share one epoch and one table of texts") {
  Trace job;
  for (const std::int64_t epoch : {7'000'000'000, 5'000'000'000, 9'000'000'000}) {
    Built built = build({at(8 * kPsPerSecond)}, epoch);
    REQUIRE(add_rank(job, std::move(built.rank), built.strings));
  }
  CHECK(job.epoch_unix_ns == 7'000'000'000);
  for (const RankTrace& rank : job.ranks) {
    CHECK(rank.epoch_unix_ns == 7'000'000'000);
    CHECK(rank.start[0] == kPsPerSecond);
    CHECK(rank.end(0) == kPsPerSecond + 5);
    CHECK(job.name(rank, 0) == "event");
  }
  CHECK(job.strings.size() == 4);  // "", event, t, kernel
}

TEST_CASE("a rank that does not fit the job's epoch is refused and unchanged") {
  Trace job;
  Built first = build({at(0)});
  REQUIRE(add_rank(job, std::move(first.rank), first.strings));
  Built far = build({at(0)});
  far.rank.epoch_unix_ns = 1'700'000'000'000'000'000;
  const std::string before = text_of(far.rank, far.strings);
  CHECK_FALSE(add_rank(job, std::move(far.rank), far.strings));
  CHECK(job.ranks.size() == 1);
  CHECK(text_of(far.rank, far.strings) == before);
}

TEST_CASE("ranks without times do not decide the epoch") {
  Trace job;
  Built empty = build({}), other = build({}), timed = build({at(0)});
  empty.rank.epoch_unix_ns = 1;
  timed.rank.epoch_unix_ns = 1'700'000'000'000'000'000;
  REQUIRE(add_rank(job, std::move(empty.rank), empty.strings));
  REQUIRE(add_rank(job, std::move(timed.rank), timed.strings));
  REQUIRE(add_rank(job, std::move(other.rank), other.strings));
  CHECK(job.epoch_unix_ns == 1'700'000'000'000'000'000);
  for (const RankTrace& rank : job.ranks) CHECK(rank.epoch_unix_ns == job.epoch_unix_ns);
}

}  // namespace orrery::trace
