#include "cli/frame/shared_flags.h"

namespace orrery::cli {

Flag csv_flag() { return {.name = "csv", .help = "print the tables as CSV, with the names and units of --json"}; }

std::vector<Flag> with_input_flags(std::vector<Flag> flags) {
  flags.push_back(Flag{.name = "salvage",
                       .help = "read a truncated or damaged file up to the damage instead of refusing it",
                       .group = "Input"});
  return flags;
}

std::vector<Flag> with_window_flags(std::vector<Flag> flags) {
  flags.push_back(Flag{.name = "rank",
                       .value_name = "N",
                       .kind = ValueKind::integer,
                       .help = "analyse this rank (default: the lowest)",
                       .group = "Window"});
  flags.push_back(
      Flag{.name = "annotation",
           .value_name = "TEXT",
           .help = "events whose name contains TEXT; '' is the whole trace (default: a typical profiler step)",
           .group = "Window"});
  flags.push_back(Flag{.name = "instance",
                       .value_name = "N[:M]",
                       .help = "which of them, counting from 0; N:M spans several",
                       .group = "Window"});
  flags.push_back(without_profiler_flag());
  flags.push_back(capture_flag());
  flags.push_back(rules_flag());
  flags.push_back(counters_flag());
  flags.push_back(Flag{.name = "restore",
                       .value_name = "FILE",
                       .kind = ValueKind::file,
                       .help = "take the step from a file written by path --save instead of a trace",
                       .group = "Input"});
  return with_input_flags(std::move(flags));
}

Flag clock_flag() {
  return {.name = "clock",
          .value_name = "HOW",
          .help =
              "auto: estimate how the ranks' clocks differ, and correct what exceeds the estimate's band; one: they "
              "are on one clock; "
              "align: always correct",
          .default_text = "auto",
          .choices = "auto one align",
          .group = "Input"};
}

std::vector<Flag> with_job_flags(std::vector<Flag> flags) {
  flags.push_back(Flag{.name = "annotation",
                       .value_name = "TEXT",
                       .help = "events whose name contains TEXT; '' is the whole trace (default: the profiler's steps)",
                       .group = "Window"});
  flags.push_back(Flag{.name = "instance",
                       .value_name = "N[:M]",
                       .help = "which of them, counting from 0; N:M spans several",
                       .group = "Window"});
  flags.push_back(without_profiler_flag());
  flags.push_back(capture_flag());
  flags.push_back(rules_flag());
  flags.push_back(counters_flag());
  flags.push_back(clock_flag());
  return with_input_flags(std::move(flags));
}

Flag reduce_flag(ask::RankDetail detail) {
  return {.name = "reduce",
          .value_name = "WHEN",
          .help = detail == ask::RankDetail::graph
                      ? "read rank by rank, and keep of each only the graph of the window; "
                        "auto: if the files are larger than 256 MB together, "
                        "as far as that can be told before they are read"
                      : "read rank by rank, and keep of each only what others can tell of it; "
                        "auto: if the files are larger than 256 MB "
                        "together, as far as that can be told before they are read",
          .default_text = "auto",
          .choices = "auto always never",
          .group = "Input",
          .former_name = "skeletons"};
}

Flag device_flag() {
  return {.name = "device",
          .value_name = "NAME",
          .help = "the device, by its name (h200) or file (default: what the recording says)"};
}

Flag unprofiled_flag() {
  return {.name = "unprofiled",
          .value_name = "TIME",
          .kind = ValueKind::duration,
          .help =
              "what a step takes without the profiler (19.6ms), from your own log: what recording costs is found and "
              "taken off",
          .group = "Window"};
}

Flag without_profiler_flag() {
  return {.name = "without-profiler",
          .help =
              "answer for the run as it would be if nobody had recorded it: what recording cost is read off the "
              "recording itself and taken off",
          .group = "Window"};
}

Flag capture_flag() {
  return {.name = "capture",
          .value_name = "FILE",
          .kind = ValueKind::file,
          .help =
              "a recording of the same program while its graphs were captured, or run eagerly: gives the work of graph "
              "launches its operators; a folder means the files in it",
          .repeatable = true,
          .group = "Input"};
}

Flag rules_flag() {
  return {.name = "rules",
          .value_name = "FILE",
          .kind = ValueKind::file,
          .help = "read names of kernels by the rules in FILE before the shipped ones: what communicates, and how",
          .repeatable = true,
          .group = "Input"};
}

Flag counters_flag() {
  return {.name = "counters",
          .value_name = "FILE",
          .kind = ValueKind::file,
          .help = "read counters of GPUs (nvidia-smi, dcgmi) from FILE instead of the tables beside the traces",
          .repeatable = true,
          .group = "Input"};
}

Flag checkpoint_flag() {
  return {.name = "checkpoint",
          .value_name = "FILE",
          .kind = ValueKind::output,
          .help = "of a sweep: keep every finished point in FILE; the same command goes on with what is there"};
}

}  // namespace orrery::cli
