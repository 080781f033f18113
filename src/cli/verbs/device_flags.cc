#include "cli/verbs/device_flags.h"

#include "cli/frame/shared_flags.h"

namespace orrery::cli {
namespace {

constexpr std::string_view kHtaGroup = "With --compat hta";

Flag include_last_step_flag() {
  return {.name = "include-last-step", .help = "keep the last profiler step", .group = kHtaGroup};
}

Flag duration_ratio_flag() {
  return {.name = "duration-ratio",
          .value_name = "R",
          .kind = ValueKind::number,
          .help = "names whose running sum exceeds this quantile of the running sums become \"others\"",
          .default_text = "0.8",
          .group = kHtaGroup};
}

Flag no_memory_flag() { return {.name = "no-memory", .help = "without copies and sets", .group = kHtaGroup}; }

}  // namespace

std::vector<Flag> with_device_flags(std::vector<Flag> flags) {
  flags.push_back(csv_flag());
  flags.push_back(Flag{.name = "rank",
                       .value_name = "N",
                       .kind = ValueKind::integer,
                       .help = "look at this rank only (default: all)",
                       .group = "Window"});
  flags.push_back(Flag{
      .name = "annotation",
      .value_name = "TEXT",
      .help =
          "the host event whose name contains TEXT, and the device work it launched (default: all that was recorded)",
      .group = "Window"});
  flags.push_back(Flag{.name = "instance",
                       .value_name = "N[:M]",
                       .help = "which of them, counting from 0; N:M spans several",
                       .group = "Window"});
  flags.push_back(without_profiler_flag());
  flags.push_back(capture_flag());
  flags.push_back(rules_flag());
  return with_input_flags(std::move(flags));
}

std::vector<Flag> with_hta_flags(std::vector<Flag> flags, const std::vector<Flag>& hta_flags, std::string_view tools) {
  flags.push_back({.name = "compat",
                   .value_name = "TOOL",
                   .help = "reproduce the answer of TOOL exactly, defects included",
                   .choices = tools});
  // What both modes have, the verb describes itself.
  for (const Flag& flag : hta_flags) {
    if (find_flag(flags, flag.name) == nullptr) flags.push_back(flag);
  }
  return flags;
}

std::vector<Flag> hta_breakdown_flags() {
  return {Flag{.name = "kernel-delay-us",
               .value_name = "X",
               .kind = ValueKind::number,
               .help = "gaps below this lie between kernels",
               .default_text = "30",
               .group = kHtaGroup},
          Flag{.name = "top",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "how many annotations keep their names; 0: all",
               .default_text = "1000"},
          duration_ratio_flag(), include_last_step_flag()};
}

std::vector<Flag> hta_kernels_flags() {
  return {Flag{.name = "top",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "how many kernels keep their names; 0: all",
               .default_text = "10"},
          duration_ratio_flag(),
          no_memory_flag(),
          Flag{.name = "sequences",
               .value_name = "OP",
               .help = "the sequences of kernels below operators whose name contains OP",
               .group = kHtaGroup},
          Flag{.name = "min-length",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "sequences of at least N kernels",
               .default_text = "3",
               .group = kHtaGroup},
          Flag{.name = "counters",
               .help = "hardware counters, with the operators that launched the kernels",
               .group = kHtaGroup},
          include_last_step_flag()};
}

std::vector<Flag> hta_launches_flags() {
  return {Flag{.name = "queue-limit",
               .value_name = "N",
               .kind = ValueKind::integer,
               .help = "a queue of N launches is full",
               .default_text = "1024",
               .group = kHtaGroup},
          no_memory_flag(),
          Flag{.name = "runtime-cutoff-us",
               .value_name = "X",
               .kind = ValueKind::number,
               .help = "launch calls that take longer are outliers",
               .default_text = "50",
               .group = kHtaGroup},
          Flag{.name = "delay-cutoff-us",
               .value_name = "X",
               .kind = ValueKind::number,
               .help = "kernels that start later after their launch are outliers",
               .default_text = "100",
               .group = kHtaGroup},
          include_last_step_flag()};
}

std::vector<Flag> hta_memory_flags() { return {include_last_step_flag()}; }

std::vector<Flag> hta_blame_flags() {
  return {Flag{.name = "candidates",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "how many ranks to name",
               .default_text = "2",
               .group = kHtaGroup},
          Flag{.name = "step",
               .value_name = "N",
               .kind = ValueKind::integer,
               .help = "look at this step only (default: all but the last)",
               .repeatable = true,
               .group = kHtaGroup},
          include_last_step_flag()};
}

std::vector<Flag> hta_diff_flags() {
  return {Flag{.name = "on",
               .value_name = "WHAT",
               .help = "which rows to compare",
               .default_text = "all",
               .choices = "all cpu gpu",
               .group = kHtaGroup},
          Flag{.name = "control-step",
               .value_name = "N",
               .kind = ValueKind::integer,
               .help = "the profiler step of the first run (default: its first)",
               .group = kHtaGroup},
          Flag{.name = "test-step",
               .value_name = "N",
               .kind = ValueKind::integer,
               .help = "the same of the second run",
               .group = kHtaGroup},
          Flag{.name = "short-names",
               .help = "without template arguments, parameters and return types",
               .group = kHtaGroup}};
}

}  // namespace orrery::cli
