#include "formats/flight_recorder/reader.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "formats/flight_recorder/diagnostics.h"
#include "formats/flight_recorder/format.h"
#include "formats/flight_recorder/profiling_name.h"
#include "support/temp_dir.h"
#include "trace/job_files.h"

namespace orrery::flight_recorder {
namespace {

using trace::Field;

struct EntryOf {
  int record = 0;
  std::string name = "gloo:all_reduce";
  int number = 1;
  std::int64_t called_ns = 0;
  bool retired = true;
  std::string more = {};
  std::string group = R"(["0","default_pg"])";
  int elements = 8;
};

constexpr std::int64_t kBegin = 1'790'000'000'000'000'000;

std::string entry(const EntryOf& e) {
  return fmt::format(
      R"({{"record_id":{},"process_group":{},"collective_seq_id":{},"p2p_seq_id":0,"profiling_name":"{}","time_created_ns":{},)"
      R"("input_sizes":[[2,{}]],"output_sizes":[[{}]],"input_dtypes":["Float"],"output_dtypes":["Float"],"retired":{},)"
      R"("thread_id":"12"{}}})",
      e.record, e.group, e.number, e.name, kBegin + e.called_ns, e.elements / 2, e.elements, e.retired, e.more);
}

std::string dump(const std::vector<std::string>& entries, std::string_view groups = "") {
  std::string list;
  for (const std::string& one : entries) list += (list.empty() ? "" : ",") + one;
  return fmt::format(R"({{"entries":[{}],"pg_config":{{{}}},"version":"2.10"}})", list, groups);
}

bool sniffs(std::string_view text, bool is_all = true) { return kFormat.sniff({text, "x", is_all}); }

}  // namespace

TEST_CASE("names say who communicates, and with whom") {
  const ProfilingName send = parse_profiling_name("nccl:send 0->11");
  CHECK(send.full == "nccl:send");
  CHECK(send.what == "send");
  CHECK(send.role == ProfilingName::Role::send);
  CHECK(send.peer == 11);
  CHECK_FALSE(send.is_of_host());
  CHECK(parse_profiling_name("nccl:recv 1<-0").peer == 0);
  CHECK(parse_profiling_name("gloo:all_gather").is_of_host());
  CHECK(parse_profiling_name("ALLGATHER_coalesced").what == "ALLGATHER_coalesced");
  CHECK(parse_profiling_name("nccl:coalesced").role == ProfilingName::Role::coalesced);
}

TEST_CASE("the rank is the last number before the ending") {
  CHECK(trace::rank_before_ending("/tmp/nccl_trace_rank_3") == 3);
  CHECK(trace::rank_before_ending("node-17.example.com_comm_lib_trace_rank_12.pickle") == 12);
  CHECK(trace::rank_before_ending("fr_trace_json_rank_0.json.gz") == 0);
  CHECK(trace::rank_before_ending("host5.dump") == 5);
  CHECK_FALSE(trace::rank_before_ending("dump.pickle"));
}

TEST_CASE("dumps are recognised by their top level") {
  CHECK(sniffs(dump({})));
  constexpr std::string_view kTopLevel("\x80\x02}(X\x07\0\0\0versionX\x09\0\0\0pg_config", 30);
  CHECK(sniffs(kTopLevel));
  // Keys may be sorted, and the beginning is all entries.
  CHECK(sniffs(dump({entry({}), entry({})}).substr(0, 500), false));
  // Kineto has a pg_config of its own, below.
  CHECK_FALSE(sniffs(R"({"distributedInfo": {"pg_config": [], "version": 1}, "traceEvents": []})"));
  CHECK_FALSE(sniffs(R"([{"version": 1, "pg_config": 2}])"));
  CHECK_FALSE(sniffs(std::string("\x80\x02]q\0.", 6)));
}

TEST_CASE("calls of a host backend end when the last member has come, at most with the next call") {
  const testing::TempDir folder;
  const std::string first =
      folder.write("rank_0.json", dump({entry({.record = 0, .number = 1, .called_ns = 1000}),
                                        entry({.record = 1, .number = 2, .called_ns = 3000, .retired = false})}));
  const std::string second = folder.write("rank_1.json", dump({entry({.record = 0, .number = 1, .called_ns = 5000})}));
  Diagnostics diagnostics;
  const auto job = read_job({first, second}, diagnostics);
  REQUIRE(job);
  REQUIRE(job->ranks.size() == 2);
  const trace::RankTrace& early = job->ranks[0];
  // Others came 4 us later, but by then it had called the next.
  CHECK(early.duration[0] == 2000 * kPsPerNs);
  CHECK((early.flags[0] & trace::kDurationEstimated) != 0);
  CHECK_FALSE(early.has_duration(1));
  CHECK(job->ranks[1].duration[0] == kPsPerNs);
  CHECK(job->ranks[1].start[0] - early.start[0] == 4000 * kPsPerNs);
  CHECK(early.source.world_size == 2);
  REQUIRE(early.source.groups.size() == 1);
  CHECK(early.source.groups[0].ranks == std::vector<std::int64_t>{0, 1});
  CHECK(job->strings.text(static_cast<StringId>(*early.field(Field::group_ranks_text).find(0))) == "[0, 1]");
  CHECK(diagnostics.count(kEndEstimated) == 2);
}

TEST_CASE("a collective that a member never called has not ended, whatever its other members say") {
  const testing::TempDir folder;
  const std::string first = folder.write(
      "rank_0.json", dump({entry({.record = 0, .number = 1}), entry({.record = 1, .number = 2, .called_ns = 10})}));
  const std::string second = folder.write("rank_1.json", dump({entry({.record = 0, .number = 1})}));
  Diagnostics diagnostics;
  const auto job = read_job({first, second}, diagnostics);
  REQUIRE(job);
  CHECK(job->ranks[0].has_duration(0));
  CHECK_FALSE(job->ranks[0].has_duration(1));
}

TEST_CASE("the world is as large as an all_gather says, and groups have the members that name them") {
  const testing::TempDir folder;
  const std::string gather = R"(,"state":"scheduled")";
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    std::string whole = entry({.record = 0, .name = "gloo:all_gather", .more = gather});
    whole.replace(whole.find("[[8]]"), 5, "[[4,8]]");
    const std::string other = entry({.record = 1, .called_ns = 9, .group = R"(["7","undefined"])"});
    paths.push_back(folder.write(fmt::format("rank_{}.json", rank), dump({whole, other})));
  }
  Diagnostics diagnostics;
  const auto job = read_job(paths, diagnostics);
  REQUIRE(job);
  CHECK(job->ranks[0].source.world_size == 4);
  REQUIRE(job->ranks[0].source.groups.size() == 2);
  CHECK(job->ranks[0].source.groups[0].ranks.size() == 4);
  CHECK(job->ranks[0].source.groups[1].ranks == std::vector<std::int64_t>{0, 1});
  CHECK(diagnostics.count(kDumpMissing) == 2);
}

TEST_CASE("work of a device lasts from where its watchdog saw it begin; 0 is not known") {
  const testing::TempDir folder;
  const auto times = [](std::int64_t started, std::int64_t completed, std::string_view state) {
    return fmt::format(R"(,"time_discovered_started_ns":{},"time_discovered_completed_ns":{},"state":"{}")",
                       started == 0 ? 0 : kBegin + started, completed == 0 ? 0 : kBegin + completed, state);
  };
  const std::string path = folder.write(
      "rank_1.json", dump({entry({.record = 0, .name = "nccl:all_reduce", .more = times(200, 500, "completed")}),
                           entry({.record = 1,
                                  .name = "nccl:all_reduce",
                                  .number = 2,
                                  .called_ns = 10,
                                  .retired = false,
                                  .more = times(300, 0, "started")}),
                           entry({.record = 2,
                                  .name = "nccl:send 1->0",
                                  .called_ns = 20,
                                  .retired = false,
                                  .more = times(0, 0, "scheduled")}),
                           entry({.record = 3,
                                  .name = "nccl:all_reduce",
                                  .number = 3,
                                  .called_ns = 30,
                                  .more = times(400, 2'000'600, "completed") + R"(,"duration_ms":2.0)"})},
                          R"("0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"})"));
  Diagnostics diagnostics;
  const auto job = read_job({path}, diagnostics);
  REQUIRE(job);
  const trace::RankTrace& rank = job->ranks[0];
  CHECK(rank.rank == 1);
  REQUIRE(rank.event_count() == 4);
  CHECK(rank.activity(0) == trace::Activity::kernel);
  CHECK(rank.start[0] == 200 * kPsPerNs);
  CHECK(rank.duration[0] == 300 * kPsPerNs);
  CHECK_FALSE(rank.has_duration(1));
  CHECK_FALSE(rank.has_duration(2));
  CHECK(rank.field(Field::group_rank).find(2) == 0);
  CHECK_FALSE(rank.field(Field::collective_sequence).find(2));
  // What was measured on the device counts back from its end.
  CHECK(rank.duration[3] == 2'000'000 * kPsPerNs);
  CHECK(rank.start[3] == 600 * kPsPerNs);
  CHECK(rank.field(Field::in_elements).find(0) == 8);
}

TEST_CASE("of several dumps of a rank the fullest counts; an empty file is a rank without anything") {
  const testing::TempDir folder;
  const std::vector<std::string> paths = {folder.write("a_rank_0.json", dump({})),
                                          folder.write("b_rank_0.json", dump({entry({})})),
                                          folder.write("nccl_trace_rank_1", "")};
  Diagnostics diagnostics;
  const auto job = read_job(paths, diagnostics);
  REQUIRE(job);
  REQUIRE(job->ranks.size() == 2);
  CHECK(job->ranks[0].source.path == paths[1]);
  CHECK(job->ranks[1].event_count() == 0);
  CHECK(job->ranks[1].source.properties.empty());
  CHECK(diagnostics.count(trace::kPassedOver) == 1);
  CHECK(diagnostics.count(kEmptyDump) == 1);
}

TEST_CASE("entries of other types are left out and counted") {
  const testing::TempDir folder;
  const std::string path = folder.write(
      "rank_0.json",
      R"({"version":2,"pg_config":[],"pg_status":null,"entries":[{"record_id":"x","process_group":3,"time_created_ns":"now"},7,null]})");
  Diagnostics diagnostics;
  const auto job = read_job({path}, diagnostics);
  REQUIRE(job);
  CHECK(job->ranks[0].event_count() == 0);
  CHECK(diagnostics.count(kNoRecord) == 3);
  CHECK_FALSE(read_rank(folder.write("rank_2.json", "{\"segments\": []}")));
}

}  // namespace orrery::flight_recorder
