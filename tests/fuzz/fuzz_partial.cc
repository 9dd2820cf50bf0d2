// Fuzzes the reader of partials. The law: what it takes, it writes again as something that it takes
// without complaint; nothing crashes, hangs or grows with a number in the file.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "unit/partial/partial_helpers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view rows(reinterpret_cast<const char*>(data), size);
  shapewise::Session session;
  shapewise::ReadRows(rows, session);
  const std::string partial = shapewise::PartialOf(session);
  shapewise::Session back;
  shapewise::ReadInputFromChunks("fuzz.partial", {partial}, back);
  if (shapewise::PartialOf(back) != partial) std::abort();
  return 0;
}
