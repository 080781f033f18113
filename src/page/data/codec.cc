#include "page/data/codec.h"

#include <vector>

#include "base/io/base64.h"
#include "base/io/gzip.h"
#include "base/json/json_writer.h"
#include "report/html_writer.h"

namespace orrery::page {

EncodedColumn encode_u8(std::string name, std::span<const std::uint8_t> values) {
  return {std::move(name), "u8", values.size(),
          std::string(reinterpret_cast<const char*>(values.data()), values.size())};
}

EncodedColumn encode_json(std::string name, std::string json) { return {std::move(name), "json", 1, std::move(json)}; }

std::string blob_html(const Blob& blob) {
  std::string table;
  JsonWriter json(table);
  json.begin_array();
  std::vector<std::string_view> parts;
  std::size_t offset = 0;
  for (const EncodedColumn& column : blob.table) {
    json.begin_object()
        .field("name", column.name)
        .field("codec", column.codec)
        .field("count", column.count)
        .field("offset", offset);
    json.field("bytes", column.bytes.size()).end_object();
    parts.emplace_back(column.bytes);
    offset += column.bytes.size();
  }
  json.end_array();
  // The order of the attributes is part of the format: readers may look for it with a plain expression.
  std::vector<report::HtmlAttribute> attributes = {{"type", "application/gzip;base64"}, {"data-columns", blob.columns}};
  if (blob.rank >= 0) attributes.push_back({"data-rank", std::to_string(blob.rank)});
  attributes.push_back({"data-table", std::move(table)});
  std::string html;
  report::HtmlWriter(html).open("script", attributes);
  append_base64(html, gzip(parts));
  return html += "</script>\n";
}

}  // namespace orrery::page
