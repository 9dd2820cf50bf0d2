// Maps large files into memory.

#ifndef SHAPEWISE_ANALYZER_SUPPORT_MAPPED_FILE_H_
#define SHAPEWISE_ANALYZER_SUPPORT_MAPPED_FILE_H_

#include <cstddef>
#include <memory>

#include "llvm/Support/MemoryBuffer.h"

namespace shapewise {

/// The mapped bytes of a regular file. If the file is truncated while mapped, the lost pages read
/// as zeros instead of raising SIGBUS; see WasCut(). A failing disk looks the same.
class MappedFile final : public llvm::MemoryBuffer {
 public:
  /// Maps the first `size` bytes (at least 1) of the open file `descriptor`. Null: failed.
  static std::unique_ptr<MappedFile> Map(int descriptor, size_t size);

  /// Whether `bytes` are a mapped file that was truncated since.
  static bool WasCut(const llvm::MemoryBuffer& bytes);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() override;

  BufferKind getBufferKind() const override { return MemoryBuffer_MMap; }

 private:
  explicit MappedFile(const char* begin, size_t size) {
    init(begin, begin + size, /*RequiresNullTerminator=*/false);
  }
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SUPPORT_MAPPED_FILE_H_
