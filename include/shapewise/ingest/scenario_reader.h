// Scenarios: a function that is only named, a policy and a list of calls, one JSON object a line.

#ifndef SHAPEWISE_INGEST_SCENARIO_READER_H_
#define SHAPEWISE_INGEST_SCENARIO_READER_H_

#include <cstdint>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "shapewise/ingest/json_line_totals.h"
#include "shapewise/model/call_history.h"
#include "shapewise/model/compile_policy.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

class Redactor;

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

/// Reads the scenarios of `path` ("-": standard input) and gives them out, in order. A scenario is
/// valid for the call only. Error: it cannot be opened or read to its end; what was read before was
/// given out. A damaged scenario that has an id is given out and counted as damaged. `redactor`
/// rewrites all texts before; null: they stay.
Expected<JsonLineTotals> ReadScenarios(const std::string& path, FileSource& files,
                                       llvm::function_ref<void(const Scenario&)> handle,
                                       Redactor* redactor = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SCENARIO_READER_H_
