#include "formats/perfetto/rank_packets.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "formats/perfetto/decoded_packets.h"
#include "support/temp_dir.h"

namespace {

using namespace orrery;
using testing::DecodedSlice;
using testing::DecodedTrace;

template <typename Write>
DecodedTrace written(const Write& write) {
  const testing::TempDir dir;
  const std::string path = dir.path("x.pftrace");
  Result<perfetto::PacketWriter> writer = perfetto::PacketWriter::create(path);
  REQUIRE(writer);
  write(*writer);
  REQUIRE(writer->commit().ok());
  return testing::PacketDecoder::decode(testing::read_file(path));
}

TEST_CASE("tracks, slices, arrows, arguments and counters come out as they went in") {
  const DecodedTrace trace = written([](perfetto::PacketWriter& writer) {
    const perfetto::Track process = writer.add_process(7, "rank 0"), thread = writer.add_thread(7, 8, "main");
    const perfetto::Track counter = writer.add_counter(process, "bytes");
    const perfetto::FlowId flow = 5;
    const std::vector<perfetto::Annotation> annotations = {{"correlation", std::int64_t{-3}},
                                                           {"dtype", std::string_view("Float")}};
    writer.begin(thread, 10, {.name = "outer", .category = "cpu_op", .begins = {&flow, 1}});
    writer.begin(thread, 11, {.name = "inner", .ends = {&flow, 1}, .annotations = annotations});
    writer.end(thread, 12);
    writer.end(thread, 15);
    writer.mark(thread, 16, {.name = "outer"});
    writer.count(counter, 20, 42);
  });
  CHECK(trace.tracks.size() == 3);
  CHECK(trace.tracks.at(2).pid == 7);
  CHECK(trace.tracks.at(2).tid == 8);
  CHECK(trace.tracks.at(3).is_counter);
  REQUIRE(trace.slices.size() == 3);
  const DecodedSlice &inner = trace.slices[0], &outer = trace.slices[1];
  CHECK((inner.name == "inner" && inner.begin == 11 && inner.end == 12 && inner.depth == 1 &&
         inner.ending_flows == std::vector<std::uint64_t>{5}));
  CHECK((inner.annotations == std::map<std::string, std::string>{{"correlation", "-3"}, {"dtype", "Float"}}));
  CHECK((outer.name == "outer" && outer.category == "cpu_op" && outer.begin == 10 && outer.end == 15 &&
         outer.flows == std::vector<std::uint64_t>{5}));
  CHECK(trace.slices[2].is_moment);
  CHECK(trace.counts == std::vector<std::pair<std::int64_t, std::int64_t>>{{20, 42}});
}

trace::RankTrace rank_of(Interner& strings, const std::vector<std::pair<TimePs, TimePs>>& events) {
  trace::RankTrace rank;
  rank.lanes.resize(1);
  rank.categories = {{strings.intern("kernel"), trace::Activity::kernel}};
  for (std::size_t i = 0; i < events.size(); ++i)
    rank.append_event(
        {.start = events[i].first, .duration = events[i].second, .name = strings.intern("e" + std::to_string(i))});
  return rank;
}

DecodedTrace written_rank(const Interner& strings, const trace::RankTrace& rank, std::int64_t epoch_ns) {
  return written([&](perfetto::PacketWriter& writer) {
    const perfetto::Track lane = writer.add_thread(1, 2, "stream 7");
    perfetto::write_rank(rank, strings, {&lane, 1}, {}, epoch_ns, writer);
  });
}

TEST_CASE("events that overlap without nesting go to a further track") {
  Interner strings;
  const trace::RankTrace rank = rank_of(strings, {{0, 10'000}, {2'000, 3'000}, {5'000, 9'000}, {12'000, 1'000}});
  const DecodedTrace trace = written_rank(strings, rank, 0);
  CHECK(trace.called("e0").track == trace.called("e1").track);
  CHECK(trace.called("e1").depth == 1);
  CHECK(trace.called("e2").track != trace.called("e0").track);
  CHECK(trace.tracks.at(trace.called("e2").track).parent == trace.called("e0").track);
  // There is room again.
  CHECK(trace.called("e3").track == trace.called("e0").track);
}

TEST_CASE("times are nanoseconds, rounded down at both ends") {
  Interner strings;
  const DecodedTrace trace = written_rank(strings, rank_of(strings, {{-1'500, 2'600}, {1'999, 1}, {2'000, 0}}), 10);
  CHECK((trace.called("e0").begin == 8 && trace.called("e0").end == 11));
  CHECK((trace.called("e1").begin == 11 && trace.called("e1").end == 12));
  CHECK((trace.called("e2").begin == 12 && trace.called("e2").end == 12));
}

TEST_CASE("every event of any lane is one slice, and all of them nest") {
  CHECK(rc::check([](const std::vector<std::pair<std::uint16_t, std::uint16_t>>& drawn) {
    std::vector<std::pair<TimePs, TimePs>> events;
    for (const auto& [start, duration] : drawn) events.emplace_back(start % 20'000, duration % 8'000);
    Interner strings;
    const trace::RankTrace rank = rank_of(strings, events);
    const DecodedTrace trace = written_rank(strings, rank, 0);  // the decoder refuses what does not nest
    RC_ASSERT(trace.slices.size() == events.size());
    for (const DecodedSlice& slice : trace.slices) {
      const auto& [start, duration] = events.at(std::stoul(slice.name.substr(1)));
      RC_ASSERT(slice.begin == start / 1000);
      RC_ASSERT(slice.end == (start + duration) / 1000);
    }
  }));
}

}  // namespace
