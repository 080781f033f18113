// repeat_trace SOURCE COPIES OUT: a large trace out of a real one, by repeating its events with shifted times and ids.
//
// Times move by the span of the trace, ids (correlation, External id, Python id, flow ids) by ten million per copy, so
// that every copy is a complete, separate stretch of the job: the critical path of N copies is N times that of one.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/inflate.h"
#include "base/io/input.h"
#include "base/io/output_file.h"
#include "formats/kineto/document.h"

namespace {

using namespace orrery;

constexpr std::int64_t kIdsPerCopy = 10'000'000;

struct Number {
  std::size_t at;
  std::size_t length;  // of the whole part
  std::int64_t value;
  bool is_time;
};

class Collector final : public kineto::DocumentHandler {
 public:
  void on_event(const kineto::EventRecord& record, std::string_view text, std::uint64_t) override {
    events.emplace_back(text);
    if (!record.has_time || record.phase == 'M') return;
    const std::int64_t end = record.time.whole + (record.has_duration ? record.duration.whole : 0);
    first = events_timed == 0 ? record.time.whole : std::min(first, record.time.whole);
    last = events_timed++ == 0 ? end : std::max(last, end);
  }
  void on_unusable(std::string_view, std::uint64_t) override {}
  void on_property(const std::string& key, std::string_view json) override {
    (in_events_ ? after : before).push_back("\"" + key + "\": " + std::string(json));
  }
  void on_event_list() override { in_events_ = true; }

  std::vector<std::string> events, before, after;
  std::int64_t first = 0, last = 0;
  std::size_t events_timed = 0;

 private:
  bool in_events_ = false;
};

std::vector<Number> find_numbers(std::string_view event) {
  static constexpr std::string_view kKeys[] = {"\"ts\":",
                                               "\"correlation\":",
                                               "\"External id\":",
                                               "\"Python id\":",
                                               "\"Python parent id\":",
                                               "\"id\":",
                                               "\"wait_on_cuda_event_record_corr_id\":"};
  std::vector<Number> numbers;
  for (const std::string_view key : kKeys) {
    for (std::size_t at = event.find(key); at != std::string_view::npos; at = event.find(key, at + 1)) {
      std::size_t digit = at + key.size();
      while (digit < event.size() && event[digit] == ' ') ++digit;
      std::size_t end = digit;
      while (end < event.size() && event[end] >= '0' && event[end] <= '9') ++end;
      if (end > digit && end - digit < 18)
        numbers.push_back(
            {digit, end - digit, std::stoll(std::string(event.substr(digit, end - digit))), key == "\"ts\":"});
    }
  }
  std::sort(numbers.begin(), numbers.end(), [](const Number& a, const Number& b) { return a.at < b.at; });
  return numbers;
}

bool collect(const std::string& path, Collector& collector) {
  const auto file = MappedFile::open(path);
  if (!file) return false;
  kineto::DocumentParser parser(collector, path);
  const Compression compression = detect_compression(file->bytes());
  if (compression == Compression::none)
    return parser.parse({file->bytes().data(), file->bytes().data() + file->bytes().size(), 0, true}).ok();
  const auto inflater = make_inflater(compression, file->bytes(), path);
  return stream_windows(*inflater, [&](const Window& window) { return parser.parse(window); }, {}).ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: repeat_trace SOURCE COPIES OUT\n"), 2;
  Collector collector;
  if (!collect(argv[1], collector)) return std::fprintf(stderr, "repeat_trace: cannot read %s\n", argv[1]), 3;
  auto out = OutputFile::create(argv[3]);
  if (!out) return std::fprintf(stderr, "repeat_trace: %s\n", out.error().to_string().c_str()), 3;
  std::vector<std::vector<Number>> numbers;
  for (const std::string& event : collector.events) numbers.push_back(find_numbers(event));
  const std::int64_t span = collector.last - collector.first + 1000;
  out->write("{\n");
  for (const std::string& property : collector.before) out->write("  " + property + ",\n");
  out->write("  \"traceEvents\": [\n  ");
  const long copies = std::atol(argv[2]);
  std::string text;
  for (long copy = 0; copy < copies; ++copy) {
    for (std::size_t i = 0; i < collector.events.size(); ++i) {
      const std::string& event = collector.events[i];
      text = copy == 0 && i == 0 ? "" : ",\n  ";
      std::size_t copied = 0;
      for (const Number& number : numbers[i]) {
        text.append(event, copied, number.at - copied);
        text += std::to_string(number.value + copy * (number.is_time ? span : kIdsPerCopy));
        copied = number.at + number.length;
      }
      text.append(event, copied);
      out->write(text);
    }
  }
  out->write("\n  ]");
  for (const std::string& property : collector.after) out->write(",\n  " + property);
  out->write("\n}\n");
  const Status done = out->commit();
  if (!done) std::fprintf(stderr, "repeat_trace: %s\n", done.error().to_string().c_str());
  return done ? 0 : 3;
}
