#include "replay/torch/write/torch_words.h"

#include <array>

namespace orrery::replay::torch {
namespace {

struct KnownType {
  std::string_view recorded;  // what the compiler calls it; some have several names
  ElementType type;
};

constexpr std::array kTypes = {
    KnownType{"float", {"float32", 4, false}},
    KnownType{"c10::BFloat16", {"bfloat16", 2, false}},
    KnownType{"c10::Half", {"float16", 2, false}},
    KnownType{"double", {"float64", 8, false}},
    KnownType{"long int", {"int64", 8, true}},
    KnownType{"long", {"int64", 8, true}},
    KnownType{"int", {"int32", 4, true}},
    KnownType{"short int", {"int16", 2, true}},
    KnownType{"short", {"int16", 2, true}},
    KnownType{"signed char", {"int8", 1, true}},
    KnownType{"char", {"int8", 1, true}},
    KnownType{"unsigned char", {"uint8", 1, true}},
    KnownType{"bool", {"bool", 1, false}},
    KnownType{"short unsigned int", {"uint16", 2, true}},
    KnownType{"unsigned int", {"uint32", 4, true}},
    KnownType{"long unsigned int", {"uint64", 8, true}},
    KnownType{"c10::complex<float>", {"complex64", 8, false}},
    KnownType{"c10::complex<double>", {"complex128", 16, false}},
    KnownType{"c10::complex<c10::Half>", {"complex32", 4, false}},
    KnownType{"c10::Float8_e4m3fn", {"float8_e4m3fn", 1, false}},
    KnownType{"c10::Float8_e5m2", {"float8_e5m2", 1, false}},
    KnownType{"c10::Float8_e4m3fnuz", {"float8_e4m3fnuz", 1, false}},
    KnownType{"c10::Float8_e5m2fnuz", {"float8_e5m2fnuz", 1, false}},
    KnownType{"c10::Float8_e8m0fnu", {"float8_e8m0fnu", 1, false}},
};

// By number; what no tensor of a replay can have (quantized types, types of bits) is empty.
constexpr std::string_view kScalarTypes[] = {"uint8",
                                             "int8",
                                             "int16",
                                             "int32",
                                             "int64",
                                             "float16",
                                             "float32",
                                             "float64",
                                             "complex32",
                                             "complex64",
                                             "complex128",
                                             "bool",
                                             "",
                                             "",
                                             "",
                                             "bfloat16",
                                             "",
                                             "",
                                             "",
                                             "",
                                             "",
                                             "",
                                             "",
                                             "float8_e5m2",
                                             "float8_e4m3fn",
                                             "float8_e5m2fnuz",
                                             "float8_e4m3fnuz",
                                             "uint16",
                                             "uint32",
                                             "uint64"};
constexpr std::string_view kLayouts[] = {"strided", "sparse_coo", "sparse_csr", "_mkldnn"};
constexpr std::string_view kMemoryFormats[] = {"contiguous_format", "preserve_format", "channels_last",
                                               "channels_last_3d"};

template <std::size_t kCount>
std::string_view entry_of(const std::string_view (&names)[kCount], std::int64_t number) {
  return number >= 0 && number < static_cast<std::int64_t>(kCount) ? names[number] : std::string_view();
}

}  // namespace

ElementType element_type_of(std::string_view recorded) {
  if (!recorded.starts_with("Tensor(") || !recorded.ends_with(')')) return {};
  const std::string_view inner = recorded.substr(7, recorded.size() - 8);
  for (const KnownType& known : kTypes) {
    if (known.recorded == inner) return known.type;
  }
  return {};
}

std::string_view element_type_name(std::int64_t number) { return entry_of(kScalarTypes, number); }
std::string_view layout_name(std::int64_t number) { return entry_of(kLayouts, number); }
std::string_view memory_format_name(std::int64_t number) { return entry_of(kMemoryFormats, number); }

bool is_undefined_tensor(std::string_view recorded) { return recorded.starts_with("Tensor(nullptr"); }

}  // namespace orrery::replay::torch
