// Scenarios: a function that is only named, a policy and a list of calls, one JSON object a line.

#ifndef SHAPEWISE_INGEST_SCENARIO_READER_H_
#define SHAPEWISE_INGEST_SCENARIO_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "shapewise/model/call_history.h"
#include "shapewise/model/compile_policy.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// One scenario. Marks and padding that its policy asks for are in the calls already.
struct Scenario {
  std::string id;
  std::string function;  ///< its name: it says nothing of the body
  std::string category;  ///< what is told of the body: "free", "equality" ...
  CallHistory history;
  CompilePolicy policy;
  std::string damage;  ///< what of it can't be read; empty: nothing
  uint64_t line = 0;
};

/// A line that is no scenario, or not a whole one.
struct DamagedLine {
  uint64_t line = 0;
  std::string what;
};

/// What was read of one input.
struct ScenarioTotals {
  static constexpr size_t kMaxKept = 5;

  uint64_t scenarios = 0;  ///< that were given out, damaged ones with an id as well
  uint64_t damaged = 0;
  std::vector<DamagedLine> first_damaged;  ///< at most kMaxKept
  std::string first_line;                  ///< at most 200 bytes
};

/// Reads the scenarios of `path` ("-": standard input) and gives them out, in order. A scenario is
/// valid for the call only. Error: it cannot be opened or read to its end; what was read before was
/// given out.
Expected<ScenarioTotals> ReadScenarios(const std::string& path, FileSource& files,
                                       llvm::function_ref<void(const Scenario&)> handle);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SCENARIO_READER_H_
