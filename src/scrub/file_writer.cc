#include "scrub/file_writer.h"

#include "scrub/chakra_rewriter.h"
#include "scrub/document_scanner.h"

namespace orrery::scrub {
namespace {

constexpr std::size_t kFlushedBytes = 1 << 20;

// One record per line: compact, and `zcat | head` shows something.
class DocumentWriter final : public DocumentVisitor {
 public:
  DocumentWriter(FileKind kind, JsonRewriter& rewriter, const std::function<void(std::string_view)>& write)
      : kind_(kind), rewriter_(rewriter), write_(write) {}

  Status on_member(const JsonMember& member, std::uint64_t /*offset*/) override {
    const std::size_t before = out_.size();
    out_ += has_members_ ? ",\n" : "{\n";
    if (kind_ == FileKind::groups ? write_group(member) : rewriter_.rewrite_member(document_rules(), member, out_)) has_members_ = true;
    else out_.resize(before);
    return {};
  }

  Status on_list(std::string_view name) override {
    rules_ = record_rules(name);
    ((out_ += has_members_ ? ",\n\"" : "{\n\"") += name) += "\":[";
    has_members_ = true;
    has_records_ = false;
    return {};
  }

  Status on_record(std::string_view text, std::uint64_t /*offset*/) override {
    out_ += has_records_ ? ",\n" : "\n";
    has_records_ = true;
    if (!rewriter_.rewrite_record(*rules_, text, out_)) {
      out_ += "null";  // analyses count entries
      rewriter_.tally().add_unusable_record();
    }
    if (out_.size() >= kFlushedBytes) flush();
    return {};
  }

  Status on_list_end() override {
    out_ += "\n]";
    return {};
  }

  std::uint64_t finish() {
    out_ += has_members_ ? "\n}\n" : "{}\n";
    flush();
    return written_;
  }

 private:
  bool write_group(const JsonMember& member) {
    ((out_ += '"') +=
     rewriter_.renamer().rename(Domain::group, member.key, member.key.find('\\') != std::string_view::npos, Vocabulary::group)) += "\":[";
    bool comma = false;
    for_each_entry(member.value, [&](std::string_view rank) {
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

  FileKind kind_;
  JsonRewriter& rewriter_;
  const std::function<void(std::string_view)>& write_;
  const ObjectRules* rules_ = nullptr;
  std::string out_;
  std::uint64_t written_ = 0;
  bool has_members_ = false;
  bool has_records_ = false;
};

}  // namespace

Result<std::uint64_t> rewrite_file(const FileFacts& file, const Settings& settings, const JobFacts& job, JsonRewriter& rewriter,
                                   const std::function<void(std::string_view)>& write,
                                   const std::function<void(std::uint64_t)>& on_progress) {
  const auto mapped = MappedFile::open(file.path);
  if (!mapped) return mapped.error();
  if (file.kind == FileKind::chakra) {
    std::uint64_t written = 0;
    const auto count = [&](std::string_view bytes) { write(bytes), written += bytes.size(); };
    if (const Status done = rewrite_chakra(*mapped, settings, job, rewriter, count); !done) return done.error();
    if (on_progress) on_progress(file.file_bytes);
    return written;
  }
  DocumentWriter writer(file.kind, rewriter, write);
  const auto scanned = scan_document(*mapped, writer, on_progress);
  if (!scanned) return scanned.error();
  return writer.finish();
}

}  // namespace orrery::scrub
