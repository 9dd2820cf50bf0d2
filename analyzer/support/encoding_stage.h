// Transcodes UTF-16 to UTF-8 and drops byte order marks.

#ifndef SHAPEWISE_ANALYZER_SUPPORT_ENCODING_STAGE_H_
#define SHAPEWISE_ANALYZER_SUPPORT_ENCODING_STAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/byte_stage.h"

namespace shapewise {

/// Detects the encoding by the byte order mark. Text without one is assumed to be UTF-8 and passed
/// through. An unpaired surrogate or half of a code unit becomes U+FFFD.
class EncodingStage : public SniffingStage {
 public:
  explicit EncodingStage(ByteStage& next);

  bool is_utf16() const { return encoding_ != Encoding::kUtf8; }

 private:
  enum class Encoding : uint8_t { kUtf8, kUtf16LittleEndian, kUtf16BigEndian };

  void Sniff(std::string_view bytes) override;
  void Take(std::string_view bytes) override;
  void End() override;

  // Transcodes the ASCII prefix of `bytes`, four units at a time, and returns its size.
  size_t TakeAscii(std::string_view bytes);
  void TakeUnit(unsigned char first, unsigned char second);
  void FlushUtf8();

  ByteStage& next_;
  Encoding encoding_ = Encoding::kUtf8;
  size_t mark_left_ = 0;  // bytes of the byte order mark still to be dropped
  std::optional<unsigned char> half_unit_;
  char32_t high_surrogate_ = 0;  // 0: the last unit was not a high surrogate
  std::string utf8_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SUPPORT_ENCODING_STAGE_H_
