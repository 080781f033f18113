#include "formats/kineto/reader.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/io/inflate.h"
#include "base/io/input.h"
#include "base/parallel.h"
#include "formats/kineto/diagnostics.h"
#include "formats/kineto/document.h"
#include "formats/kineto/legacy_autograd.h"
#include "formats/kineto/metadata.h"
#include "formats/kineto/rank_builder.h"
#include "formats/kineto/stretches.h"
#include "match/communication.h"
#include "trace/names/rank_numbers.h"

// Four ways to the same columns. Plain files are mapped, large ones cut at guessed event starts and parsed side by
// side; compressed ones are inflated and parsed in turns, large ones in stretches that are parsed while the next are
// inflated. A cut is right if each part stops exactly where the next began; otherwise the file is read again in one go.

namespace orrery::kineto {
namespace {

// Pages are asked for and given back in steps, so that a file of many GB does not fill the memory.
constexpr std::uint64_t kReleaseBytes = 2u << 20;

/// One stretch of a file being read: its own columns, texts and remarks.
struct Part {
  Part(const std::string& path, const ReadOptions& options)
      : builder(path, options.launch_arrows), parser(builder, path) {
    parser.keep(options.requested);
  }
  RankBuilder builder;
  DocumentParser parser;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // where it stopped
  std::optional<Error> error;
};

// Parses the mapped file from `begin`, in steps, so that pages already read can be given back.
void parse_mapped(const MappedFile& file, Part& part, std::uint64_t begin, std::uint64_t stop_at,
                  const ReadOptions& options) {
  const std::string_view text = file.bytes();
  const auto in_part = [&](std::uint64_t offset) {
    return std::min(offset, stop_at);
  };  // a part that reads too far counts its own bytes only
  part.begin = begin;
  std::uint64_t at = begin;
  while (!part.parser.at_end()) {
    const std::uint64_t step_end = std::min<std::uint64_t>(stop_at, at + kReleaseBytes);
    part.parser.stop_at(step_end);
    file.populate(at, step_end);
    const Window window{text.data() + at, text.data() + text.size(), at, true};
    const Result<const char*> parsed = part.parser.parse(window);
    if (!parsed) {
      part.error = parsed.error();
      return;
    }
    const auto now = static_cast<std::uint64_t>(*parsed - text.data());
    file.release(at, now);
    if (options.on_progress) options.on_progress(in_part(now) - in_part(at));
    at = now;
    part.end = now;
    if (!part.parser.stopped() || now >= stop_at) return;
    part.parser.resume();
  }
}

bool is_bare_array(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \n\r\t");
  return first != std::string_view::npos && text[first] == '[';
}

// Appends what `next` has read to `whole`. False if they do not meet, or if reading the file in one go would give
// something else.
bool join(Part& whole, Part& next) {
  const bool meets = !whole.error && whole.parser.stopped() && whole.end == next.begin;
  if (!meets || !whole.builder.absorb(next.builder)) return false;
  whole.end = next.end;
  whole.error = next.error;
  whole.parser.continue_as(next.parser);
  return true;
}

// Cuts the file at guessed event starts, reads the parts side by side, and joins them. If two do not meet, the file is
// read in one go: correct for any input, fast for real ones.
std::unique_ptr<Part> read_in_parts(const MappedFile& file, const ReadOptions& options) {
  const std::uint64_t size = file.bytes().size();
  // Parts are cut by size alone, not by threads: the result is the same on any machine.
  std::vector<std::uint64_t> starts{0};
  // The last part may be half as large again, rather than a stub.
  for (std::uint64_t nominal = options.part_bytes; nominal + options.part_bytes / 2 < size;
       nominal += options.part_bytes) {
    const auto start = guess_event_start(file.bytes(), nominal, options.part_bytes / 2);
    if (!start) break;
    if (*start > starts.back()) starts.push_back(*start);
  }
  const bool is_array = is_bare_array(file.bytes());
  std::vector<std::unique_ptr<Part>> parts(starts.size());
  parallel_for(starts.size(), [&](std::size_t i) {
    parts[i] = std::make_unique<Part>(file.path(), options);
    if (i > 0) parts[i]->parser.start_inside_events(is_array);
    parse_mapped(file, *parts[i], starts[i], i + 1 < starts.size() ? starts[i + 1] : ~std::uint64_t{0}, options);
  });
  Part& whole = *parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (!join(whole, *parts[i])) {
      parts.clear();
      auto again = std::make_unique<Part>(file.path(), options);
      // Bytes were counted by the parts already.
      ReadOptions in_silence = options;
      in_silence.on_progress = {};
      parse_mapped(file, *again, 0, ~std::uint64_t{0}, in_silence);
      return again;
    }
    parts[i].reset();
  }
  return std::move(parts[0]);
}

// The inflater knows nothing of traces, of which a part is still worth reading.
std::optional<Error> offer_salvage(std::optional<Error> input_error) {
  if (input_error) input_error->remedy = Remedy::salvage;
  return input_error;
}

// Inflates and parses one block after the other; inflating the next and parsing this one overlap.
std::unique_ptr<Part> read_compressed(const MappedFile& file, const ReadOptions& options, std::uint64_t& text_bytes) {
  auto part = std::make_unique<Part>(file.path(), options);
  const auto parse = [&](const Window& window) {
    text_bytes = window.offset + static_cast<std::uint64_t>(window.end - window.begin);
    return part->parser.parse(window);
  };
  const auto streamed = stream_windows(file, parse, options.on_progress);
  part->error = streamed ? offer_salvage(streamed->input_error) : streamed.error();
  return part;
}

void parse_stretch(const Stretch& stretch, Part& part) {
  part.begin = stretch.offset;
  part.parser.stop_at(stretch.stop_at);
  const Window window = stretch.window();
  const Result<const char*> parsed = part.parser.parse(window);
  if (parsed) part.end = stretch.offset + static_cast<std::uint64_t>(*parsed - window.begin);
  part.error = parsed ? offer_salvage(stretch.input_error) : parsed.error();
}

// Parses stretches side by side while the next are inflated. Null if they do not join: then the file has to be read in
// one go.
std::unique_ptr<Part> read_compressed_in_parts(const MappedFile& file, Compression compression,
                                               const ReadOptions& options, std::uint64_t& text_bytes) {
  struct Slot {
    Stretch stretch;
    std::unique_ptr<Part> part;
    EventParser learned;  // what the part before it in this slot has learned of the shapes of events
  };
  const auto inflater = make_inflater(compression, file.bytes(), file.path());
  StretchCutter cutter(*inflater, options.stretch_bytes);
  // Two more than threads: one is being inflated while one is being joined.
  std::vector<Slot> slots(thread_count() + 2);
  for (Slot& slot : slots) slot.learned.keep(options.requested);
  std::unique_ptr<Part> whole;
  bool is_array = false;
  bool joined = true;
  const auto produce = [&](std::size_t slot) {
    Stretch& stretch = slots[slot].stretch;
    if (!cutter.next(stretch)) return false;
    if (stretch.offset == 0) is_array = is_bare_array(stretch.text());
    if (options.on_progress) options.on_progress(stretch.compressed_bytes);
    return true;
  };
  const auto work = [&](std::size_t slot) {
    const Stretch& stretch = slots[slot].stretch;
    auto part = std::make_unique<Part>(file.path(), options);
    if (stretch.offset > 0) part->parser.start_inside_events(is_array);
    part->parser.swap_learned(slots[slot].learned);
    parse_stretch(stretch, *part);
    part->parser.swap_learned(slots[slot].learned);
    slots[slot].part = std::move(part);
  };
  const auto consume = [&](std::size_t slot) {
    std::unique_ptr<Part> part = std::move(slots[slot].part);
    if (!whole) whole = std::move(part);
    else joined = join(*whole, *part);
    return joined;
  };
  pipeline(slots.size(), produce, work, consume);
  text_bytes = cutter.text_bytes();
  return joined && !cutter.gave_up() ? std::move(whole) : nullptr;
}

Error not_a_trace(const RankBuilder& builder, const std::string& path, std::uint64_t text_bytes) {
  Error error{"there is no traceEvents list in this file", path, text_bytes, "is it a Kineto trace?"};
  if (builder.saw_property("nodes") && builder.saw_property("schema"))
    error.hint = "it looks like a PyTorch execution trace (host trace), not a Kineto trace";
  return error;
}

}  // namespace

Result<trace::RankTrace> read_rank(const std::string& path, Interner& strings, Diagnostics& diagnostics,
                                   const ReadOptions& options) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  const std::uint64_t file_bytes = file->bytes().size();
  const Compression compression = detect_compression(file->bytes());
  std::uint64_t text_bytes = file_bytes;
  std::unique_ptr<Part> part;
  // With one thread parts only cost.
  const bool in_parts = options.in_parts && thread_count() > 1;
  if (compression != Compression::none) {
    ReadOptions again = options;
    // Traces compress to an eighth or less: below that there is less than a stretch to share out.
    if (in_parts && file_bytes > options.stretch_bytes / 8) {
      part = read_compressed_in_parts(*file, compression, options, text_bytes);
      again.on_progress = {};  // counted already
    }
    if (!part) part = read_compressed(*file, again, text_bytes);
    if (part->error && part->error->file.empty()) part->error->file = path;
  } else if (in_parts && file_bytes > 2 * options.part_bytes) {
    part = read_in_parts(*file, options);
  } else {
    part = std::make_unique<Part>(path, options);
    parse_mapped(*file, *part, 0, ~std::uint64_t{0}, options);
  }

  trace::RankTrace& rank = part->builder.rank();
  if (part->error) {
    if (!options.salvage || rank.event_count() == 0) return *part->error;
    part->builder.diagnostics().add(kSalvaged, [&] { return part->error->to_string(); });
  }
  if (!part->parser.saw_events()) return not_a_trace(part->builder, path, text_bytes);
  part->builder.finish();
  if (take_legacy_categories(rank, part->builder.strings()))
    part->builder.diagnostics().add(kLegacyAutograd, [&] { return path; });
  interpret_properties(rank.source);
  rank.source.file_bytes = file_bytes;
  rank.source.text_bytes = text_bytes;
  rank.source.format = "kineto";
  rank.rank = rank.source.rank.value_or(0);
  rank.source.communicates = match::names_any_communication(part->builder.strings());
  rank.epoch_unix_ns += rank.source.base_time_ns.value_or(0);
  diagnostics.merge(part->builder.diagnostics());
  strings = std::move(part->builder.strings());
  return std::move(rank);
}

Result<trace::Trace> read_job(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                              const ReadOptions& options) {
  std::vector<trace::ReadRank> ranks(paths.size());
  std::vector<std::optional<Error>> errors(paths.size());
  ReadOptions each = options;
  each.in_parts = options.in_parts && paths.size() < thread_count();  // a file per thread is enough to do
  parallel_for(paths.size(), [&](std::size_t i) {
    Result<trace::RankTrace> rank = read_rank(paths[i], ranks[i].strings, ranks[i].diagnostics, each);
    if (rank) ranks[i].rank = std::move(*rank);
    else errors[i] = rank.error();
  });
  for (const std::optional<Error>& error : errors) {
    if (error) return *error;
  }
  return join_ranks(paths, std::move(ranks), diagnostics);
}

Result<trace::Trace> join_ranks(const std::vector<std::string>& paths, std::vector<trace::ReadRank> ranks,
                                Diagnostics& diagnostics) {
  std::vector<trace::ToldRank> told;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::optional<std::int64_t> inside = ranks[i].rank.source.rank;
    told.push_back({inside ? inside : trace::rank_in_name(paths[i]), ranks[i].rank.source.host});
  }
  const Result<trace::Numbering> numbering = trace::number_ranks(paths, told, ranks);
  if (!numbering) return numbering.error();
  trace::Trace job;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    trace::ReadRank& read = ranks[i];
    trace::RankTrace& rank = read.rank;
    const bool is_run = rank.source.is_run;
    if (!rank.source.rank && ranks.size() > 1 && !is_run)
      read.diagnostics.add(kRankGuessed, [&] { return paths[i] + ": taken as rank " + std::to_string(rank.rank); });
    diagnostics.merge(read.diagnostics);
    const auto same = std::find_if(job.ranks.begin(), job.ranks.end(),
                                   [&](const trace::RankTrace& known) { return known.rank == rank.rank; });
    if (same != job.ranks.end())
      diagnostics.add(kDuplicateRank, [&] { return paths[i] + " and " + same->source.path; });
    const bool fits = is_run ? trace::add_run(job, std::move(rank), read.strings)
                             : trace::add_rank(job, std::move(rank), read.strings);
    if (!fits) {
      return Error{"its events are more than 26 days away from those of the other files", paths[i], Error::kNoOffset,
                   "do the files belong to one job?"};
    }
    read.strings = Interner();
  }
  join_nccl_plugin(job);
  return job;
}

}  // namespace orrery::kineto
