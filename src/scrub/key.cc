#include "scrub/key.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/io/file_content.h"
#include "base/limits.h"

namespace orrery::scrub {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<Key> parse_key(std::string_view text, const std::string& path) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const Error no_key{"this is not a key for scrubbing", path, Error::kNoOffset,
                     "it holds 64 hexadecimal digits; name a file that does not exist, and one is made"};
  if (text.size() != 2 * kKeyBytes) return no_key;
  Key key;
  for (std::size_t i = 0; i < kKeyBytes; ++i) {
    const int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return no_key;
    key[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return key;
}

std::string key_text(const Key& key) {
  std::string text;
  for (const std::uint8_t byte : key) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text + "\n";
}

// Not an OutputFile: a key must never be readable by others, not for a moment and not under another name.
Status write_key(const Key& key, const std::string& path) {
  const auto failure = [&] { return Error{std::string("cannot write: ") + std::strerror(errno), path}; };
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  // O_EXCL: a file that appeared since it was looked for is somebody's, perhaps a key in use.
  if (fd < 0) return failure();
  const std::string text = key_text(key);
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (::close(fd) == 0 && written) return {};
  const Error error = failure();
  ::unlink(path.c_str());
  return error;
}

}  // namespace

Result<Key> random_key() {
  Key key;
  for (std::size_t filled = 0; filled < key.size();) {
    const ssize_t got = ::getrandom(key.data() + filled, key.size() - filled, 0);
    if (got > 0) filled += static_cast<std::size_t>(got);
    else if (errno != EINTR) return Error{std::string("the system gives no random numbers: ") + std::strerror(errno)};
  }
  return key;
}

Result<Key> load_or_create_key(const std::string& path) {
  std::error_code ignored;
  // What is there is used or refused, never replaced: with the old key gone, earlier outputs could not be told alike
  // any more.
  if (std::filesystem::exists(path, ignored)) {
    const auto text = read_whole_file(path, kMaxKeyFileBytes);
    if (!text) return text.error();
    return parse_key(*text, path);
  }
  auto key = random_key();
  if (!key) return key;
  if (const Status written = write_key(*key, path); !written) return written.error();
  return key;
}

std::uint64_t keyed_hash(const Key& key, std::string_view text) {
  std::uint8_t digest[EVP_MAX_MD_SIZE] = {};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), digest, &size);
  std::uint64_t hash = 0;
  for (int i = 0; i < 8; ++i) hash = hash << 8 | digest[i];
  return hash;
}

std::string to_hex(std::uint64_t hash) {
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; hash >>= 4) text[i] = "0123456789abcdef"[hash & 15];
  return text;
}

}  // namespace orrery::scrub
