#include "scrub/scrub.h"

#include <filesystem>
#include <memory>
#include <optional>

#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "base/parallel.h"
#include "scrub/diagnostics.h"
#include "scrub/files/file_writer.h"
#include "scrub/output_names.h"

namespace orrery::scrub {
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
  // Every file to its end, although one error is enough: which error is told must not depend on which thread came first.
  parallel_for(request.inputs.size(), [&](std::size_t i) { surveyed[i] = survey_file(request.inputs[i], request.on_progress); });
  std::vector<FileFacts> facts;
  for (auto& file : surveyed) {
    if (!*file) return file->error();
    facts.push_back(std::move(**file));
  }
  return facts;
}

/// The report of an MPI run adds up what its traces have one by one: a trace with other numbers would hide nothing, and no longer fit it.
Status check_settings(const Settings& settings, const std::vector<FileFacts>& files) {
  if (settings.jitter_ps == 0 && settings.size_bits == 0) return {};
  for (const FileFacts& file : files) {
    if (file.kind == FileKind::ampip || file.kind == FileKind::mpip)
      return Error{"times and sizes of A-mpiP can only stay as they are: mpiP's report has their sums", file.path, Error::kNoOffset,
                   "leave out --jitter and --round-sizes"};
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
      diagnostics.add_many(kUnusableMember, unusable, std::string(rules[i].object->place) + std::string(rules[i].rule->key));
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
  OutputSet outputs;  // the first pass found every file sound, so the disk is full or a file has changed; half a job is of no use
  for (const Input& input : request.inputs) outputs.protect(input.path);
  if (!request.output_folder.empty()) {
    if (const Status prepared = prepare_outputs(outcome.files, request.output_folder); !prepared) return prepared.error();
  }
  std::vector<Rewritten> rewritten(outcome.files.size());
  parallel_for(rewritten.size(), [&](std::size_t i) { rewritten[i] = rewrite_one(request, outcome.job, outcome.files[i]); });
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
