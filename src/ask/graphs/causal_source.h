// From the files that a question names to a causal graph: which ranks, window and clock, and where the graph comes
// from.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/path/step_spread.h"
#include "ask/context.h"
#include "ask/fields.h"
#include "ask/recording.h"
#include "base/result.h"
#include "job/recorded_job.h"

namespace orrery::ask {

/// Which of several: "3" or "0:3", inclusive, counting from 0. None: the one that is typical, or all.
struct Instances {
  std::optional<std::size_t> first;
  std::optional<std::size_t> last;

  /// How many steps they span; without a choice, one.
  [[nodiscard]] std::size_t count() const { return first ? *last - *first + 1 : 1; }
};
Status parse_instances(std::string_view text, Instances& out);

/// The part of a recording that is looked at.
struct WindowChoice {
  std::optional<std::string> annotation = {};  ///< events whose name contains it; empty: the whole trace; none: steps
  Instances instances = {};
};
template <typename Visitor>
void fields(WindowChoice& window, Visitor&& visit) {
  visit("annotation", window.annotation);
  visit("instance", written(window.instances, parse_instances));
}
/// As one could type it again: " --annotation step --instance 0:3".
std::string typed(const WindowChoice& window);

/// When only part of each rank is kept (RankDetail).
enum class Reduce : std::uint8_t { automatic, always, never };
inline constexpr std::pair<std::string_view, Reduce> kReduceWords[] = {
    {"auto", Reduce::automatic}, {"always", Reduce::always}, {"never", Reduce::never}};
inline constexpr std::pair<std::string_view, job::ClockChoice> kClockWords[] = {
    {"auto", job::ClockChoice::automatic}, {"one", job::ClockChoice::one}, {"align", job::ClockChoice::align}};
/// " --clock one"; nothing where it is automatic.
std::string typed(job::ClockChoice clock);

/// A causal graph: of a rank, or of all.
struct GraphRequest {
  RecordingRequest recording = {};
  WindowChoice window = {};
  job::ClockChoice clock = job::ClockChoice::automatic;
  Reduce reduce = Reduce::automatic;
  std::optional<std::string> restore = {};  ///< the graph is in this file, and no recording is read
  std::optional<std::string> save = {};     ///< keep the graph in this file, as recorded
};
template <typename Visitor>
void fields(GraphRequest& request, Visitor&& visit) {
  fields(request.recording, visit);
  // Questions about devices alone have no use for them, and `kernels` means others by the name.
  visit("counters", request.recording.counters);
  fields(request.window, visit);
  visit("clock", choice(request.clock, kClockWords));
  visit("reduce", choice(request.reduce, kReduceWords));
  visit("restore", request.restore);
  visit("save", request.save);
}

/// Whether the files are those of several ranks and the question is not about one of them (rank, restore). What cannot
/// be found is no job: whoever reads it says so.
bool asks_whole_job(const Context& context, const GraphRequest& request);

/// Reads all ranks, or the one asked for, and brings them on one clock. `operands`: see formats::TraceOptions.
Result<job::RecordedJob> load_recorded_job(Context& context, const RecordingRequest& request, job::ClockChoice clock,
                                           bool operands = false);

/// What somebody has to learn from a recording besides its graph, which stands without it: called while both are there.
using Learn = std::function<Status(const trace::Trace& trace, const causal::CausalGraph& job)>;

/// What is kept of the ranks of a job.
enum class RankDetail : std::uint8_t {
  whole,      ///< all of it
  graph,      ///< the graph of the window; the traces go as they are read, if GraphRequest::reduce says so: the same
              ///< graph, for questions about local work
  as_needed,  ///< reduced graphs (causal/reduce/reduce_rank.h), if GraphRequest::reduce says so: for questions about
              ///< what the ranks do to one another
};

/// The graph of the window asked for, as recorded (see take_profiler_off). `typical`: without instances one step,
/// instead of all that the ranks have in common. `spread`: where to tell how much those differ; with `typical` only.
/// `learn`: the recording is read with operands, and all of it is kept until then.
Result<causal::CausalGraph> load_job_graph(Context& context, const GraphRequest& request, bool typical,
                                           const causal::JoinOptions& options = {},
                                           RankDetail detail = RankDetail::whole,
                                           std::optional<analyze::StepSpread>* spread = nullptr,
                                           const Learn& learn = {});

/// For questions that one rank can answer as well: the rank asked for or restored, or that of one file, and else all
/// ranks. One step that is typical, where none is named. `learn`: see load_job_graph; of a saved graph, which has no
/// recording, it is not called.
Result<causal::CausalGraph> load_causal_graph(Context& context, const GraphRequest& request,
                                              std::optional<analyze::StepSpread>* spread = nullptr,
                                              const Learn& learn = {});

/// How much the steps differ that the ranks have in common; of `window`, which was chosen from them.
std::optional<analyze::StepSpread> find_step_spread(const job::RecordedJob& job, const job::JobWindow& window);

/// Whether something joins the ranks. If not, what is wrong is said, and the answer does not hold.
bool is_joined(Context& context, const causal::CausalGraph& job);
/// The same for whoever asks about moments and spans: some recordings have lengths alone, and tell only who waited.
bool has_path(Context& context, const causal::CausalGraph& job);

}  // namespace orrery::ask
