#include "cli/step_source.h"

#include <charconv>

#include "cli/load.h"
#include "link/step_file.h"

namespace orrery::cli {

std::vector<Flag> with_window_flags(std::vector<Flag> flags) {
  flags.push_back(Flag{
      .name = "rank", .value_name = "N", .kind = ValueKind::integer, .help = "analyse this rank (default: the lowest)", .group = "Window"});
  flags.push_back(Flag{.name = "annotation",
                       .value_name = "TEXT",
                       .help = "events whose name contains TEXT; '' is the whole trace (default: a typical profiler step)",
                       .group = "Window"});
  flags.push_back(
      Flag{.name = "instance", .value_name = "N[:M]", .help = "which of them, counting from 0; N:M spans several", .group = "Window"});
  flags.push_back(Flag{.name = "restore",
                       .value_name = "FILE",
                       .kind = ValueKind::file,
                       .help = "take the step from a file written by path --save instead of a trace",
                       .group = "Input"});
  return with_input_flags(std::move(flags));
}

std::optional<UsageError> parse_instances(const Invocation& invocation, Instances& out) {
  if (!invocation.has("instance")) return std::nullopt;
  const std::string text = invocation.text("instance");
  const UsageError error{"--instance takes a number or a range", "like 3 or 0:3, counting from 0", text, 0};
  std::size_t first = 0;
  const char* const end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, first);
  if (parsed.ec != std::errc()) return error;
  std::size_t last = first;
  if (parsed.ptr != end) {
    if (*parsed.ptr != ':') return error;
    parsed = std::from_chars(parsed.ptr + 1, end, last);
    // 3:1 selects nothing; that it was meant the other way round is a guess.
    if (parsed.ec != std::errc() || parsed.ptr != end || last < first) return error;
  }
  out = {first, last};
  return std::nullopt;
}

Result<link::StepGraph> load_step_graph(Invocation& invocation, const std::vector<std::string>& operands, const Instances& instances,
                                        std::optional<analyze::StepSpread>* spread) {
  if (invocation.has("restore")) {
    const std::string file = invocation.text("restore");
    if (const Status added = invocation.add_input(file); !added) return added.error();
    return link::load_step(file);
  }
  const auto job = load_job(invocation, operands, {.one_rank = true});
  if (!job) return job.error();
  link::WindowRequest request;
  if (invocation.has("annotation")) request.annotation = invocation.text("annotation");
  request.first_instance = instances.first;
  request.last_instance = instances.last;
  const trace::RankTrace& rank = (*job)->ranks.front();
  Result<link::StepGraph> step = link::make_step_graph(**job, rank, request, invocation.diagnostics());
  if (step && spread != nullptr && !request.annotation) *spread = analyze::find_step_spread(**job, rank);
  return step;
}

}  // namespace orrery::cli
