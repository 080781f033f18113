#include "formats/perfetto/writer.h"

#include <doctest/doctest.h>
#include <simdjson.h>

#include "formats/kineto/reader.h"
#include "support/temp_dir.h"

namespace orrery::perfetto {
namespace {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

struct Sample {
  Interner strings;
  trace::RankTrace rank;

  EventIndex add(std::string_view name, std::uint16_t category, trace::LaneIndex lane, TimePs start, TimePs duration) {
    const bool is_instant = duration < 0;
    return rank.append_event(
        {.start = start,
         .duration = std::max<TimePs>(duration, 0),
         .name = strings.intern(name),
         .lane = lane,
         .category = category,
         .phase = is_instant ? 'i' : 'X',
         .flags = static_cast<std::uint8_t>(trace::kHasCategory | (is_instant ? 0 : trace::kHasDuration))},
        {.ordinal = static_cast<std::uint32_t>(rank.event_count())});
  }
};

/// Two lanes, three events, an arrow.
Sample make_sample() {
  Sample sample;
  trace::RankTrace& rank = sample.rank;
  rank.rank = 3;
  rank.epoch_unix_ns = 1'000'000'000;
  rank.source.world_size = 4;
  rank.source.backend = "nccl";
  rank.categories = {{sample.strings.intern("kernel"), Activity::kernel},
                     {sample.strings.intern("message"), Activity::other}};
  const StringId process = sample.strings.intern("rank 3");
  rank.lanes = {{{3, 0}, {1, 0}, process, sample.strings.intern("compute")},
                {{3, 0}, {0, sample.strings.intern("comm \"x\"")}, process, sample.strings.intern("comm")}};
  const EventIndex gemm = sample.add("gemm", 0, 0, 1'500'001, 2'000'000);
  rank.field(Field::correlation).push(gemm, 17);
  const EventIndex reduce = sample.add("all\nreduce", 0, 1, 4'000'000, 0);
  rank.field(Field::collective_text).push(reduce, sample.strings.intern("allreduce"));
  sample.add("mark", 1, 0, -1, -1);
  rank.flows.id.push_back(9);
  rank.flows.time.push_back(4'000'000);
  rank.flows.lane.push_back(1);
  rank.flows.category.push_back(1);
  rank.flows.phase.push_back('f');
  return sample;
}

Status write(const Sample& sample, const std::string& path, const MoreArguments& more = {}) {
  Result<TraceWriter> writer = TraceWriter::create(path, header_of(sample.rank));
  if (!writer) return writer.error();
  writer->add_rank(sample.rank, sample.strings, more);
  return writer->commit();
}

}  // namespace

TEST_CASE("a document as it is written") {
  const orrery::testing::TempDir dir;
  const auto more = [](EventIndex event, JsonWriter& args) {
    if (event == 0) args.field("more", 1.5);
  };
  REQUIRE(write(make_sample(), dir.path("t.json"), more).ok());
  CHECK(
      orrery::testing::read_file(dir.path("t.json")) ==
      R"x({"schemaVersion":1,"displayTimeUnit":"ns","distributedInfo":{"backend":"nccl","rank":3,"world_size":4},"traceEvents":[
{"ph":"M","name":"process_name","pid":3,"args":{"name":"rank 3"}},
{"ph":"M","name":"process_sort_index","pid":3,"args":{"sort_index":3}},
{"ph":"M","name":"thread_name","pid":3,"tid":1,"args":{"name":"compute"}},
{"ph":"M","name":"thread_sort_index","pid":3,"tid":1,"args":{"sort_index":0}},
{"ph":"M","name":"thread_name","pid":3,"tid":"comm \"x\"","args":{"name":"comm"}},
{"ph":"M","name":"thread_sort_index","pid":3,"tid":"comm \"x\"","args":{"sort_index":1}},
{"ph":"X","cat":"kernel","name":"gemm","pid":3,"tid":1,"ts":1000001.500001,"dur":2,"args":{"correlation":17,"more":1.5}},
{"ph":"X","cat":"kernel","name":"all\nreduce","pid":3,"tid":"comm \"x\"","ts":1000004,"dur":0,"args":{"Collective name":"allreduce"}},
{"ph":"i","cat":"message","name":"mark","pid":3,"tid":1,"ts":999999.999999,"s":"t","args":{}},
{"ph":"f","cat":"message","name":"message","id":9,"pid":3,"tid":"comm \"x\"","ts":1000004,"bp":"e"}
]}
)x");
}

TEST_CASE("the Kineto reader reads back what was written, to the picosecond, compressed or not") {
  for (const char* name : {"t.json", "t.json.gz"}) {
    const orrery::testing::TempDir dir;
    const Sample sample = make_sample();
    REQUIRE(write(sample, dir.path(name)).ok());
    Interner strings;
    Diagnostics diagnostics;
    const auto read = kineto::read_rank(dir.path(name), strings, diagnostics);
    REQUIRE(read.ok());
    CHECK(diagnostics.sorted().empty());
    CHECK(read->source.rank == 3);
    CHECK(read->source.world_size == 4);
    REQUIRE(read->event_count() == 3);
    for (EventIndex e = 0; e < 3; ++e) {
      CHECK(read->epoch_unix_ns * kPsPerNs + read->start[e] ==
            sample.rank.epoch_unix_ns * kPsPerNs + sample.rank.start[e]);
      CHECK(read->duration[e] == sample.rank.duration[e]);
      CHECK(strings.text(read->name[e]) == sample.strings.text(sample.rank.name[e]));
      CHECK(read->activity(e) == sample.rank.activity(e));
    }
    CHECK(read->field(Field::correlation).find(0) == 17);
    CHECK(strings.text(read->lanes[1].thread_name) == "comm");
    REQUIRE(read->flows.size() == 1);
    CHECK(read->flows.id[0] == 9);
  }
}

TEST_CASE("several ranks, none at all, and no events are valid JSON") {
  const orrery::testing::TempDir dir;
  for (const int ranks : {0, 1, 3}) {
    Result<TraceWriter> writer = TraceWriter::create(dir.path("t.json"), {.world_size = ranks});
    REQUIRE(writer.ok());
    const Sample sample = make_sample();
    const trace::RankTrace empty;
    for (int i = 0; i < ranks; ++i) writer->add_rank(i == 1 ? empty : sample.rank, sample.strings);
    REQUIRE(writer->commit().ok());
    simdjson::dom::parser parser;
    simdjson::dom::array events;
    REQUIRE(parser.load(dir.path("t.json"))["traceEvents"].get_array().get(events) == simdjson::SUCCESS);
    CHECK(events.size() == static_cast<std::size_t>(ranks == 0 ? 0 : ranks == 1 ? 10 : 20));
  }
}

TEST_CASE("a document larger than the buffer is whole") {
  const orrery::testing::TempDir dir;
  Sample sample = make_sample();
  for (TimePs i = 0; i < 50'000; ++i) sample.add("a kernel with a name of some length", 0, 0, i * kPsPerUs, kPsPerNs);
  REQUIRE(write(sample, dir.path("t.json.gz")).ok());
  Interner strings;
  Diagnostics diagnostics;
  const auto read = kineto::read_rank(dir.path("t.json.gz"), strings, diagnostics);
  REQUIRE(read.ok());
  CHECK(read->event_count() == 50'003);
}

TEST_CASE("a path that cannot be written to is an error, and an unfinished file is not left behind") {
  CHECK_FALSE(TraceWriter::create("/nowhere/t.json", {}).ok());
  const orrery::testing::TempDir dir;
  { const auto writer = TraceWriter::create(dir.path("t.json"), {}); }
  CHECK(std::filesystem::is_empty(dir.path()));
}

}  // namespace orrery::perfetto
