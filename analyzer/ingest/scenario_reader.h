// Reads scenarios, one JSON object per line: a function known only by name, a policy and a list of
// calls.

#ifndef SHAPEWISE_INGEST_SCENARIO_READER_H_
#define SHAPEWISE_INGEST_SCENARIO_READER_H_

#include <cstdint>
#include <string>

#include "ingest/json_line_totals.h"
#include "llvm/ADT/STLExtras.h"
#include "model/call_history.h"
#include "model/compile_policy.h"
#include "support/text_input.h"

namespace shapewise {

class Redactor;

/// One scenario. Marks and padding of its policy are already applied to the calls.
struct Scenario {
  std::string id;
  std::string function;  ///< its name, which implies nothing about the body
  std::string category;  ///< the known category of the body: "free", "equality" ...
  CallHistory history;
  CompilePolicy policy;
  std::string damage;  ///< why it cannot be read; empty: it can
  uint64_t line = 0;
};

/// Reads the scenarios of `path` ("-": standard input) and passes them on in order. A scenario is
/// valid only during the call. A damaged scenario that has an id is passed on and counted as
/// damaged. `redactor` rewrites all texts; null: texts are kept. Error: the file cannot be opened
/// or read to its end; scenarios before that were passed on.
Expected<JsonLineTotals> ReadScenarios(const std::string& path, FileSource& files,
                                       llvm::function_ref<void(const Scenario&)> handle,
                                       Redactor* redactor = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SCENARIO_READER_H_
