// orrery scrub: make a trace safe to share.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/io/output_file.h"
#include "base/numbers.h"
#include "base/units.h"
#include "cli/frame/load.h"
#include "cli/frame/value.h"
#include "cli/frame/verbs.h"
#include "cli/workloads/scrub_report.h"
#include "formats/ampip/format.h"
#include "formats/ampip/reader.h"
#include "job/read/inputs.h"
#include "job/read/registry.h"
#include "scrub/scrub.h"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

constexpr TimePs kMostJitter = 3600 * kPsPerSecond;
constexpr std::int64_t kMostBits = 52;

// "200ns", "5us", "1.5ms"
std::optional<TimePs> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    TimePs ps;
  };
  static constexpr Unit kUnits[] = {{"ns", kPsPerNs}, {"us", kPsPerUs}, {"ms", kPsPerMs}, {"s", kPsPerSecond}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = parse_finite(text.substr(0, text.size() - unit.name.size()));
    // Refused, not cut to what is possible: a bound other than the one asked for would be a promise broken in silence.
    if (!number || *number < 0 || *number * static_cast<double>(unit.ps) > static_cast<double>(kMostJitter))
      return std::nullopt;
    return static_cast<TimePs>(*number * static_cast<double>(unit.ps));
  }
  return std::nullopt;
}

std::optional<UsageError> read_settings(const Invocation& invocation, scrub::Settings& settings) {
  if (!invocation.has("output") && !invocation.has("dry-run"))
    return UsageError{"no folder given to write to", "-o DIR, or --dry-run to see what would go and what would stay"};
  if (invocation.has("output") && is_standard_output(invocation.text("output")))
    return UsageError{"the files of a job go to a folder, not to standard output", "-o DIR"};
  if (invocation.has("round-sizes")) {
    const std::int64_t bits = invocation.integer("round-sizes");
    if (bits < 1 || bits > kMostBits)
      return UsageError{"--round-sizes takes 1 to 52 bits", "1 rounds to powers of two"};
    settings.size_bits = static_cast<int>(bits);
  }
  if (invocation.has("jitter")) {
    const auto bound = parse_duration(invocation.text("jitter"));
    if (!bound) return UsageError{"--jitter takes a time of at most an hour", "like 500ns, 5us or 1.5ms"};
    settings.jitter_ps = *bound;
  }
  settings.fuse = invocation.has("fuse");
  settings.keep_device_names = invocation.has("keep-device-names");
  settings.keep_operators = invocation.has("keep-operators");
  if (settings.keep_operators && (settings.size_bits != 0 || settings.fuse))
    return UsageError{"--keep-operators keeps every size and every operator, --round-sizes and --fuse do not",
                      "leave out one of them"};
  return std::nullopt;
}

ExitCode run_scrub(Invocation& invocation) {
  scrub::Request request;
  if (const auto error = read_settings(invocation, request.settings)) return invocation.fail_usage(*error);
  auto files = job::expand_inputs(invocation.operands());
  if (!files) return invocation.fail(files.error());
  // Grows as it is gone through: a folder of A-mpiP traces stands for those, and the report beside them belongs to the
  // job.
  for (std::size_t i = 0; i < files->size(); ++i) {
    const auto format = job::detect((*files)[i]);
    if (!format) return invocation.fail(format.error());
    request.inputs.push_back({(*files)[i], *format});
    if (*format != &ampip::kFormat) continue;
    for (const std::string& report : ampip::reports_beside((*files)[i]))
      if (std::find(files->begin(), files->end(), report) == files->end()) files->push_back(report);
  }
  request.keep_file_names = invocation.has("keep-file-names");
  if (!invocation.has("dry-run")) request.output_folder = invocation.text("output");
  // A dry run makes no key file: it writes nothing.
  std::error_code ignored;
  const bool has_key =
      invocation.has("key-file") && (!invocation.has("dry-run") || fs::exists(invocation.text("key-file"), ignored));
  const auto key = has_key ? scrub::load_or_create_key(invocation.text("key-file")) : scrub::random_key();
  if (!key) return invocation.fail(key.error());
  request.settings.key = *key;
  if (has_key) invocation.outputs().protect(invocation.text("key-file"));
  std::uint64_t total = 0;
  for (const std::string& file : *files) {
    if (const auto size = fs::file_size(file, ignored); !ignored) total += 2 * size;  // every file is read twice
    if (const Status added = invocation.add_input(file); !added) return invocation.fail(added.error());
  }
  Progress progress = invocation.progress("scrubbing", total);
  request.on_progress = [&](std::uint64_t bytes) { progress.add(bytes); };
  const auto outcome = scrub::scrub_job(request, invocation.diagnostics());
  progress.finish();
  if (!outcome) return invocation.fail(outcome.error());
  report_scrub(invocation, request, *outcome);
  return ExitCode::ok;
}

}  // namespace

const Verb& scrub_verb() {
  static const Verb verb = {
      .name = "scrub",
      .summary = "make a trace safe to share: names hashed, shapes and metadata gone, times the same",
      .description =
          "Writes the files of one job again without what they give away. Names of operators, kernels, annotations, "
          "process groups and "
          "functions become a word for the sort of work and a hash whose key is thrown away; shapes, values, source "
          "lines, paths and "
          "metadata "
          "are left out; "
          "process numbers and the time of day are replaced. What analyses need stays, so that path, replay and "
          "simulate give the same "
          "times before and after.\n\n"
          "Takes PyTorch profiler traces, execution traces, linked traces, Chakra files (.et), A-mpiP traces and files "
          "of communicators; "
          "all files of one "
          "call "
          "are renamed alike. Anything it does not know is left out.",
      .operands = {.name = "FILE...",
                   .help = "files, folders or globs: all files of one job",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags =
          {
              csv_flag(),
              Flag{.name = "dry-run", .help = "write nothing; list what would go and what would stay"},
              Flag{.name = "key-file",
                   .value_name = "FILE",
                   .kind = ValueKind::file,
                   .help =
                       "keep the key in FILE, or use the one in it, so that several calls agree; keep it to yourself"},
              Flag{.name = "keep-file-names", .help = "instead of rank_0.kineto.json.gz and the like"},
              Flag{.name = "keep-device-names", .help = "\"NVIDIA H200\" stays"},
              Flag{.name = "keep-operators",
                   .help = "names, schemas, shapes and numbers of PyTorch's own operators stay, so that replay --emit "
                           "calls them again; "
                           "those of "
                           "the job stay hidden"},
              Flag{.name = "round-sizes",
                   .value_name = "BITS",
                   .kind = ValueKind::count,
                   .help = "round message and tensor sizes to so many leading bits (1: powers of two)",
                   .group = "Coarser"},
              Flag{.name = "jitter",
                   .value_name = "TIME",
                   .help = "move every moment by up to TIME (5us); the order of all moments stays",
                   .group = "Coarser"},
              Flag{.name = "fuse",
                   .help = "join chains of compute nodes of Chakra files to one node",
                   .group = "Coarser"},
          },
      .examples = {{"orrery scrub traces/ --dry-run", "what would go and what would stay"},
                   {"orrery scrub traces/ -o public/", "all ranks of a job, renamed alike"},
                   {"orrery scrub traces/ -o public/ --keep-operators", "for replay --emit torch"},
                   {"orrery scrub et/ -o public/ --fuse --round-sizes 3 --jitter 5us",
                    "a workload for a simulator, coarser still"}},
      .output_help = "the folder to write to; made if it is not there",
      .run = run_scrub,
  };
  return verb;
}

}  // namespace orrery::cli
