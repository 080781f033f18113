// What stands behind the public Workload.
#pragma once

#include <orrery/workload.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/id_directory.h"
#include "api/successors.h"
#include "workload/workload.h"

namespace orrery::api {

struct LazySuccessors {
  std::once_flag once;
  Successors value;
};

struct WorkloadData {
  workload::Workload workload;
  std::vector<IdDirectory> directories;               ///< by program
  std::unique_ptr<LazySuccessors[]> lazy_successors;  ///< by program: of all dependencies, of data alone
  std::vector<std::string> remarks;
  bool knows_ranks = false;  ///< opened by prefix: ranks are those of the job

  /// Made on first request, by whichever thread asks first; shared by the feeders of all ranks that run the program.
  [[nodiscard]] const Successors& successors(std::size_t rank, bool data_only) const {
    const std::uint32_t number = workload.program_of_rank[rank];
    LazySuccessors& lazy = lazy_successors[2 * std::size_t{number} + (data_only ? 1 : 0)];
    std::call_once(lazy.once, [&] { lazy.value = make_successors(workload.programs[number].dependencies, data_only); });
    return lazy.value;
  }

  [[nodiscard]] const workload::Program& program(std::size_t rank) const { return workload.program(rank); }
  [[nodiscard]] std::uint32_t find(std::size_t rank, std::uint64_t id) const {
    return directories[workload.program_of_rank[rank]].find(id);
  }
  [[nodiscard]] Node node(std::size_t rank, std::size_t index) const {
    return {*this, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(index)};
  }
};

}  // namespace orrery::api
