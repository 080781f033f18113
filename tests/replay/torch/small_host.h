// Small linked host traces for tests of the emitter: operators with schemas and tensors, and the device work that they
// launched.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "formats/pytorch_et/arguments.h"
#include "formats/pytorch_et/reader.h"
#include "replay/torch/build/emitted_job.h"
#include "replay/torch/source/linked_source.h"
#include "replay/torch/write/operation_writer.h"
#include "support/temp_dir.h"

template <>
struct doctest::StringMaker<std::vector<std::string>> {
  static doctest::String convert(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + " ";
    return text.c_str();
  }
};

namespace orrery::replay::torch::testing {

/// "[7,3,0,8,4,"cuda:0"]" with shape [8], stride [1] and type float, and so on: the four lists of inputs or outputs.
class Values {
 public:
  Values& tensor(int id, int storage, std::string shape, std::string stride, int elements, std::string type = "float",
                 std::string device = "cuda:0", int offset = 0, int bytes = 4) {
    return add("[" + std::to_string(id) + "," + std::to_string(storage) + "," + std::to_string(offset) + "," +
                   std::to_string(elements) + "," + std::to_string(bytes) + ",\"" + device + "\"]",
               shape, "Tensor(" + type + ")", stride);
  }
  /// A vector of floats on the device.
  Values& vector(int storage, int elements = 8) {
    return tensor(100 + storage, storage, "[" + std::to_string(elements) + "]", "[1]", elements);
  }
  /// A list of values that are alike.
  Values& add_list(const std::vector<std::string>& values, const std::string& shape, const std::string& stride,
                   const std::string& type) {
    std::string all, shapes, strides, types;
    for (const std::string& value : values) {
      const std::string comma = all.empty() ? "" : ",";
      all += comma + value, shapes += comma + shape, strides += comma + stride, types += comma + type;
    }
    return add("[" + all + "]", "[" + shapes + "]", "GenericList[" + types + "]", "[" + strides + "]");
  }
  Values& plain(std::string value, std::string type) { return add(std::move(value), "[]", std::move(type), "[]"); }
  [[nodiscard]] std::string json() const {
    return R"({"values":[)" + values_ + R"(],"shapes":[)" + shapes_ + R"(],"types":[)" + types_ + R"(],"strides":[)" +
           strides_ + "]}";
  }

 private:
  Values& add(std::string value, std::string shape, std::string type, std::string stride) {
    const std::string comma = values_.empty() ? "" : ",";
    values_ += comma + value;
    shapes_ += comma + shape;
    types_ += comma + "\"" + type + "\"";
    strides_ += comma + stride;
    return *this;
  }
  std::string values_, shapes_, types_, strides_;
};

/// Rows are numbered from 2 on in the order in which they begin; row 1 is the process.
class SmallHost {
 public:
  struct Row {
    std::string name, schema, inputs = Values().json(), outputs = Values().json();
    int parent = 1, thread = 1, scope = 0;
  };
  int op(const std::string& schema, const Values& inputs, const Values& outputs, int parent = 1, int thread = 1) {
    rows_.push_back(
        {schema.substr(0, schema.find_first_of(".(")), schema, inputs.json(), outputs.json(), parent, thread, 0});
    return add({});
  }
  int range(const std::string& name, int parent = 1) {
    rows_.push_back({name, "", Values().json(), Values().json(), parent, 1, 7});
    return add({});
  }
  /// Device work of the operator `parent`, 1 us long.
  int work(int parent, const std::string& name = "kernel_a", int stream = 7) {
    rows_.push_back({name, "", Values().json(), Values().json(), parent, 1, 0});
    return add(R"(,"cat":"kernel","ph":"X","ts":1,"inclusive_dur":1,"exclusive_dur":1,"stream":)" +
               std::to_string(stream));
  }

  [[nodiscard]] std::string json() const {
    std::string text =
        R"({"schema":"1.1.1-chakra.0.0.4","pid":7,"nodes":[{"id":1,"name":"[pytorch|profiler|execution_trace|process]","ctrl_deps":1,)"
        R"("inputs":{"values":[]},"outputs":{"values":[]},"attrs":[]})";
    for (std::size_t i = 0; i < rows_.size(); ++i) text += ",\n" + row_json(i);
    return text + "]}";
  }

 private:
  int add(std::string members) {
    members_.push_back(std::move(members));
    return static_cast<int>(rows_.size()) + 1;
  }
  [[nodiscard]] std::string row_json(std::size_t i) const {
    const Row& row = rows_[i];
    const auto attribute = [](std::string name, std::string value) {
      return R"({"name":")" + name + R"(","type":"x","value":)" + value + "}";
    };
    return R"({"id":)" + std::to_string(i + 2) + R"(,"name":")" + row.name + R"(","ctrl_deps":)" +
           std::to_string(row.parent) + R"(,"inputs":)" + row.inputs + R"(,"outputs":)" + row.outputs +
           R"(,"attrs":[)" + attribute("rf_id", std::to_string(i + 2)) + "," +
           attribute("scope", std::to_string(row.scope)) + "," + attribute("tid", std::to_string(row.thread)) + "," +
           attribute("op_schema", "\"" + row.schema + "\"") + "]" + (members_[i].empty() ? times_of(i) : members_[i]) +
           "}";
  }
  /// Of an operator: it begins 10 us after the row before it, and ends behind the last that it called.
  [[nodiscard]] std::string times_of(std::size_t i) const {
    std::size_t last = i;
    std::vector<bool> is_inside(rows_.size() + 2, false);
    is_inside[i + 2] = true;
    for (std::size_t j = i + 1; j < rows_.size(); ++j) {
      is_inside[j + 2] = is_inside[static_cast<std::size_t>(rows_[j].parent)];
      if (is_inside[j + 2]) last = j;
    }
    return R"(,"ts":)" + std::to_string(100 + 10 * i) + R"(,"inclusive_dur":)" + std::to_string(10 * (last - i) + 9) +
           R"(,"exclusive_dur":1)";
  }

  std::vector<Row> rows_;
  std::vector<std::string> members_;
};

/// The operation list of a small host trace, or why there is none.
inline Result<OperationList> try_list_of(const SmallHost& small, const EmitOptions& options = {}) {
  orrery::testing::TempDir folder;
  Interner strings;
  Diagnostics diagnostics;
  const auto host = pytorch_et::read_host_trace(folder.write("host.json", small.json()), strings, diagnostics);
  REQUIRE(host);
  std::vector<RankSource> sources;
  sources.push_back(source_of_linked(*host, strings, 0, 4));
  std::vector<trace::HostArguments> arguments;
  arguments.push_back(pytorch_et::read_arguments(*sources[0].host, strings));
  auto job = emit_ranks(std::move(sources), arguments, options);
  if (!job) return job.error();
  return std::move(job->ranks[0]);
}
inline OperationList list_of(const SmallHost& small, const EmitOptions& options = {}) {
  auto list = try_list_of(small, options);
  REQUIRE_MESSAGE(list.ok(), (list.ok() ? "" : list.error().message));
  return std::move(*list);
}

/// Of the list or object at the begin of a line: behind it are the comma, or the ends of what it is in.
inline std::size_t length_of_value(std::string_view line) {
  int depth = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '[' || line[i] == '{') ++depth;
    if ((line[i] == ']' || line[i] == '}') && --depth == 0) return i + 1;
  }
  return line.size();
}

/// The lines of one list of the file: "sequence", "storages", "forms".
inline std::vector<std::string> lines_of(const OperationList& list, std::string_view key) {
  std::istringstream text(to_json(list));
  std::vector<std::string> lines;
  bool is_inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("\"") && line.ends_with("[")) {
      is_inside = line == "\"" + std::string(key) + "\":[";
      continue;
    }
    if (!is_inside) continue;
    lines.push_back(line.substr(0, length_of_value(line)));
  }
  return lines;
}

inline const std::string kMm = "aten::mm(Tensor self, Tensor mat2) -> Tensor";
inline const std::string kRelu = "aten::relu(Tensor self) -> Tensor";
inline const std::string kEmpty = "aten::empty.memory_format(SymInt[] size) -> Tensor";
inline const std::string kView = "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)";
inline const std::string kCopy = "aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)";

}  // namespace orrery::replay::torch::testing
