#include "workload/membership.h"

#include <doctest/doctest.h>

using namespace orrery;
using namespace orrery::workload;

namespace {

// Four ranks in two rows, all with one program of this structure.
struct Job {
  Workload job;
  StringId row = job.strings.intern("row");

  Job() {
    job.roles.push_back({row, {{2, 1}}});
    job.program_of_rank.assign(4, 0);
  }
  [[nodiscard]] std::string complaint(std::vector<ProgramStructure> structures) const {
    const auto membership = Membership::of(job, std::move(structures));
    if (!membership) return membership.error().message;
    const Status status = membership->check();
    return status ? "" : status.error().message;
  }
};

ProgramStructure speaks_to(std::vector<StringId> groups, std::vector<ChannelKey> channels = {}) {
  return {std::move(groups), std::move(channels), std::nullopt};
}

}  // namespace

TEST_CASE("groups of roles and the channels in them follow from what programs announce") {
  const Job rows;
  const ChannelKey recv{false, rows.row, 1, 0}, send{true, rows.row, 1, 0};
  const auto membership = Membership::of(rows.job, {speaks_to({0, rows.row}, {recv, send})});
  REQUIRE(membership.ok());
  CHECK(membership->check().ok());
  REQUIRE(membership->communicators().size() == 3);  // all, and two rows
  CHECK(membership->communicator_number(3, 0) == 0);
  CHECK(membership->communicator_number(3, 1) == 2);
  CHECK(membership->peer(2, send) == 3);
  CHECK(membership->facing(2, send) == 0);
  CHECK(!membership->has_wildcards());
}

TEST_CASE("what cannot fit together is told before there are activities") {
  Job rows;
  const StringId stranger = rows.job.strings.intern("stranger");
  CHECK(rows.complaint({speaks_to({stranger})}) == "rank 0 has collectives of group \"stranger\", which is not known");
  CHECK(rows.complaint({speaks_to({}, {{true, rows.row, 1, 7}})}) ==
        "rank 0 sends to rank 1 with tag 7, which never receives that");
  CHECK(rows.complaint({speaks_to({}, {{false, 0, 9, 0}})}) == "rank 0 names rank 9, but the job has 4 ranks");
  CHECK(rows.complaint({}) == "rank 0 runs program 0, which does not exist");
  rows.job.program_of_rank[3] = 1;
  CHECK(rows.complaint({speaks_to({rows.row}), speaks_to({})}) ==
        "rank 3 has no collectives of role \"row\", and other members have");
}
