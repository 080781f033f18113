// repeat_pair HOST KINETO COPIES OUT_HOST OUT_KINETO: a large host trace and its Kineto trace out of a real pair, by
// repeating both.
//
// Every copy is a stretch of the job of its own: times move by the span of the Kineto trace; ids of rows, tensors and
// storages, record function ids, sequence numbers, External ids, correlations and flows by the largest there is; steps
// are numbered on. What there is once per job (the process and its threads, names of threads, the profiler's own span)
// stays once. The text is as recorded otherwise.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file_content.h"
#include "base/io/input.h"
#include "base/io/output_file.h"
#include "formats/kineto/document.h"
#include "formats/pytorch_et/reader.h"

namespace {

using namespace orrery;

/// What a number counts, and so by how much it moves from copy to copy.
enum Counter {
  kTime,
  kRow,
  kRecordFunction,
  kSequence,
  kExternal,
  kCorrelation,
  kFlow,
  kEventIndex,
  kPython,
  kStep,
  kCounters
};

struct Number {
  std::size_t at;
  std::size_t length;
  std::int64_t value;
  Counter counter;
};

/// A row or an event.
struct Piece {
  std::string_view text;
  std::vector<Number> numbers = {};
  enum { each, first, last } copies = each;
};

struct Range {
  std::int64_t first = 0, last = -1;
  void include(std::int64_t value) {
    first = last < first ? value : std::min(first, value);
    last = std::max(last, value);
  }
};

struct Pair {
  std::vector<Piece> rows, events;
  std::string_view host_text, kineto_text;
  std::array<std::int64_t, kCounters> shift{};  // per copy
};

/// The digits at text[at], after spaces. Numbers below zero mean "none" in both formats and stay.
void add_number(Piece& piece, std::size_t at, Counter counter) {
  const std::string_view text = piece.text;
  while (at < text.size() && text[at] == ' ') ++at;
  std::int64_t value = 0;
  const auto [after, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return;
  piece.numbers.push_back({at, static_cast<std::size_t>(after - text.data()) - at, value, counter});
}

void add_member(Piece& piece, std::string_view key, Counter counter) {
  const std::size_t at = piece.text.find(key);
  if (at != std::string_view::npos) add_number(piece, at + key.size(), counter);
}

/// {"name": "rf_id", "type": "uint64", "value": 4}
void add_attribute(Piece& piece, std::string_view name, Counter counter, bool zero_is_none) {
  const std::size_t at = piece.text.find("\"name\": \"" + std::string(name) + "\"");
  const std::size_t value = at == std::string_view::npos ? at : piece.text.find("\"value\":", at);
  if (value == std::string_view::npos) return;
  add_number(piece, value + 8, counter);
  if (zero_is_none && piece.numbers.back().value == 0) piece.numbers.pop_back();
}

void add_tensors(Piece& piece, std::string_view inputs_or_outputs) {
  std::vector<pytorch_et::Tensor> tensors;
  pytorch_et::append_tensors(inputs_or_outputs, tensors);
  for (const pytorch_et::Tensor& tensor : tensors) {
    const std::size_t begin = piece.text.rfind('[', static_cast<std::size_t>(tensor.device.data() - piece.text.data()));
    add_number(piece, begin + 1, kRow);
    add_number(piece, piece.text.find(',', begin) + 1, kRow);
  }
}

void collect_rows(const trace::HostTrace& host, const Interner& strings, Pair& pair) {
  const auto is_once = [&](std::size_t row) { return strings.text(host.name[row]).starts_with("[pytorch|profiler|"); };
  std::vector<std::uint64_t> once;
  for (std::size_t row = 0; row < host.size(); ++row) {
    if (is_once(row)) once.push_back(host.id[row]);
  }
  pair.host_text = host.content;
  for (std::size_t row = 0; row < host.size(); ++row) {
    Piece piece{host.text(host.object[row])};
    if (is_once(row)) {
      piece.copies = host.parent[row] == host.id[row] ? Piece::last : Piece::first;
    } else {
      add_member(piece, "\"id\":", kRow);
      if (std::find(once.begin(), once.end(), host.parent[row]) == once.end())
        add_member(piece, "\"ctrl_deps\":", kRow);
      add_attribute(piece, "rf_id", kRecordFunction, true);
      add_attribute(piece, "fw_parent", kRow, true);
      add_attribute(piece, "seq_id", kSequence, false);
      add_member(piece, "\"name\": \"ProfilerStep#", kStep);
      add_tensors(piece, host.text(host.inputs[row]));
      add_tensors(piece, host.text(host.outputs[row]));
    }
    pair.rows.push_back(std::move(piece));
  }
}

class EventCollector final : public kineto::DocumentHandler {
 public:
  explicit EventCollector(Pair& pair) : pair_(pair) {}

  void on_event(const kineto::EventRecord& record, std::string_view text, std::uint64_t) override {
    Piece piece{text};
    const bool is_once = record.phase == 'M' || record.phase == 'i' || record.category.view == "Trace";
    if (is_once) piece.copies = record.name.view == "Record Window End" ? Piece::last : Piece::first;
    add_member(piece, "\"ts\":", kTime);
    if (!is_once) add_ids(record, piece);
    if (!is_once && record.has_time) {
      times_.include(record.time.whole);
      times_.include(record.time.whole + (record.has_duration ? record.duration.whole : 0));
    }
    pair_.events.push_back(std::move(piece));
  }
  void on_unusable(std::string_view, std::uint64_t) override {}
  void on_property(const std::string&, std::string_view) override {}

  [[nodiscard]] const Range& times() const { return times_; }

 private:
  static void add_ids(const kineto::EventRecord& record, Piece& piece) {
    add_member(piece, "\"External id\":", kExternal);
    add_member(piece, "\"Record function id\":", kRecordFunction);
    add_member(piece, "\"Sequence number\":", kSequence);
    add_member(piece, "\"correlation\":", kCorrelation);
    add_member(piece, "\"wait_on_cuda_event_record_corr_id\":", kCorrelation);
    add_member(piece, "\"Ev Idx\":", kEventIndex);
    add_member(piece, "\"Python id\":", kPython);
    add_member(piece, "\"Python parent id\":", kPython);
    if (record.phase == 's' || record.phase == 'f')
      add_member(piece, "\"id\":", record.category.view == "ac2g" ? kCorrelation : kFlow);
    add_member(piece, "\"name\": \"ProfilerStep#", kStep);
  }

  Pair& pair_;
  Range times_;
};

void find_shifts(Pair& pair, const Range& times) {
  std::array<Range, kCounters> ranges;
  for (auto* pieces : {&pair.rows, &pair.events}) {
    for (Piece& piece : *pieces) {
      std::sort(piece.numbers.begin(), piece.numbers.end(),
                [](const Number& a, const Number& b) { return a.at < b.at; });
      for (const Number& number : piece.numbers) ranges[number.counter].include(number.value);
    }
  }
  for (std::size_t counter = 0; counter < kCounters; ++counter) pair.shift[counter] = ranges[counter].last + 1;
  pair.shift[kStep] = ranges[kStep].last - ranges[kStep].first + 1;
  pair.shift[kTime] = times.last - times.first + 1000;
}

Status write(const std::string& path, std::string_view text, const std::vector<Piece>& pieces, const Pair& pair,
             std::int64_t copies) {
  auto out = OutputFile::create(path);
  if (!out) return out.error();
  const auto end_of = [](const Piece& piece) { return piece.text.data() + piece.text.size(); };
  const std::string_view before(text.data(), static_cast<std::size_t>(pieces.front().text.data() - text.data()));
  const std::string_view between(end_of(pieces[0]),
                                 static_cast<std::size_t>(pieces[1].text.data() - end_of(pieces[0])));
  const std::string_view after(end_of(pieces.back()),
                               static_cast<std::size_t>(text.data() + text.size() - end_of(pieces.back())));
  std::string buffer(before);
  bool is_first = true;
  for (std::int64_t copy = 0; copy < copies; ++copy) {
    for (const Piece& piece : pieces) {
      if ((piece.copies == Piece::first && copy != 0) || (piece.copies == Piece::last && copy != copies - 1)) continue;
      if (!is_first) buffer += between;
      is_first = false;
      std::size_t copied = 0;
      for (const Number& number : piece.numbers) {
        buffer.append(piece.text, copied, number.at - copied);
        buffer += std::to_string(number.value + copy * pair.shift[number.counter]);
        copied = number.at + number.length;
      }
      buffer.append(piece.text, copied);
      out->write(buffer);
      buffer.clear();
    }
  }
  out->write(after);
  return out->commit();
}

int fail(const std::string& message) { return std::fprintf(stderr, "repeat_pair: %s\n", message.c_str()), 3; }

}  // namespace

int main(int argc, char** argv) {
  const long copies = argc == 6 ? std::atol(argv[3]) : 0;
  if (copies < 1) return std::fprintf(stderr, "usage: repeat_pair HOST KINETO COPIES OUT_HOST OUT_KINETO\n"), 2;
  Interner strings;
  Diagnostics diagnostics;
  Pair pair;
  const auto host = pytorch_et::read_host_trace(argv[1], strings, diagnostics);
  if (!host) return fail(host.error().to_string());
  collect_rows(*host, strings, pair);
  auto kineto = read_whole_file(argv[2], std::size_t{1} << 30);
  if (!kineto) return fail(kineto.error().to_string());
  const std::size_t size = kineto->size();
  kineto->append(MappedFile::kPaddingBytes, '\0');
  pair.kineto_text = std::string_view(*kineto).substr(0, size);
  EventCollector collector(pair);
  const auto parsed =
      kineto::DocumentParser(collector, argv[2]).parse({kineto->data(), kineto->data() + size, 0, true});
  if (!parsed) return fail(parsed.error().to_string());
  if (pair.rows.size() < 2 || pair.events.size() < 2) return fail("there is nothing to repeat");
  find_shifts(pair, collector.times());
  if (const Status done = write(argv[4], pair.host_text, pair.rows, pair, copies); !done)
    return fail(done.error().to_string());
  if (const Status done = write(argv[5], pair.kineto_text, pair.events, pair, copies); !done)
    return fail(done.error().to_string());
  return 0;
}
