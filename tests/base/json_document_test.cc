#include "base/json/json_document.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/io/output_file.h"
#include "support/temp_dir.h"

namespace orrery {
namespace {

// Writes down what it is told: "member a=1", "list nodes", "record {...}", "end".
struct Listener {
  static bool is_record_list(std::string_view key) { return key == "nodes"; }
  Status on_member(const JsonMember& member, std::uint64_t offset) {
    told.push_back("member " + std::string(member.key) + "=" + std::string(member.value) + " at " +
                   std::to_string(offset));
    return {};
  }
  Status on_list(std::string_view key, std::uint64_t offset) {
    told.push_back("list " + std::string(key) + " at " + std::to_string(offset));
    if (refuses_lists) return Error{"no list wanted", {}, offset};
    return {};
  }
  Result<const char*> take_record(const char* p, const Window& window) {
    const WholeValue whole = whole_value(p, window);
    if (whole.after == nullptr)
      return whole.fault == JsonFault::ends ? Result<const char*>(nullptr) : fault(whole.fault, 0);
    told.push_back("record " + std::string(p, whole.after));
    return whole.after;
  }
  Status on_list_end() { return told.emplace_back("end"), Status(); }
  [[nodiscard]] static Error fault(JsonFault fault, std::uint64_t offset) {
    return {std::string(to_string(fault)), {}, offset};
  }

  std::vector<std::string> told;
  bool refuses_lists = false;
};

using Told = std::vector<std::string>;

// In windows that grow by `step` bytes, each followed by what follows it in the text, as in a mapped file.
Result<Told> walk(const std::string& text, std::size_t step) {
  const std::string padded = text + std::string(MappedFile::kPaddingBytes, '\0');
  Listener listener;
  JsonDocument<Listener> document(listener);
  std::size_t at = 0;
  for (std::size_t end = std::min(step, text.size());; end = std::min(end + step, text.size())) {
    const bool is_last = end == text.size();
    const auto taken = document.parse({padded.data() + at, padded.data() + end, at, is_last});
    if (!taken) return taken.error();
    at = static_cast<std::size_t>(*taken - padded.data());
    if (is_last) return listener.told;
  }
}

Told whole(const std::string& text) {
  const auto told = walk(text, text.size() + 1);
  REQUIRE_MESSAGE(told.ok(), text);
  return *told;
}

std::string fault_of(const std::string& text) {
  const auto told = walk(text, text.size() + 1);
  return told ? "none" : std::to_string(told.error().offset) + ": " + told.error().message;
}

TEST_CASE("members and records come in order, with their positions") {
  CHECK(whole(R"({"a": 1, "nodes": [{"x": [1]}, 7 ,"t"], "b": {"nodes": []}})") ==
        Told{"member a=1 at 6", "list nodes at 18", "record {\"x\": [1]}", "record 7", "record \"t\"", "end",
             "member b={\"nodes\": []} at 45"});
  CHECK(whole("{}").empty());
  CHECK(whole("\xEF\xBB\xBF \n[ 1 ]") == Told{"list  at 5", "record 1", "end"});
  CHECK(whole(R"({"nodes": {"a": 1}})") == Told{"member nodes={\"a\": 1} at 10"});  // of that name, but no list
}

TEST_CASE(
    "what writers leave undone is taken: a comma before the end, a bare list without its bracket, text behind the "
    "document") {
  CHECK(whole("[1,2,]") == Told{"list  at 0", "record 1", "record 2", "end"});
  CHECK(whole("{\"a\":1,}") == Told{"member a=1 at 5"});
  CHECK(whole("[{\"a\":1},") == Told{"list  at 0", "record {\"a\":1}", "end"});
  CHECK(whole("{\"a\":1} and more {") == Told{"member a=1 at 5"});
}

TEST_CASE("faults say what and where") {
  CHECK(fault_of("") == "0: the file is empty");
  CHECK(fault_of(" \n ") == "3: the file is empty");
  CHECK(fault_of("text") == "0: this is not JSON");
  CHECK(fault_of("{a: 1}") == "1: expected a key");
  CHECK(fault_of("{\"a\" 1}") == "5: expected : after a key");
  CHECK(fault_of("{\"a\": }") == "6: expected a value");
  CHECK(fault_of("{\"a\": 1 \"b\"}") == "8: expected , or } after a value");
  CHECK(fault_of("{\"nodes\": [1 2]}") == "13: expected , or ] after an element");
  CHECK(fault_of("{\"a\": [1}") == "6: a bracket that closes another kind");
  CHECK(fault_of("{\"a\": " + std::string(600, '[') + std::string(600, ']') + "}") ==
        "6: nested deeper than 512 levels");
  for (const char* cut : {"{", "{\"a", "{\"a\"", "{\"a\":", "{\"a\": 1", "{\"a\": \"t", "{\"a\": 1,", "{\"nodes\": [",
                          "{\"nodes\": [1", "{\"nodes\": [1,"})
    CHECK(fault_of(cut).ends_with("the file ends inside the document"));
}

TEST_CASE("windows may end anywhere: the same is told, and nothing twice") {
  const std::string text =
      "\xEF\xBB\xBF{\"schema\" :\n \"1.1\\\"\", \"n\": -12.5e3, \"nodes\": [\n  {\"id\": 1, \"name\": \"a]},[{\"},\n  "
      "null , "
      "17],\"t\":true}  ";
  const Told expected = whole(text);
  REQUIRE(expected.size() == 8);
  for (std::size_t step = 1; step <= text.size(); ++step) {
    CAPTURE(step);
    const auto told = walk(text, step);
    REQUIRE(told.ok());
    CHECK(*told == expected);
  }
}

TEST_CASE("cut anywhere, a document is refused, whatever the windows") {
  const std::string text = R"({"schema": "1", "nodes": [{"id": 1}, {"id": 22}], "x": 3})";
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, text.size()})
      CHECK_FALSE(walk(text.substr(0, size), step).ok());
  }
}

TEST_CASE("an error of the handler ends the walk") {
  Listener listener;
  listener.refuses_lists = true;
  JsonDocument<Listener> document(listener);
  const std::string text = "{\"a\":1,\"nodes\":[1]}" + std::string(MappedFile::kPaddingBytes, '\0');
  const auto taken = document.parse({text.data(), text.data() + 19, 0, true});
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.error().message == "no list wanted");
  CHECK(listener.told.size() == 2);
}

TEST_CASE("a compressed file is walked in windows of its inflated text") {
  const orrery::testing::TempDir folder;
  std::string text = "{\"nodes\":[";
  for (int i = 0; i < 300'000; ++i) text += (i > 0 ? ",{\"id\":" : "{\"id\":") + std::to_string(i) + "}";
  text += "]}";
  REQUIRE(write_whole_file(folder.path("t.json.gz"), text).ok());
  const auto file = MappedFile::open(folder.path("t.json.gz"));
  REQUIRE(file.ok());
  Listener listener;
  std::uint64_t progress = 0;
  const auto bytes = walk_json_document(*file, listener, [&](std::uint64_t more) { progress += more; });
  REQUIRE(bytes.ok());
  CHECK(*bytes == text.size());
  CHECK(progress == file->bytes().size());
  CHECK(listener.told.size() == 300'002);
}

}  // namespace
}  // namespace orrery
