#include "scrub/scrub.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "base/parallel.h"
#include "scrub/files/file_writer.h"

// Two passes over all files. The first finds damage and what must be known of the whole job (processes, moments); the
// second rewrites each file by itself, since names depend only on the key. Nothing is published unless all of it is
// written.

namespace orrery::scrub {
namespace {

std::string stem_of(const FileFacts& file, std::int64_t rank, int copy) {
  const std::string again = copy > 1 ? fmt::format("_{}", copy) : "";
  switch (file.kind) {
    case FileKind::groups: return fmt::format("job{}.groups.json", again);
    case FileKind::chakra: return fmt::format("job{}.{}.et", again, rank);
    case FileKind::feeder: return fmt::format("job{}.{}.json", again, rank);
    case FileKind::ampip:
      return fmt::format("trace{}_{}", again, rank);  // as the tool has it: the reader takes the rank from the name
    case FileKind::mpip: return fmt::format("report{}.mpiP", again);
    default: return fmt::format("rank_{}.{}{}.json", rank, to_string(file.kind), again);
  }
}

std::string kept_name(const FileFacts& file) {
  std::string name = std::filesystem::path(file.path).filename().string();
  // Outputs are compressed as gzip: every viewer reads it.
  if (name.ends_with(".zst")) name.replace(name.size() - 4, 4, ".gz");
  return name;
}

}  // namespace

std::vector<std::string> name_outputs(std::span<const FileFacts> files, bool keep_names, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const FileFacts& file = files[i];
    if (!file.rank && file.kind != FileKind::groups && file.kind != FileKind::mpip && files.size() > 1)
      diagnostics.add(kRankUnknown, [&] { return file.path; });
    const std::int64_t rank = file.rank.value_or(static_cast<std::int64_t>(i));
    std::string name = keep_names ? kept_name(file) : "";
    for (int copy = 1; name.empty() || taken.contains(name); ++copy) {
      name = stem_of(file, rank, copy);
      if (file.compressed) name += ".gz";
    }
    taken.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

namespace {

namespace fs = std::filesystem;

Status prepare_outputs(const std::vector<FileOutcome>& files, const std::string& folder) {
  // Before the first byte is read a second time: a job that cannot be written should fail in seconds.
  for (const FileOutcome& file : files) {
    if (Status allowed = OutputSet::check_target(file.output); !allowed) return allowed;
  }
  return OutputSet::make_folder(folder);
}

Result<std::vector<FileFacts>> survey_all(const Request& request) {
  std::vector<std::optional<Result<FileFacts>>> surveyed(request.inputs.size());
  // Every file to its end, although one error is enough: which error is told must not depend on which thread came
  // first.
  parallel_for(request.inputs.size(),
               [&](std::size_t i) { surveyed[i] = survey_file(request.inputs[i], request.on_progress); });
  std::vector<FileFacts> facts;
  for (auto& file : surveyed) {
    if (!*file) return file->error();
    facts.push_back(std::move(**file));
  }
  return facts;
}

/// The report of an MPI run adds up what its traces have one by one: a trace with other numbers would hide nothing, and
/// no longer fit it.
Status check_settings(const Settings& settings, const std::vector<FileFacts>& files) {
  if (settings.jitter_ps == 0 && settings.size_bits == 0) return {};
  for (const FileFacts& file : files) {
    if (file.kind == FileKind::ampip || file.kind == FileKind::mpip)
      return Error{"times and sizes of A-mpiP can only stay as they are: mpiP's report has their sums", file.path,
                   Error::kNoOffset, "leave out --jitter and --round-sizes"};
  }
  return {};
}

/// What the second pass makes of one file.
struct Rewritten {
  std::unique_ptr<JsonRewriter> rewriter;
  std::optional<Error> error;
};

Rewritten rewrite_one(const Request& request, const JobFacts& job, FileOutcome& file) {
  Rewritten result{std::make_unique<JsonRewriter>(request.settings, job), std::nullopt};
  std::optional<OutputFile> out;
  if (!request.output_folder.empty()) {
    auto created = OutputFile::create(file.output);
    if (!created) return result.error = created.error(), std::move(result);
    out = std::move(*created);
  }
  const auto write = [&](std::string_view bytes) {
    if (out) out->write(bytes);
  };
  const auto bytes = rewrite_file(file.facts, request.settings, job, *result.rewriter, write, request.on_progress);
  if (!bytes) return result.error = bytes.error(), std::move(result);
  file.output_bytes = *bytes;
  if (!out) return result;
  if (const Status written = out->commit(); !written) result.error = written.error();
  return result;
}

void add_diagnostics(const Request& request, const Outcome& outcome, Diagnostics& diagnostics) {
  for (const auto& [member, count] : outcome.tally.unknown()) diagnostics.add_many(kUnknownMember, count, member);
  const auto rules = all_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::uint64_t unusable = outcome.tally.by_rule()[i].unusable;
    if (unusable > 0)
      diagnostics.add_many(kUnusableMember, unusable,
                           std::string(rules[i].object->place) + std::string(rules[i].rule->key));
  }
  if (outcome.tally.unusable_records() > 0) diagnostics.add_many(kUnusableRecord, outcome.tally.unusable_records(), {});
  // Asked for and without effect: the user may think that less can be told than can.
  if (!request.settings.fuse) return;
  for (const FileOutcome& file : outcome.files) {
    if (file.facts.kind != FileKind::chakra && file.facts.kind != FileKind::groups)
      diagnostics.add(kNotFused, [&] { return file.facts.path; });
  }
}

}  // namespace

Result<Outcome> scrub_job(const Request& request, Diagnostics& diagnostics) {
  Outcome outcome;
  auto facts = survey_all(request);
  if (!facts) return facts.error();
  if (const Status fits = check_settings(request.settings, *facts); !fits) return fits.error();
  outcome.job = join_facts(*facts);
  const std::vector<std::string> names = name_outputs(*facts, request.keep_file_names, diagnostics);
  for (std::size_t i = 0; i < names.size(); ++i)
    outcome.files.push_back({std::move((*facts)[i]), (fs::path(request.output_folder) / names[i]).string()});
  OutputSet outputs;  // the first pass found every file sound, so the disk is full or a file has changed; half a job is
                      // of no use
  for (const Input& input : request.inputs) outputs.protect(input.path);
  if (!request.output_folder.empty()) {
    if (const Status prepared = prepare_outputs(outcome.files, request.output_folder); !prepared)
      return prepared.error();
  }
  std::vector<Rewritten> rewritten(outcome.files.size());
  parallel_for(rewritten.size(),
               [&](std::size_t i) { rewritten[i] = rewrite_one(request, outcome.job, outcome.files[i]); });
  std::optional<Error> error;
  for (Rewritten& file : rewritten) {
    if (!error && file.error) error = *file.error;
    outcome.tally.add(file.rewriter->tally());
    // In the order of the inputs: reports name what came first.
    const Status added = outcome.names.add(file.rewriter->renamer());
    if (!error && !added) error = added.error();
    file.rewriter.reset();
  }
  if (error) return *error;
  if (const Status published = outputs.publish(); !published) return published.error();
  add_diagnostics(request, outcome, diagnostics);
  return outcome;
}

}  // namespace orrery::scrub
