#include "support/decoding_chain.h"

#include <zlib.h>
#include <zstd.h>

#include <vector>

namespace shapewise {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr std::string_view kZstdSkippableMagic = "\x2a\x4d\x18";  // after a byte 0x50 to 0x5f
constexpr size_t kHeadSize = kZstdMagic.size();
constexpr size_t kMemberBlockBytes = size_t{128} << 10;
constexpr int kGzipWithLargestWindow = 16 + MAX_WBITS;

bool IsZstd(std::string_view bytes) {
  return bytes.starts_with(kZstdMagic) || (bytes.size() >= kHeadSize && (bytes[0] & 0xf0) == 0x50 &&
                                           bytes.substr(1).starts_with(kZstdSkippableMagic));
}

/// Decompresses members one after another, with zero bytes between or after them: some tapes and
/// file systems pad their blocks.
class GzipDecompressor : public Decompressor {
 public:
  GzipDecompressor() : text_(kMemberBlockBytes) {
    is_ready_ = inflateInit2(&stream_, kGzipWithLargestWindow) == Z_OK;
  }
  GzipDecompressor(const GzipDecompressor&) = delete;
  GzipDecompressor& operator=(const GzipDecompressor&) = delete;
  ~GzipDecompressor() override {
    if (is_ready_) inflateEnd(&stream_);
  }

  bool Decompress(std::string_view block, ByteStage& next) override {
    if (!is_ready_) return false;
    // zlib's interface lacks a const; it does not write to it.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
    stream_.avail_in = static_cast<uInt>(block.size());
    // Once more after the last byte was read, if the output did not fit.
    while (stream_.avail_in != 0 || (is_in_member_ && stream_.avail_out == 0)) {
      if (!is_in_member_) {
        if (*stream_.next_in == 0) {
          ++stream_.next_in;
          --stream_.avail_in;
          continue;
        }
        inflateReset(&stream_);
        is_in_member_ = true;
      }
      stream_.next_out = text_.data();
      stream_.avail_out = static_cast<uInt>(text_.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      next.Append({reinterpret_cast<const char*>(text_.data()), text_.size() - stream_.avail_out});
      if (status == Z_STREAM_END) {
        is_in_member_ = false;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        return false;
      }
    }
    return true;
  }

  bool IsAtEnd() const override { return !is_in_member_; }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
  bool is_in_member_ = false;
  std::vector<Bytef> text_;
};

class ZstdDecompressor : public Decompressor {
 public:
  ZstdDecompressor()
      : stream_(ZSTD_createDStream()),
        text_(ZSTD_DStreamOutSize()),
        wanted_(ZSTD_initDStream(stream_)) {}
  ZstdDecompressor(const ZstdDecompressor&) = delete;
  ZstdDecompressor& operator=(const ZstdDecompressor&) = delete;
  ~ZstdDecompressor() override { ZSTD_freeDStream(stream_); }

  bool Decompress(std::string_view block, ByteStage& next) override {
    // A failed call loses its decompressed text, so each gets only what zstd asks for: the next
    // block of the frame.
    bool has_more_text = false;
    while (!block.empty() || has_more_text) {
      ZSTD_inBuffer in{};
      in.src = block.data();
      in.size = std::min(block.size(), wanted_);
      ZSTD_outBuffer out{text_.data(), text_.size(), 0};
      const size_t status = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_isError(status)) return false;
      next.Append({text_.data(), out.pos});
      block.remove_prefix(in.pos);
      is_in_frame_ = status != 0;
      wanted_ = is_in_frame_ ? status : ZSTD_initDStream(stream_);
      has_more_text = is_in_frame_ && out.pos == out.size;
    }
    return true;
  }

  bool IsAtEnd() const override { return !is_in_frame_; }

 private:
  ZSTD_DStream* stream_;
  std::vector<char> text_;
  size_t wanted_;  // bytes that zstd asks for next
  bool is_in_frame_ = false;
};

}  // namespace

ArchiveStage::ArchiveStage(ByteStage& next) : SniffingStage(kHeadSize), next_(next) {}

void ArchiveStage::Sniff(std::string_view bytes) {
  if (bytes.starts_with(kGzipMagic)) {
    decompressor_ = std::make_unique<GzipDecompressor>();
  } else if (IsZstd(bytes)) {
    decompressor_ = std::make_unique<ZstdDecompressor>();
  }
}

void ArchiveStage::Take(std::string_view bytes) {
  if (decompressor_ == nullptr) {
    next_.Append(bytes);
    return;
  }
  // Use blocks of constant size, however the bytes were split: how much of a damaged archive can be
  // recovered must not depend on that.
  while (!bytes.empty() && !is_damaged_) {
    if (block_.empty() && bytes.size() >= kMemberBlockBytes) {
      Decompress(bytes.substr(0, kMemberBlockBytes));
      bytes.remove_prefix(kMemberBlockBytes);
      continue;
    }
    const size_t missing = std::min(kMemberBlockBytes - block_.size(), bytes.size());
    block_.append(bytes, 0, missing);
    bytes.remove_prefix(missing);
    if (block_.size() == kMemberBlockBytes) {
      Decompress(block_);
      block_.clear();
    }
  }
}

void ArchiveStage::Decompress(std::string_view block) {
  is_damaged_ = !decompressor_->Decompress(block, next_);
}

void ArchiveStage::End() {
  if (decompressor_ != nullptr && !is_damaged_) {
    if (!block_.empty()) Decompress(block_);
    is_damaged_ = is_damaged_ || !decompressor_->IsAtEnd();
  }
  next_.Finish();
}

}  // namespace shapewise
