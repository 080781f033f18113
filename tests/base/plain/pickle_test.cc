#include "base/plain/pickle.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/plain/plain_json.h"

namespace orrery {
namespace {

using Type = PlainValues::Type;

std::string bytes_of(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}

/// BINUNICODE.
std::string unicode(std::string_view text) {
  return bytes_of({"X", std::string(1, static_cast<char>(text.size())), std::string(3, '\0'), text});
}

const std::string kProtocol2("\x80\x02", 2);

Result<PlainValues> unpickled(const std::string& body) {
  // The values refer to the bytes, which have to stay.
  static std::string kept;
  kept = kProtocol2 + body;
  return read_pickle(kept, "dump");
}

std::string fault_of(const std::string& body) {
  const Result<PlainValues> read = unpickled(body);
  return read ? "" : read.error().message;
}

}  // namespace

TEST_CASE("a pickle as PyTorch's C++ writes it: every container is filled behind a mark") {
  const auto read = unpickled(bytes_of({"}(", unicode("a"), "q", std::string(1, '\0'), "K\x07", unicode("b"), "](", "h",
                                        std::string(1, '\0'), "J\xfe\xff\xff\xff", "\x88", "N", "eu."}));
  REQUIRE(read);
  const PlainId root = read->root();
  CHECK(read->is(root, Type::dict));
  CHECK(read->integer(read->find(root, "a")) == 7);
  const auto list = read->items(read->find(root, "b"));
  REQUIRE(list.size() == 4);
  // What the memo gives back is the same value, not an equal one.
  CHECK(list[0] == read->items(root)[0]);
  CHECK(read->text(list[0]) == "a");
  CHECK(read->integer(list[1]) == -2);
  CHECK(read->integer(list[2]) == 1);
  CHECK(read->type(list[3]) == Type::none);
  CHECK(read->find(root, "c") == PlainValues::kMissing);
}

TEST_CASE("a pickle as Python writes it: frames, memo by order, lists in batches") {
  const std::string frame = bytes_of({"\x95", std::string(8, '\0')});
  // [1, 2] and then two more behind it, as for a list of more than a thousand.
  const auto read = unpickled(
      bytes_of({frame, "]\x94(K\x01K\x02", "e", "(", "\x8c\x03", "abc\x94", "G@\x04", std::string(6, '\0'), "e."}));
  REQUIRE(read);
  const auto items = read->items(read->root());
  REQUIRE(items.size() == 4);
  CHECK(read->integer(items[1]) == 2);
  CHECK(read->text(items[2]) == "abc");
  CHECK(read->number(items[3]) == 2.5);
}

TEST_CASE("tuples, sets and long integers") {
  const auto read = unpickled(bytes_of({"K\x01K\x02\x86", "\x8a\x02\x00\xff", "\x87"}));
  CHECK_FALSE(read);  // a tuple of three where there are two
  const std::string minus_256("\x8a\x02\x00\xff", 4);
  const auto pair = unpickled(bytes_of({minus_256, "K\x02\x86."}));
  REQUIRE(pair);
  CHECK(pair->is_sequence(pair->root()));
  CHECK(pair->integer(pair->items(pair->root())[0]) == -256);
  const auto set = unpickled("\x8f(K\x01K\x02\x90.");
  REQUIRE(set);
  CHECK(set->items(set->root()).size() == 2);
}

TEST_CASE("what could execute code is refused by name and place") {
  CHECK(fault_of("cos\nsystem\n.") == "opcode GLOBAL at byte 2: it could execute code");
  CHECK(fault_of("NR.") == "opcode REDUCE at byte 3: it could execute code");
  for (const std::string_view opcode :
       {"\x93", "b", "i", "o", "\x81", "\x92", "P", "Q", "\x82", "\x83", "\x84", "\x97", "\x98"}) {
    CAPTURE(opcode);
    CHECK(fault_of("N" + std::string(opcode)).find("it could execute code") != std::string::npos);
  }
  CHECK(fault_of("S'a'\n.").find("opcode 83 at byte 2") != std::string::npos);
}

TEST_CASE("damaged pickles are errors") {
  CHECK(fault_of("X\xff\xff\xff\xffversion") == "a text is longer than the rest of the file");
  CHECK(fault_of("h\x63.") == "memo entry 99 was never put");
  CHECK(fault_of("K\x01K\x02K\x03s.") == "an item for a value that holds none of that kind");
  CHECK(fault_of("}(K\x01u.") == "a key without a value");
  CHECK(fault_of("e.") == "there is no mark on the stack");
  CHECK(fault_of("(e.") == "there are too few values on the stack");
  CHECK(fault_of("](K\x01") == "the file ends before the pickle does");
  CHECK(fault_of(".") == "the pickle holds no value");
  CHECK(fault_of("J\x01") == "the file ends inside an opcode's argument");
  CHECK(fault_of("Nr\xff\xff\xff\xff.") == "a memo entry far beyond those before it");
  CHECK_FALSE(read_pickle("(lp0\n.", "old"));  // protocol 0 has no beginning of its own
}

TEST_CASE("values that hold themselves or nest without end are errors") {
  CHECK(fault_of(bytes_of({"]q", std::string(1, '\0'), "(h", std::string(1, '\0'), "e."})) == "a value holds itself");
  std::string deep, shallow;
  for (int i = 0; i < 300; ++i) deep += "](";
  for (int i = 0; i < 200; ++i) shallow += "](";
  CHECK(fault_of(deep + std::string(300, 'e') + ".") == "values are nested deeper than 256 levels");
  CHECK(fault_of(shallow + std::string(200, 'e') + ".").empty());
  // A pair of pairs of pairs that are all one: more ways than could be walked, each value looked at once.
  std::string shared = "]";
  for (int i = 0; i < 40; ++i) shared += "2\x86";
  CHECK(fault_of(shared + ".").empty());
}

namespace {

/// Notes "list:number" of each record, and how many values there were when it came.
struct TakenRecords final : PickleRecords {
  [[nodiscard]] std::string_view key() const override { return "records"; }
  void take(const PlainValues& values, PlainId list, PlainId record, PlainId) override {
    if (lists.empty() || lists.back() != list) lists.push_back(list);
    const auto number = values.integer(values.find(record, "n"));
    text += std::to_string(lists.size()) + ":" + (number ? std::to_string(*number) : "none") + " ";
    most_values = std::max(most_values, values.size());
  }
  std::string text;
  std::vector<PlainId> lists;
  std::size_t most_values = 0;
};

/// A record with a long integer, which is a value of its own, and the number of its memo entry.
std::string record_of(int number, const std::string& key, const std::string& more = "") {
  return bytes_of({"}q\x09(", key, "K", std::string(1, static_cast<char>(number)), "N\x8a\x02\x01\x7f", more, "u"});
}

}  // namespace

TEST_CASE("records of lists of lists are taken in order, and forgotten") {
  const std::string key = unicode("n") + "q\x01", again = "h\x01";
  const std::string head = bytes_of({"}(", unicode("before"), "K\x07", unicode("records")});
  // As Python writes two lists: what is one too many for a batch comes alone.
  std::string body = head + "](](" + record_of(1, key);
  for (int i = 2; i < 100; ++i) body += record_of(i, again);
  body += "e" + record_of(100, again) + "a](" + record_of(101, again) + record_of(102, again) + "ee" +
          bytes_of({unicode("after"), again, "u."});
  const std::string bytes = kProtocol2 + body;
  TakenRecords records;
  const auto read = read_pickle(bytes, "dump", {}, &records);
  REQUIRE(read);
  std::string wanted;
  for (int i = 1; i <= 102; ++i) wanted += (i <= 100 ? "1:" : "2:") + std::to_string(i) + " ";
  CHECK(records.text == wanted);
  CHECK(records.most_values < PlainValues().size() + 30);
  // What refers to them sees the same lists, without them; the rest is as ever.
  const auto lists = read->items(read->find(read->root(), "records"));
  REQUIRE(lists.size() == 2);
  CHECK(lists[0] == records.lists[0]);
  CHECK(read->items(lists[0]).empty());
  CHECK(read->integer(read->find(read->root(), "before")) == 7);
  CHECK(read->text(read->find(read->root(), "after")) == "n");
}

TEST_CASE("what a record made and others refer to stays") {
  const std::string head = bytes_of({"}(", unicode("shared"), "]q\x05", unicode("records"), "](]("});
  // The second record puts a list into the memo and the shared list, the third makes values where those could have
  // been.
  const std::string list =
      "](K\x01K\x02"
      "eq\x02";
  const std::string body = head + record_of(1, unicode("n")) +
                           record_of(2, unicode("n"),
                                     "\x8a\x02\x01\x7e" + list +
                                         "h\x05h\x02"
                                         "aN") +
                           record_of(3, unicode("n")) + record_of(4, unicode("n")) + "ee" + unicode("later") +
                           "h\x02u.";
  const std::string bytes = kProtocol2 + body;
  TakenRecords records;
  const auto read = read_pickle(bytes, "dump", {}, &records);
  REQUIRE(read);
  CHECK(records.text == "1:1 1:2 1:3 1:4 ");
  const PlainId later = read->find(read->root(), "later");
  REQUIRE(read->items(later).size() == 2);
  CHECK(read->integer(read->items(later)[1]) == 2);
  const auto shared = read->items(read->find(read->root(), "shared"));
  REQUIRE(shared.size() == 1);
  CHECK(shared[0] == later);
}

TEST_CASE("a list of records that is not behind their key stays whole") {
  TakenRecords records;
  const std::string bytes =
      kProtocol2 + bytes_of({"}(", unicode("others"), "](](", record_of(1, unicode("n")), "eeu."});
  const auto read = read_pickle(bytes, "dump", {}, &records);
  REQUIRE(read);
  CHECK(records.text.empty());
  CHECK(read->items(read->items(read->find(read->root(), "others"))[0]).size() == 1);
}

TEST_CASE("JSON gives the same values") {
  const std::string text = R"({"a": 7, "b": [{"a": 1}, {"a": -2.5}, "x\ny", null, true]})" + std::string(64, '\0');
  const auto read = read_plain_json(std::string_view(text).substr(0, text.size() - 64), "dump");
  REQUIRE(read);
  CHECK(read->integer(read->find(read->root(), "a")) == 7);
  const auto list = read->items(read->find(read->root(), "b"));
  REQUIRE(list.size() == 5);
  // Keys are one value wherever they stand.
  CHECK(read->items(list[0])[0] == read->items(list[1])[0]);
  CHECK(read->number(read->find(list[1], "a")) == -2.5);
  CHECK(read->text(list[2]) == "x\ny");
  CHECK(read->type(list[3]) == Type::none);
  for (const std::string_view wrong : {"{\"a\": }", "[1, 2", "{\"a\" 1}", "[1] 2", "nothing", ""}) {
    CAPTURE(wrong);
    const std::string padded = std::string(wrong) + std::string(64, '\0');
    CHECK_FALSE(read_plain_json(std::string_view(padded).substr(0, wrong.size()), "dump"));
  }
}

}  // namespace orrery
