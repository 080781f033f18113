#include "causal/reduce/reduced_rank.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/io/section_file.h"
#include "formats/kineto/reader.h"
#include "graph/graph_file.h"
#include "graph/longest_path.h"
#include "match/exchange_finder.h"
#include "support/temp_dir.h"
#include "trace/content_order.h"

namespace orrery::causal {
namespace {

std::string file_of(int rank) {
  return std::string(ORRERY_SOURCE_DIR) + "/data/ddp4.rank" + std::to_string(rank) + ".kineto.json.gz";
}

/// Reads one rank's file alone and keeps what joining needs: of its steps, or of the whole trace where there are none.
ReducedRank reduced(const std::string& path, int number) {
  Diagnostics diagnostics;
  Result<trace::Trace> job = kineto::read_job({path}, diagnostics);
  REQUIRE(job.ok());
  trace::RankTrace& rank = job->ranks[0];
  rank.rank = number;
  const trace::ContentOrder content(*job, rank);
  const DeviceTimeline timeline = make_device_timeline(*job, rank, content, diagnostics);
  const std::vector<trace::EventIndex> steps = find_steps(*job, rank, content);
  const Result<StepWindow> window = steps.empty() ? choose_window(*job, rank, timeline, content, {"", {}, {}})
                                                  : StepWindows(*job, rank, timeline).of(steps);
  REQUIRE(window.ok());
  Result<RankGraph> step = make_rank_graph(*job, rank, timeline, content, *window, diagnostics);
  REQUIRE(step.ok());
  return reduce_rank(*job, rank, std::move(*step), {});
}

ReducedRank reduced(int number) { return reduced(file_of(number), number); }

CausalGraph joined(std::vector<ReducedRank> ranks) {
  Result<GatheredRanks> gathered = gather(std::move(ranks));
  REQUIRE(gathered.ok());
  Diagnostics diagnostics;
  Result<CausalGraph> job = join_ranks(gathered->trace, match::find_exchanges(gathered->trace),
                                       std::move(gathered->to_join), {}, diagnostics);
  REQUIRE(job.ok());
  return std::move(*job);
}

/// All that answers are made of.
std::string bytes_of(const CausalGraph& job) {
  SectionWriter writer("test", 1);
  graph::add_graph_sections(writer, job.graph);
  writer.add("time", job.time);
  writer.add("rank", job.node_rank);
  writer.add("ownr", job.owners);
  writer.add("clas", job.class_name);
  std::string text = writer.to_bytes();
  for (StringId id = 0; id < job.strings.size(); ++id) text += std::string(job.strings.text(id)) + '\n';
  for (const EdgePieces& pieces : job.pieces) {
    for (std::uint32_t list = 0; list < pieces.size(); ++list) {
      pieces.for_each(list, [&](const WorkClass& work, TimePs time) {
        text += std::to_string(work.kind) + ' ' + std::to_string(work.name) + ' ' + std::to_string(work.class_name) +
                ' ' + std::to_string(work.step) + ' ' + std::to_string(time) + '\n';
      });
    }
  }
  for (const JobPart& part : job.parts)
    text += std::to_string(part.operation) + ' ' + std::to_string(part.transfer) + '\n';
  return text;
}

/// Another process does it, and leaves nothing behind but files.
template <typename Work>
void in_another_process(const Work& work) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
}

}  // namespace

TEST_CASE("ranks reduced and saved by other processes give the job that one process makes, byte by byte") {
  const orrery::testing::TempDir folder;
  const auto path = [&](int rank) { return folder.path("rank" + std::to_string(rank) + ".skeleton"); };
  for (const int first : {0, 2}) {
    in_another_process([&] {
      for (int rank = first; rank < first + 2; ++rank) {
        if (!save_rank(reduced(rank), path(rank))) _exit(1);
      }
    });
  }
  std::vector<ReducedRank> here, saved;
  for (int rank = 0; rank < 4; ++rank) {
    here.push_back(reduced(rank));
    Result<ReducedRank> loaded = load_rank(path(3 - rank));  // in any order
    REQUIRE(loaded.ok());
    saved.push_back(std::move(*loaded));
  }
  const CausalGraph job = joined(std::move(here));
  CHECK(bytes_of(joined(std::move(saved))) == bytes_of(job));
  CHECK(job.operations.size() == 16);
  CHECK(graph::solve(job.graph, job.end).length() == job.span);
  CHECK(job.span == 258'783'242'000);
}

TEST_CASE("a rank saved twice is the same file") {
  const orrery::testing::TempDir folder;
  REQUIRE(save_rank(reduced(1), folder.path("a")).ok());
  REQUIRE(save_rank(*load_rank(folder.path("a")), folder.path("b")).ok());
  CHECK(orrery::testing::read_file(folder.path("a")) == orrery::testing::read_file(folder.path("b")));
}

TEST_CASE("a rank that waited is the rank it was, packed or not, of every shipped trace") {
  int traces = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(ORRERY_SOURCE_DIR) + "/data")) {
    if (!entry.path().string().ends_with(".kineto.json.gz")) continue;
    CAPTURE(entry.path());
    ++traces;
    WaitingRank waiting(reduced(entry.path().string(), 2));
    const std::string bytes = rank_bytes(waiting.rank());
    waiting.pack();
    ReducedRank taken = waiting.take();
    CHECK(rank_bytes(taken) == bytes);
    CHECK(rank_bytes(WaitingRank(std::move(taken)).take()) == bytes);
  }
  CHECK(traces > 10);
}

TEST_CASE("a damaged file of a rank is refused, wherever it is damaged") {
  const orrery::testing::TempDir folder;
  REQUIRE(save_rank(reduced(0), folder.path("a")).ok());
  const std::string bytes = orrery::testing::read_file(folder.path("a"));
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 300) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x21);
    const Result<ReducedRank> loaded = load_rank_from_bytes(damaged, "damaged");
    CHECK_FALSE(loaded.ok());
  }
  CHECK_FALSE(load_rank_from_bytes(std::string_view(bytes).substr(0, bytes.size() / 2), "cut").ok());
  CHECK_FALSE(load_rank(file_of(0)).ok());
}

TEST_CASE("two files of one rank are not a job") {
  std::vector<ReducedRank> ranks;
  ranks.push_back(reduced(1));
  ranks.push_back(reduced(1));
  const Result<GatheredRanks> gathered = gather(std::move(ranks));
  REQUIRE_FALSE(gathered.ok());
  CHECK(gathered.error().message.find("two files are of rank 1") != std::string::npos);
}

}  // namespace orrery::causal
