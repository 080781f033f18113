// The ranks of a recorded MPI job as a fit takes them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "motif/fit/observation.h"
#include "motif/motif.h"
#include "trace/trace.h"

namespace orrery::motif::fit {

// Call sites that are the same place of the program, on all ranks and in all runs.

/// One call site as one rank numbers it.
struct LocalSite {
  std::string operation = {};
  std::string stack = {};  ///< the same on all ranks; empty where the trace does not know it
};

/// Sites are numbered from 1. Those with a stack are told apart by it; several of one stack ("... #2"), which a tracer
/// tells apart by their first calls, by what comes before and after them, since first calls depend on the data. Sites
/// without a stack are put side by side in the order of their first calls: the longest common subsequence of functions
/// is the same code, what is left over is only in one of them.
class SiteTable {
 public:
  /// The numbers of the sites of one rank, given in the order of their first calls; `calls` are places in `sites`, in
  /// the order of the run.
  std::vector<std::uint32_t> place(const std::vector<LocalSite>& sites, const std::vector<std::size_t>& calls);

  /// Ascending by id; what the table does not know is empty.
  [[nodiscard]] std::vector<Site> sites() const;

 private:
  std::uint32_t add(const LocalSite& site);
  std::vector<std::uint32_t> align(const std::vector<LocalSite>& sites);
  std::vector<std::uint32_t> by_stack(const std::vector<LocalSite>& sites);
  void exchange_twins(const std::vector<LocalSite>& sites,
                      const std::map<std::pair<std::size_t, std::size_t>, std::size_t>& transitions,
                      std::vector<std::uint32_t>& numbers) const;

  std::vector<LocalSite> known_;  // site i + 1
  std::map<std::string, std::uint32_t> by_stack_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> transitions_;  // seen so far
  std::vector<std::uint32_t> order_;                               // of sites without stacks: as they are first called
};

/// Ranks without an MPI call, and a number of ranks other than nodes times ranks per node, are an Error. `name` is what
/// messages call the run.
Result<std::vector<RankRun>> mpi_ranks(const trace::Trace& trace, const RunParameters& run, const std::string& name,
                                       SiteTable& sites);

}  // namespace orrery::motif::fit
