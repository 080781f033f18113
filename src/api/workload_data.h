// What stands behind the public Workload.
#pragma once

#include <orrery/workload.h>

#include <string>
#include <vector>

#include "api/id_directory.h"
#include "graph/workload.h"

namespace orrery::api {

struct WorkloadData {
  graph::Workload workload;
  std::vector<IdDirectory> directories;  ///< by program
  std::vector<std::string> remarks;
  bool knows_ranks = false;  ///< opened by prefix: ranks are those of the job

  [[nodiscard]] const graph::Program& program(std::size_t rank) const { return workload.program(rank); }
  [[nodiscard]] std::uint32_t find(std::size_t rank, std::uint64_t id) const {
    return directories[workload.program_of_rank[rank]].find(id);
  }
  [[nodiscard]] Node node(std::size_t rank, std::size_t index) const {
    return {*this, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(index)};
  }
};

}  // namespace orrery::api
