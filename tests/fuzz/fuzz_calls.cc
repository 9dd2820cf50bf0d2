// Fuzzes the readers of call records, scenarios and lengths, and what is predicted from what they
// read. The law: the answer does not depend on where the input was cut on its way, totals are the
// sums over calls, and nothing crashes, hangs or grows with a number in the file.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/simulator.h"
#include "ingest/call_record_reader.h"
#include "support/chunked_file.h"

namespace shapewise {
namespace {

/// More calls than that tell nothing new, and take long.
constexpr size_t kMaxSimulated = 2000;

std::string Simulated(const CallHistory& history, const CompilePolicy& policy) {
  std::string dump = std::to_string(history.sources.size()) + " sources, " +
                     std::to_string(history.signatures.size()) + " signatures, " +
                     std::to_string(history.calls.size()) + " calls\n";
  if (history.calls.size() > kMaxSimulated) return dump;
  const Prediction prediction = Simulate(history, BodyOfCategory("free"), policy, {});
  if (prediction.known_calls > history.calls.size()) std::abort();
  uint64_t graphs = 0;
  for (const PredictedCall& call : prediction.calls) graphs += call.compiled.size();
  if (prediction.is_exact && graphs != prediction.totals.graphs) std::abort();
  return dump + std::to_string(prediction.totals.graphs) + " graphs " + prediction.why + "\n";
}

std::string Describe(Expected<JsonLineTotals> totals) {
  if (!totals) return llvm::toString(totals.takeError());
  return std::to_string(totals->records) + " read, " + std::to_string(totals->damaged) +
         " damaged\n";
}

/// What one of the readers makes of `file`, as a text.
std::string DumpCalls(ChunkedFile file, unsigned reader) {
  std::string dump;
  if (reader == 0) {
    RecordedFunctions functions;
    dump = Describe(ReadCallRecords("fuzz", file, functions));
    for (const auto& function : functions) dump += Simulated(function->history, {});
  } else if (reader == 1) {
    dump = Describe(ReadScenarios("fuzz", file, [&](const Scenario& scenario) {
      dump += scenario.id + " " + scenario.damage + Simulated(scenario.history, scenario.policy);
    }));
  } else {
    RecordedFunction function;
    const LengthShape shape = llvm::cantFail(ParseLengthShape("x[8,*]"));
    dump = Describe(ReadLengths("fuzz", shape, file, function));
    dump += Simulated(function.history, {});
  }
  return dump;
}

}  // namespace
}  // namespace shapewise

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  // The first two bytes say where to cut and what it is; the rest is the file.
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const unsigned reader = data[1] % 3;
  const size_t chunk_bytes = size_t{1} + data[0];
  const bool same = shapewise::DumpCalls({text, chunk_bytes}, reader) ==
                    shapewise::DumpCalls({text, size}, reader);
  if (!same) std::abort();
  return 0;
}
