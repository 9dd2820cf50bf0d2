#include "support/zstd_writer.h"

#include <zstd.h>

#include <algorithm>
#include <cassert>
#include <new>
#include <string>

namespace shapewise {
namespace {

// Compressing the texts dominates; higher levels save a tenth of the size and take three times as
// long.
constexpr int kLevel = 3;

// Input passed to the library at a time, so that its blocks do not depend on how text is appended.
constexpr size_t kBlockBytes = size_t{128} << 10;

}  // namespace

struct ZstdWriter::State {
  explicit State(llvm::raw_ostream& stream) : out(stream), context(ZSTD_createCCtx()) {
    if (context == nullptr) throw std::bad_alloc();
    // To detect truncated or modified copies.
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kLevel);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { ZSTD_freeCCtx(context); }

  void Compress(ZSTD_EndDirective directive) {
    ZSTD_inBuffer input{kept.data(), kept.size(), 0};
    size_t left = 1;
    while (input.pos < input.size || (directive != ZSTD_e_continue && left != 0)) {
      ZSTD_outBuffer output{compressed.data(), compressed.size(), 0};
      left = ZSTD_compressStream2(context, &output, &input, directive);
      assert(!ZSTD_isError(left) && "compressing from memory to memory cannot fail");
      out.write(compressed.data(), output.pos);
      if (ZSTD_isError(left)) return;
    }
    kept.clear();
  }

  llvm::raw_ostream& out;
  ZSTD_CCtx* const context;
  std::string kept;
  std::string compressed = std::string(ZSTD_CStreamOutSize(), '\0');
};

ZstdWriter::ZstdWriter(llvm::raw_ostream& out) : state_(std::make_unique<State>(out)) {}
ZstdWriter::~ZstdWriter() = default;

void ZstdWriter::Append(std::string_view text) {
  while (!text.empty()) {
    const size_t taken = std::min(text.size(), kBlockBytes - state_->kept.size());
    state_->kept.append(text.substr(0, taken));
    text.remove_prefix(taken);
    if (state_->kept.size() == kBlockBytes) state_->Compress(ZSTD_e_continue);
  }
}

void ZstdWriter::Flush() { state_->Compress(ZSTD_e_flush); }

void ZstdWriter::Finish() { state_->Compress(ZSTD_e_end); }

}  // namespace shapewise
