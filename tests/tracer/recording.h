// Runs one of the programs of tests/tracer/programs under mpirun with the tracer, and reads what it left.
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "formats/mpitrace/reader.h"
#include "support/temp_dir.h"
#include "trace/trace.h"

namespace orrery::testing {

/// Ranks share the cores that there are: they must yield while they wait. Root may run it, as in containers. Others
/// ignore the variables.
inline constexpr const char* kOpenMpiSettings =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 "
    "OMPI_MCA_rmaps_base_oversubscribe=1 "
    "OMPI_MCA_btl_base_warn_component_unused=0 "
    "OMPI_MCA_osc=^ucx ";  // Ubuntu's Open MPI takes it without a network for it, and can then make no window

class Recording {
 public:
  /// `settings`: "ORRERY_MPI_DEPTH=1 ...". `before`: called with the name of every rank's file before anything runs.
  Recording(int ranks, const std::string& program, const std::string& settings = {},
            const std::function<void(const std::string& file)>& before = {}) {
    for (int rank = 0; rank < ranks && before; ++rank) before(file(rank));
    const std::string command =
        std::string(kOpenMpiSettings) + "timeout 120 " ORRERY_MPIRUN " -n " + std::to_string(ranks) +
        " env LD_PRELOAD=" ORRERY_MPI_LIBRARY " ORRERY_MPI_PREFIX=" + folder_.path("run") + " " + settings +
        " " ORRERY_MPI_PROGRAMS "/" + program + " > " + folder_.path("log") + " 2>&1";
    status_ = std::system(command.c_str());
    for (int rank = 0; rank < ranks; ++rank) {
      const std::string path = file(rank);
      if (std::filesystem::exists(path)) files_.push_back(path);
    }
  }

  [[nodiscard]] bool succeeded() const { return WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }
  [[nodiscard]] std::string log() const { return read_file(folder_.path("log")); }
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  [[nodiscard]] std::string file(int rank) const { return folder_.path("run." + std::to_string(rank) + ".mpitrace"); }
  [[nodiscard]] std::string probes() const { return folder_.path("run.probes.jsonl"); }

  trace::Trace read(Diagnostics& diagnostics) const {
    Result<trace::Trace> job = mpitrace::read_job(files_, diagnostics, {});
    INFO((job ? std::string() : job.error().to_string()));
    REQUIRE(job.ok());
    return std::move(*job);
  }

 private:
  TempDir folder_;
  int status_ = 0;
  std::vector<std::string> files_;
};

}  // namespace orrery::testing
