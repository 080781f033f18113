#include "replay/torch/write/operation_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/json/json_writer.h"

// Entries are written in the order of the list. What they have in common is said once: thread and stream are lines of
// their own, where they change. Paces go into a list beside the sequence, one per line of it, so that lines do not
// change with the times.

namespace orrery::replay::torch {
namespace {

void append_number(std::string& out, std::uint64_t number) {
  // As many digits as the largest number of 64 bits has.
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_list(std::string& out, std::span<const std::uint32_t> numbers) {
  out += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += ',';
    append_number(out, numbers[i]);
  }
  out += ']';
}

/// The lines of the sequence, with the changes of thread and stream that the entries ask for.
class SequenceWriter {
 public:
  SequenceWriter(const OperationList& list, std::string& out)
      // Every thread begins on stream 0, as in torch.
      : list_(list), out_(out), stream_(std::max<std::uint32_t>(1, list.threads), 0) {}

  void write() {
    for (const Entry& entry : list_.entries) {
      if (entry.kind == Entry::Kind::release && entry.inputs == 0) continue;
      if (entry.kind == Entry::Kind::left_out) {
        // The host's time before what is left out is still spent: the next line carries it.
        gap_before_left_out_ += pace_of(entry);
        continue;
      }
      if (entry.thread != thread_) change("thread", thread_ = entry.thread);
      // Storages and ranges belong to no stream.
      if (needs_stream(entry.kind) && entry.stream != stream_[thread_])
        change("stream", stream_[thread_] = entry.stream);
      begin_line(pace_of(entry) + std::exchange(gap_before_left_out_, 0));
      write_entry(entry);
      out_ += ']';
    }
  }
  [[nodiscard]] const std::string& pace() const { return pace_; }

 private:
  static bool needs_stream(Entry::Kind kind) {
    using Kind = Entry::Kind;
    return kind == Kind::call || kind == Kind::record || kind == Kind::wait || kind == Kind::work ||
           kind == Kind::collective || kind == Kind::complete || kind == Kind::graph;
  }

  void begin_line(std::uint64_t pace_ns) {
    out_ += is_first_ ? "\n[" : ",\n[";
    if (list_.has_pace) {
      if (!is_first_) pace_ += ',';
      append_number(pace_, pace_ns);
    }
    is_first_ = false;
  }

  void change(const char* what, std::uint32_t to) {
    // A change of thread or stream takes no time of its own, but it is a line and so needs a pace.
    begin_line(0);
    append_json_string(out_, what);
    out_ += ',';
    append_number(out_, to);
    out_ += ']';
  }

  // The host's own time since the end of all that came before, on whichever thread: entries are done one after the
  // other, and a thread that did nothing while another worked did not spend that time.
  std::uint64_t pace_of(const Entry& entry) {
    if (!list_.has_pace || !entry.is_timed) return 0;
    const TimePs gap = last_end_ ? std::max<TimePs>(0, entry.begin_ps - *last_end_) : 0;
    last_end_ = last_end_ ? std::max(*last_end_, entry.end_ps) : entry.end_ps;
    if (list_.pace_factor != 1)
      return static_cast<std::uint64_t>(std::llround(static_cast<double>(gap) / kPsPerNs * list_.pace_factor));
    // Rounded down, as durations of works are.
    return static_cast<std::uint64_t>(gap / kPsPerNs);
  }

  void write_entry(const Entry& entry) {
    using Kind = Entry::Kind;
    switch (entry.kind) {
      case Kind::call: return write_call(entry);
      case Kind::make: return write_storages("\"new\"", entry);
      case Kind::release: return write_storages("\"free\"", entry);
      case Kind::record: return write_numbered("\"record\"", entry.number);
      case Kind::wait: return write_numbered("\"wait\"", entry.number);
      case Kind::sync: out_ += "\"sync\""; return;
      case Kind::sync_stream: return write_numbered("\"sync\"", entry.number);
      case Kind::sync_event: return write_numbered("\"sync_event\"", entry.number);
      case Kind::complete: return write_numbered("\"complete\"", entry.number);
      case Kind::work:
        write_numbered("\"work\"", static_cast<std::uint64_t>(entry.duration / kPsPerNs));
        out_ += ',' + list_.texts[entry.text] + ',';
        append_number(out_, entry.number);
        return;
      case Kind::pause: return write_numbered("\"pause\"", static_cast<std::uint64_t>(entry.duration / kPsPerNs));
      case Kind::collective: out_ += "\"collective\"," + list_.texts[entry.text]; return;
      case Kind::begin: out_ += "\"begin\"," + list_.texts[entry.text]; return;
      case Kind::end: out_ += "\"end\""; return;
      case Kind::graph: out_ += "\"graph\""; return;
      case Kind::graph_end: out_ += "\"graph_end\""; return;
      case Kind::left_out: return;  // no line
    }
  }

  void write_numbered(const char* kind, std::uint64_t number) {
    out_ += kind;
    out_ += ',';
    append_number(out_, number);
  }

  void write_storages(const char* kind, const Entry& entry) {
    out_ += kind;
    out_ += ',';
    append_list(out_, list_.inputs_of(entry));
  }

  void write_call(const Entry& entry) {
    append_number(out_, entry.number);
    // Lists at the end are left out if they are empty, those before them are not: their places tell them apart.
    const int lists = entry.freed > 0 ? 3 : entry.outputs > 0 ? 2 : entry.inputs > 0 ? 1 : 0;
    const std::span<const std::uint32_t> parts[] = {list_.inputs_of(entry), list_.outputs_of(entry),
                                                    list_.freed_of(entry)};
    for (int i = 0; i < lists; ++i) out_ += ',', append_list(out_, parts[i]);
  }

  const OperationList& list_;
  std::string& out_;
  std::string pace_;
  std::uint32_t thread_ = 0;
  std::vector<std::uint32_t> stream_;      // per thread
  std::optional<TimePs> last_end_;         // none: nothing before has a time
  std::uint64_t gap_before_left_out_ = 0;  // in ns: the next entry comes after it
  bool is_first_ = true;
};

void write_storages(const OperationList& list, std::string& out) {
  out += ",\n\"storages\":[";
  for (std::size_t i = 0; i < list.storages.size(); ++i) {
    const Storage& storage = list.storages[i];
    out += i == 0 ? "\n" : ",\n";
    JsonWriter json(out);
    json.begin_array()
        .value(storage.is_on_host ? "cpu" : "cuda")
        .value(storage.bytes)
        .value(storage.is_given ? "given" : "made");
    json.value(storage.element_type)
        .value(storage.bound)
        .value(storage.is_pinned ? 1 : 0)
        .value(storage.is_written ? 1 : 0)
        .end_array();
  }
  out += ']';
}

void write_bounded_parts(const OperationList& list, std::string& out) {
  JsonWriter json(out);
  out += ",\n";
  json.key("bounds").begin_array();
  for (const auto& part : list.bounded_parts) {
    json.begin_array();
    for (const std::int64_t number : part) json.value(number);
    json.end_array();
  }
  json.end_array();
}

void write_planned_integers(const OperationList& list, std::string& out) {
  JsonWriter json(out);
  out += ",\n";
  json.key("integers").begin_array();
  for (const PlannedIntegers& part : list.planned_integers) {
    json.begin_array()
        .value(part.storage)
        .value(part.first)
        .value(part.count)
        .value(part.kind)
        .value(part.total)
        .value(part.parts);
    json.end_array();
  }
  json.end_array();
}

void write_texts(const char* key, const std::vector<std::string>& texts, std::string& out) {
  out += key;
  for (std::size_t i = 0; i < texts.size(); ++i) out += i == 0 ? "\n" : ",\n", out += texts[i];
  out += ']';
}

}  // namespace

std::string to_json(const OperationList& list) {
  std::string out = "{\"format\":\"orrery-operations\",\"version\":1,\n";
  JsonWriter json(out);
  json.key("rank").value(list.rank).field("device", list.has_device ? "cuda" : "cpu").key("streams").begin_array();
  for (const std::int64_t stream : list.streams) json.value(stream);
  json.end_array().field("threads", list.threads).field("steps", list.steps).key("settings").begin_object();
  if (list.has_device) json.field("tf32", list.uses_tf32);
  json.end_object();
  write_storages(list, out);
  // Members that most recordings do not need are left out.
  if (!list.bounded_parts.empty()) write_bounded_parts(list, out);
  if (!list.planned_integers.empty()) write_planned_integers(list, out);
  write_texts(",\n\"tensors\":[", list.tensors, out);
  write_texts(",\n\"forms\":[", list.forms, out);
  out += ",\n\"sequence\":[";
  SequenceWriter sequence(list, out);
  sequence.write();
  out += ']';
  if (list.has_pace) out += ",\n\"pace\":[" + sequence.pace() + "]";
  out += "}\n";
  return out;
}

}  // namespace orrery::replay::torch
