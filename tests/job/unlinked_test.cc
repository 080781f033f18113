// Linked traces are what they were made of: the same collectives, copies and steps as the pair of recordings.
#include "job/pairs/unlinked.h"

#include <doctest/doctest.h>

#include <map>

#include "causal/program/linked_rows.h"
#include "formats/pytorch_et/linked_writer.h"
#include "job/pairs/linked_files.h"
#include "job/read/trace_input.h"
#include "job/read/workload_input.h"
#include "support/temp_dir.h"
#include "workload/lane_names.h"

namespace orrery::job {
namespace {

std::string data(const std::string& name) { return std::string(ORRERY_SOURCE_DIR) + "/data/" + name; }

/// The recordings linked, and written as linked traces.
LinkedJob linked(const std::vector<std::string>& names, const std::string& prefix) {
  std::vector<TracePair> pairs;
  for (const std::string& name : names) pairs.push_back({data(name + ".et.json.gz"), data(name + ".kineto.json.gz")});
  Diagnostics diagnostics;
  Result<LinkedJob> job = link_job(pairs, {}, diagnostics);
  REQUIRE(job.ok());
  REQUIRE(write_linked(link_target(prefix + ".json", false, names.size()), *job).ok());
  return std::move(*job);
}

using Counts = std::map<std::string, std::size_t>;

/// What is communicated and moved.
Counts counts_of(const workload::Program& program) {
  Counts counts;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const workload::ActivityKind kind = program.kinds[i];
    if (kind == workload::ActivityKind::collective) ++counts[std::string(to_string(program.collectives[i]))];
    else if (kind != workload::ActivityKind::compute) ++counts[std::string(to_string(kind))];
  }
  return counts;
}

std::uint64_t remarks(const Diagnostics& diagnostics, std::string_view code) {
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    if (diagnostic.kind->code == code) return diagnostic.count;
  }
  return 0;
}

/// The linked traces that were written, as a workload.
Result<WorkloadInput> read_again(const std::string& prefix, std::size_t ranks, Diagnostics& diagnostics) {
  std::vector<std::string> files;
  for (std::size_t r = 0; r < ranks; ++r)
    files.push_back(prefix + (ranks == 1 ? ".json" : "." + std::to_string(r) + ".json"));
  const Result<Source> source = find_source(files, {}, diagnostics);
  REQUIRE(source.ok());
  return read_workload(*source, {}, {.diagnostics = diagnostics});
}

}  // namespace

TEST_CASE("linked traces as a workload: what link makes of the pairs, activity by activity") {
  const testing::TempDir dir;
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"gpt_small"}, {"ddp4.rank0", "ddp4.rank1", "ddp4.rank2", "ddp4.rank3"}}) {
    CAPTURE(names[0]);
    const LinkedJob job = linked(names, dir.path(names[0]));
    Diagnostics diagnostics;
    const Result<WorkloadInput> again = read_again(dir.path(names[0]), names.size(), diagnostics);
    REQUIRE(again.ok());
    REQUIRE(again->workload.rank_count() == names.size());
    CHECK(remarks(diagnostics, "C317") == 0);
    for (std::size_t r = 0; r < names.size(); ++r) {
      const workload::Program &read = again->workload.program(r), &of_pair = job.workload.program(r);
      CHECK(counts_of(read) == counts_of(of_pair));
      CHECK(again->job.ranks[r].replayed_ps == job.ranks[r].replayed_ps);
      REQUIRE(read.size() == of_pair.size());
      CHECK(read.dependencies.edge_count() == of_pair.dependencies.edge_count());
      for (std::size_t i = 0; i < read.size(); ++i) {
        REQUIRE(again->workload.strings.text(read.names[i]) == job.workload.strings.text(of_pair.names[i]));
        REQUIRE(read.dependencies.duration(static_cast<graph::NodeId>(i)) ==
                of_pair.dependencies.duration(static_cast<graph::NodeId>(i)));
      }
    }
  }
}

TEST_CASE(
    "linked traces of Chakra's form alone: the collectives, messages and copies of the pairs, about their time, and a "
    "remark") {
  const testing::TempDir dir;
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"gpt_small"}, {"ddp4.rank0", "ddp4.rank1", "ddp4.rank2", "ddp4.rank3"}}) {
    CAPTURE(names[0]);
    const LinkedJob job = linked(names, dir.path(names[0]));
    const LinkTarget target = link_target(dir.path(names[0]) + ".json", false, names.size());
    for (std::size_t r = 0; r < names.size(); ++r) {
      const trace::HostTrace rows = causal::make_linked_rows(job.hosts[r], job.trace, job.trace.ranks[r]);
      REQUIRE(pytorch_et::write_linked_trace(rows, job.trace.strings, target_file(target, job.ranks[r].rank)).ok());
    }
    Diagnostics diagnostics;
    const Result<WorkloadInput> again = read_again(dir.path(names[0]), names.size(), diagnostics);
    REQUIRE(again.ok());
    REQUIRE(again->workload.rank_count() == names.size());
    CHECK(remarks(diagnostics, "C317") == names.size());
    for (std::size_t r = 0; r < names.size(); ++r) {
      CHECK(counts_of(again->workload.program(r)) == counts_of(job.workload.program(r)));
      // Times are doubles of microseconds, and what comes after the last operator or kernel is not in the file.
      CHECK(again->job.ranks[r].replayed_ps <= job.ranks[r].replayed_ps + kPsPerUs);
      CHECK(static_cast<double>(again->job.ranks[r].replayed_ps) > 0.8 * static_cast<double>(job.ranks[r].replayed_ps));
    }
  }
}

TEST_CASE("linked traces as a trace: device work of the same kinds and lengths, steps as recorded, none invented") {
  const testing::TempDir dir;
  const LinkedJob job = linked({"gpt_small"}, dir.path("x"));
  Diagnostics diagnostics;
  const Result<Source> source = find_source({dir.path("x.json")}, {}, diagnostics);
  REQUIRE(source.ok());
  const Result<TraceInput> again = read_trace(*source, {}, {.diagnostics = diagnostics});
  REQUIRE(again.ok());
  const auto sums = [](const trace::Trace& trace) {
    std::map<std::string, std::pair<std::size_t, TimePs>> of;
    const trace::RankTrace& rank = trace.ranks[0];
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      const trace::Activity activity = rank.activity(e);
      const bool is_step = trace.name(rank, e).starts_with("ProfilerStep") && activity == trace::Activity::annotation;
      if (!is_device_work(activity) && !is_step) continue;
      auto& [count, time] = of[is_step ? std::string(trace.name(rank, e)) : to_string(activity)];
      ++count, time += rank.duration[e];
    }
    return of;
  };
  const auto recorded = sums(job.trace), read = sums(again->trace);
  REQUIRE(recorded.size() == read.size());
  for (const auto& [name, sum] : recorded) {
    CAPTURE(name);
    REQUIRE(read.contains(name));
    CHECK(read.at(name).first == sum.first);
    CHECK(std::abs(read.at(name).second - sum.second) <= static_cast<TimePs>(sum.first) * kPsPerNs);
  }
}

TEST_CASE("host traces without times are programs, and no trace") {
  Diagnostics diagnostics;
  const Result<Source> source = find_source({data("gpt_small.et.json.gz")}, {}, diagnostics);
  REQUIRE(source.ok());
  CHECK_FALSE(read_trace(*source, {}, {.diagnostics = diagnostics}).ok());
  const Result<TraceInput> untimed = read_trace(*source, {.untimed = true}, {.diagnostics = diagnostics});
  REQUIRE(untimed.ok());
  REQUIRE(untimed->untimed != nullptr);
  CHECK(untimed->untimed->rank_count() == 1);
  CHECK(untimed->trace.ranks.empty());
}

}  // namespace orrery::job
