// Fuzzes the reader of structured traces. The input is made to look like a trace whatever the
// fuzzer does to it, so that all work goes into envelopes and payloads. The law: the answer does
// not depend on where the input was cut on its way, and nothing crashes, hangs or grows without
// bound.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/corpus.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  // The first byte says where to cut; the rest is the trace.
  const size_t chunk_bytes = size_t{1} + data[0];
  std::string trace =
      "V1121 04:07:24.693000 551 torch/_logging/structured.py:28] {\"str\": [\"/w/train.py\", "
      "0]}\n";
  trace.append(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool same =
      shapewise::ReadAndDump(trace, chunk_bytes) == shapewise::ReadAndDump(trace, trace.size());
  if (!same) std::abort();
  return 0;
}
