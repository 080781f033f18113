// Groups that were not recorded, from what the ranks did together.
#include "link/group_inference.h"

#include <doctest/doctest.h>

#include "workload/program_builder.h"

using namespace orrery;
using workload::Collective;

namespace {

struct Job {
  workload::Workload workload;
  std::vector<std::vector<std::uint32_t>> ungrouped;
};

// Per rank a list of collectives: "r" all-reduce, "R" a larger one, "b" broadcast.
Job job_of(const std::vector<std::string>& ranks) {
  Job job;
  for (const std::string& calls : ranks) {
    workload::ProgramBuilder builder;
    std::vector<std::uint32_t>& list = job.ungrouped.emplace_back();
    for (const char call : calls) {
      workload::Activity activity;
      activity.id = list.size();
      activity.kind = workload::ActivityKind::collective;
      activity.collective = call == 'b' ? Collective::broadcast : Collective::all_reduce;
      activity.bytes = call == 'R' ? 2048 : 1024;
      builder.add(activity);
      list.push_back(static_cast<std::uint32_t>(list.size()));
    }
    job.workload.program_of_rank.push_back(static_cast<std::uint32_t>(job.workload.programs.size()));
    Result<workload::Program> program = std::move(builder).build();
    REQUIRE(program.ok());
    job.workload.programs.push_back(std::move(*program));
  }
  return job;
}

// One letter per collective: its group, . for all.
std::string groups_of(const Job& job, std::size_t rank) {
  std::string text;
  for (const std::uint32_t i : job.ungrouped[rank]) {
    const StringId name = job.workload.program(rank).group_names[i];
    text += name == 0 ? "." : job.workload.strings.text(name);
  }
  return text;
}

workload::CommGroup group(Job& job, const char* name, std::vector<std::uint32_t> ranks) {
  return {job.workload.strings.intern(name), std::move(ranks)};
}

}  // namespace

TEST_CASE("what only some ranks do is of their group") {
  Job job = job_of({"bRr", "bRr", "br", "br"});
  CHECK(link::infer_groups(job.ungrouped, {group(job, "x", {2, 3}), group(job, "y", {0, 1})}, job.workload) == 2);
  CHECK(groups_of(job, 0) == ".y.");
  CHECK(groups_of(job, 1) == ".y.");
  CHECK(groups_of(job, 2) == "..");
  REQUIRE(job.workload.groups.size() == 1);
  CHECK(job.workload.groups[0].ranks == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("two groups at the same time, then all") {
  Job job = job_of({"Rb", "Rb", "rb", "rb"});
  CHECK(link::infer_groups(job.ungrouped, {group(job, "x", {2, 3}), group(job, "y", {0, 1})}, job.workload) == 4);
  CHECK(groups_of(job, 1) == "y.");
  CHECK(groups_of(job, 3) == "x.");
}

TEST_CASE("if it does not come out even nothing is changed") {
  Job job = job_of({"bR", "b"});
  CHECK(link::infer_groups(job.ungrouped, {group(job, "x", {0, 1})}, job.workload) == 0);
  CHECK(groups_of(job, 0) == "..");
  CHECK(job.workload.groups.empty());
}

TEST_CASE("all ranks alike: all of them; groups with unknown ranks are passed over") {
  Job job = job_of({"brR", "brR"});
  CHECK(link::infer_groups(job.ungrouped, {group(job, "x", {0, 9})}, job.workload) == 0);
  CHECK(groups_of(job, 1) == "...");
}
