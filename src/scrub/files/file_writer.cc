#include "scrub/files/file_writer.h"

#include "base/io/file_content.h"
#include "base/json/json_document.h"
#include "scrub/files/ampip_rewriter.h"
#include "scrub/files/chakra_rewriter.h"

namespace orrery::scrub {
namespace {

constexpr std::size_t kFlushedBytes = 1 << 20;

// One record per line: compact, and `zcat | head` shows something.
class DocumentWriter {
 public:
  DocumentWriter(const FileFacts& file, JsonRewriter& rewriter, const std::function<void(std::string_view)>& write)
      : file_(file), rewriter_(rewriter), write_(write) {}

  static bool is_record_list(std::string_view key) { return record_rules(key) != nullptr; }

  Status on_member(const JsonMember& member, std::uint64_t /*offset*/) {
    const std::size_t before = out_.size();
    out_ += has_members_ ? ",\n" : "{\n";
    if (file_.kind == FileKind::groups ? write_group(member) : rewriter_.rewrite_member(document_rules(), member, out_))
      has_members_ = true;
    // The comma in front of a member that is left out goes with it.
    else out_.resize(before);
    return {};
  }

  Status on_list(std::string_view key, std::uint64_t /*offset*/) {
    // A bare list of events becomes a document: one form is enough to write.
    const std::string_view name = key.empty() ? record_list_of(FileKind::kineto) : key;
    rules_ = record_rules(name);
    ((out_ += has_members_ ? ",\n\"" : "{\n\"") += name) += "\":[";
    has_members_ = true;
    has_records_ = false;
    return {};
  }

  Result<const char*> take_record(const char* p, const Window& window) {
    const WholeValue whole = whole_value(p, window);
    if (whole.after == nullptr)
      return whole.fault == JsonFault::ends ? Result<const char*>(nullptr) : fault(whole.fault, window.offset);
    out_ += has_records_ ? ",\n" : "\n";
    has_records_ = true;
    if (!rewriter_.rewrite_record(*rules_, {p, static_cast<std::size_t>(whole.after - p)}, out_)) {
      out_ += "null";  // analyses count entries
      rewriter_.tally().add_unusable_record();
    }
    if (out_.size() >= kFlushedBytes) flush();
    return whole.after;
  }

  Status on_list_end() {
    out_ += "\n]";
    return {};
  }

  /// The first pass found none.
  [[nodiscard]] Error fault(JsonFault /*fault*/, std::uint64_t offset) const {
    return {"the file has changed while it was read", file_.path, offset};
  }

  std::uint64_t finish() {
    out_ += has_members_ ? "\n}\n" : "{}\n";
    flush();
    return written_;
  }

 private:
  bool write_group(const JsonMember& member) {
    ((out_ += '"') += rewriter_.renamer().rename(
         Domain::group, member.key, member.key.find('\\') != std::string_view::npos, Vocabulary::group)) += "\":[";
    bool comma = false;
    for_each_entry(member.value, [&](std::string_view rank) {
      // The first pass saw numbers only; this is for a file that changed since.
      if (!is_json_scalar(rank)) return;
      if (comma) out_ += ',';
      out_ += rank;
      comma = true;
    });
    out_ += ']';
    return true;
  }

  void flush() {
    write_(out_);
    written_ += out_.size();
    out_.clear();
  }

  const FileFacts& file_;
  JsonRewriter& rewriter_;
  const std::function<void(std::string_view)>& write_;
  const ObjectRules* rules_ = nullptr;
  std::string out_;
  std::uint64_t written_ = 0;
  bool has_members_ = false;
  bool has_records_ = false;
};

}  // namespace

Result<std::uint64_t> rewrite_file(const FileFacts& file, const Settings& settings, const JobFacts& job,
                                   JsonRewriter& rewriter, const std::function<void(std::string_view)>& write,
                                   const std::function<void(std::uint64_t)>& on_progress) {
  auto mapped = MappedFile::open(file.path);
  if (!mapped) return mapped.error();
  if (is_read_whole(file.kind)) {
    const auto content = FileContent::of(std::move(*mapped));
    if (!content) return content.error();
    std::uint64_t written = 0;
    const auto count = [&](std::string_view bytes) { write(bytes), written += bytes.size(); };
    const Status done = file.kind == FileKind::chakra
                            ? rewrite_chakra(content->bytes(), file.path, settings, job, rewriter, count)
                            : rewrite_ampip(content->bytes(), file, rewriter, count);
    if (!done) return done.error();
    if (on_progress) on_progress(file.file_bytes);
    return written;
  }
  DocumentWriter writer(file, rewriter, write);
  const auto walked = walk_json_document(*mapped, writer, on_progress);
  if (!walked) return walked.error();
  return writer.finish();
}

}  // namespace orrery::scrub
