#include "base/io/base64.h"

#include <cstdint>

namespace orrery {
namespace {

constexpr char kBase64Letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  std::size_t at = out.size();
  out.resize(at + (bytes.size() + 2) / 3 * 4);
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
  const auto put = [&](std::uint32_t group, unsigned letters) {
    for (unsigned i = 0; i < 4; ++i) out[at++] = i < letters ? kBase64Letters[group >> (18 - 6 * i) & 63U] : '=';
  };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) put(byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2), 4);
  if (bytes.size() - i == 1) put(byte(i) << 16U, 2);
  if (bytes.size() - i == 2) put(byte(i) << 16U | byte(i + 1) << 8U, 3);
}

}  // namespace orrery
