#include "formats/xspace/reader.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <filesystem>

#include "base/io/output_file.h"
#include "formats/xspace/diagnostics.h"
#include "formats/xspace/random_space.h"
#include "formats/xspace/space_writer.h"
#include "support/temp_dir.h"

namespace orrery::xspace {
namespace {

using namespace testing;
using orrery::testing::TempDir;
using trace::Activity;
using trace::EventIndex;
using trace::Field;

/// A file read back, or why it could not be.
struct Reading {
  Interner strings;
  Diagnostics diagnostics;
  trace::RankTrace rank;
  std::optional<Error> error;

  Reading(const std::string& path, const ReadOptions& options = {}) {
    Result<trace::RankTrace> read = read_rank(path, strings, diagnostics, options);
    if (read) rank = std::move(*read);
    else error = read.error();
  }
  [[nodiscard]] std::string_view name(EventIndex e) const { return strings.text(rank.name[e]); }
  [[nodiscard]] std::string_view text(Field field, EventIndex e) const {
    const auto id = rank.field(field).find(e);
    return id ? strings.text(static_cast<StringId>(*id)) : std::string_view("(none)");
  }
  [[nodiscard]] std::vector<EventIndex> collectives() const {
    const auto& events = rank.field(Field::collective_text).event;
    return {events.begin(), events.end()};
  }
};

Reading read(const std::vector<Plane>& planes) {
  const TempDir dir;
  return Reading(dir.write("node2.xplane.pb", write_space(planes)));
}

TEST_CASE("lanes are the lines in file order, also empty ones, and times are exact") {
  const Reading reading = read({{"/host:metadata"},
                                {"/host:CPU", {{"python3", -5, 40, {{"a", 1'001, 3}, {"b", 2, 0}}}, {"idle", 9, 70}}},
                                environment(),
                                {"/device:GPU:1", {{"Stream #7(Compute)", 7, 50, {{"k", 5, 6}}}}}});
  REQUIRE_FALSE(reading.error);
  const trace::RankTrace& rank = reading.rank;
  CHECK(rank.rank == 2);
  CHECK(rank.source.format == "xspace");
  CHECK(rank.epoch_unix_ns == kStartUnixNs);
  REQUIRE(rank.lanes.size() == 3);
  CHECK(rank.lanes[0].process.number == 1);  // the place of the plane
  CHECK(rank.lanes[0].thread.number == -5);
  CHECK(reading.strings.text(rank.lanes[0].process_name) == "/host:CPU");
  CHECK(reading.strings.text(rank.lanes[1].thread_name) == "idle");
  REQUIRE(rank.event_count() == 3);
  CHECK(rank.start[0] == 41'001);
  CHECK(rank.duration[0] == 3);
  CHECK(rank.start[1] == 40'002);
  CHECK(rank.lane[2] == 2);
  CHECK(rank.start[2] == 50'005);
  CHECK(reading.name(1) == "b");
  CHECK(rank.activity(0) == Activity::cpu_operator);
  CHECK(rank.activity(2) == Activity::kernel);
  CHECK(rank.field(Field::stream).find(2) == 7);
  CHECK(rank.field(Field::device).find(2) == 1);
  REQUIRE(rank.source.devices.size() == 1);
  CHECK(reading.diagnostics.empty());
}

TEST_CASE("the members of a line say the same wherever they stand in it") {
  const std::vector<Event> events = {{"a", 1, 2}, {"Memcpy", 3, 4, {number_stat("correlation_id", 8)}}, {"a", 5, 6}};
  std::vector<Plane> planes = {environment(), {"/device:GPU:1", {{"Stream #7(Compute)", 7, 50, events, "shown"}}}};
  const Reading usual = read(planes);
  planes[1].lines[0].events_first = true;
  const Reading odd = read(planes);
  for (const Reading* reading : {&usual, &odd}) {
    REQUIRE_FALSE(reading->error);
    const trace::RankTrace& rank = reading->rank;
    REQUIRE(rank.event_count() == 3);
    CHECK(rank.source.entries == 3);
    CHECK(rank.start[2] == 50'005);
    CHECK(rank.activity(0) == Activity::kernel);
    CHECK(rank.activity(1) == Activity::memory_copy);
    CHECK(rank.field(Field::stream).find(2) == 7);
    CHECK(rank.field(Field::correlation).find(1) == 8);
    CHECK(rank.field(Field::correlation).event.size() == 1);
    CHECK(rank.lanes[0].thread.number == 7);
    CHECK(reading->strings.text(rank.lanes[0].thread_name) == "shown");
    CHECK(reading->diagnostics.empty());
  }
}

TEST_CASE("planes with the same names, and with the same ids for other names, are each read with their own") {
  const Reading reading = read({{"/host:CPU", {{"t", 1, 0, {{"$f", 1, 2}, {"g", 3, 4}, {"$f", 5, 6}}}}},
                                {"/host:other", {{"t", 1, 0, {{"g", 1, 2}, {"$f", 3, 4}, {"h", 5, 6}, {"h", 7, 8}}}}},
                                environment()});
  REQUIRE(reading.rank.event_count() == 7);
  const char* const names[] = {"$f", "g", "$f", "g", "$f", "h", "h"};
  for (EventIndex e = 0; e < 7; ++e) {
    CHECK(reading.name(e) == names[e]);
    CHECK(reading.rank.activity(e) == (names[e][0] == '$' ? Activity::python : Activity::cpu_operator));
  }
}

TEST_CASE("stats become fields, given as text or by reference") {
  for (const bool by_reference : {false, true}) {
    const auto text = by_reference ? reference_stat : text_stat;
    const Reading reading =
        read({{"/host:CPU",
               {{"thread",
                 1,
                 0,
                 {{"cuLaunchKernel", 0, 9, {number_stat("correlation_id", 34)}},
                  {"train", 0, 99, {number_stat("step_num", 12)}},
                  {"$builtins len", 5, 1}}}}},
              {"/device:GPU:0",
               {{"Stream #3(MemcpyH2D)",
                 3,
                 0,
                 {{"MemcpyH2D",
                   20,
                   5,
                   {number_stat("correlation_id", 34), text("memcpy_details", "size:112 dest:4 async:0")}},
                  {"Memset 0", 30, 5, {text("Memset_details", "kind:unknown num_bytes:4 async:0")}}}}}},
              environment()});
    REQUIRE_FALSE(reading.error);
    const trace::RankTrace& rank = reading.rank;
    CHECK(rank.activity(0) == Activity::runtime_call);
    CHECK(rank.field(Field::correlation).find(0) == 34);
    CHECK(rank.activity(1) == Activity::annotation);
    CHECK(rank.field(Field::step).find(1) == 12);
    CHECK(reading.name(1) == "train 12");
    CHECK(rank.activity(2) == Activity::python);
    CHECK(rank.activity(3) == Activity::memory_copy);
    CHECK(rank.field(Field::correlation).find(3) == 34);
    CHECK(rank.field(Field::bytes).find(3) == 112);
    CHECK(rank.activity(4) == Activity::memory_set);
    CHECK(rank.field(Field::bytes).find(4) == 4);
  }
}

TEST_CASE("a collective has a kind, an operation, a module and a number") {
  const Reading reading = read(
      {{"/host:CPU",
        {{"tf_XLAEigen/1",
          1,
          0,
          {{"all-reduce.2",
            0,
            9,
            {number_stat("run_id", 77), reference_stat("hlo_module", "jit_step"), number_stat("device_ordinal", 4)}},
           {"end: all-reduce.2", 9, 0}}}}},
       environment()});
  REQUIRE(reading.collectives() == std::vector<EventIndex>{0});
  CHECK(reading.text(Field::collective_text, 0) == "allreduce");
  CHECK(reading.text(Field::operation_text, 0) == "all-reduce.2");
  CHECK(reading.text(Field::module_text, 0) == "jit_step");
  CHECK(reading.rank.field(Field::collective_sequence).find(0) == 77);
  CHECK(reading.rank.field(Field::device).find(0) == 4);
}

TEST_CASE("groups, pairs and channels of instructions that are written out") {
  const Reading reading = read(
      {{"/device:TPU:0",
        {{"XLA Ops",
          3,
          0,
          {{"%all-reduce = f32[] all-reduce(), channel_id=1, replica_groups={{0,1},{2,3}}", 0, 5},
           {"%collective-permute.1 = f32[] collective-permute(), channel_id=2, source_target_pairs={{0,1}}", 10, 5},
           {"%send.3 = f32[] send(), channel_id=3", 20, 5}}}}},
       environment()});
  REQUIRE(reading.collectives() == std::vector<EventIndex>{0, 1, 2});
  CHECK(reading.text(Field::group_ranks_text, 0) == "{{0,1},{2,3}}");
  CHECK(reading.text(Field::pairs_text, 1) == "{{0,1}}");
  CHECK(reading.text(Field::group_name_text, 2) == "3");
  CHECK_FALSE(reading.rank.field(Field::group_name_text).find(0));
}

TEST_CASE("no collective is counted twice") {
  SUBCASE("an event that wraps another of the same name on its line") {
    const Reading reading = read({{"/host:CPU",
                                   {{"t",
                                     1,
                                     0,
                                     {{"all-reduce", 10, 5},
                                      {"all-reduce", 9, 8},
                                      {"all-reduce.1", 11, 2},
                                      {"all-reduce", 17, 3},
                                      {"all-reduce", 30, 4}}},
                                    {"u", 2, 0, {{"all-reduce", 10, 5}}}}},
                                  environment()});
    CHECK(reading.collectives() == std::vector<EventIndex>{1, 2, 3, 4, 5});
  }
  SUBCASE("the launch on the host of what the device recorded") {
    const Reading reading = read(
        {{"/host:CPU", {{"t", 1, 0, {{"all-reduce.1", 10, 5}}}}},
         {"/device:GPU:0",
          {{"Stream #20(Compute)",
            20,
            0,
            {{"ncclDevKernel_AllReduce_Sum_f32_RING_LL", 12, 9, {reference_stat("hlo_op", "all-reduce-start.1")}}}},
           {"XLA Ops", 1, 0, {{"all-reduce-start.1", 12, 9}}}}},
         environment()});
    REQUIRE(reading.collectives() == std::vector<EventIndex>{1});
    CHECK(reading.text(Field::operation_text, 1) == "all-reduce-start.1");
  }
  SUBCASE("start and done of an asynchronous one: only where its extent is known") {
    const Reading reading =
        read({{"/device:TPU:0",
               {{"XLA Ops",
                 3,
                 0,
                 {{"%all-gather-start.1 = (f32[]) all-gather-start()", 10, 1},
                  {"%all-gather-done.1 = f32[] all-gather-done()", 30, 5},
                  {"%all-reduce = f32[] all-reduce()", 50, 5}}},
                {"Async XLA Ops", 4, 0, {{"%all-gather-start.1 = (f32[]) all-gather-start()", 10, 25}}}}},
              environment()});
    REQUIRE(reading.collectives() == std::vector<EventIndex>{2, 3});
    CHECK(reading.name(2) == "all-reduce");
    CHECK(reading.text(Field::collective_text, 3) == "all_gather");
  }
  SUBCASE("a kernel that does not say what it does, asked for by the program") {
    const Reading reading =
        read({{"/device:GPU:0",
               {{"Stream #2", 2, 0, {{"ncclDevKernel_Generic_1", 1, 5, {text_stat("hlo_op", "reduce-scatter.4")}}}}}},
              environment()});
    REQUIRE(reading.collectives() == std::vector<EventIndex>{0});
    CHECK(reading.text(Field::collective_text, 0) == "reduce_scatter");
  }
}

TEST_CASE("lines are on the device tracer's clock where they are the device's or share its anchor") {
  const Plane device{"/device:GPU:0", {{"Stream #1", 1, 900, {{"k", 1, 1}}}, {"Stream #2", 2, 40, {}}}};
  const auto clocks = [](const Reading& reading) {
    std::vector<int> all;
    for (const trace::Lane& lane : reading.rank.lanes) all.push_back(lane.clock);
    return all;
  };
  const Line api{"Host Threads/5", 5, 900, {{"hipLaunchKernel", 0, 1}}}, unnamed{"worker", 6, 900, {{"x", 0, 1}}},
      python{"python3", 7, 40, {{"y", 0, 1}}};
  CHECK(clocks(read({device, {"/host:CPU", {api, unnamed, python}}, environment()})) ==
        std::vector<int>{1, 1, 1, 1, 0});
  // An anchor that all lines share tells nothing.
  CHECK(clocks(read({device, {"/host:CPU", {api, unnamed}}, environment()})) == std::vector<int>{1, 1, 1, 0});
  CHECK(clocks(read({{"/host:CPU", {api, unnamed, python}}, environment()})) == std::vector<int>{0, 0, 0});
}

TEST_CASE("what cannot be used is counted") {
  const Reading reading = read({{"/host:CPU",
                                 {{"t",
                                   1,
                                   5,
                                   {{"counted", 0, 5, {}, 3},
                                    {"backwards", 50, -5},
                                    {"far away", 9'000'000'000'000'000'000, 1},
                                    {"fine", 1, 1}}}}}});
  REQUIRE_FALSE(reading.error);
  CHECK(reading.rank.event_count() == 2);
  CHECK(reading.rank.source.entries == 4);
  CHECK(reading.rank.epoch_unix_ns == 0);
  CHECK(reading.diagnostics.count(kUntimedEvent) == 1);
  CHECK(reading.diagnostics.count(kNegativeDuration) == 1);
  CHECK(reading.diagnostics.count(kUnusableTime) == 1);
  CHECK(reading.diagnostics.count(kNoStartTime) == 1);
}

TEST_CASE("lines with Unix times of their own need no start of the recording") {
  const Reading reading = read({{"/host:CPU", {{"t", 1, kStartUnixNs, {{"a", 5, 1}}}}}});
  CHECK(reading.rank.epoch_unix_ns == kStartUnixNs / 1'000'000'000 * 1'000'000'000);
  CHECK(reading.rank.start[0] == kStartUnixNs % 1'000'000'000 * kPsPerNs + 5);
  CHECK(reading.diagnostics.empty());
}

TEST_CASE("events without metadata, complaints of the profiler and bad names are told") {
  std::string bytes = write_space({environment()});
  protozero::pbf_writer(bytes).add_string(2, "buffer overflow");
  protozero::pbf_writer(bytes).add_message(
      1, std::string(
             "\x12\x09/host:CPU\x1A\x08\x22\x06\x08\x07\x10\x05\x18\x01\x22\x0A\x08\x01\x12\x06\x08\x01\x12\x02\xFFx",
             33));
  const TempDir dir;
  const Reading reading(dir.write("n.xplane.pb", bytes));
  REQUIRE_FALSE(reading.error);
  REQUIRE(reading.rank.event_count() == 1);
  CHECK(reading.name(0) == "event 7");
  CHECK(reading.diagnostics.count(kNamelessEvent) == 1);
  CHECK(reading.diagnostics.count(kProfilerComplained) == 1);
  CHECK(reading.diagnostics.count(kInvalidUtf8) == 1);
}

TEST_CASE("compressed files are recognised by their content") {
  const TempDir dir;
  const std::string bytes = write_space({{"/host:CPU", {{"t", 1, 5, {{"a", 1, 2}}}}}, environment()});
  REQUIRE(write_whole_file(dir.path("a.gz"), bytes).ok());
  std::filesystem::rename(dir.path("a.gz"), dir.path("a.xplane.pb"));
  const Reading reading(dir.path("a.xplane.pb"));
  REQUIRE_FALSE(reading.error);
  CHECK(reading.rank.event_count() == 1);
  CHECK(reading.rank.source.text_bytes == bytes.size());
}

TEST_CASE("a file cut anywhere is refused with a position, or what is left is whole") {
  const TempDir dir;
  const std::string bytes =
      write_space({{"/host:CPU", {{"t", 1, 5, {{"a", 1, 2}, {"b", 2, 3, {text_stat("x", "y")}}}}}},
                   environment(),
                   {"/device:GPU:0"}});
  std::size_t refused = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Reading reading(dir.write("cut.xplane.pb", bytes.substr(0, size)));
    if (!reading.error) continue;
    ++refused;
    CHECK(reading.error->file == dir.path("cut.xplane.pb"));
    if (size > 0) CHECK(reading.error->offset < size);
  }
  CHECK(refused >= bytes.size() - 5);  // it may be cut between two planes or names
  const Reading salvaged(dir.write("cut.xplane.pb", bytes.substr(0, bytes.size() - 12)), {.salvage = true});
  REQUIRE_FALSE(salvaged.error);
  CHECK(salvaged.rank.event_count() == 2);
  CHECK(salvaged.diagnostics.count(kSalvaged) == 1);
}

TEST_CASE("damaged bytes are refused or read, never more than that") {
  const TempDir dir;
  CHECK(rc::check([&] {
    std::string bytes = write_space(random_planes());
    for (int i = *rc::gen::inRange(1, 6); i > 0; --i)
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
    const Reading reading(dir.write("bad.xplane.pb", bytes));
    if (reading.error) RC_ASSERT(reading.error->offset <= bytes.size());
    else RC_ASSERT(reading.rank.event_count() <= reading.rank.source.entries);
  }));
}

TEST_CASE("an event that is a number is damage") {
  const TempDir dir;
  // Behind the plane that says when the profile began: one of one line, whose only member has the number of events and
  // the type of a number.
  const std::string begin = write_space({environment()});
  const Reading reading(dir.write("bad.xplane.pb", begin + std::string("\x0a\x04\x1a\x02\x20\x00", 6)));
  REQUIRE(reading.error);
  CHECK(reading.error->offset == begin.size() + 4);
}

TEST_CASE("a public file whose bytes were damaged is refused") {
  const std::string path = std::string(ORRERY_SOURCE_DIR) + "/../shared/data/align/tpu_inference_2.v2.xplane.pb";
  if (!std::filesystem::exists(path)) return;
  const Reading reading(path);
  REQUIRE(reading.error);
  CHECK(reading.error->message.find("not a well-formed XSpace") != std::string::npos);
}

TEST_CASE("the files of a job are numbered by their names, or else by their place") {
  const TempDir dir;
  const auto space = [](std::int64_t start) {
    return write_space({{"/host:CPU", {{"t", 1, 5, {{"a", 1, 2}}}}}, environment(start)});
  };
  Diagnostics diagnostics;
  SUBCASE("names with numbers") {
    const Result<trace::Trace> job = read_job(
        {dir.write("node7.xplane.pb", space(kStartUnixNs)), dir.write("node3.xplane.pb", space(kStartUnixNs + 10))},
        diagnostics);
    REQUIRE(job.ok());
    CHECK(job->ranks[0].rank == 3);
    CHECK(job->ranks[1].rank == 7);
    CHECK(job->epoch_unix_ns == kStartUnixNs);
    CHECK(job->ranks[0].start[0] == 10'000 + 5'001);
    CHECK(diagnostics.empty());
  }
  SUBCASE("names without, or twice the same") {
    for (const auto& names :
         {std::pair("a.xplane.pb", "b.xplane.pb"), std::pair("x/node1.xplane.pb", "y/node1.xplane.pb")}) {
      Diagnostics remarks;
      const Result<trace::Trace> job = read_job(
          {dir.write(names.first, space(kStartUnixNs)), dir.write(names.second, space(kStartUnixNs))}, remarks);
      REQUIRE(job.ok());
      CHECK(job->ranks[1].rank == 1);
      CHECK(job->ranks[1].source.is_run);  // they share nothing
      CHECK(remarks.empty());
    }
  }
  SUBCASE("names without, of a job that communicates") {
    const auto part = [](std::int64_t start) {
      return write_space({{"/host:CPU", {{"t", 1, 5, {{"all-reduce.3", 1, 2}}}}}, environment(start)});
    };
    const Result<trace::Trace> job = read_job(
        {dir.write("a.xplane.pb", part(kStartUnixNs)), dir.write("b.xplane.pb", part(kStartUnixNs))}, diagnostics);
    REQUIRE(job.ok());
    CHECK(job->ranks[1].rank == 1);
    CHECK_FALSE(job->ranks[1].source.is_run);
    CHECK(diagnostics.count(kRankGuessed) == 2);
  }
  SUBCASE("years apart") {
    const Result<trace::Trace> job = read_job(
        {dir.write("node0.xplane.pb", space(kStartUnixNs)), dir.write("node1.xplane.pb", space(kStartUnixNs / 2))},
        diagnostics);
    REQUIRE_FALSE(job.ok());
    CHECK(job.error().message.find("26 days") != std::string::npos);
  }
}

TEST_CASE("a recorded job has its collectives on every node, under the same numbers") {
  Diagnostics diagnostics;
  std::vector<std::string> paths;
  for (int node = 0; node < 4; ++node)
    paths.push_back(ORRERY_SOURCE_DIR "/data/jax_cpu4/node" + std::to_string(node) + ".xplane.pb.gz");
  const Result<trace::Trace> job = read_job(paths, diagnostics);
  REQUIRE(job.ok());
  std::vector<std::vector<std::int64_t>> numbers;
  for (const trace::RankTrace& rank : job->ranks) {
    CHECK(rank.field(Field::collective_text).event.size() == 5);
    CHECK(rank.field(Field::step).event.size() == 5);
    const auto& sequence = rank.field(Field::collective_sequence).value;
    numbers.emplace_back(sequence.begin(), sequence.end());
    std::sort(numbers.back().begin(), numbers.back().end());
  }
  for (const auto& of_node : numbers) CHECK(of_node == numbers.front());
}

}  // namespace
}  // namespace orrery::xspace
