// From the command line to a causal graph: the flags that choose ranks, window and clock, and where the graph comes
// from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/path/step_spread.h"
#include "base/result.h"
#include "cli/frame/invocation.h"
#include "job/recorded_job.h"

namespace orrery::cli {

/// --rank, --annotation, --instance and --restore, with the input flags, behind the verb's own.
std::vector<Flag> with_window_flags(std::vector<Flag> flags);

struct Instances {
  std::optional<std::size_t> first;
  std::optional<std::size_t> last;
};

/// How many steps they span; without --instance, one.
inline std::size_t step_count(const Instances& instances) {
  return instances.first ? *instances.last - *instances.first + 1 : 1;
}

/// The value of --instance: "3" or "0:3", inclusive; a UsageError otherwise.
std::optional<UsageError> parse_instances(const Invocation& invocation, Instances& out);

/// --clock, --annotation, --instance and the input flags, behind the verb's own.
std::vector<Flag> with_job_flags(std::vector<Flag> flags);
Flag clock_flag();
job::ClockChoice clock_choice(const Invocation& invocation);

/// Whether the operands are files of several ranks and the question is not about one of them (--rank, --restore). What
/// cannot be found is no job: whoever reads it says so.
bool asks_whole_job(const Invocation& invocation, const std::vector<std::string>& operands);

/// Reads all ranks, or that of --rank where the verb has it, and brings them on one clock (--clock).
Result<job::RecordedJob> load_recorded_job(Invocation& invocation, const std::vector<std::string>& operands);

/// What is kept of the ranks of a job.
enum class RankDetail : std::uint8_t {
  whole,      ///< all of it
  graph,      ///< the graph of the window; the traces go as they are read, if --reduce says so: the same graph, for
              ///< questions about local work
  as_needed,  ///< reduced graphs (causal/reduce/skeleton.h), if --reduce says so: for questions about what the ranks do
              ///< to one another
};
/// --reduce, of verbs whose job is not kept whole.
Flag reduce_flag(RankDetail detail);

/// The graph of the window asked for. `typical`: without --instance one step, instead of all that the ranks have in
/// common. `spread`: where to tell how much those differ; with `typical` only.
Result<causal::CausalGraph> load_job_graph(Invocation& invocation, const std::vector<std::string>& operands,
                                           const Instances& instances, bool typical,
                                           const causal::JoinOptions& options = {},
                                           RankDetail detail = RankDetail::whole,
                                           std::optional<analyze::StepSpread>* spread = nullptr);

/// For questions that one rank can answer as well: that of --rank or --restore, or of one file, and else all ranks. One
/// step that is typical, where none is named. With --save, where the verb has it, the rank is kept as recorded.
Result<causal::CausalGraph> load_causal_graph(Invocation& invocation, const std::vector<std::string>& operands,
                                              const Instances& instances,
                                              std::optional<analyze::StepSpread>* spread = nullptr);

/// How much the steps differ that the ranks have in common; of `window`, which was chosen from them.
std::optional<analyze::StepSpread> find_step_spread(const job::RecordedJob& job, const job::JobWindow& window);

/// Whether something joins the ranks. If not, what is wrong is said, and the verb ends with 1.
bool is_joined(Invocation& invocation, const causal::CausalGraph& job);

}  // namespace orrery::cli
