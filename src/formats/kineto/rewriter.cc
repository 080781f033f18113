#include "formats/kineto/rewriter.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/content_hash.h"
#include "base/io/input.h"
#include "base/io/output_file.h"
#include "formats/kineto/alignment_member.h"
#include "formats/kineto/document.h"
#include "formats/kineto/event_times.h"

// A document is copied while it is parsed: everything between two times goes through byte by byte, and only the texts
// of times are replaced. The aligned file ends with a member that says how it was made: the clock, the hash of the
// original, and the few spellings that mapping back would not give. Undoing is the same walk with the clock turned
// round.

namespace orrery::kineto {

// A document copied while it is walked over, with other times.

/// Asks for the new spelling of times; what is not replaced is handed on as it is. To be used as handler and observer
/// of one walk.
class DocumentCopy : public DocumentHandler, public WindowObserver {
 public:
  void begin_window(const Window& window) final;
  Status end_window(const char* taken) override;
  void on_event(const EventRecord& record, std::string_view text, std::uint64_t offset) final;
  void on_unusable(std::string_view /*text*/, std::uint64_t /*offset*/) final {}
  void on_property(const std::string& /*key*/, std::string_view /*json*/) final {}

 protected:
  /// The new spelling of the times of an event that has some and is no metadata; `event` is its place among the objects
  /// of the event list.
  virtual SpelledTimes change(const EventRecord& record, std::uint64_t event) = 0;
  /// Bytes of the input, which begin at `offset` in it, that are to be copied; and bytes that are new.
  virtual void copy(std::string_view bytes, std::uint64_t offset) = 0;
  virtual void insert(std::string_view bytes) = 0;

  /// The window at hand from its begin to `position`.
  [[nodiscard]] std::string_view window_up_to(const char* position) const;
  /// Hands on what lies before `position` and has not been handed on yet.
  void copy_up_to(const char* position);

 private:
  void replace(std::string_view old, std::string_view text);

  Window window_{};
  const char* copied_ = nullptr;  // everything before it, in this window, has been copied or replaced
  std::uint64_t events_ = 0;
};

/// Collects small pieces for a file, and hashes them: both are slow piece by piece. The file must outlive it, and is
/// committed by its owner.
class BlockWriter {
 public:
  explicit BlockWriter(OutputFile& file);

  void write(std::string_view bytes);
  /// Hands everything on to the file.
  void flush();
  /// Of what was flushed.
  [[nodiscard]] const ContentHash& hash() const { return hash_; }

 private:
  OutputFile& file_;
  std::string block_;
  ContentHash hash_;
};

namespace {

constexpr std::size_t kCopiedBlockBytes = 128u << 10;

}  // namespace

void DocumentCopy::begin_window(const Window& window) {
  window_ = window;
  copied_ = window.begin;
}

Status DocumentCopy::end_window(const char* taken) {
  copy_up_to(taken);
  return {};
}

void DocumentCopy::on_event(const EventRecord& record, std::string_view /*text*/, std::uint64_t /*offset*/) {
  const std::uint64_t event = events_++;
  if (record.phase == 'M' || !record.has_time) return;
  const SpelledTimes text = change(record, event);
  // Members come in any order, and a copy can only go forwards.
  const bool ts_first = !record.has_duration || record.time_text.data() < record.duration_text.data();
  if (ts_first) replace(record.time_text, text.ts);
  if (record.has_duration) replace(record.duration_text, text.dur);
  if (!ts_first) replace(record.time_text, text.ts);
}

std::string_view DocumentCopy::window_up_to(const char* position) const {
  return {window_.begin, static_cast<std::size_t>(position - window_.begin)};
}

void DocumentCopy::copy_up_to(const char* position) {
  if (position <= copied_) return;
  copy({copied_, static_cast<std::size_t>(position - copied_)},
       window_.offset + static_cast<std::uint64_t>(copied_ - window_.begin));
  copied_ = position;
}

void DocumentCopy::replace(std::string_view old, std::string_view text) {
  if (text == old) return;
  copy_up_to(old.data());
  insert(text);
  copied_ = old.data() + old.size();
}

BlockWriter::BlockWriter(OutputFile& file) : file_(file) { block_.reserve(2 * kCopiedBlockBytes); }

void BlockWriter::write(std::string_view bytes) {
  block_ += bytes;
  if (block_.size() >= kCopiedBlockBytes) flush();
}

void BlockWriter::flush() {
  file_.write(block_);
  hash_.add(block_);
  block_.clear();
}

namespace {

/// Old times to new ones; the record of how goes before the brace that closes the document.
class AlignedCopy final : public DocumentCopy {
 public:
  AlignedCopy(const Retiming& retiming, OutputFile& file)
      : retiming_(retiming),
        out_(file),
        frame_(retiming.base_unix_ns, retiming.epoch_unix_ns),
        retimer_(frame_, *retiming.clock) {}

  /// Only to know what kind of document this is.
  void watch(const DocumentParser& parser) { parser_ = &parser; }

  Status end_window(const char* taken) override {
    // The record is a member of the document; a list has none.
    if (parser_->is_array()) return Error{"a bare list of events has no place for the record of an alignment"};
    // The hash is of the original up to its closing brace, before which the record is put.
    if (!is_ended_) original_.add(window_up_to(taken));
    return DocumentCopy::end_window(taken);
  }

  void on_object_end(std::string_view brace, bool needs_comma) override {
    original_.add(window_up_to(brace.data()));
    is_ended_ = true;
    copy_up_to(brace.data());
    summary.remembered = retimer_.remembered().size();
    // A file that stayed as it was gets no record, unless there is something to say.
    if (summary.events_moved == 0 && retiming_.note.empty()) return;
    AlignmentMember member;
    member.base_unix_ns = retiming_.base_unix_ns;
    member.epoch_unix_ns = retiming_.epoch_unix_ns;
    member.clock = *retiming_.clock;
    member.has_own_comma = needs_comma;
    member.original_bytes = original_.bytes();
    member.original_xxh3 = original_.xxh3();
    member.remembered = retimer_.take_remembered();
    member.note = retiming_.note;
    out_.write(encode(member));
  }

  void finish() { out_.flush(); }

  RewriteSummary summary;

 protected:
  SpelledTimes change(const EventRecord& record, std::uint64_t event) override {
    const EventRetimer::Outcome outcome = retimer_.retime(record, event);
    ++summary.events;
    summary.events_moved += outcome.is_moved ? 1 : 0;
    summary.unusable += outcome.is_usable ? 0 : 1;
    return outcome.text;
  }
  void copy(std::string_view bytes, std::uint64_t /*offset*/) override { out_.write(bytes); }
  void insert(std::string_view bytes) override { out_.write(bytes); }

 private:
  const Retiming& retiming_;
  const DocumentParser* parser_ = nullptr;
  BlockWriter out_;
  TimeFrame frame_;
  EventRetimer retimer_;
  ContentHash original_;  // of the input up to the brace that closes the document
  bool is_ended_ = false;
};

/// The record of an alignment and where it lies.
struct FoundMember {
  AlignmentMember member;
  std::uint64_t begin = 0, end = 0;  ///< in the inflated file, what rewrite() has put before the value included
};

/// Looks for the member "orreryAlignment" as the last of the document.
class MemberFinder final : public DocumentHandler, public WindowObserver {
 public:
  void begin_window(const Window& window) override { window_ = window; }
  Status end_window(const char* /*taken*/) override { return {}; }
  void on_event(const EventRecord& /*record*/, std::string_view /*text*/, std::uint64_t /*offset*/) override {}
  void on_unusable(std::string_view /*text*/, std::uint64_t /*offset*/) override {}
  void on_event_list() override { json_.reset(); }
  void on_property(const std::string& key, std::string_view json) override {
    json_.reset();
    if (key != kAlignmentMember) return;
    json_.emplace(json);
    offset_ = window_.offset + static_cast<std::uint64_t>(json.data() - window_.begin);
  }

  Result<FoundMember> found(const std::string& path) const {
    if (!json_)
      return Error{.message = "there is no alignment to undo: the file does not end with a member orreryAlignment",
                   .file = path,
                   .hint = "only files that an alignment wrote can be restored"};
    Result<AlignmentMember> member = decode(*json_, path);
    if (!member) return member.error();
    const std::uint64_t before = std::min<std::uint64_t>(offset_, bytes_before_value(*member));
    return FoundMember{std::move(*member), offset_ - before, offset_ + json_->size()};
  }

 private:
  Window window_{};
  std::optional<std::string> json_;
  std::uint64_t offset_ = 0;
};

/// New times back to the old ones, by the record, which is left out.
class RestoredCopy final : public DocumentCopy {
 public:
  RestoredCopy(const FoundMember& found, OutputFile& file)
      : found_(found),
        out_(file),
        frame_(found.member.base_unix_ns, found.member.epoch_unix_ns),
        restorer_(frame_, found.member.clock) {}

  /// Whether what came before the record is what it was made of.
  [[nodiscard]] bool is_original() const { return is_original_; }
  void finish() { out_.flush(); }

 protected:
  SpelledTimes change(const EventRecord& record, std::uint64_t event) override {
    const EventTimes aligned = times_of(record, frame_);
    const SpelledTimes text = restorer_.restore(aligned);
    const RememberedTimes& remembered = found_.member.remembered;
    if (next_ == remembered.size() || remembered[next_].event != event) return text;
    const SpelledTimes original = remembered[next_++].original;
    restorer_.learn(original);
    return original;
  }
  void copy(std::string_view bytes, std::uint64_t offset) override {
    const std::uint64_t end = offset + bytes.size();
    // The record may lie across two pieces of the copy: each is cut by its own offsets.
    if (offset < found_.begin) out_.write(bytes.substr(0, found_.begin - offset));
    // At the record all that was restored must be the original, or somebody has edited the file since.
    if (offset <= found_.begin && end >= found_.begin) check();
    if (end > found_.end) out_.write(bytes.substr(std::max(offset, found_.end) - offset));
  }
  void insert(std::string_view bytes) override { out_.write(bytes); }

 private:
  void check() {
    out_.flush();
    is_original_ =
        out_.hash().bytes() == found_.member.original_bytes && out_.hash().xxh3() == found_.member.original_xxh3;
  }

  const FoundMember& found_;
  BlockWriter out_;
  TimeFrame frame_;
  TimeRestorer restorer_;
  std::size_t next_ = 0;  // of what is remembered
  bool is_original_ = false;
};

// Half of the file may be gone, and a copy of the rest would look whole.
Error cannot_rewrite(Error error) {
  if (error.remedy != Remedy::salvage) return error;
  error.hint = "a damaged file cannot be written again; as a timeline for Perfetto, what can be read of it can be seen";
  error.remedy = Remedy::none;
  return error;
}

}  // namespace

Result<RewriteSummary> rewrite(const std::string& path_in, const std::string& path_out, const Retiming& retiming) {
  if (!trace::ClockCursor(retiming.clock->knots()).fits())
    return Error{.message = "the clocks are more than 26 days apart",
                 .file = path_in,
                 .hint = "do the files belong to one run?"};
  const Result<MappedFile> file = MappedFile::open(path_in);
  if (!file) return file.error();
  Result<OutputFile> out = OutputFile::create(path_out);
  if (!out) return out.error();
  AlignedCopy copy(retiming, *out);
  DocumentParser parser(copy, path_in);
  copy.watch(parser);
  const Status walked = walk_document(*file, parser, &copy);
  if (!walked && parser.is_array())
    return Error{
        .message = walked.error().message, .file = path_in, .hint = R"(make it a document: {"traceEvents": [...]})"};
  if (!walked) return cannot_rewrite(walked.error());
  if (!parser.saw_events()) return Error{.message = "there is no traceEvents list in this file", .file = path_in};
  copy.finish();
  if (const Status written = out->commit(); !written) return written.error();
  return copy.summary;
}

Status undo(const std::string& path_in, const std::string& path_out) {
  const Result<MappedFile> file = MappedFile::open(path_in);
  if (!file) return file.error();
  MemberFinder finder;
  DocumentParser finding(finder, path_in);
  if (const Status walked = walk_document(*file, finding, &finder); !walked) return cannot_rewrite(walked.error());
  const Result<FoundMember> found = finder.found(path_in);
  if (!found) return found.error();
  Result<OutputFile> out = OutputFile::create(path_out);
  if (!out) return out.error();
  RestoredCopy copy(*found, *out);
  DocumentParser parser(copy, path_in);
  if (const Status walked = walk_document(*file, parser, &copy); !walked) return cannot_rewrite(walked.error());
  if (!copy.is_original())
    return Error{.message = "the file was changed after its alignment: the original cannot be restored",
                 .file = path_in,
                 .hint = "use the aligned file as it was written"};
  copy.finish();
  return out->commit();
}

}  // namespace orrery::kineto
