#include "formats/kineto/communication_arguments.h"

#include <simdjson.h>

#include "base/numbers.h"
#include "match/communication.h"

namespace orrery::kineto {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

constexpr int kNone = -1;

/// Where the arguments of an operator are, counted from 0 (torch/csrc/distributed/c10d/Ops.cpp).
struct CallLayout {
  std::string_view name;
  int input;
  int peer = kNone;
  int tag = kNone;
};
constexpr CallLayout kCalls[] = {
    {"c10d::send", 0, 2, 3},
    {"c10d::recv_", 0, 2, 3},
    {"c10d::recv_any_source_", 0, kNone, 2},
    {"c10d::broadcast_", 0, 2},
    {"c10d::reduce_", 0, 3},
    {"c10d::gather_", 1, 3},
    {"c10d::scatter_", 1, 3},
    {"c10d::allreduce_", 0},
    {"c10d::allreduce_coalesced_", 0},
    {"c10d::allgather_", 1},
    {"c10d::_allgather_base_", 1},
    {"c10d::allgather_coalesced_", 1},
    {"c10d::allgather_into_tensor_coalesced_", 1},
    {"c10d::reduce_scatter_", 1},
    {"c10d::_reduce_scatter_base_", 1},
    {"c10d::reduce_scatter_tensor_coalesced_", 1},
    {"c10d::alltoall_", 1},
    {"c10d::alltoall_base_", 1},
};

std::optional<array> list_at(element object, const char* key) {
  array list;
  if (object[key].get(list) != simdjson::SUCCESS) return std::nullopt;
  return list;
}

std::string_view text_at(const std::optional<array>& list, std::size_t at) {
  std::string_view text;
  if (!list || list->at(at).get(text) != simdjson::SUCCESS) return {};
  return text;
}

/// Concrete inputs are texts: "2".
std::optional<std::int64_t> number_at(const std::optional<array>& list, int at) {
  if (at == kNone) return std::nullopt;
  return parse_number<std::int64_t>(text_at(list, static_cast<std::size_t>(at)));
}

/// [192, 64] -> 12288; [] -> 1, a scalar.
std::optional<std::int64_t> product_of(element dims) {
  array list;
  if (dims.get(list) != simdjson::SUCCESS) return std::nullopt;
  std::int64_t product = 1;
  for (const element dim : list) {
    std::int64_t size = 0;
    if (dim.get(size) != simdjson::SUCCESS || size < 0 || __builtin_mul_overflow(product, size, &product))
      return std::nullopt;
  }
  return product;
}

/// Adds up what lists of dimensions say.
std::optional<std::int64_t> sum_of(const array& tensors) {
  std::int64_t sum = 0;
  for (const element dims : tensors) {
    const auto size = product_of(dims);
    if (!size || __builtin_add_overflow(sum, *size, &sum)) return std::nullopt;
  }
  return sum;
}

void read_call(const CallLayout& layout, element args, CommunicationArguments& out) {
  const auto inputs = list_at(args, "Concrete Inputs"), dims = list_at(args, "Input Dims"),
             types = list_at(args, "Input type");
  out.peer = number_at(inputs, layout.peer);
  out.tag = number_at(inputs, layout.tag);
  const auto input = static_cast<std::size_t>(layout.input);
  const std::string_view type = text_at(types, input);
  element of_input;
  if (type.empty() || !dims || dims->at(input).get(of_input) != simdjson::SUCCESS)
    return;  // a list of lists has no dimensions written
  if (type == "TensorList") {
    array tensors;
    if (of_input.get(tensors) == simdjson::SUCCESS) out.elements = sum_of(tensors);
  } else {
    out.elements = product_of(of_input);
    out.dtype = type;
  }
}

/// The annotation of the work lists the tensors one by one.
void read_work(element args, CommunicationArguments& out) {
  const auto dims = list_at(args, "Input Dims"), types = list_at(args, "Input type");
  if (!dims || dims->size() == 0) return;
  out.elements = sum_of(*dims);
  out.dtype = text_at(types, 0);
  for (std::size_t i = 1; i < dims->size(); ++i) {
    // Tensors of several types: sizes add up only in elements.
    if (text_at(types, i) != out.dtype) out.dtype.clear();
  }
}

}  // namespace

struct CommunicationReader::Parser {
  simdjson::dom::parser parser;
};

CommunicationReader::CommunicationReader() = default;
CommunicationReader::~CommunicationReader() = default;
CommunicationReader::CommunicationReader(CommunicationReader&&) noexcept = default;
CommunicationReader& CommunicationReader::operator=(CommunicationReader&&) noexcept = default;

CommunicationArguments CommunicationReader::read(std::string_view name, std::string_view event) {
  CommunicationArguments found;
  if (!parser_) parser_ = std::make_unique<Parser>();
  element args;
  if (parser_->parser.parse(event.data(), event.size(), true)["args"].get(args) != simdjson::SUCCESS) return found;
  if (match::is_host_communication(name)) {
    read_work(args, found);
    return found;
  }
  for (const CallLayout& layout : kCalls) {
    if (layout.name == name) read_call(layout, args, found);
  }
  return found;
}

}  // namespace orrery::kineto
