// Fuzzes the reader of profiles. The law: the answer does not depend on where the input was cut on
// its way, and nothing crashes, hangs or grows without bound.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/corpus.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  // The first byte says where to cut; the rest are the events of a profile.
  const size_t chunk_bytes = size_t{1} + data[0];
  const std::string profile = "{\"schemaVersion\": 1, \"traceEvents\": [" +
                              std::string(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool same = shapewise::ReadAndDump(profile, chunk_bytes) ==
                    shapewise::ReadAndDump(profile, profile.size());
  if (!same) std::abort();
  return 0;
}
