// A training log is mostly noise, and for each byte we must know whether one of about forty
// literals starts there. This search determines how fast a log of gigabytes is read.
//
// The algorithm is Teddy, by Geoffrey Langdale, from the Hyperscan matcher. Literals are
// distributed over eight buckets, one for each bit of a byte. For byte i of a window of four bytes
// there are two tables of 16 entries: which buckets have a literal whose byte i has this low half,
// and which this high half. A byte shuffle looks up 16 or 32 halves in a table in one instruction;
// the AND of the eight results shows for as many windows at once which buckets may match there.
// Literals are compared only where a bit remains, which is rare in noise.
//
// There are two additions. Teddy uses the first bytes of a literal; the literals here start with
// common ones ("torch"), so each is represented by its rarest four bytes: the 'D GR' of "TRACED
// GRAPH". And because a shuffle sees halves, two literals in a bucket accept every mixture of their
// bytes; each literal is therefore put into the bucket where it adds least to the probability of
// false alarms, for approximate byte frequencies in logs.
//
// The cost is 8 shuffles and about 30 other vector instructions per block of 32 bytes (16 on ARM),
// independent of the number of literals, plus a lookup for each false alarm: whether any literal
// has a window with the hash of this one. Only then are the literals compared. Texts shorter than
// a block, and machines without a shuffle, use the same tables one byte at a time, as a shift-and
// automaton (R. Baeza-Yates and G. Gonnet, 1992) whose states are buckets.
//
// A window may be anywhere in its literal, so the literal that starts first need not be the one
// whose window is found first: after a match the scan continues as long as an earlier start is
// possible.
//
// Source: X. Wang and others, "Hyperscan: A Fast Multi-pattern Regex Matcher for Modern CPUs", NSDI
// 2019; the comments of hyperscan/src/fdr/teddy.c.

#include "support/literal_set.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define SHAPEWISE_HAS_SHUFFLE 1
#define SHAPEWISE_SHUFFLE_TARGET __attribute__((target("avx2")))
#elif defined(__aarch64__) && defined(__ORDER_LITTLE_ENDIAN__) && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>
#define SHAPEWISE_HAS_SHUFFLE 1
#define SHAPEWISE_SHUFFLE_TARGET
#else
#define SHAPEWISE_HAS_SHUFFLE 0
#endif

namespace shapewise {
namespace {

constexpr size_t kWindowBytes = sizeof(uint32_t);

#if SHAPEWISE_HAS_SHUFFLE

#if defined(__x86_64__)
constexpr size_t kBlock = 32;  // windows per iteration
constexpr int kBitsPerByte = 1;
#else
constexpr size_t kBlock = 16;  // windows per iteration
constexpr int kBitsPerByte = 4;
#endif

using Bytes = uint8_t __attribute__((vector_size(kBlock)));

SHAPEWISE_SHUFFLE_TARGET inline Bytes Load(const void* from) {
  Bytes bytes;
  std::memcpy(&bytes, from, sizeof(bytes));
  return bytes;
}

// table[index[k]] for each k; all of `index` must be below 16.
SHAPEWISE_SHUFFLE_TARGET inline Bytes LookUp(Bytes table, Bytes index) {
#if defined(__x86_64__)
  return reinterpret_cast<Bytes>(
      _mm256_shuffle_epi8(reinterpret_cast<__m256i>(table), reinterpret_cast<__m256i>(index)));
#else
  return reinterpret_cast<Bytes>(
      vqtbl1q_u8(reinterpret_cast<uint8x16_t>(table), reinterpret_cast<uint8x16_t>(index)));
#endif
}

// One bit for each byte that is not 0, in order and kBitsPerByte apart.
SHAPEWISE_SHUFFLE_TARGET inline uint64_t BitsOfNonzero(Bytes bytes) {
#if defined(__x86_64__)
  const auto is_zero = reinterpret_cast<__m256i>(bytes == 0);
  return ~static_cast<uint32_t>(_mm256_movemask_epi8(is_zero));
#else
  // There is no such instruction: halves of bytes are the next best thing.
  const auto is_set = reinterpret_cast<uint16x8_t>(bytes != 0);
  const uint64x1_t halves = vreinterpret_u64_u8(vshrn_n_u16(is_set, 4));
  return vget_lane_u64(halves, 0) & 0x1111111111111111;
#endif
}

#endif  // SHAPEWISE_HAS_SHUFFLE

uint32_t LoadWindow(const char* bytes) {
  uint32_t window;
  std::memcpy(&window, bytes, sizeof(window));
  return window;
}

// A number below 2^bits for each window, spread evenly (Fibonacci hashing).
template <int bits>
uint32_t HashOfWindow(uint32_t window) {
  return window * 0x9e3779b1U >> (32 - bits);
}

// Roughly how many bytes in a thousand of a training log are this one. Only speed hangs on it.
constexpr std::array<float, 256> kByteFrequency = [] {
  std::array<float, 256> frequency{};
  frequency.fill(0.5F);
  for (int byte = 0x80; byte < 0x100; ++byte) frequency[byte] = 3;  // progress bars use UTF-8
  for (char c = 'A'; c <= 'Z'; ++c) frequency[c] = 4;
  for (char c = 'a'; c <= 'z'; ++c) frequency[c] = 15;
  for (const char c : std::string_view("acdeilnoprst")) frequency[c] = 30;
  for (const char c : std::string_view("#|%[]()_<>*'\"")) frequency[c] = 8;
  for (const char c : std::string_view(".,:=-/")) frequency[c] = 20;
  for (char c = '0'; c <= '9'; ++c) frequency[c] = 40;
  frequency[' '] = 80;
  for (float& share : frequency) share /= 1000;
  return frequency;
}();

// The start of the window of `text` that is rarest in noise.
size_t RarestWindow(std::string_view text) {
  size_t rarest = 0;
  float least = 2;
  for (size_t offset = 0; offset + kWindowBytes <= text.size(); ++offset) {
    float frequency = 1;
    for (const char c : text.substr(offset, kWindowBytes)) {
      frequency *= kByteFrequency[static_cast<unsigned char>(c)];
    }
    if (frequency < least) {
      rarest = offset;
      least = frequency;
    }
  }
  return rarest;
}

// The windows that a bucket accepts: at each byte, every mixture of the halves seen there.
class PassingWindows {
 public:
  void Add(std::string_view window) {
    for (size_t i = 0; i < kWindowBytes; ++i) {
      const auto byte = static_cast<unsigned char>(window[i]);
      low_halves_[i] |= 1U << (byte & 0xf);
      high_halves_[i] |= 1U << (byte >> 4);
      shares_[i] = ShareOf(low_halves_[i], high_halves_[i]);
    }
  }

  // The probability that a window of noise is accepted.
  float Frequency() const {
    float frequency = 1;
    for (const float share : shares_) frequency *= share;
    return frequency;
  }

  // The same with one more window.
  float FrequencyWith(std::string_view window) const {
    float frequency = 1;
    for (size_t i = 0; i < kWindowBytes; ++i) {
      const auto byte = static_cast<unsigned char>(window[i]);
      const unsigned low = 1U << (byte & 0xf);
      const unsigned high = 1U << (byte >> 4);
      float share = shares_[i];
      if ((low_halves_[i] & low) == 0) share += ShareOf(low, high_halves_[i]);
      if ((high_halves_[i] & high) == 0) share += ShareOf(low_halves_[i] | low, high);
      frequency *= share;
    }
    return frequency;
  }

 private:
  // The share of noise bytes whose halves are among these.
  static float ShareOf(unsigned low_halves, unsigned high_halves) {
    float share = 0;
    for (unsigned high = high_halves; high != 0; high &= high - 1) {
      for (unsigned low = low_halves; low != 0; low &= low - 1) {
        share += kByteFrequency[__builtin_ctz(high) << 4 | __builtin_ctz(low)];
      }
    }
    return share;
  }

  std::array<unsigned, kWindowBytes> low_halves_{};  // one bit per half that occurs
  std::array<unsigned, kWindowBytes> high_halves_{};
  std::array<float, kWindowBytes> shares_{};
};

}  // namespace

// One search of one text.
class LiteralScan {
 public:
  // After a match, windows up to `reach` bytes behind its start may belong to an earlier one.
  LiteralScan(const LiteralSet& set, std::string_view text, size_t from, size_t reach)
      : set_(set), text_(text), from_(from), reach_(reach), end_(text.size() - kWindowBytes + 1) {}

  size_t Run() {
#if SHAPEWISE_HAS_SHUFFLE
    if (set_.has_shuffle_ && text_.size() - from_ >= kBlockReach) return RunInBlocks();
#endif
    // Byte i: the buckets with a literal whose window may have begun i bytes ago.
    uint32_t begun = 0;
    const uint32_t* const buckets_of = set_.byte_buckets_.data();
    const char* const bytes = text_.data();
    size_t end = end_ + kWindowBytes - 1;
    for (size_t last = from_; last < end; ++last) {
      begun = (begun << 8 | 0xff) & buckets_of[static_cast<unsigned char>(bytes[last])];
      if (begun >> 24 != 0) {
        Compare(last - (kWindowBytes - 1));
        end = end_ + kWindowBytes - 1;
      }
    }
    return found_;
  }

 private:
#if SHAPEWISE_HAS_SHUFFLE
  static constexpr size_t kBlockReach = kBlock + kWindowBytes - 1;  // bytes that it covers

  SHAPEWISE_SHUFFLE_TARGET size_t RunInBlocks() {
    Bytes low_tables[kWindowBytes];
    Bytes high_tables[kWindowBytes];
    for (size_t i = 0; i < kWindowBytes; ++i) {
      low_tables[i] = Load(set_.low_half_buckets_[i].data());
      high_tables[i] = Load(set_.high_half_buckets_[i].data());
    }
    const size_t last_block = text_.size() - kBlockReach;
    size_t window = from_;
    while (window < end_) {
      // The last block is moved back to end with the text; seeing bytes twice is harmless.
      window = std::min(window, last_block);
      const char* bytes = text_.data() + window;
      const Bytes block0 = Load(bytes);
      const Bytes block1 = Load(bytes + 1);
      const Bytes block2 = Load(bytes + 2);
      const Bytes block3 = Load(bytes + 3);
      const Bytes buckets =
          LookUp(low_tables[0], block0 & 0xf) & LookUp(high_tables[0], block0 >> 4) &
          LookUp(low_tables[1], block1 & 0xf) & LookUp(high_tables[1], block1 >> 4) &
          LookUp(low_tables[2], block2 & 0xf) & LookUp(high_tables[2], block2 >> 4) &
          LookUp(low_tables[3], block3 & 0xf) & LookUp(high_tables[3], block3 >> 4);
      if (const uint64_t alarms = BitsOfNonzero(buckets)) CompareBlock(window, alarms);
      window += kBlock;
    }
    return found_;
  }

  // Not inlined, so that the loop keeps its tables in registers.
  [[gnu::noinline]] void CompareBlock(size_t window, uint64_t alarms) {
    for (; alarms != 0; alarms &= alarms - 1) {
      const size_t at = window + std::countr_zero(alarms) / kBitsPerByte;
      if (at >= end_) return;
      Compare(at);
    }
  }
#endif

  // Compares the literals whose window would be at `window`.
  void Compare(size_t window) {
    const uint32_t bytes = LoadWindow(text_.data() + window);
    if (set_.window_hashes_[HashOfWindow<LiteralSet::kHashBits>(bytes)]) CompareText(window, bytes);
  }

  void CompareText(size_t window, uint32_t bytes) {
    const auto& literals = set_.literals_;
    auto literal = std::ranges::lower_bound(literals, bytes, {}, &LiteralSet::Literal::window);
    for (; literal != literals.end() && literal->window == bytes && window < end_; ++literal) {
      if (window - from_ < literal->window_offset) continue;
      const size_t start = window - literal->window_offset;
      if (start < found_ && text_.substr(start).starts_with(literal->text)) {
        found_ = start;
        end_ = std::min(end_, start + reach_);
      }
    }
  }

  const LiteralSet& set_;
  const std::string_view text_;
  const size_t from_;
  const size_t reach_;
  size_t end_;  // later windows are no longer relevant
  size_t found_ = LiteralSet::kNotFound;
};

LiteralSet::LiteralSet(const std::vector<std::string_view>& literals) {
  literals_.reserve(literals.size());
  for (const std::string_view text : literals) {
    assert(text.size() >= kMinLength);
    const size_t offset = RarestWindow(text);
    literals_.push_back({text, offset, LoadWindow(text.data() + offset), kNumBuckets});
    window_hashes_.set(HashOfWindow<kHashBits>(literals_.back().window));
    max_window_offset_ = std::max(max_window_offset_, offset);
  }
  AssignBuckets();
  std::ranges::sort(literals_, {}, &Literal::window);

  for (const Literal& literal : literals_) {
    const auto bit = static_cast<uint8_t>(1U << literal.bucket);
    for (size_t i = 0; i < kWindowBytes; ++i) {
      const auto byte = static_cast<unsigned char>(literal.text[literal.window_offset + i]);
      byte_buckets_[byte] |= uint32_t{bit} << 8 * i;
      for (size_t copy = 0; copy < kShuffleBytes; copy += 16) {
        low_half_buckets_[i][copy + (byte & 0xf)] |= bit;
        high_half_buckets_[i][copy + (byte >> 4)] |= bit;
      }
    }
  }

#if defined(__x86_64__)
  has_shuffle_ = __builtin_cpu_supports("avx2") != 0;
#elif defined(__aarch64__)
  has_shuffle_ = true;
#endif
}

void LiteralSet::AssignBuckets() {
  // Short literals, whose rarest bytes are the least rare, first: that halves the false alarms.
  std::ranges::sort(literals_, {}, [](const Literal& literal) { return literal.text.size(); });
  std::array<PassingWindows, kNumBuckets> passing;
  for (Literal& literal : literals_) {
    const std::string_view window = literal.text.substr(literal.window_offset, kWindowBytes);
    float least_added = 2;
    for (uint32_t bucket = 0; bucket < kNumBuckets; ++bucket) {
      const float added = passing[bucket].FrequencyWith(window) - passing[bucket].Frequency();
      if (added < least_added) {
        literal.bucket = bucket;
        least_added = added;
      }
    }
    passing[literal.bucket].Add(window);
  }
}

size_t LiteralSet::Find(std::string_view text, size_t from) const {
  if (text.size() < kMinLength || from > text.size() - kMinLength) return kNotFound;
  return LiteralScan(*this, text, from, max_window_offset_).Run();
}

size_t LiteralSet::FindLine(std::string_view text, size_t from) const {
  if (text.size() < kMinLength || from > text.size() - kMinLength) return kNotFound;
  return LiteralScan(*this, text, from, /*reach=*/0).Run();
}

}  // namespace shapewise
