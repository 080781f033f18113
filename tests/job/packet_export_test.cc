#include "job/write/packet_export.h"

#include <doctest/doctest.h>

#include <set>

#include "formats/kineto/reader.h"
#include "formats/perfetto/decoded_packets.h"
#include "job/path_pieces.h"
#include "support/kineto_lines.h"
#include "support/temp_dir.h"

namespace {

using namespace orrery;
using testing::DecodedSlice;
using testing::DecodedTrace;

DecodedTrace exported(const trace::Trace& trace, const job::RecordedJob* job, Diagnostics& remarks) {
  const testing::TempDir dir;
  const std::string path = dir.path("x.pftrace");
  REQUIRE(job::export_packets(trace, job, path, remarks).ok());
  return testing::PacketDecoder::decode(testing::read_file(path));
}

std::set<std::uint64_t> flows_of(const DecodedTrace& trace, bool ending) {
  std::set<std::uint64_t> flows;
  for (const DecodedSlice& slice : trace.slices) {
    const auto& of = ending ? slice.ending_flows : slice.flows;
    flows.insert(of.begin(), of.end());
  }
  return flows;
}

TEST_CASE("a rank: lanes, launches and the critical path") {
  const testing::SmallTrace small(R"(
    1       0    100  user_annotation  ProfilerStep#1
    1       5    60   cpu_op           aten::mm
    1       10   5    cuda_runtime     cudaLaunchKernel       correlation=1
    1       70   30   cuda_runtime     cudaDeviceSynchronize
    gpu0/7  20   70   kernel           gemm                   correlation=1
    2       50   -    Trace            mark
  )");
  Diagnostics remarks;
  const DecodedTrace trace = exported(small.trace(), nullptr, remarks);
  const DecodedSlice &call = trace.called("cudaLaunchKernel"), &kernel = trace.called("gemm");
  REQUIRE(!kernel.ending_flows.empty());
  CHECK(std::find(call.flows.begin(), call.flows.end(), kernel.ending_flows.front()) != call.flows.end());
  CHECK(kernel.annotations.at("correlation") == "1");
  CHECK(kernel.end - kernel.begin == 70'000);
  CHECK(trace.called("mark").is_moment);
  const std::vector<DecodedSlice> path = trace.on("critical path");
  REQUIRE(!path.empty());
  for (std::size_t i = 1; i < path.size(); ++i) CHECK(path[i].begin == path[i - 1].end);
  CHECK(path.back().end - path.front().begin == 100'000);
  CHECK(std::any_of(path.begin(), path.end(), [](const DecodedSlice& piece) { return piece.name == "gemm"; }));
  CHECK(flows_of(trace, true) == flows_of(trace, false));
}

TEST_CASE("a job: numbers that no two ranks share, and a path that goes from rank to rank") {
  Diagnostics remarks;
  std::vector<std::string> files;
  for (int rank = 0; rank < 4; ++rank)
    files.push_back(ORRERY_SOURCE_DIR "/data/ddp4.rank" + std::to_string(rank) + ".kineto.json.gz");
  Result<trace::Trace> read = kineto::read_job(files, remarks);
  REQUIRE(read);
  const Result<job::RecordedJob> job = job::RecordedJob::make(std::move(*read), job::ClockChoice::automatic, remarks);
  REQUIRE(job);
  const DecodedTrace trace = exported(job->trace(), &*job, remarks);
  std::size_t events = 0;
  for (const trace::RankTrace& rank : job->trace().ranks) events += rank.event_count();
  const std::vector<DecodedSlice> path = trace.on("critical path");
  CHECK(trace.slices.size() == events + path.size());
  std::set<std::int64_t> threads;
  for (const auto& [uuid, track] : trace.tracks) {
    if (track.tid != 0) CHECK(threads.insert(track.tid).second);
  }
  const Result<std::vector<job::PathPiece>> pieces = job::find_path_pieces(job->trace(), &*job, remarks);
  REQUIRE(pieces);
  CHECK(pieces->size() == path.size());
  for (std::size_t i = 1; i < pieces->size(); ++i) CHECK((*pieces)[i].begin == (*pieces)[i - 1].end);
  std::set<std::uint64_t> tracks;
  for (const DecodedSlice& piece : path) tracks.insert(piece.track);
  CHECK(tracks.size() > 1);
  CHECK(flows_of(trace, true) == flows_of(trace, false));
}

TEST_CASE("the use of links over time is a counter that adds up") {
  const testing::SmallTrace small("1 0 512 cpu_op compute");
  simulate::Schedule schedule(1, 2);
  const TimePs span = 512 * kPsPerUs;
  schedule.end_ps[0] = span;
  schedule.link_series.links.push_back(1);
  // 1 kB in the first bin, 3 kB in each of the next two, then nothing.
  for (std::size_t bin = 0; bin < simulate::LinkSeries::kBins; ++bin)
    schedule.link_series.bytes.push_back(bin == 0 ? 1000 : bin < 3 ? 3000 : 0);
  const testing::TempDir dir;
  const std::vector<std::string> names = {"a -> b", "b -> a"};
  REQUIRE(job::export_packets(small.trace(), schedule, names, dir.path("x.pftrace")).ok());
  const DecodedTrace trace = testing::PacketDecoder::decode(testing::read_file(dir.path("x.pftrace")));
  const auto counter =
      std::find_if(trace.tracks.begin(), trace.tracks.end(), [](const auto& track) { return track.second.is_counter; });
  REQUIRE(counter != trace.tracks.end());
  CHECK(counter->second.name == "b -> a (bytes/s)");
  REQUIRE(trace.counts.size() == 4);
  const std::int64_t begin = trace.counts.front().first;
  // 1 kB in a microsecond is a gigabyte per second.
  CHECK(trace.counts ==
        std::vector<std::pair<std::int64_t, std::int64_t>>{
            {begin, 1'000'000'000}, {begin + 1'000, 3'000'000'000}, {begin + 3'000, 0}, {begin + 512'000, 0}});
}

TEST_CASE("a trace without work has no path, and that is said") {
  const testing::SmallTrace small("2 50 - Trace mark");
  Diagnostics remarks;
  const DecodedTrace trace = exported(small.trace(), nullptr, remarks);
  CHECK(trace.slices.size() == 1);
  CHECK(trace.on("critical path").empty());
  const std::vector<Diagnostic> said = remarks.sorted();
  CHECK(std::any_of(said.begin(), said.end(),
                    [](const Diagnostic& remark) { return std::string_view(remark.kind->code) == "J830"; }));
}

}  // namespace
