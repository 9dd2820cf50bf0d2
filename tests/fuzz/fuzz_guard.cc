// Fuzzes the parser of guard texts. The law: every view lies inside the text or is static text that
// has an end, and the guard is part of the text.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/guard.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const shapewise::GuardFailure failure = shapewise::ParseGuardFailure(text);
  for (const std::string_view part : {failure.guard, failure.source, failure.entry, failure.code,
                                      failure.user_file, failure.user_function}) {
    const bool inside = part.empty() || (part.data() >= text.data() &&
                                         part.data() + part.size() <= text.data() + text.size());
    if (!inside) std::abort();
  }
  return 0;
}
