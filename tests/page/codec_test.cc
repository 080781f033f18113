#include "page/data/codec.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <zlib.h>

#include <limits>
#include <vector>

using namespace orrery;

namespace {

/// As docs/REPORT.md tells a reader to do it, without the code under test.
std::vector<std::int64_t> decoded(const page::EncodedColumn& column) {
  std::vector<std::int64_t> values(column.count, 0);
  if (column.count == 0) return values;
  const std::size_t planes = column.bytes.size() / column.count;
  std::vector<std::uint64_t> raw(column.count, 0);
  for (std::size_t plane = 0; plane < planes; ++plane) {
    for (std::size_t i = 0; i < column.count; ++i)
      raw[i] += static_cast<std::uint64_t>(static_cast<unsigned char>(column.bytes[plane * column.count + i]))
                << (8 * plane);
  }
  std::int64_t at = 0;
  for (std::size_t i = 0; i < column.count; ++i) {
    if (column.codec != "delta") {
      values[i] = static_cast<std::int64_t>(raw[i]);
      continue;
    }
    at += (raw[i] & 1U) != 0 ? -static_cast<std::int64_t>(raw[i] / 2) - 1 : static_cast<std::int64_t>(raw[i] / 2);
    values[i] = at;
  }
  return values;
}

std::string inflated(const std::string& packed) {
  z_stream stream{};
  REQUIRE(::inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string out(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(::inflate(&stream, Z_FINISH) == Z_STREAM_END);
  CHECK(stream.avail_in == 0);  // one member: browsers refuse a second
  out.resize(stream.total_out);
  ::inflateEnd(&stream);
  return out;
}

std::string from_base64(std::string_view text) {
  static constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0, have = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6U | static_cast<unsigned>(kLetters.find(c));
    have += 6;
    if (have >= 8) bytes += static_cast<char>(bits >> (have -= 8) & 0xFFU);
  }
  return bytes;
}

}  // namespace

TEST_CASE("a column is as wide as its largest value") {
  const std::vector<std::uint64_t> values = {0, 255, 256};
  const page::EncodedColumn column = page::encode_planes("x", values.size(), [&](std::size_t i) { return values[i]; });
  CHECK(column.codec == "planes");
  CHECK(column.bytes == std::string("\x00\xFF\x00\x00\x00\x01", 6));
  CHECK(page::encode_planes("x", 0, [](std::size_t) { return 0; }).bytes.empty());
  // A column of zeros has a plane, so that its length tells how many values it has.
  CHECK(page::encode_planes("x", 2, [](std::size_t) { return 0; }).bytes.size() == 2);
}

TEST_CASE("differences have either sign") {
  const std::vector<std::int64_t> values = {5, 3, 3, 200, -1};
  const page::EncodedColumn column = page::encode_delta("x", values.size(), [&](std::size_t i) { return values[i]; });
  CHECK(decoded(column) == values);
  CHECK(page::zigzag(0) == 0);
  CHECK(page::zigzag(-1) == 1);
  CHECK(page::zigzag(1) == 2);
  CHECK(page::zigzag(std::numeric_limits<std::int64_t>::min()) == ~std::uint64_t{0});
}

TEST_CASE("what is encoded is decoded") {
  rc::check("planes", [] {
    const auto values =
        *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 53));
    RC_ASSERT(decoded(page::encode_planes("x", values.size(), [&](std::size_t i) { return values[i]; })) == values);
  });
  rc::check("delta", [] {
    const auto values = *rc::gen::container<std::vector<std::int64_t>>(
        rc::gen::inRange<std::int64_t>(-(std::int64_t{1} << 53), std::int64_t{1} << 53));
    RC_ASSERT(decoded(page::encode_delta("x", values.size(), [&](std::size_t i) { return values[i]; })) == values);
  });
}

TEST_CASE("a blob is one script element that says what is in it") {
  page::Blob blob{"rank", 3, {}};
  blob.table.push_back(page::encode_json("a", "[1]"));
  blob.table.push_back(page::encode_u8("b", std::vector<std::uint8_t>{7, 8}));
  const std::string html = page::blob_html(blob);
  CHECK(
      html.starts_with("<script type=\"application/gzip;base64\" data-columns=\"rank\" data-rank=\"3\" "
                       "data-table=\"[{&quot;name&quot;:"));
  CHECK(html.find("&quot;b&quot;,&quot;codec&quot;:&quot;u8&quot;,&quot;count&quot;:2,&quot;offset&quot;:3,&quot;bytes&"
                  "quot;:2") != std::string::npos);
  const std::size_t begin = html.find('>') + 1;
  CHECK(inflated(from_base64(std::string_view(html).substr(begin, html.find('<', begin) - begin))) == "[1]\x07\x08");
  // The graph's has no rank.
  CHECK(page::blob_html({"graph", -1, {}}).find("data-rank") == std::string::npos);
}
