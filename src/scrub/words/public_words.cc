#include "scrub/words/public_words.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <unordered_set>

#include "scrub/words/name_lists.h"

// What is public is decided by lists and narrow patterns, never by what a word is not. Digits and lengths are bounded
// wherever something is kept as it is, since a long number can spell a text.

namespace orrery::scrub {
namespace {

bool is_word_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

std::string public_type(std::string_view type) {
  static constexpr std::string_view kPunctuation = "[](),:<>* .&";
  std::string made;
  for (std::size_t at = 0; at < type.size();) {
    std::size_t end = at;
    while (end < type.size() && is_word_char(type[end])) ++end;
    if (end > at) {
      const std::string_view word = type.substr(at, end - at);
      // The structure of a type stays, List[Object], and its reader still sees how deep it is.
      made += is_public_type_word(word) ? word : "Object";
      at = end;
      continue;
    }
    // Other bytes may be of a name in any script, or an escape that would mean something else without what follows it.
    made += kPunctuation.find(type[at]) != std::string_view::npos ? type[at] : '.';
    ++at;
  }
  return made;
}

namespace {

const Words& categories() {
  static const Words words = {"cpu_op",
                              "Operator",
                              "user_annotation",
                              "cpu_instant_event",
                              "python_function",
                              "PythonFunction",
                              "cuda_runtime",
                              "cuda_driver",
                              "hip_runtime",
                              "xpu_runtime",
                              "Runtime",
                              "privateuse1_runtime",
                              "mtia_runtime",
                              "mtia_ccp_events",
                              "collective_comm",
                              "kernel",
                              "Kernel",
                              "gpu_memcpy",
                              "Memcpy",
                              "gpu_memset",
                              "Memset",
                              "gpu_user_annotation",
                              "cuda_sync",
                              "overhead",
                              "Trace",
                              "fwdbwd",
                              "ac2g",
                              "async_cpu_to_gpu",
                              "async_gpu",
                              "mtia_insight",
                              "async",
                              "mtia_counters",
                              "glow_runtime",
                              "cuda_profiler_range",
                              "hpu_op",
                              "xpu_driver",
                              "cpu_to_gpu",
                              "forward_backward",
                              "message",
                              "mtia_workloadd",
                              "critical_path",
                              "privateuse1_driver"};
  return words;
}

const Words& data_types() {
  static const Words words = {"Byte",
                              "Char",
                              "Short",
                              "Int",
                              "Long",
                              "Half",
                              "Float",
                              "Double",
                              "Bool",
                              "BFloat16",
                              "ComplexHalf",
                              "ComplexFloat",
                              "QInt8",
                              "QUInt8",
                              "QInt32",
                              "ComplexDouble",
                              "UInt16",
                              "UInt32",
                              "UInt64",
                              "Bits8",
                              "Bits16",
                              "Float8_e5m2",
                              "Float8_e4m3fn",
                              "Float8_e5m2fnuz",
                              "Float8_e8m0fnu",
                              "Float8_e4m3fnuz",
                              "Undefined",
                              "byte",
                              "char",
                              "short",
                              "int",
                              "long",
                              "half",
                              "float",
                              "double",
                              "bool",
                              "bfloat16",
                              "float16",
                              "float32",
                              "float64",
                              "int8",
                              "int16",
                              "int32",
                              "int64",
                              "uint8",
                              "uint16",
                              "uint32",
                              "uint64",
                              "long int",
                              "complexfloat",
                              "complexdouble",
                              "float8_e4m3fn",
                              "float8_e5m2"};
  return words;
}

const Words& collectives() {
  static const Words words = {"allreduce",
                              "all_reduce",
                              "allreduce_coalesced",
                              "all_reduce_coalesced",
                              "allreduce_sparse",
                              "reduce",
                              "broadcast",
                              "allgather",
                              "all_gather",
                              "_allgather_base",
                              "_all_gather_base",
                              "allgather_base",
                              "gather",
                              "scatter",
                              "reduce_scatter",
                              "_reduce_scatter_base",
                              "reduce_scatter_tensor_coalesced",
                              "reduce_scatter_tensor",
                              "all_gather_into_tensor",
                              "allgather_coalesced",
                              "allgather_into_tensor_coalesced",
                              "all_gather_into_tensor_coalesced",
                              "all_to_all",
                              "alltoall",
                              "all_to_allv",
                              "alltoall_base",
                              "all_to_all_single",
                              "all_to_all_base",
                              "barrier",
                              "all_reduce_barrier",
                              "send",
                              "recv",
                              "recv_any_source",
                              "isend",
                              "irecv",
                              "coalesced",
                              "wait",
                              "init",
                              "broadcast_oop",
                              "_broadcast_oop",
                              "reduce_oop",
                              "_reduce_oop",
                              "monitored_barrier",
                              "recvAnysource",
                              "allreduce_coalesced_",
                              "startCoalescing",
                              "endCoalescing",
                              "ALLREDUCE",
                              "BROADCAST"};
  return words;
}

const Words& backends() {
  static const Words words = {"nccl", "gloo", "mpi", "ucc", "rccl", "hccl",      "xccl",     "ccl",  "fake",  "c10d",
                              "cpu",  "cuda", "xpu", "hpu", "mtia", "undefined", "threaded", "meta", "orrery"};
  return words;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Calls `accept` with every run of letters and digits; whether it accepted them all.
template <typename Accept>
bool all_words(std::string_view text, const Accept& accept) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_letter_or_digit(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_letter_or_digit(text[end])) ++end;
    if (!accept(text.substr(at, end - at))) return false;
    at = end;
  }
  return true;
}

// "cpu:gloo,cuda:nccl"
bool is_backend(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789:,") == std::string_view::npos &&
         all_words(text, [](std::string_view word) { return backends().contains(word); });
}

// "cpu", "cuda:0"
bool is_device(std::string_view text) {
  static const Words kinds = {"cpu",  "cuda", "hip",           "xpu", "hpu",    "mtia",
                              "meta", "mps",  "privateuseone", "xla", "mkldnn", "vulkan"};
  const std::size_t colon = text.find(':');
  return kinds.contains(text.substr(0, colon)) &&
         (colon == std::string_view::npos || (is_number(text.substr(colon + 1)) && text.size() < 16));
}

// "1.1.1-chakra.0.0.4"
bool is_schema(std::string_view text) {
  constexpr std::string_view kChakra = "-chakra.";
  const std::size_t dash = text.find(kChakra);
  const auto is_version = [](std::string_view part) {
    return !part.empty() && part.size() < 16 && part.find_first_not_of("0123456789.") == std::string_view::npos;
  };
  if (dash == std::string_view::npos) return is_version(text);
  return is_version(text.substr(0, dash)) && is_version(text.substr(dash + kChakra.size()));
}

bool is_lane(std::string_view text) {
  static const Words words = {"Spans", "Traces", "PyTorch Profiler", "Trace PyTorch Profiler", "Activities"};
  return words.contains(text) || (text.starts_with("stream ") && is_number(text.substr(7)) && text.size() < 16);
}

// "ProfilerStep#12"
bool is_step(std::string_view text) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  // Digits are bounded wherever they are kept: a long number can hold anything.
  return text.starts_with(kPrefix) && is_number(text.substr(kPrefix.size())) && text.size() < kPrefix.size() + 12;
}

// "PyTorch Profiler (0)"
bool is_profiler_span(std::string_view text) {
  constexpr std::string_view kPrefix = "PyTorch Profiler (";
  if (!text.starts_with(kPrefix) || !text.ends_with(")")) return false;
  const std::string_view number = text.substr(kPrefix.size(), text.size() - kPrefix.size() - 1);
  return is_number(number) && number.size() < 12;
}

// "nccl:all_reduce"
bool is_collective_annotation(std::string_view text) {
  const std::size_t colon = text.find(':');
  // Both halves must be known: "nccl:my_secret_model" is an annotation that a user may write.
  return colon != std::string_view::npos && backends().contains(text.substr(0, colon)) &&
         collectives().contains(text.substr(colon + 1));
}

// "Memcpy DtoH (Device -> Pinned)", "Memset (Device)", and ROCm's "CopyDeviceToHost"
bool is_memory_operation(std::string_view text) {
  static const Words words = {"Memcpy",
                              "Memset",
                              "HtoD",
                              "DtoH",
                              "DtoD",
                              "HtoH",
                              "PtoP",
                              "HtoA",
                              "AtoH",
                              "AtoA",
                              "AtoD",
                              "DtoA",
                              "Device",
                              "Host",
                              "Pinned",
                              "Pageable",
                              "Managed",
                              "Array",
                              "Unknown",
                              "Static",
                              "Copy",
                              "To",
                              "Fill",
                              "Buffer",
                              "FillBuffer",
                              "CopyHostToDevice",
                              "CopyDeviceToHost",
                              "CopyDeviceToDevice",
                              "Peer"};
  return text.size() < 64 &&
         (text.starts_with("Memcpy") || text.starts_with("Memset") || text.starts_with("Copy") ||
          text == "FillBuffer") &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ()->") ==
             std::string_view::npos &&
         all_words(text, [](std::string_view word) { return words.contains(word); });
}

bool is_group(std::string_view text) {
  // Numbers of up to nine digits are counted up by PyTorch; longer ones are hashes of members or names.
  return text.empty() || text == "default_pg" || text == "undefined" || (is_number(text) && text.size() < 10);
}

}  // namespace

std::string_view leading_version(std::string_view schema) {
  std::size_t end = 0;
  for (int part = 0; part < 3; ++part) {
    if (part > 0 && (end == schema.size() || schema[end++] != '.')) return {};
    const std::size_t begin = end;
    // Versions have few digits: a longer number may be somebody's.
    while (end < schema.size() && schema[end] >= '0' && schema[end] <= '9') ++end;
    if (end == begin || end - begin > 3) return {};
  }
  return schema.substr(0, end);
}

bool is_public(Vocabulary vocabulary, std::string_view text) {
  switch (vocabulary) {
    case Vocabulary::none: return false;
    case Vocabulary::category: return categories().contains(text);
    // One letter, whichever: it cannot say much, and new phases need no new list.
    case Vocabulary::phase: return text.size() == 1;
    case Vocabulary::flow: return text == "e" || text == "g" || text == "p" || text == "t";
    case Vocabulary::data_type: return data_types().contains(text);
    case Vocabulary::collective: return collectives().contains(text);
    case Vocabulary::backend: return is_backend(text);
    case Vocabulary::device: return is_device(text);
    case Vocabulary::attribute: return text == "string" || text == "bool" || is_public_type_word(text);
    case Vocabulary::time_unit: return text == "ms" || text == "ns";
    case Vocabulary::sync:
      return text == "Stream Sync" || text == "Event Sync" || text == "Context Sync" || text == "Stream Wait Event";
    case Vocabulary::lane: return is_lane(text);
    case Vocabulary::group: return is_group(text);
    case Vocabulary::schema: return is_schema(text);
  }
  return false;
}

bool is_public_name(std::string_view text) {
  return runtime_calls().contains(text) || recorder_names().contains(text) || is_step(text) ||
         is_collective_annotation(text) || is_memory_operation(text) || is_profiler_span(text);
}

bool is_public_type_word(std::string_view word) {
  static const Words words = {"Tensor",
                              "GenericList",
                              "Tuple",
                              "Dict",
                              "List",
                              "Int",
                              "Double",
                              "Float",
                              "Bool",
                              "String",
                              "None",
                              "Device",
                              "Object",
                              "Storage",
                              "Stream",
                              "Generator",
                              "Scalar",
                              "SymInt",
                              "SymFloat",
                              "ScalarType",
                              "Layout",
                              "MemoryFormat",
                              "Enum",
                              "Future",
                              "Optional",
                              "float",
                              "double",
                              "int",
                              "long",
                              "short",
                              "char",
                              "bool",
                              "unsigned",
                              "signed",
                              "c10",
                              "BFloat16",
                              "Half",
                              "complex",
                              "Float8_e4m3fn",
                              "Float8_e5m2",
                              "Float8_e4m3fnuz",
                              "Float8_e5m2fnuz",
                              "Float8_e8m0fnu",
                              "uint64",
                              "int64",
                              "uint32",
                              "int32",
                              "uint8",
                              "int8",
                              "uint8_t",
                              "int8_t",
                              "uint16_t",
                              "int16_t",
                              "uint32_t",
                              "int32_t",
                              "uint64_t",
                              "int64_t",
                              "nullptr",
                              "uninitialized",
                              "TensorList",
                              "UndefinedTensorImpl",
                              "qint8",
                              "quint8",
                              "qint32"};
  return words.contains(word);
}

}  // namespace orrery::scrub
