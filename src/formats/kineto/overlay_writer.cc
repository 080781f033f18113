#include "formats/kineto/overlay_writer.h"

#include <fmt/format.h>

#include "base/io/input.h"
#include "base/io/output_file.h"
#include "base/json/json_unescape.h"
#include "base/json/json_writer.h"
#include "formats/kineto/document.h"

// The document is walked as the reader does it, and written again with its own text: events on the path get one more
// argument, other events stay or go, and arrows are added at the end of the list.

namespace orrery::kineto {
namespace {

// Position after the { of the "args" object of an event, or npos.
std::size_t find_args(std::string_view event) {
  const char* const end = event.data() + event.size();
  const char* p = skip_space(event.data() + 1, end);
  while (p < end && *p == '"') {
    const char* quote = find_string_end(p + 1, end).quote;
    if (quote == nullptr) break;
    const std::string_view key(p + 1, static_cast<std::size_t>(quote - p - 1));
    p = skip_space(quote + 1, end);
    p = skip_space(p + 1, end);  // the colon
    if (key == "args" && p < end && *p == '{') return static_cast<std::size_t>(p + 1 - event.data());
    if (*p == '"') {
      p = find_string_end(p + 1, end).quote;
      if (p != nullptr) ++p;
    } else if (*p == '{' || *p == '[') {
      p = skip_container(p, end).after;
    } else {
      while (p < end && *p != ',' && *p != '}') ++p;
    }
    if (p == nullptr) break;
    p = skip_space(p, end);
    if (p >= end || *p != ',') break;
    p = skip_space(p + 1, end);
  }
  return std::string_view::npos;
}

class OverlayWriter final : public DocumentHandler {
 public:
  OverlayWriter(const Overlay& overlay, OutputFile& out) : overlay_(overlay), out_(out) {}

  void on_event(const EventRecord& record, std::string_view text, std::uint64_t /*offset*/) override {
    const std::size_t ordinal = next_ordinal_++;
    const bool critical = ordinal < overlay_.critical.size() && overlay_.critical[ordinal] != 0;
    if (!critical) {
      const std::string_view category = record.category.view;
      // Annotations and frames give the critical events their context; of what is no 'X' viewers make marks and names.
      const bool keep = !overlay_.only_critical || record.phase != 'X' || category == "user_annotation" ||
                        category == "python_function";
      if (keep) entry(text);
      return;
    }
    const std::size_t args = find_args(text);
    std::string marked;
    if (args == std::string_view::npos) {
      // An event without members needs no comma.
      const bool empty = text[text.find_first_not_of(" \n\r\t", 1)] == '}';
      marked.assign(text.substr(0, text.size() - 1));
      marked += empty ? R"("args": {"critical": 1}})" : R"(, "args": {"critical": 1}})";
    } else {
      const bool empty = text[text.find_first_not_of(" \n\r\t", args)] == '}';
      marked.assign(text.substr(0, args));
      marked += empty ? R"("critical": 1)" : R"("critical": 1, )";
      marked += text.substr(args);
    }
    entry(marked);
  }

  void on_unusable(std::string_view text, std::uint64_t /*offset*/) override {
    // Entries that the reader passes over are numbered, too.
    ++next_ordinal_;
    entry(text);
  }

  void on_property(const std::string& key, std::string_view json) override {
    if (in_events_) end_events();
    std::string member = after_member_ ? ",\n" : "{\n";
    append_json_string(member, key);
    member += ": ";
    member += json;
    out_.write(member);
    after_member_ = true;
  }

  void on_event_list() override {
    out_.write(after_member_ ? ",\n\"traceEvents\": [\n" : "{\n\"traceEvents\": [\n");
    in_events_ = after_member_ = true;
    after_entry_ = false;
  }

  void finish() {
    if (in_events_) end_events();
    out_.write(after_member_ ? "}\n" : "{}\n");
  }

 private:
  void entry(std::string_view text) {
    if (after_entry_) out_.write(",\n");
    out_.write(text);
    after_entry_ = true;
  }

  void end_events() {
    for (std::size_t id = 0; id < overlay_.flows.size() && !flows_written_; ++id) {
      const Flow& flow = overlay_.flows[id];
      const auto end_of_arrow = [&](const char* phase, const FlowEnd& end, const char* more) {
        entry(fmt::format(
            R"({{"ph": "{}", "id": {}, "pid": {}, "tid": {}, "ts": {}, "cat": "critical_path", "name": "critical_path", "args": {{"weight": {}, "critical": {}, "type": "{}"}}{}}})",
            phase, flow.ends == FlowEnds::both ? id : flow.shared_id, end.process, end.thread, end.time, flow.weight,
            flow.critical ? "true" : "false", flow.type, more));
      };
      if (flow.ends != FlowEnds::only_to) end_of_arrow("s", flow.from, "");
      // "bp": "e" ties the arrow to the event around its end, not to the next one.
      if (flow.ends != FlowEnds::only_from) end_of_arrow("f", flow.to, R"(, "bp": "e")");
    }
    flows_written_ = true;  // a document may have a second event list
    out_.write("\n]\n");
    in_events_ = false;
  }

  const Overlay& overlay_;
  OutputFile& out_;
  std::size_t next_ordinal_ = 0;
  bool in_events_ = false;
  bool after_member_ = false;
  bool after_entry_ = false;
  bool flows_written_ = false;
};

}  // namespace

Status write_overlay(const std::string& source, const Overlay& overlay, const std::string& path) {
  const auto file = MappedFile::open(source);
  if (!file) return file.error();
  auto out = OutputFile::create(path);
  if (!out) return out.error();
  OverlayWriter writer(overlay, *out);
  DocumentParser parser(writer, source);
  if (const Status copied = walk_document(*file, parser); !copied) return copied;
  writer.finish();
  return out->commit();
}

}  // namespace orrery::kineto
