// The engine of `shapewise advise`: from inputs to advice.

#ifndef SHAPEWISE_PIPELINE_ADVISE_H_
#define SHAPEWISE_PIPELINE_ADVISE_H_

#include <string>
#include <vector>

#include "model/session.h"
#include "redact/redactor.h"
#include "result/advice.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// What to read, and which findings to address.
struct AdviseOptions {
  std::vector<std::string> paths;   ///< files, folders, or "-" for standard input; at least one
  std::vector<std::string> select;  ///< address only findings of these rules; empty: all
  std::vector<std::string> ignore;  ///< excluded rules; wins over `select`
  std::vector<std::string> calls;   ///< call records of the run; empty: none
  bool patch = false;               ///< make Advice::patch
  std::string source_root;          ///< the folder that contains the sources; empty: as logged
  Redactor* redactor = nullptr;     ///< rewrites what was read; null: unchanged
};

/// Reads the inputs into the empty `session` and ranks actions for the run.
///
/// Error: a selector that matches no rule, or call records that cannot be read. An unreadable path
/// is not an error: it is listed in Advice::unread.
Expected<Advice> AdviseOnRun(const AdviseOptions& options, FileSource& files, Session& session);

/// Creates Advice::patch from the plan of `advice`, if `options` request it.
void PatchPlan(const AdviseOptions& options, FileSource& files, Advice& advice);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_ADVISE_H_
