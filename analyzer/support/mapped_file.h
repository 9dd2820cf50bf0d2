// Large files in memory without being read as a whole.

#ifndef SHAPEWISE_ANALYZER_SUPPORT_MAPPED_FILE_H_
#define SHAPEWISE_ANALYZER_SUPPORT_MAPPED_FILE_H_

#include <cstddef>
#include <memory>

#include "llvm/Support/MemoryBuffer.h"

namespace shapewise {

/// The bytes of a regular file, mapped. Of a file that is cut while it is mapped the lost pages
/// read as zeros, where they would otherwise end the program by SIGBUS; WasCut() tells of it. A
/// disk that fails looks the same.
class MappedFile final : public llvm::MemoryBuffer {
 public:
  /// The first `size` bytes, at least 1, of the open file `descriptor`. Null: they cannot be
  /// mapped.
  static std::unique_ptr<MappedFile> Map(int descriptor, size_t size);

  /// Whether `bytes` are such a file, and it was cut since.
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
