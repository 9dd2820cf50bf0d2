// Fuzzes the reader of zip archives. The law: what is read lies within what it announces, and the
// same bytes give the same text; nothing crashes, hangs or grows without bound.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "support/zip_archive.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  shapewise::Expected<shapewise::ZipArchive> archive = shapewise::ZipArchive::Open(bytes);
  if (!archive) {
    llvm::consumeError(archive.takeError());
    return 0;
  }
  for (const shapewise::ZipArchive::Member& member : archive->members()) {
    if (archive->Find(member.name) != &member) std::abort();
    shapewise::Expected<std::string_view> text = archive->Read(member);
    if (!text) {
      llvm::consumeError(text.takeError());
      continue;
    }
    if (text->size() != member.unpacked_bytes) std::abort();
  }
  return 0;
}
