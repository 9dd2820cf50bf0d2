// What `shapewise advise` does between its inputs and its report.

#ifndef SHAPEWISE_PIPELINE_ADVISE_H_
#define SHAPEWISE_PIPELINE_ADVISE_H_

#include <string>
#include <vector>

#include "shapewise/model/session.h"
#include "shapewise/redact/redactor.h"
#include "shapewise/result/advice.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// What to read and what to speak of.
struct AdviseOptions {
  std::vector<std::string> paths;   ///< files, folders, or "-" for standard input; at least one
  std::vector<std::string> select;  ///< answer only findings of these rules; empty: of all
  std::vector<std::string> ignore;  ///< likewise; wins over `select`
  std::vector<std::string> calls;   ///< call records of the run; empty: there are none
  bool patch = false;               ///< make Advice::patch
  std::string source_root;          ///< the folder in which the sources lie; empty: as logged
  Redactor* redactor = nullptr;     ///< rewrites what was read; null: it stays
};

/// Reads the inputs into the empty `session` and ranks what could be done about the run.
///
/// Error: a selector that fits no rule; call records that cannot be read. A path that cannot be read is none: it is told in
/// Advice::unread, and the rest is read.
Expected<Advice> AdviseOnRun(const AdviseOptions& options, FileSource& files, Session& session);

/// Makes Advice::patch of the plan of `advice`, if `options` ask for one.
void PatchPlan(const AdviseOptions& options, FileSource& files, Advice& advice);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_ADVISE_H_
