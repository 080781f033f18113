// The recorded jobs in data/: every pair links completely and replays to the measured time.
#include "job/pairs/linked_job.h"

#include <doctest/doctest.h>

#include "base/parallel.h"
#include "causal/program/linked_rows.h"
#include "formats/chakra/writer.h"
#include "formats/pytorch_et/linked_writer.h"
#include "formats/pytorch_et/reader.h"
#include "support/kineto_lines.h"
#include "support/temp_dir.h"

using namespace orrery;
using job::LinkedJob;
using job::LinkJobOptions;
using job::TracePair;

namespace {

TracePair pair_of(const std::string& name) {
  const std::string folder = std::string(ORRERY_SOURCE_DIR) + "/data/";
  return {folder + name + ".et.json.gz", folder + name + ".kineto.json.gz"};
}

LinkedJob linked_job(const std::vector<TracePair>& pairs, const LinkJobOptions& options = {}) {
  Diagnostics diagnostics;
  Result<LinkedJob> job = job::link_job(pairs, options, diagnostics);
  if (!job) throw std::runtime_error(job.error().to_string());
  return std::move(*job);
}

std::vector<TracePair> ddp4() {
  return {pair_of("ddp4.rank0"), pair_of("ddp4.rank1"), pair_of("ddp4.rank2"), pair_of("ddp4.rank3")};
}

}  // namespace

TEST_CASE("recorded pairs link completely and replay, in picoseconds and in whole microseconds") {
  for (const char* name : {"gpt_small", "calls4.rank0", "ddp4.rank0", "ddp4.rank3"}) {
    CAPTURE(name);
    for (const bool whole : {false, true}) {
      LinkJobOptions options;
      options.link.whole_microseconds = whole;
      const LinkedJob job = linked_job({pair_of(name)}, options);
      const causal::LinkedRank& rank = job.ranks[0];
      CHECK(rank.coverage.by_record_function == rank.coverage.host_rows);
      CHECK(rank.coverage.attributed == rank.coverage.device_works);
      CHECK(rank.replayed_ps == rank.measured_ps);
      CHECK(rank.cut_edges == 0);
      CHECK(rank.dependencies[static_cast<std::size_t>(causal::DependencyCause::tensor)] > 0);
    }
  }
}

TEST_CASE("the ranks of a job agree on their collectives") {
  const LinkedJob job = linked_job(ddp4());
  REQUIRE(job.workload.rank_count() == 4);
  std::vector<std::vector<std::int64_t>> sizes(4);
  for (std::size_t r = 0; r < 4; ++r) {
    const workload::Program& program = job.workload.program(r);
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (program.kinds[i] == workload::ActivityKind::collective) sizes[r].push_back(program.bytes[i]);
    }
    CHECK(job.ranks[r].rank == static_cast<std::int64_t>(r));
  }
  CHECK(sizes[0].size() == 16);
  for (std::size_t r = 1; r < 4; ++r) CHECK(sizes[r] == sizes[0]);
}

TEST_CASE("messages have their peers, tags and sizes") {
  const LinkedJob job = linked_job({pair_of("calls4.rank0")});
  const workload::Program& program = job.workload.program(0);
  std::size_t sends = 0, recvs = 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program.kinds[i] == workload::ActivityKind::send) {
      CHECK(program.peers[i] == 1);
      ++sends;
    } else if (program.kinds[i] == workload::ActivityKind::recv) {
      CHECK(program.peers[i] == 3);
      CHECK(program.bytes[i] == 16384);
      ++recvs;
    }
  }
  CHECK(sends == 4);
  CHECK(recvs == 2);
}

TEST_CASE("of a job on CPUs the profiler traces alone have sizes, and sub-groups stay sub-groups") {
  std::vector<TracePair> pairs;
  for (int r = 0; r < 8; ++r)
    pairs.push_back({"", ORRERY_SOURCE_DIR "/data/jobs/tpdp8_base/rank" + std::to_string(r) + ".kineto.json.gz"});
  const LinkedJob job = linked_job(pairs);
  CHECK(job.workload.groups.size() == 6);  // four pairs, two columns
  std::size_t in_pairs = 0, in_columns = 0;
  for (std::size_t r = 0; r < 8; ++r) {
    const workload::Program& program = job.workload.program(r);
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (program.kinds[i] != workload::ActivityKind::collective) continue;
      const workload::CommGroup* const group = job.workload.find_group(program.group_names[i]);
      REQUIRE(group != nullptr);
      CHECK(program.bytes[i] == 4 * (group->ranks.size() == 2 ? 160 * 160 : 16384));
      ++(group->ranks.size() == 2 ? in_pairs : in_columns);
    }
  }
  CHECK(in_pairs == 6 * 4 * 8);
  CHECK(in_columns == 6 * 8);
}

TEST_CASE(
    "members of a scatter that record no size have that of the root, and receives from any source stay what they are") {
  const auto job_of = [](const std::string& name) {
    std::vector<TracePair> pairs;
    for (int r = 0; r < 4; ++r)
      pairs.push_back({"", ORRERY_SOURCE_DIR "/data/jobs/" + name + "/rank" + std::to_string(r) + ".kineto.json.gz"});
    return linked_job(pairs);
  };
  const LinkedJob sizes = job_of("calls_and_sizes4");
  std::size_t scatters = 0;
  for (const workload::Program& program : sizes.workload.programs) {
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (program.kinds[i] != workload::ActivityKind::collective ||
          program.collectives[i] != workload::Collective::scatter)
        continue;
      CHECK(program.bytes[i] == 4 * 100 * 4);
      CHECK(program.peers[i] == 1);
      ++scatters;
    }
  }
  CHECK(scatters == 4 * 4);

  const LinkedJob wild = job_of("any_source4");
  std::size_t from_any = 0;
  const workload::Program& receiver = wild.workload.program(0);
  for (std::size_t i = 0; i < receiver.size(); ++i)
    from_any += receiver.kinds[i] == workload::ActivityKind::recv && receiver.peers[i] == workload::kAnyPeer ? 1u : 0u;
  CHECK(from_any == 4 * 3);
}

TEST_CASE("one group name for other members gets a name of its own, with a remark") {
  const orrery::testing::TempDir dir;
  std::vector<TracePair> pairs;
  for (int r = 0; r < 4; ++r) {
    const std::string event =
        R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 7, "ts": 1, "dur": 2, "args": {"stream": 7, "Process Group Name": "tp", "Process Group Ranks": ")" +
        std::string(r < 2 ? "[0, 1]" : "[2, 3]") + R"(", "In msg nelems": 4, "dtype": "Float"}})";
    pairs.push_back({"", dir.write("rank" + std::to_string(r) + ".json",
                                   R"({"distributedInfo": {"rank": )" + std::to_string(r) +
                                       R"(, "world_size": 4}, "traceEvents": [)" + event + "]}")});
  }
  Diagnostics diagnostics;
  const auto job = job::link_job(pairs, {}, diagnostics);
  REQUIRE(job.ok());
  REQUIRE(job->workload.groups.size() == 2);
  CHECK(job->workload.strings.text(job->workload.groups[1].name) == "tp [2, 3]");
  CHECK(job->workload.program(3).group_names[0] == job->workload.groups[1].name);
  CHECK(orrery::testing::count_of(diagnostics, "L231") > 0);
}

TEST_CASE("the result does not depend on the number of threads") {
  LinkJobOptions options;
  options.link.whole_microseconds = true;
  const auto files = [&](std::size_t threads) {
    set_thread_count(threads);
    const LinkedJob job = linked_job(ddp4(), options);
    std::string bytes;
    for (std::size_t r = 0; r < 4; ++r) bytes += *chakra::to_protobuf(job.workload, r);
    return bytes;
  };
  const std::string once = files(1);
  CHECK(files(2) == once);
  set_thread_count(0);
}

TEST_CASE("traces of different runs are refused; a single pair may be called any rank") {
  Diagnostics diagnostics;
  const auto mixed = job::link_job({{pair_of("calls4.rank0").host, pair_of("gpt_small").device}}, {}, diagnostics);
  REQUIRE_FALSE(mixed.ok());
  CHECK(mixed.error().message.find("of another run") != std::string::npos);
  LinkJobOptions options;
  options.rank = 17;
  CHECK(linked_job({pair_of("calls4.rank0")}, options).ranks[0].rank == 17);
  options.rank = 2;
  CHECK(linked_job(ddp4(), options).ranks.size() == 1);
  LinkJobOptions wrong;
  wrong.rank = 9;
  CHECK_FALSE(job::link_job(ddp4(), wrong, diagnostics).ok());
}

TEST_CASE("without a host trace the graph is the same but for its tensors") {
  const LinkedJob with = linked_job({pair_of("gpt_small")}), without = linked_job({{"", pair_of("gpt_small").device}});
  CHECK(without.workload.program(0).size() == with.workload.program(0).size());
  CHECK(without.ranks[0].replayed_ps == with.ranks[0].replayed_ps);
  CHECK(without.ranks[0].dependencies[static_cast<std::size_t>(causal::DependencyCause::tensor)] == 0);
}

TEST_CASE("a linked host trace has a row per piece of device work under its operator, and reads back") {
  const LinkedJob job = linked_job({pair_of("gpt_small")});
  const trace::HostTrace linked = causal::make_linked_rows(job.hosts[0], job.trace, job.trace.ranks[0]);
  CHECK(linked.size() == job.hosts[0].size() + job.ranks[0].coverage.device_works);
  const orrery::testing::TempDir dir;
  const std::string path = dir.path("linked.json");
  REQUIRE(pytorch_et::write_linked_trace(linked, job.trace.strings, path).ok());
  Interner strings;
  Diagnostics diagnostics;
  const auto read = pytorch_et::read_host_trace(path, strings, diagnostics);
  REQUIRE(read.ok());
  REQUIRE(read->is_linked());
  std::size_t works = 0;
  for (std::size_t row = 0; row < read->size(); ++row) {
    if (read->measured[row].category == 0) continue;
    ++works;
    CHECK(read->measured[row].inclusive_dur >= 0);
    CHECK(read->parent[row] < read->id[row]);
  }
  CHECK(works == job.ranks[0].coverage.device_works);
}
