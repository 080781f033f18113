#include "formats/pytorch_et/linked_writer.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/io/output_file.h"
#include "base/json/json_unescape.h"
#include "base/json/json_walk.h"
#include "base/json/json_writer.h"
#include "base/json/python_json.h"
#include "formats/pytorch_et/profiler_part.h"

// The text of the original is copied member by member; only what linking knows better is replaced, in place where
// Python's dictionaries would keep the place, else at the end of the row. What follows the rows comes from the profiler
// trace that it was linked with.

namespace orrery::pytorch_et {
namespace {

using trace::HostTrace;
using trace::MeasuredRow;

constexpr std::size_t kFlushBytes = 1u << 20;

class LinkedWriter {
 public:
  LinkedWriter(const HostTrace& trace, const Interner& strings, const LinkedWriteOptions& options, OutputFile& file)
      : trace_(trace),
        strings_(strings),
        options_(options),
        walk_(trace.content.data() + trace.content.size()),
        file_(file) {}

  Status write() {
    const char* p = trace_.content.data();
    if (trace_.content.starts_with("\xEF\xBB\xBF")) p += 3;
    text_ += '{';
    const char* const after = walk_.each_member(walk_.skip_space(p), [&](std::string_view key, const char* value) {
      // A trace that was linked before: it gets the profiler trace that it is linked with now.
      if ((!options_.profiler.empty() || options_.without_profiler) && is_of_profiler(key))
        return walk_.skip_value(value);
      keys_.emplace_back(key);
      text_ += std::exchange(is_first_, false) ? "\n" : ",\n";
      if (options_.as_chakra) append_python_json(text_ += "    ", quoted(key), 0);
      else ((text_ += '"') += key) += '"';
      text_ += ": ";
      if (key == "nodes" && *value == '[') return write_rows(value);
      const char* const end = walk_.skip_value(value);
      if (end != nullptr) append_value({value, static_cast<std::size_t>(end - value)}, 1);
      return end;
    });
    if (after == nullptr) return fault();
    if (!options_.profiler.empty()) {
      file_.write(std::exchange(text_, {}));
      const Status copied =
          copy_profiler_part(options_.profiler, keys_, [&](std::string_view text) { file_.write(text); });
      if (!copied) return copied;
    }
    if (options_.without_profiler) text_ += ",\n\"without_profiler\": true";
    text_ += options_.as_chakra ? "\n}" : "\n}\n";
    file_.write(text_);
    return {};
  }

 private:
  static std::string quoted(std::string_view key) { return (std::string("\"") += key) += '"'; }

  void append_value(std::string_view json, std::size_t depth) {
    if (options_.as_chakra) append_python_json(text_, json, depth);
    else text_ += json;
  }

  [[nodiscard]] Error fault() const {
    const auto offset = static_cast<std::uint64_t>(walk_.fault_at() - trace_.content.data());
    return Error{walk_.fault(), trace_.path, offset, "the text of the trace has changed since it was read"};
  }

  // The rows are found by their positions, not in the list at `list`. Returns the end of that list.
  const char* write_rows(const char* list) {
    text_ += '[';
    std::uint64_t last_end = static_cast<std::uint64_t>(list + 1 - trace_.content.data());
    const std::string_view indent = options_.as_chakra ? "        " : "";
    for (std::size_t row = 0; row < trace_.size(); ++row) {
      (text_ += row == 0 ? "\n" : ",\n") += indent;
      row_text_.clear();
      if (!write_row(row)) return nullptr;
      append_value(row_text_, 2);
      last_end = std::max(last_end, trace_.object[row].begin + trace_.object[row].size);
      if (text_.size() < kFlushBytes) continue;
      file_.write(text_);
      text_.clear();
    }
    // Python has nothing between the brackets of an empty list.
    if (!options_.as_chakra || trace_.size() > 0) (text_ += '\n') += options_.as_chakra ? "    " : "";
    text_ += ']';
    return end_of_list(trace_.content.data() + last_end);
  }

  // `p` is in the list, after the last row that could be used; more may follow.
  const char* end_of_list(const char* p) {
    for (p = walk_.skip_space(p); walk_.at(p) == ','; p = walk_.skip_space(p)) {
      p = walk_.skip_value(walk_.skip_space(p + 1));
      if (p == nullptr) return nullptr;
    }
    return walk_.at(p) == ']' ? p + 1 : walk_.fail(p, "expected the end of the list of nodes");
  }

  bool write_row(std::size_t row) {
    const char* const begin = trace_.content.data();
    const MeasuredRow measured = trace_.is_linked() ? trace_.measured[row] : MeasuredRow{};
    const trace::TextRange inputs = trace_.inputs[row], outputs = trace_.outputs[row],
                           attributes = trace_.attributes[row];
    JsonWriter json(row_text_);
    json.begin_object();
    const char* const after =
        walk_.each_member(begin + trace_.object[row].begin, [&](std::string_view key, const char* value) {
          const char* end = nullptr;
          for (const trace::TextRange known :
               {inputs, outputs, attributes}) {  // these are long: no need to look for their ends
            if (known.size != 0 && value == begin + known.begin) end = value + known.size;
          }
          if (end == nullptr) end = walk_.skip_value(value);
          if (end == nullptr) return end;
          if (is_replaced(key, measured)) {
            // Python's dictionaries keep the place of a member that gets another value.
            if (options_.as_chakra) write_in_place(json, key, row, measured);
            return end;
          }
          // Ids are given anew when work is put among the rows: the parent's as well.
          if (key == "ctrl_deps") json.field(key, trace_.parent[row]);
          // Members are copied as they are written, whatever they are: a linked trace loses nothing of the original.
          else if (key.find('\\') == std::string_view::npos)
            json.key(key).raw({value, static_cast<std::size_t>(end - value)});
          else json.key(unescape_json(key)).raw({value, static_cast<std::size_t>(end - value)});
          return end;
        });
    if (after == nullptr) return false;
    if (!options_.as_chakra) json.field("id", trace_.id[row]);
    if (measured.measured) write_measured(json, row, measured);
    if (measured.syncs > 0) write_syncs(json, measured);
    json.end_object();
    return true;
  }

  void write_in_place(JsonWriter& json, std::string_view key, std::size_t row, const MeasuredRow& measured) {
    if (key == "id") json.field(key, trace_.id[row]);
    else if (key == "name" && measured.category != 0) json.field(key, strings_.text(trace_.name[row]));
    else if (key == "ctrl_deps" && measured.category != 0) json.field(key, trace_.parent[row]);
  }

  // Whether a member of the original row gives way to one that is written after all of them.
  [[nodiscard]] bool is_replaced(std::string_view key, const MeasuredRow& measured) const {
    constexpr std::array<std::string_view, 4> kOfMeasured = {"ts", "inclusive_dur", "exclusive_dur",
                                                             "inter_thread_dep"};
    constexpr std::array<std::string_view, 5> kOfWork = {"name", "ctrl_deps", "cat", "ph", "stream"};
    const auto is_one_of = [&](const auto& keys) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
    if (key == "id") return true;
    if (measured.measured && is_one_of(kOfMeasured)) return true;
    if (measured.category != 0 && (is_one_of(kOfWork) || (measured.has_group_name && key == "pg_name"))) return true;
    return measured.syncs > 0 && key == "sync_dep";
  }

  void write_measured(JsonWriter& json, std::size_t row, const MeasuredRow& measured) {
    write_time(json, "inclusive_dur", measured.inclusive_dur);
    write_time(json, "exclusive_dur", measured.exclusive_dur);
    write_time(json, "ts", measured.ts);
    json.key("inter_thread_dep");
    write_number(json, measured.inter_thread_dep);
    if (measured.category == 0) return;
    // Of Chakra's these stand where the operator's were; only rows of schema 1.0.1 have no ctrl_deps of their own.
    if (!options_.as_chakra) json.field("name", strings_.text(trace_.name[row])).field("ctrl_deps", trace_.parent[row]);
    else if (trace_.is_flat()) json.field("ctrl_deps", trace_.parent[row]);
    json.field("cat", strings_.text(measured.category)).key("ph");
    // As the original writes Python's None.
    if (measured.phase == 0) json.null();
    else json.value(strings_.text(measured.phase));
    json.key("stream");
    write_number(json, measured.stream);
    if (measured.has_group_name) json.field("pg_name", strings_.text(measured.group_name));
  }

  void write_time(JsonWriter& json, std::string_view key, double microseconds) const {
    json.key(key);
    if (!options_.as_chakra) json.value(microseconds);
    else if (options_.whole_times) json.value(static_cast<std::int64_t>(microseconds));
    else json.raw(python_number(microseconds));
  }

  static void write_number(JsonWriter& json, std::int64_t number) {
    if (number == trace::kNoNumber) json.null();
    else json.value(number);
  }

  void write_syncs(JsonWriter& json, const MeasuredRow& measured) {
    json.key("sync_dep").begin_array();
    for (std::uint32_t i = 0; i < measured.syncs; ++i) json.value(trace_.sync_ids[measured.first_sync + i]);
    json.end_array();
  }

  const HostTrace& trace_;
  const Interner& strings_;
  const LinkedWriteOptions& options_;
  JsonWalk walk_;
  OutputFile& file_;
  std::string text_, row_text_;
  std::vector<std::string> keys_;  // of the members written
  bool is_first_ = true;
};

}  // namespace

Status write_linked_trace(const HostTrace& linked, const Interner& strings, const std::string& path,
                          const LinkedWriteOptions& options) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return file.error();
  if (Status written = LinkedWriter(linked, strings, options, *file).write(); !written) return written;
  return file->commit();
}

}  // namespace orrery::pytorch_et
