#include "page/assets.h"

#include <openssl/sha.h>

#include <array>

#include "base/io/base64.h"

#ifdef ORRERY_WEB_FOLDER
// The files go into the program as they are: no array of numbers has to be generated and compiled.
asm(".pushsection .rodata,\"a\"\n"
    "orrery_web_script: .incbin \"" ORRERY_WEB_FOLDER
    "/main.js\"\n"
    "orrery_web_script_end:\n"
    "orrery_web_style: .incbin \"" ORRERY_WEB_FOLDER
    "/style.css\"\n"
    "orrery_web_style_end:\n"
    ".popsection\n");
// Hidden, so that they are reached without the global offset table: its entries for labels inside a section are wrong
// on aarch64.
#pragma GCC visibility push(hidden)
extern "C" {
extern const char orrery_web_script[], orrery_web_script_end[], orrery_web_style[], orrery_web_style_end[];
}
#pragma GCC visibility pop
#endif

namespace orrery::page {

#ifdef ORRERY_WEB_FOLDER
bool has_assets() { return true; }
std::string_view script() {
  return {orrery_web_script, static_cast<std::size_t>(orrery_web_script_end - orrery_web_script)};
}
std::string_view style() {
  return {orrery_web_style, static_cast<std::size_t>(orrery_web_style_end - orrery_web_style)};
}
#else
bool has_assets() { return false; }
std::string_view script() { return {}; }
std::string_view style() { return {}; }
#endif

std::string script_hash() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  ::SHA256(reinterpret_cast<const unsigned char*>(script().data()), script().size(), digest.data());
  std::string text = "sha256-";
  append_base64(text, {reinterpret_cast<const char*>(digest.data()), digest.size()});
  return text;
}

}  // namespace orrery::page
