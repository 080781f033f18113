// Sixteen bytes at a time, on x86-64 and AArch64 alike; a plain loop elsewhere. Only what the scanner needs.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

// Marks the inner loops: on x86-64 they are compiled a second time for processors with AVX2 (2013 and later), and the
// better one is taken at run time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define ORRERY_HOT __attribute__((target_clones("avx2", "default")))
#else
#define ORRERY_HOT
#endif

// For what the inner loops call once per value.
#define ORRERY_INLINE inline __attribute__((always_inline))

namespace orrery {

/// Sixteen bytes of input; `equal(c)` gives one bit per byte, the first byte in bit 0.
class Bytes16 {
 public:
#if defined(__SSE2__)
  explicit Bytes16(const char* p) : v_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))) {}
  [[nodiscard]] std::uint32_t equal(char c) const { return mask(_mm_cmpeq_epi8(v_, _mm_set1_epi8(c))); }
  /// Equal to `c` after setting bit 5: maps [ to { and ] to }.
  [[nodiscard]] std::uint32_t equal_with_bit5(char c) const {
    return mask(_mm_cmpeq_epi8(_mm_or_si128(v_, _mm_set1_epi8(0x20)), _mm_set1_epi8(c)));
  }
  [[nodiscard]] std::uint32_t equal(const Bytes16& other) const { return mask(_mm_cmpeq_epi8(v_, other.v_)); }

 private:
  static std::uint32_t mask(__m128i v) { return static_cast<std::uint32_t>(_mm_movemask_epi8(v)); }
  __m128i v_;
#elif defined(__ARM_NEON) && defined(__aarch64__)
  explicit Bytes16(const char* p) : v_(vld1q_u8(reinterpret_cast<const std::uint8_t*>(p))) {}
  [[nodiscard]] std::uint32_t equal(char c) const {
    return mask(vceqq_u8(v_, vdupq_n_u8(static_cast<std::uint8_t>(c))));
  }
  [[nodiscard]] std::uint32_t equal_with_bit5(char c) const {
    return mask(vceqq_u8(vorrq_u8(v_, vdupq_n_u8(0x20)), vdupq_n_u8(static_cast<std::uint8_t>(c))));
  }
  [[nodiscard]] std::uint32_t equal(const Bytes16& other) const { return mask(vceqq_u8(v_, other.v_)); }

 private:
  static std::uint32_t mask(uint8x16_t v) {
    static const std::uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vandq_u8(v, vld1q_u8(kBits));
    return static_cast<std::uint32_t>(vaddv_u8(vget_low_u8(bits))) |
           static_cast<std::uint32_t>(vaddv_u8(vget_high_u8(bits))) << 8;
  }
  uint8x16_t v_;
#else
  explicit Bytes16(const char* p) { std::memcpy(v_, p, 16); }
  [[nodiscard]] std::uint32_t equal(char c) const {
    return each([&](int i) { return v_[i] == c; });
  }
  [[nodiscard]] std::uint32_t equal_with_bit5(char c) const {
    return each([&](int i) { return (v_[i] | 0x20) == c; });
  }
  [[nodiscard]] std::uint32_t equal(const Bytes16& other) const {
    return each([&](int i) { return v_[i] == other.v_[i]; });
  }

 private:
  template <typename Test>
  static std::uint32_t each(Test&& test) {
    std::uint32_t mask = 0;
    for (int i = 0; i < 16; ++i) mask |= static_cast<std::uint32_t>(test(i)) << i;
    return mask;
  }
  char v_[16];
#endif
};

/// Sixty-four bytes; the first byte in bit 0.
class Block64 {
 public:
  explicit Block64(const char* p) : parts_{Bytes16(p), Bytes16(p + 16), Bytes16(p + 32), Bytes16(p + 48)} {}
  [[nodiscard]] std::uint64_t equal(char c) const {
    return join(parts_[0].equal(c), parts_[1].equal(c), parts_[2].equal(c), parts_[3].equal(c));
  }
  [[nodiscard]] std::uint64_t equal_with_bit5(char c) const {
    return join(parts_[0].equal_with_bit5(c), parts_[1].equal_with_bit5(c), parts_[2].equal_with_bit5(c),
                parts_[3].equal_with_bit5(c));
  }

 private:
  static std::uint64_t join(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    return a | b << 16 | c << 32 | d << 48;
  }
  Bytes16 parts_[4];
};

}  // namespace orrery
