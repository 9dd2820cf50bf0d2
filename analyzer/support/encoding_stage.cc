#include "support/decoding_chain.h"

#include <cstring>

namespace shapewise {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
constexpr std::string_view kUtf16LittleEndianMark = "\xff\xfe";
constexpr std::string_view kUtf16BigEndianMark = "\xfe\xff";
constexpr char32_t kReplacement = 0xfffd;
constexpr size_t kTextBlockBytes = size_t{64} << 10;

// The lowest 6 bits of `character` >> `shift`, as a continuation byte.
char Continuation(char32_t character, int shift) {
  return static_cast<char>(0x80 | (character >> shift & 0x3f));
}

void AppendUtf8(char32_t character, std::string& utf8) {
  if (character < 0x80) {
    utf8 += static_cast<char>(character);
  } else if (character < 0x800) {
    utf8 += static_cast<char>(0xc0 | character >> 6);
    utf8 += Continuation(character, 0);
  } else if (character < 0x10000) {
    utf8 += static_cast<char>(0xe0 | character >> 12);
    utf8 += Continuation(character, 6);
    utf8 += Continuation(character, 0);
  } else {
    utf8 += static_cast<char>(0xf0 | character >> 18);
    utf8 += Continuation(character, 12);
    utf8 += Continuation(character, 6);
    utf8 += Continuation(character, 0);
  }
}

}  // namespace

EncodingStage::EncodingStage(ByteStage& next) : SniffingStage(kUtf8Mark.size()), next_(next) {}

void EncodingStage::Sniff(std::string_view bytes) {
  if (bytes.starts_with(kUtf8Mark)) {
    mark_left_ = kUtf8Mark.size();
  } else if (bytes.starts_with(kUtf16LittleEndianMark)) {
    encoding_ = Encoding::kUtf16LittleEndian;
    mark_left_ = kUtf16LittleEndianMark.size();
  } else if (bytes.starts_with(kUtf16BigEndianMark)) {
    encoding_ = Encoding::kUtf16BigEndian;
    mark_left_ = kUtf16BigEndianMark.size();
  }
}

void EncodingStage::Take(std::string_view bytes) {
  // The byte order mark is completely within the first bytes.
  bytes.remove_prefix(mark_left_);
  mark_left_ = 0;
  if (encoding_ == Encoding::kUtf8) {
    next_.Append(bytes);
    return;
  }
  if (half_unit_) {
    if (bytes.empty()) return;
    TakeUnit(*half_unit_, static_cast<unsigned char>(bytes[0]));
    half_unit_.reset();
    bytes.remove_prefix(1);
  }
  while (bytes.size() >= 2) {
    if (const size_t taken = TakeAscii(bytes)) {
      bytes.remove_prefix(taken);
    } else {
      TakeUnit(static_cast<unsigned char>(bytes[0]), static_cast<unsigned char>(bytes[1]));
      bytes.remove_prefix(2);
    }
    if (utf8_.size() >= kTextBlockBytes) FlushUtf8();
  }
  if (!bytes.empty()) half_unit_ = static_cast<unsigned char>(bytes[0]);
  FlushUtf8();
}

size_t EncodingStage::TakeAscii(std::string_view bytes) {
  if (high_surrogate_ != 0) return 0;
  const bool is_little_endian = encoding_ == Encoding::kUtf16LittleEndian;
  // The non-ASCII bits of four units in memory order.
  const char* const pattern =
      is_little_endian ? "\x80\xff\x80\xff\x80\xff\x80\xff" : "\xff\x80\xff\x80\xff\x80\xff\x80";
  uint64_t mask;
  std::memcpy(&mask, pattern, sizeof(mask));
  size_t taken = 0;
  for (uint64_t units; bytes.size() - taken >= sizeof(units); taken += sizeof(units)) {
    if (utf8_.size() >= kTextBlockBytes) break;
    const char* const at = bytes.data() + taken;
    std::memcpy(&units, at, sizeof(units));
    if ((units & mask) != 0) break;
    const char* const low = is_little_endian ? at : at + 1;
    const char characters[] = {low[0], low[2], low[4], low[6]};
    utf8_.append(characters, sizeof(characters));
  }
  return taken;
}

void EncodingStage::TakeUnit(unsigned char first, unsigned char second) {
  const bool is_little_endian = encoding_ == Encoding::kUtf16LittleEndian;
  const auto unit = static_cast<char32_t>(is_little_endian ? second << 8 | first  //
                                                           : first << 8 | second);
  if (high_surrogate_ != 0) {
    const char32_t high = high_surrogate_;
    high_surrogate_ = 0;
    if (unit >= 0xdc00 && unit < 0xe000) {
      AppendUtf8(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00), utf8_);
      return;
    }
    AppendUtf8(kReplacement, utf8_);
  }
  if (unit >= 0xd800 && unit < 0xdc00) {
    high_surrogate_ = unit;
  } else {
    AppendUtf8(unit >= 0xdc00 && unit < 0xe000 ? kReplacement : unit, utf8_);
  }
}

void EncodingStage::FlushUtf8() {
  next_.Append(utf8_);
  utf8_.clear();
}

void EncodingStage::End() {
  if (high_surrogate_ != 0) AppendUtf8(kReplacement, utf8_);
  if (half_unit_) AppendUtf8(kReplacement, utf8_);
  FlushUtf8();
  next_.Finish();
}

}  // namespace shapewise
