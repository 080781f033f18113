#include "ask/files/scrub.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ask/recording.h"
#include "base/io/output_file.h"
#include "base/numbers.h"
#include "base/units.h"
#include "formats/ampip/format.h"
#include "formats/ampip/reader.h"
#include "job/read/inputs.h"
#include "job/read/registry.h"
#include "report/counted.h"
#include "scrub/outcome_sheets.h"
#include "scrub/scrub.h"

namespace orrery::ask {
namespace {

constexpr TimePs kMostJitter = 3600 * kPsPerSecond;
constexpr std::int64_t kMostSizeBits = 52;  // of a double's 53: more would round nothing

// "200ns", "5us", "1.5ms"
std::optional<TimePs> parse_jitter(std::string_view text) {
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

Status scrub_settings(const ScrubRequest& request, scrub::Settings& settings) {
  if (!request.output && !request.dry_run)
    return misuse("no folder given to write to", "-o DIR, or --dry-run to see what would go and what would stay");
  if (request.output && is_standard_output(*request.output))
    return misuse("the files of a job go to a folder, not to standard output", "-o DIR");
  if (request.size_bits) {
    if (*request.size_bits < 1 || *request.size_bits > kMostSizeBits)
      return misuse("--round-sizes takes 1 to 52 bits", "1 rounds to powers of two");
    settings.size_bits = static_cast<int>(*request.size_bits);
  }
  if (request.jitter) {
    const auto bound = parse_jitter(*request.jitter);
    if (!bound) return misuse("--jitter takes a time of at most an hour", "like 500ns, 5us or 1.5ms");
    settings.jitter_ps = *bound;
  }
  settings.fuse = request.fuse;
  settings.keep_device_names = request.keep_device_names;
  settings.keep_operators = request.keep_operators;
  if (settings.keep_operators && (settings.size_bits != 0 || settings.fuse))
    return misuse("--keep-operators keeps every size and every operator, --round-sizes and --fuse do not",
                  "leave out one of them");
  return {};
}

/// The files that were named, each with its format; and the reports that lie beside A-mpiP traces.
Result<std::vector<scrub::Input>> find_files_to_scrub(const ScrubRequest& request) {
  auto files = job::expand_inputs(request.files);
  if (!files) return files.error();
  std::vector<scrub::Input> inputs;
  // Grows as it is gone through: a folder of A-mpiP traces stands for those, and the report beside them belongs to the
  // job.
  for (std::size_t i = 0; i < files->size(); ++i) {
    const auto format = job::detect((*files)[i]);
    if (!format) return format.error();
    inputs.push_back({(*files)[i], *format});
    if (*format != &ampip::kFormat) continue;
    for (const std::string& report : ampip::reports_beside((*files)[i])) {
      if (std::find(files->begin(), files->end(), report) == files->end()) files->push_back(report);
    }
  }
  return inputs;
}

Status take_key(const ScrubRequest& request, Context& context, scrub::Settings& settings) {
  // A dry run makes no key file: it writes nothing.
  std::error_code ignored;
  const bool has_key = request.key_file && (!request.dry_run || std::filesystem::exists(*request.key_file, ignored));
  const auto key = has_key ? scrub::load_or_create_key(*request.key_file) : scrub::random_key();
  if (!key) return key.error();
  settings.key = *key;
  if (has_key) context.outputs().protect(*request.key_file);
  return {};
}

std::string kept_promise(const ScrubRequest& request, const scrub::Settings& settings) {
  std::string text = settings.jitter_ps != 0
                         ? fmt::format("Every moment moved by up to {}; their order is the same.\n",
                                       format_duration(settings.jitter_ps))
                         : "Times are the same but for a constant: path, replay and simulate give what they gave.\n";
  if (settings.size_bits != 0)
    text +=
        fmt::format("Sizes are rounded to {} bits: simulated communication takes other times.\n", settings.size_bits);
  if (settings.keep_operators)
    text +=
        "PyTorch's operators are as they were, with their shapes: replay --emit runs them again, and the architecture "
        "can be read off them.\n";
  return text +
         (request.key_file
              ? fmt::format("The key is in {}: whoever has it can test which names these were.\n", *request.key_file)
              : "The key is gone: nobody can tell the names again, nor rename another file alike.\n");
}

void tell_scrub(report::Answer& answer, const scrub::Outcome& outcome, bool is_dry) {
  using report::Readers;
  const scrub::ScrubTotals totals = scrub::totals_of(outcome);
  answer.line(fmt::format("{}: {} {}, {} members {}.", report::counted(outcome.files.size(), "file"),
                          report::counted(totals.names, "name"), is_dry ? "would be replaced" : "replaced",
                          format_count(totals.members), is_dry ? "would be left out" : "left out"));
  answer.facts().field("dry_run", is_dry);
  const auto add = [&](report::Sheet sheet, Readers readers) {
    answer.table(std::move(sheet), {.readers = readers, .after_gap = true});
  };
  // Before anything is written people look at what would become of it; which files, is what comes last.
  const Readers if_dry = is_dry ? Readers::all : Readers::programs_and_tables;
  add(scrub::files_sheet(outcome, is_dry), is_dry ? Readers::programs_and_tables : Readers::all);
  add(scrub::members_sheet(outcome), Readers::programs_and_tables);
  add(scrub::names_sheet(outcome), if_dry);
  if (is_dry) {
    add(scrub::members_that(true, outcome), Readers::people);
    add(scrub::members_that(false, outcome), Readers::people);
    add(scrub::files_sheet(outcome, is_dry), Readers::people);
  }
  answer.gap();
}

}  // namespace

Result<report::Answer> run(const ScrubRequest& request, Context& context) {
  scrub::Request job;
  if (const Status set = scrub_settings(request, job.settings); !set) return set.error();
  auto inputs = find_files_to_scrub(request);
  if (!inputs) return inputs.error();
  job.inputs = std::move(*inputs);
  job.keep_file_names = request.keep_file_names;
  if (!request.dry_run) job.output_folder = *request.output;
  if (const Status taken = take_key(request, context, job.settings); !taken) return taken.error();
  std::vector<std::string> files;
  for (const scrub::Input& input : job.inputs) {
    files.push_back(input.path);
    if (const Status added = context.add_input(input.path); !added) return added.error();
  }
  Progress progress = context.progress("scrubbing", 2 * total_bytes(files));  // every file is read twice
  job.on_progress = [&](std::uint64_t bytes) { progress.add(bytes); };
  const auto outcome = scrub::scrub_job(job, context.diagnostics());
  progress.finish();
  if (!outcome) return outcome.error();
  report::Answer answer = context.answer();
  const bool is_dry = job.output_folder.empty();
  tell_scrub(answer, *outcome, is_dry);
  // What is promised of files that are not there yet would be read as a promise of those that are.
  if (!is_dry) answer.text(kept_promise(request, job.settings));
  return answer;
}

}  // namespace orrery::ask
