// What a workload says and a simulation does not use is remarked upon, not passed over.
#include <doctest/doctest.h>

#include "cli/shell.h"
#include "formats/chakra/writer.h"
#include "support/temp_dir.h"
#include "workload/program_builder.h"

namespace orrery::cli {
namespace {

std::string simulate(const workload::Activity& activity) {
  workload::ProgramBuilder builder;
  builder.add(activity);
  workload::Workload workload;
  workload.programs.push_back(std::move(*std::move(builder).build()));
  workload.program_of_rank.assign(4, 0);
  const testing::TempDir folder;
  REQUIRE(chakra::write_workload(workload, folder.path("w")).ok());
  return shell(std::string(ORRERY_BINARY) + " simulate --json --workload " + folder.path("w") +
               " --machine " ORRERY_SOURCE_DIR "/data/machines/dgx_h100.yaml")
      .output;
}

workload::Activity collective() {
  return {.id = 1, .kind = workload::ActivityKind::collective, .flags = workload::activity::kHasBytes, .bytes = 1024};
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("priorities and excluded dimensions are remarked upon, with their count") {
  workload::Activity urgent = collective();
  urgent.priority = 3;
  const std::string with_priority = simulate(urgent);
  CHECK(has(with_priority, R"("code":"S106","severity":"note","count":4)"));
  CHECK_FALSE(has(with_priority, "S107"));
  workload::Activity partial = collective();
  partial.excluded_dims = 2;
  CHECK(has(simulate(partial), R"("code":"S107","severity":"warning","count":4)"));
  CHECK_FALSE(has(simulate(collective()), "\"S10"));
}

}  // namespace orrery::cli
