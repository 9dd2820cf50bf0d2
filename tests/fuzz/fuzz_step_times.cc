// Fuzzes the reader of tables of step times. The law: the answer does not depend on where the input
// was cut on its way, and nothing crashes, hangs or grows without bound.

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "support/corpus.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  // The first byte says where to cut, the second what the table begins with: a header and a row,
  // with which it is one whatever follows, rows, or nothing; the rest is the table.
  constexpr std::string_view kBeginnings[] = {"step,step_time_ms\n1,0.5\n",
                                              "1\t0.5\n2\t0.5\n3\t0.5\n", ""};
  const size_t chunk_bytes = size_t{1} + data[0];
  std::string table(kBeginnings[data[1] % std::size(kBeginnings)]);
  table.append(reinterpret_cast<const char*>(data) + 2, size - 2);
  const bool same =
      shapewise::ReadAndDump(table, chunk_bytes) == shapewise::ReadAndDump(table, table.size());
  if (!same) std::abort();
  return 0;
}
