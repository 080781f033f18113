#include "base/plain/pickle.h"

#include <doctest/doctest.h>

#include <string>

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
