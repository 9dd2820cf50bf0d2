// Fuzzes the readers of sizes, of cost curves and of ladders. The law: the answer does not depend
// on where the input was cut on its way, every call that a reader gives is counted, and nothing
// crashes, hangs or grows with a number in the file.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/size_reader.h"
#include "support/chunked_file.h"

namespace shapewise {
namespace {

/// What the readers make of `files`, as a text.
std::string DumpSizes(ChunkedFile files, const SizeQuery& query, const GroupingRule& grouping) {
  std::string dump;
  Expected<SizeRun> run = ReadSizeRun({"fuzz"}, query, grouping, files);
  if (run) {
    const SizeHistogram all = run->history.Histogram();
    uint64_t calls = 0;
    for (const SizeCount& count : all.counts) {
      for (const int64_t size : count.sizes) dump += std::to_string(size) + " ";
      dump += std::to_string(count.calls) + "\n";
      calls += count.calls;
    }
    if (calls != run->history.calls()) std::abort();
    for (const SizeFile& file : run->files) {
      dump += std::to_string(file.totals.lines.records) + " read, " +
              std::to_string(file.totals.lines.damaged) + " damaged\n";
    }
    for (const std::string& why : run->unread) dump += why + "\n";
  } else {
    dump += llvm::toString(run.takeError());
  }
  if (Expected<CostCurveFile> curve = ReadCostCurve("fuzz", files)) {
    dump += std::to_string(curve->curve.points.size()) + " points\n";
  } else {
    dump += llvm::toString(curve.takeError());
  }
  if (Expected<std::vector<int64_t>> ladder = ReadSizeLadder("fuzz", files)) {
    dump += std::to_string(ladder->size()) + " sizes\n";
  } else {
    dump += llvm::toString(ladder.takeError());
  }
  return dump;
}

}  // namespace
}  // namespace shapewise

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  // The first two bytes say where to cut and what to ask; the rest is the file.
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  shapewise::SizeQuery query;
  if ((data[1] & 3) == 1) query.columns = {"2"};
  if ((data[1] & 3) == 2) query.columns = {"length", "1"};
  if ((data[1] & 3) == 3) query.sources = {"x:0"};
  shapewise::GroupingRule grouping;
  if ((data[1] & 12) == 4) grouping.batch = 3;
  if ((data[1] & 12) == 8) grouping.max_tokens = 64;
  const size_t chunk_bytes = size_t{1} + data[0];
  const bool same = shapewise::DumpSizes({text, chunk_bytes}, query, grouping) ==
                    shapewise::DumpSizes({text, size}, query, grouping);
  if (!same) std::abort();
  return 0;
}
